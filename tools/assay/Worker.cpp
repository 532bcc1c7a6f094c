// `assay --worker MODULE LIMIT`: not for users. The process that runs an engine
// under test, or an isolated one (engine/Worker.h).
#include "assay/engine/Worker.h"
#include "Commands.h"
#include "assay/engine/all/Engines.h"

using namespace assay;

ExitCode tools::workerCommand(llvm::ArrayRef<const char *> arguments) {
  int64_t limit = 0;
  if (arguments.size() != 3 ||
      llvm::StringRef(arguments[2]).getAsInteger(10, limit))
    return reportError(makeError(ErrorCode::InvalidArgument,
                                 "--worker is for Assay's own use: it takes a "
                                 "module and a limit in bytes"));
  return static_cast<ExitCode>(
      engine::workerMain(arguments[1], limit, engine::makeProgramHost));
}
