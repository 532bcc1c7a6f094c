// Feeds arbitrary text to the grammar of `assay verify`: words, knobs,
// descriptors, tags, attributes, templates. Whatever comes in, it answers with
// problems or one clear error; a problem's repro line reads back as the same
// problem.
#include "assay/verify/Lowering.h"
#include "assay/verify/PerfTemplate.h"
#include "words.h"

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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (text.contains('\0'))
    return 0;
  std::vector<Problem> problems;
  llvm::consumeError(readProblems(splitWords(text), 64, problems));
  for (const Problem &problem : problems) {
    if (llvm::Expected<std::string> header =
            perfHeader(problem.options->perfTemplate);
        !header)
      llvm::consumeError(header.takeError());
    if (!problem.invalid.empty() || !problem.unimplemented.empty() ||
        problem.driver->readsFile)
      continue;
    llvm::Expected<Lowered> lowered = lower(problem);
    if (!lowered)
      llvm::consumeError(lowered.takeError());
    std::vector<Problem> again;
    llvm::Error error = readProblems(reproWords(problem.repro), 2, again);
    if (error || again.size() != 1 || again[0].repro != problem.repro)
      std::abort(); // the repro line does not run as it stands
  }
  return 0;
}
