// Calls that describe how a value is sharded, placed or laid out. In a program
// that runs alone they return the value unchanged.
#include "assay/reference/custom/CustomCalls.h"

namespace assay::reference {

llvm::Expected<std::unique_ptr<Step>> annotation(const StepSpec &spec) {
  bool same = spec.results.size() <= spec.operands.size();
  for (size_t i = 0; same && i < spec.results.size(); ++i)
    same = spec.results[i] == spec.operands[i];
  if (!same)
    return makeError(ErrorCode::Unsupported,
                     "the call changes the shape of its operand: a program "
                     "cut for several devices; export it with Shardy "
                     "(sdy.manual_computation), which runs");
  return forwardOperands();
}

} // namespace assay::reference
