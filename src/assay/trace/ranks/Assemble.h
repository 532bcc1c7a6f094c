/// Puts a tensor together from the parts that the processes of a run have.
#pragma once

#include "assay/tensor/Tensor.h"
#include "assay/trace/ranks/Layout.h"

namespace assay::trace {

/// The tensor that one process recorded under a name.
struct RankPart {
  int64_t rank = 0;
  tensor::Tensor tensor;
  Places places;
};

/// Replicas that are not the same.
struct Divergence {
  std::string tensor; ///< its name, without the step
  int64_t step = -1;
  std::vector<int64_t> ranks; ///< the replicas' ranks; the first one is kept
  int64_t rank = 0;           ///< the first that differs from it
  int64_t differing = 0, elements = 0; ///< 0 elements: shapes or types differ
  double largest = 0;                  ///< the largest difference
};

/// Joins parts along one axis: concatenated, summed, averaged, ....
/// Formula:  Shard: part c at its place along `dim`; Sum, Mean: in f64 in the
///           order of coordinates, one rounding to the type
/// Types:    Shard: any; else floats, complex and integers
/// Errors:   Unsupported: types or other dimensions differ, no such dimension,
///           sizes that the blocks do not divide
llvm::Expected<tensor::Tensor> joinParts(llvm::ArrayRef<tensor::Tensor> parts,
                                         const Placement &placement);

/// The whole tensor of parts whose places name the same axes. Axes are joined
/// from the innermost outwards, starting with those that were cut last.
/// Replicas must be equal, and the first is used; `diverging` gets those that
/// are not.
/// Errors:   Unsupported with the reason: a part is missing, placements differ
///           between processes or have no meaning here, those of joinParts
llvm::Expected<tensor::Tensor> assemble(std::vector<RankPart> parts,
                                        std::vector<Divergence> &diverging);

} // namespace assay::trace
