// From the arguments of `assay verify` to programs, beyond the grammar: what a
// driver builds is a valid program, the text that --show-program prints parses
// to the same operations, and what the recogniser calls the program builds the
// same operations again.
#include "assay/verify/Recognise.h"
#include "assay/verify/ShowProgram.h"
#include "words.h"

#include <cstdio>
#include <cstdlib>

using namespace assay;
using namespace assay::verify;

[[noreturn]] static void die(const Problem &problem, const std::string &why) {
  std::fprintf(stderr, "%s\n%s\n", problem.repro.c_str(), why.c_str());
  std::abort();
}

static void check(const Problem &problem) {
  llvm::Expected<BoundProgram> bound = problem.driver->build(problem);
  if (!bound)
    return llvm::consumeError(bound.takeError());
  std::string text = showProgram(problem, *bound);
  auto parsed = program::Program::parse(text, "shown");
  if (!parsed)
    die(problem, llvm::toString(parsed.takeError()) + "\n" + text);
  BoundProgram shown = *bound;
  shown.program = *parsed;
  if (!sameOperations(*bound, shown))
    die(problem, "shown with other operations:\n" + text);
  std::optional<Problem> known = recognise(*bound, problem.driver);
  if (!known)
    return;
  llvm::Expected<BoundProgram> again = known->driver->build(*known);
  if (!again)
    die(problem, llvm::toString(again.takeError()));
  if (!sameOperations(*bound, *again))
    die(problem, "recognised as something else:\n" + text);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (text.contains('\0'))
    return 0;
  std::vector<Problem> problems;
  llvm::consumeError(readProblems(splitWords(text), 8, problems));
  for (const Problem &problem : problems)
    if (problem.invalid.empty() && problem.unimplemented.empty() &&
        !problem.driver->readsFile)
      check(problem);
  return 0;
}
