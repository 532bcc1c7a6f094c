/// Matrix products of groups of different sizes (--grouped=DIM:COUNT:SIZES):
/// the experts of a mixture. Over M (DIM 0), rows of src are multiplied by the
/// weights of their group: src [sum, K], wei [groups, K, N], dst [sum, N]. Over
/// K (DIM 1), each group has its own product: src [M, sum], wei [sum, N], dst
/// [groups, M, N].
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify::drivers {

bool isGrouped(const Problem &problem);
/// Sizes of dst from those of src and wei; sets Problem::invalid for
/// contradictions and ::unimplemented for unsupported forms.
void setGroupedSizes(Problem &problem);
Dims groupedBiasDims(const Problem &problem);
/// Builds a product for each group, side by side, then bias, post-ops,
/// rounding.
llvm::Expected<BoundProgram> buildGrouped(const Problem &problem);

} // namespace assay::verify::drivers
