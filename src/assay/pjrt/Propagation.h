/// Results of which a program does not say how they are cut: found from the
/// arguments on, as a partitioner finds it for what keeps its dimensions. It
/// changes where results lie, never what they are.
#pragma once

#include "assay/program/Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace assay::pjrt {

/// How a value is cut; no mesh: every device has it whole.
struct Cut {
  std::shared_ptr<const program::Mesh> mesh;
  program::Sharding dimensions;
};

/// One for each result of the function; of dimensions that the axes divide.
std::vector<Cut> propagateToResults(mlir::func::FuncOp function);

} // namespace assay::pjrt
