/// Cuts a value into the parts of devices, and joins them again.
#pragma once

#include "assay/program/RunContext.h"
#include "assay/program/Shardings.h"

namespace assay::program {

/// A copy of one part, with its shadow.
llvm::Expected<Value> cut(const Value &whole, const Box &box, RunContext &run);

/// Assembles a value of `shape` from one part for each element of the mesh.
/// Where several elements have the same part, the first one is used.
llvm::Expected<Value> join(const Mesh &mesh, const Sharding &sharding,
                           llvm::ArrayRef<Value> parts,
                           llvm::ArrayRef<int64_t> shape, RunContext &run);

} // namespace assay::program
