/// The steps of a recorded model: which tensors a tensor was computed from.
/// Private to FirstWrong.
#pragma once

#include "assay/trace/Compare.h"

namespace assay::trace {

/// A parameter that only one side's call of a module was given.
struct OneSidedParameter {
  std::string name;
  std::string around; ///< the module whose code passed it, or did not
  bool ofTarget = false;
};

/// A computed tensor, and the tensors that it was computed from.
struct ModelStep {
  size_t row = 0;                 ///< the tensor's row of the comparison
  std::vector<size_t> sources;    ///< earlier rows that it may be computed from
  std::vector<size_t> parameters; ///< of a leaf module: rows of its parameters
  std::string module;             ///< the module whose code computed it
  std::string className;
  bool leaf = false;    ///< the module itself, with its inputs as sources; else
                        ///< code between modules
  bool isInput = false; ///< nothing before it: an input of the model
  bool isFedIn = false; ///< the gradient that a backward pass begins with; its
                        ///< sources are the outputs that it belongs to
  bool byFlow = false;  ///< an operator's input that equals no earlier row:
                        ///< DataFlow.h finds where it comes from
  std::optional<OneSidedParameter> oneSided = {}; ///< for a module's output
};

/// A parameter that a call was given instead of its module's own
/// (torch.func.functional_call): its path below the module; empty: the tensor
/// is not such a parameter or its gradient.
llvm::StringRef givenParameter(const DumpName &name);

/// The steps in the order of execution. Rows without counterpart, parameters,
/// and tensors that are only copies of an earlier one (equal errors and sizes,
/// or equal data) make no step.
std::vector<ModelStep> findSteps(const Comparison &comparison);

/// For each row, the first one that has the same data on both sides in its step;
/// itself where it is the first.
std::vector<size_t> firstHolders(const Comparison &comparison);

} // namespace assay::trace
