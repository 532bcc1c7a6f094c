// Fuzzes the messages between a parent and its worker process, both ways: any
// bytes as a problem, which a worker reads, and as a result, which an engine may
// have written over. What is read as a problem is written as the same bytes.
#include "assay/engine/Messages.h"

#include <cstdlib>

using namespace assay::engine;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (std::optional<ProblemDescription> problem = readCreate(text)) {
    std::optional<ProblemDescription> again =
        readCreate(createMessage(*problem));
    if (!again || createMessage(*again) != createMessage(*problem) ||
        createMessage(*problem).size() != size)
      std::abort();
  }
  if (std::optional<WorkerResult> result = readResult(text))
    if (result->samples.size() * sizeof(double) > size)
      std::abort();
  return 0;
}
