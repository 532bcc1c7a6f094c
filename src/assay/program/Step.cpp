// Code that all steps share.
#include "assay/program/Step.h"

namespace assay::program {

Tensor StepContext::takeUnique(size_t i) {
  if (!dying[i])
    return Tensor();
  Value &slot = *operands[i];
  const Tensor &held = shadowRun ? slot.shadow() : slot.tensor();
  if (!held.valid() || !held.unique() || held.isSplat() ||
      held.buffer()->isView())
    return Tensor();
  Tensor taken = held;
  if (shadowRun)
    slot.setShadow(Tensor());
  else
    slot.tensor() = Tensor();
  return taken;
}

llvm::Error Step::run(StepContext &) const {
  return makeError(ErrorCode::Internal,
                   "a step without run() was run directly");
}

RegionTask Step::start(StepContext &,
                       llvm::MutableArrayRef<RegionEvaluator>) const {
  co_return makeError(ErrorCode::Internal,
                      "a step without regions was started as a region step");
}

} // namespace assay::program
