/// The steps of a recorded model: which tensors a tensor was computed from.
/// Private to FirstWrong.
#pragma once

#include "assay/trace/Compare.h"

namespace assay::trace {

/// A tensor that something computed, and what it was computed from.
struct ModelStep {
  size_t row = 0;              ///< of the comparison: the tensor
  std::vector<size_t> sources; ///< rows before it that may have gone in
  std::string module;          ///< whose code computed it
  std::string className;
  bool leaf = false;    ///< the module itself, with its inputs as sources; else
                        ///< code between modules
  bool isInput = false; ///< nothing before it: an input of the model
};

/// The steps in the order of execution. Rows without counterpart, parameters,
/// and tensors that are only copies of an earlier one (equal errors and sizes,
/// or equal data) make no step.
std::vector<ModelStep> findSteps(const Comparison &comparison);

} // namespace assay::trace
