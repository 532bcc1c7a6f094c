/// What the native engine's passes over a plan need from the steps that it made.
#pragma once

#include "assay/program/Step.h"

namespace assay::engine {

class FollowingLoop;
class PiecewiseStep;
class ProductStep;

/// A step of this engine. A new kind of step overrides what it can answer.
class NativeStep : public program::Step {
public:
  /// The step as one of this engine's; null: another's.
  static NativeStep *of(program::Step &step) {
    return dynamic_cast<NativeStep *>(&step);
  }
  static const NativeStep *of(const program::Step &step) {
    return dynamic_cast<const NativeStep *>(&step);
  }

  /// Says that operand 1 is a weight: the same tensor at each run. It is then
  /// packed once, at the first run that sees it, and kept (as far as the memory
  /// budget allows).
  virtual void setConstantWeight() {}
  /// The same step as a product, one that runs in pieces, and a loop that follows
  /// such pieces; null: it is not.
  virtual const ProductStep *asProduct() const { return nullptr; }
  virtual const PiecewiseStep *asPiecewise() const { return nullptr; }
  virtual const FollowingLoop *asFollowingLoop() const { return nullptr; }
};

/// A step that can report, while it runs, which elements of its result are final.
class PiecewiseStep : public NativeStep {
public:
  /// Elements [begin, end) of the result, row-major, are there; called on any
  /// thread, once for each range; all of them by the end of the run.
  using Ready = llvm::function_ref<void(int64_t begin, int64_t end)>;
  /// `ready` may be null.
  virtual llvm::Error runPieces(program::StepContext &context,
                                Ready ready) const = 0;
  /// Ranges begin and end at a multiple of this: the channels of a pixel. 0
  /// where pieces are not whole rows of the result.
  virtual int64_t unit() const = 0;
  llvm::Error run(program::StepContext &context) const final {
    return runPieces(context, nullptr);
  }
  const PiecewiseStep *asPiecewise() const final { return this; }
};

/// The step's views of itself; null: another engine's step, or it is not one.
inline const ProductStep *productStepOf(const program::Step &step) {
  const NativeStep *native = NativeStep::of(step);
  return native ? native->asProduct() : nullptr;
}
inline const PiecewiseStep *piecewiseOf(const program::Step &step) {
  const NativeStep *native = NativeStep::of(step);
  return native ? native->asPiecewise() : nullptr;
}
inline const FollowingLoop *followingLoopOf(const program::Step &step) {
  const NativeStep *native = NativeStep::of(step);
  return native ? native->asFollowingLoop() : nullptr;
}
inline void setConstantWeight(program::Step &step) {
  if (NativeStep *native = NativeStep::of(step))
    native->setConstantWeight();
}

} // namespace assay::engine
