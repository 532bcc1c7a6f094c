// Feeds arbitrary text to the converters of benchmark files (JSON, log, CSV)
// and to the reader of kernel names: a table or one clear error.
#include "assay/kernels/Config.h"
#include "assay/select/CkGemm.h"

#include <cstdlib>

using namespace assay;
using namespace assay::select;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  ConvertReport report;
  llvm::Expected<ColumnTable> table = convertCk(text, "input", {}, report);
  if (!table)
    llvm::consumeError(table.takeError());
  llvm::StringRef line = text.split('\n').first;
  if (auto name = parseCkName(line); !name)
    llvm::consumeError(name.takeError());
  auto config = kernels::parseConfig(line);
  if (!config)
    llvm::consumeError(config.takeError());
  else if (auto back = kernels::parseConfig(config->name());
           !back || !(*back == *config)) // names parse back
    std::abort();
  return 0;
}
