// Feeds arbitrary text to the grammar of `assay verify`: words, knobs,
// descriptors, tags, attributes, templates. Whatever comes in, it answers with
// problems or one clear error; a problem's repro line reads back as the same
// problem.
#include "assay/support/Error.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Options.h"
#include "assay/verify/PerfTemplate.h"
#include "assay/verify/Reader.h"

#include <cstdlib>

using namespace assay;
using namespace assay::verify;

static std::vector<std::string> reproWords(llvm::StringRef repro) {
  std::vector<std::string> words;
  llvm::SmallVector<llvm::StringRef, 16> parts;
  repro.split(parts, ' ', -1, false);
  for (llvm::StringRef part : parts)
    words.push_back(part.str());
  return words;
}

static llvm::Error read(const std::vector<std::string> &words, int limit,
                        std::vector<Problem> &out) {
  Reader reader({}, [&](Problem problem) -> llvm::Error {
    out.push_back(std::move(problem));
    return static_cast<int>(out.size()) >= limit
               ? makeError(ErrorCode::Cancelled, "enough")
               : llvm::Error::success();
  });
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    if (!llvm::StringRef(word).starts_with("--batch"))
      arguments.push_back(word.c_str());
  return reader.readArguments(arguments);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (text.contains('\0'))
    return 0;
  std::vector<std::string> words;
  for (BatchWord &word : batchWords(text))
    words.push_back(std::move(word.text));
  std::vector<Problem> problems;
  llvm::consumeError(read(words, 64, problems));
  for (const Problem &problem : problems) {
    if (llvm::Expected<std::string> header =
            perfHeader(problem.options->perfTemplate);
        !header)
      llvm::consumeError(header.takeError());
    if (!problem.invalid.empty() || !problem.unimplemented.empty() ||
        problem.driver == DriverKind::Op)
      continue;
    llvm::Expected<Case> lowered = lower(problem);
    if (!lowered)
      llvm::consumeError(lowered.takeError());
    std::vector<Problem> again;
    llvm::Error error = read(reproWords(problem.repro), 2, again);
    if (error || again.size() != 1 || again[0].repro != problem.repro)
      std::abort(); // the repro line does not run as it stands
  }
  return 0;
}
