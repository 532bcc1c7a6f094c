/// The kernels of one problem as measuring code sees them: races, searches by
/// the clock, validations. Only a contest knows its operation. Engines make the
/// contests of operations that only they can run (SpaceContext).
#pragma once

#include "assay/select/Problem.h"
#include "assay/support/ThreadPool.h"

#include <functional>
#include <memory>

namespace assay::select {

/// One kernel, compiled and checked, with the operands of its contest.
class Contender {
public:
  virtual ~Contender() = default;
  /// Computes the problem once. Threads: one caller at a time.
  virtual void run() const = 0;
};

/// Kernels are numbered from 0. Threads: every function may be called from any
/// thread; the contenders share the operands.
class Contest {
public:
  virtual ~Contest() = default;
  virtual ProblemRef problem() const = 0;
  /// The problem's own description.
  virtual std::string title() const { return problem()->title(); }
  virtual double flops() const { return problem()->flops(); }
  /// The key of random draws of kernels.
  virtual uint64_t hash() const { return problem()->hash(); }
  virtual int threads() const { return problem()->threads(); }
  /// The kernels that can compute the problem, the best by the analytic
  /// estimate first. That one is the anchor of a race.
  virtual std::vector<int32_t> candidates() const = 0;
  virtual std::string name(int32_t kernel) const = 0;
  /// The number of choices in which two kernels differ.
  virtual int differences(int32_t a, int32_t b) const = 0;
  /// Errors: Unsupported, Mismatch (the kernel failed its check), Internal
  virtual llvm::Expected<std::shared_ptr<const Contender>>
  prepare(int32_t kernel) = 0;
};

/// Makes the contest of a problem. Errors: those of making its operands
using ContestMaker = std::function<llvm::Expected<std::unique_ptr<Contest>>(
    const ProblemRef &problem, ThreadPool &pool, uint64_t seed)>;

} // namespace assay::select
