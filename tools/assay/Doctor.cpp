// `assay doctor`: what machine this is and what Assay finds on it.
#include "Commands.h"
#include "assay/support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace assay;

ExitCode tools::doctorCommand(llvm::ArrayRef<const char *> arguments) {
  llvm::outs() << "processor: " << llvm::sys::getHostCPUName() << ", " << availableCores() << " cores available\n";
  return ExitCode::Ok;
}
