/// Convolutions of this machine as a contest: the registry's list of kernels, each a
/// step of the native engine with fixed parameters, checked on exact data before it
/// is offered.
#pragma once

#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/select/Contest.h"
#include "assay/select/spaces/Conv.h"

#include <functional>
#include <map>

namespace assay::engine {

/// A problem's operation, compiled by different kernels, on operands of its own.
/// The filter of a forward convolution stays, and is brought into a kernel's order
/// once, as in a model that runs again and again; the gradients' operands are new in
/// each run. Threads: any; one run at a time.
class ConvolutionBench {
public:
  enum class Fill { Exact, Random };
  /// `pool`: of as many threads as the problem has. Errors: InvalidArgument (it is
  /// not), those of the program (an invalid problem), ResourceLimit
  static llvm::Expected<std::unique_ptr<ConvolutionBench>>
  create(std::shared_ptr<NativeContext> context,
         const kernels::ConvProblem &problem, ThreadPool &pool, Fill fill,
         uint64_t seed);
  ~ConvolutionBench();

  /// Errors: Unsupported with the reason
  llvm::Expected<std::shared_ptr<const Step>>
  compile(const kernels::ConvConfig &config) const;
  /// Computes the result. Errors: those of the step
  llvm::Error run(const Step &step) const;
  const Tensor &result() const;
  /// The reference's result. Errors: those of the reference
  llvm::Expected<Tensor> expected() const;

private:
  ConvolutionBench() = default;
  struct State;
  std::unique_ptr<State> state_;
};

/// Compares a kernel with the reference on a small problem of the same kind
/// (direction, window, strides, groups), on integers that every order of sums adds
/// up exactly, on one thread and on two. A verdict is kept. Threads: any.
class ConvolutionCheck {
public:
  /// Checks the step that a bench runs for a configuration.
  using Compile = std::function<llvm::Expected<std::shared_ptr<const Step>>(
      const ConvolutionBench &, const kernels::ConvConfig &)>;
  /// `compile`: another than the bench's own (a test's wrong kernels).
  explicit ConvolutionCheck(std::shared_ptr<NativeContext> context,
                            Compile compile = nullptr);
  ~ConvolutionCheck();
  /// Errors: Mismatch naming the first wrong element
  llvm::Error check(const kernels::ConvProblem &problem,
                    const kernels::ConvConfig &config);
  /// The small problem.
  static kernels::ConvProblem sampleOf(kernels::ConvProblem problem);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Makes contests of the convolutions of one direction; kernels are indices into
/// convKernels(). Nothing else may use the choice of the native engine's context meanwhile.
class ConvolutionSource {
public:
  explicit ConvolutionSource(kernels::ConvDirection direction,
                             std::shared_ptr<NativeContext> context =
                                 std::make_shared<NativeContext>());
  const kernels::Machine &machine() const;
  llvm::ArrayRef<kernels::ConvConfig> configs() const { return configs_; }
  /// Errors: InvalidArgument (a problem of another operation), those of
  /// ConvolutionBench
  llvm::Expected<std::unique_ptr<select::Contest>>
  contest(const select::ProblemRef &problem, ThreadPool &pool, uint64_t seed);

private:
  kernels::ConvDirection direction_;
  std::shared_ptr<NativeContext> context_;
  std::shared_ptr<ConvolutionCheck> check_;
  std::vector<kernels::ConvConfig> configs_;
  /// For problems of other numbers of threads than a caller's pool.
  std::map<int, std::shared_ptr<ThreadPool>> pools_;
};

/// What this machine's kernels are listed and run with: the context's registry, and
/// of convolutions a ConvolutionSource. It must not outlive the context.
select::SpaceContext spacesOf(std::shared_ptr<NativeContext> context);

} // namespace assay::engine
