/// Results computed only from parameters, kept from run to run.
#pragma once

#include "assay/program/Step.h"

namespace assay::engine {

/// Marks operations of the entry that read nothing but vectors of f32 among its
/// arguments, constants, and each other's results, and make little: the factors of a
/// batch normalisation. Their steps run when one of these arguments is another tensor than
/// at the run before. Arguments of other ranks are inputs as often as parameters: results
/// from them are computed in each run, but for those of operations marked kStays
/// (FoldScales.h), which are of any size.
inline constexpr const char *kResultStays = "native.result_stays";
/// Marks products and convolutions whose operand 1 is such a result, a constant or an argument
/// that stays: it is packed once.
inline constexpr const char *kWeightStays = "native.weight_stays";

/// A step with these results that keeps them while its operands are the same tensors.
std::unique_ptr<program::Step>
makeKeptStep(std::unique_ptr<program::Step> step,
             llvm::ArrayRef<tensor::TensorType> results);

} // namespace assay::engine
