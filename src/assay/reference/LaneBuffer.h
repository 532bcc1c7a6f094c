/// Lanes in memory: the arguments and results of a region, with their shadows,
/// as a region step passes them.
#pragma once

#include "assay/program/RegionTask.h"
#include "assay/program/Types.h"
#include "assay/tensor/Tensor.h"

#include <cstring>
#include <vector>

namespace assay::reference {

/// `count` lanes of one element type, and of its shadow type when requested.
class LaneBuffer {
public:
  LaneBuffer(numerics::ElementType type, int64_t count, bool withShadow)
      : width_(type.storageBytes()),
        values_(static_cast<size_t>(width_ * count)) {
    std::optional<numerics::ElementType> wide = program::shadowTypeOf(type);
    if (withShadow && wide) {
      shadowWidth_ = wide->storageBytes();
      shadows_.resize(static_cast<size_t>(shadowWidth_ * count));
    }
  }

  program::Lanes lanes(int64_t first = 0) {
    return {values_.data() + first * width_,
            shadowWidth_ ? shadows_.data() + first * shadowWidth_ : nullptr};
  }
  std::byte *value(int64_t lane) { return values_.data() + lane * width_; }

  /// Copies element `index` of the tensor (and of its shadow) into a lane; of a
  /// splat, element 0.
  void load(int64_t lane, const tensor::Tensor &tensor,
            const tensor::Tensor &shadow, int64_t index) {
    copy(value(lane), tensor.bytes() + (tensor.isSplat() ? 0 : index * width_),
         width_);
    if (shadowWidth_ && shadow.valid())
      copy(shadows_.data() + lane * shadowWidth_,
           shadow.bytes() + (shadow.isSplat() ? 0 : index * shadowWidth_),
           shadowWidth_);
  }
  /// Copies a lane to element `index` of tensors that are being made.
  void store(int64_t lane, tensor::Tensor &tensor, tensor::Tensor &shadow,
             int64_t index) {
    copy(tensor.mutableBytes() + index * width_, value(lane), width_);
    if (shadowWidth_ && shadow.valid())
      copy(shadow.mutableBytes() + index * shadowWidth_,
           shadows_.data() + lane * shadowWidth_, shadowWidth_);
  }
  void copyLane(int64_t to, LaneBuffer &from, int64_t lane) {
    copy(value(to), from.value(lane), width_);
    if (shadowWidth_)
      copy(shadows_.data() + to * shadowWidth_,
           from.shadows_.data() + lane * shadowWidth_, shadowWidth_);
  }

private:
  static void copy(std::byte *to, const std::byte *from, int64_t width) {
    switch (width) {
    case 1:
      std::memcpy(to, from, 1);
      return;
    case 2:
      std::memcpy(to, from, 2);
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, static_cast<size_t>(width));
    }
  }
  int64_t width_, shadowWidth_ = 0;
  std::vector<std::byte> values_, shadows_;
};

} // namespace assay::reference
