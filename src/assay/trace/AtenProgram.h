/// StableHLO programs of recorded PyTorch operators: replays and extracted
/// .mlir tests run them.
#pragma once

#include "assay/program/Program.h"
#include "assay/trace/OperatorTrace.h"

namespace assay::trace {

struct AtenProgram {
  std::shared_ptr<const program::Program> program; ///< its function is @main
  /// The place of each parameter, a tensor among the call's arguments ("0",
  /// "1.2" for the third tensor of a list, "weight").
  std::vector<std::string> inputs;
  std::vector<size_t> outputs; ///< for each result, the call's output
};

/// Intermediate values that a program rounds to the recorded type, so that its
/// bound allows for a kernel that does so.
enum class Stages {
  Wide,    ///< no rounding: the operator's meaning. The bounds of values
           ///< scattered to one place, and of gradients of a norm's weights,
           ///< allow for sums in that type
  Rounded, ///< values that a kernel may keep in that type: a product before its
           ///< bias is added, the weights of attention, the statistics of a
           ///< norm
  Narrow,  ///< sums as well: PyTorch keeps those of a layer norm's gradients
           ///< and of a table's rows in that type
};

/// Whether PyTorch sums an output in the recorded type: the gradients of a
/// norm's weights and of a table's rows, in as many parts as there are threads;
/// the gradients of a convolution, image by image; repeated updates of one
/// place; and the gradients of a pool's input under overlapping windows.
bool sumsInType(llvm::StringRef operation, size_t output);

/// The program of one call. Floats are computed in f32 (in f64 where one of the
/// tensors is) and rounded once to the recorded type, integers in i64, so the
/// program is the operator's meaning and not one implementation of it. In-place
/// operators (`add_`) become their functional forms.
/// Errors:  Unsupported with the reason (an operator without a row in
///          aten/Ops.def, complex numbers, a rare argument)
llvm::Expected<AtenProgram> atenProgram(const TracedCall &call,
                                        Stages stages = Stages::Wide);

/// Whether aten/Ops.def has a row for an operator.
bool hasAtenRow(llvm::StringRef opName);
/// "add.Tensor", ...: the rows of aten/Ops.def.
llvm::ArrayRef<const char *> atenOperators();

} // namespace assay::trace
