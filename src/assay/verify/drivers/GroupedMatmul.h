/// Matrix products of groups of different sizes (--grouped=DIM:COUNT:SIZES): the
/// experts of a mixture. Over M (DIM 0), rows of src go with the weights of their
/// group: src [sum, K], wei [groups, K, N], dst [sum, N]. Over K (DIM 1), each
/// group has a product of its own: src [M, sum], wei [sum, N], dst [groups, M, N].
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify::drivers {

bool isGrouped(const Problem &problem);
/// Sizes of dst from those of src and wei; contradictions and unsupported forms go
/// to Problem::invalid and ::unimplemented.
void setGroupedSizes(Problem &problem);
Dims groupedBiasDims(const Problem &problem);
/// A product for each group, side by side, then bias, post-ops, rounding.
llvm::Expected<BoundProgram> buildGrouped(const Problem &problem);

} // namespace assay::verify::drivers
