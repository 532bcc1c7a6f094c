/// StableHLO programs of recorded PyTorch operators: what replays and extracted
/// .mlir tests run.
#pragma once

#include "assay/program/Program.h"
#include "assay/trace/OperatorTrace.h"

namespace assay::trace {

struct AtenProgram {
  std::shared_ptr<const program::Program> program; ///< its function is @main
  /// The places of the parameters: tensors among the call's arguments
  /// ("0", "1.2" for the third tensor of a list, "weight").
  std::vector<std::string> inputs;
  std::vector<size_t> outputs; ///< which output of the call each result is
};

/// What a program rounds to the recorded type on its way, so that its bound
/// allows for a kernel that does.
enum class Stages {
  Wide,    ///< no rounding: the operator's meaning. The bound of what is scattered
           ///< to one place, and of gradients of a norm's weights, allows for sums
           ///< in that type
  Rounded, ///< what a kernel may keep in that type: a product before its bias is
           ///< added, the weights of attention, the statistics of a norm
  Narrow,  ///< and sums: PyTorch keeps those of a layer norm's gradients and of
           ///< a table's rows so
};

/// Whether PyTorch sums an output in the recorded type: the gradients of a norm's
/// weights and of a table's rows, by as many threads as there are, a
/// convolution's by images, repeated updates of one place, and the gradients of a pool's
/// input under overlapping windows.
bool sumsInType(llvm::StringRef operation, size_t output);

/// The program of one call. Floats are computed in f32 (in f64 where one of the
/// tensors is) and rounded once to the recorded type, integers in i64, so the program is the operator's meaning and
/// not one implementation of it. Overwriting operators (`add_`) are their
/// functional forms.
/// Errors:  Unsupported with the reason (an operator without a row in
///          aten/Ops.def, complex numbers, a rare argument)
llvm::Expected<AtenProgram> atenProgram(const TracedCall &call,
                                        Stages stages = Stages::Wide);

/// Whether aten/Ops.def has a row for an operator.
bool hasAtenRow(llvm::StringRef opName);
/// "add.Tensor", ...: the rows of aten/Ops.def.
llvm::ArrayRef<const char *> atenOperators();

} // namespace assay::trace
