/// Positions of a batch's sequences that hold no token: their values mean
/// nothing.
#pragma once

#include "assay/support/Error.h"
#include "assay/tensor/Tensor.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace assay::trace {

struct Comparison;
struct PairFiles;

/// The places that count in each sample, from a recorded mask.
struct PaddingMask {
  std::string name; ///< of the tensor that it was read from
  int64_t samples = 0, places = 0;
  std::vector<char> kept; ///< [samples, places]
};

/// The layout of samples and places in a tensor: strides, in elements.
struct PaddingView {
  std::shared_ptr<const PaddingMask> mask;
  int64_t sampleStride = 0;
  std::vector<int64_t> placeStrides; ///< two: queries and keys
  bool isKept(int64_t element) const;
  /// The number of consecutive elements that belong to one sample and one
  /// place, starting at any multiple of that number.
  int64_t run() const;
};

using PaddingMasks =
    std::map<int64_t, std::vector<std::shared_ptr<const PaddingMask>>>;

/// The masks of each step: equal inputs of modules [samples, places] (or with
/// dimensions of size 1 between) of truth values, of 0 and 1, or of 0 and a
/// number that is added to a score to mask it. The value that masks follows
/// from the name ("attention_mask", "padding"), from the sign, or from the
/// edges: one sample has no padding, and the tokens of all others begin, or
/// end, at the edge. If none of these decides, either value may mask, provided
/// that the model's outputs and the gradients of its parameters pass at all
/// positions: then the difference has no consequence. Lengths [samples] are
/// masks too, where the name or the data show it.
/// measured: for each row, the row that was measured for it
PaddingMasks findPadding(const Comparison &comparison,
                         llvm::ArrayRef<size_t> measured,
                         const PairFiles &files);

/// The layouts that a mask may have in a tensor.
std::vector<PaddingView>
paddingViews(llvm::ArrayRef<int64_t> shape,
             const std::shared_ptr<const PaddingMask> &mask);

} // namespace assay::trace
