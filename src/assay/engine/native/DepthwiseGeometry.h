/// A convolution of each channel for itself, or of small groups of them, with its
/// dimensions sorted out.
#pragma once

#include "assay/engine/native/ConvAlgorithm.h"
#include "assay/geometry/Convolution.h"

#include <array>
#include <variant>

namespace assay::engine {

/// One spatial dimension, and how far apart its elements lie in the operands.
struct DepthwiseAxis : geometry::Axis {
  int64_t inStride = 0, outStride = 0, tapStride = 0;
};

/// The operation with its dimensions sorted out; strides count elements.
struct DepthwiseGeometry {
  std::array<DepthwiseAxis, 3> axes; ///< depth, height, width
  int64_t channels = 1, entries = 1, features = 1;
  /// Inputs of a group, summed in the kernel; `only` is 0 where a kernel multiplies one of
  /// them alone (gradients of the filter: one kernel for each), else -1.
  int64_t inputs = 1, only = -1;
  int64_t summed() const { return only < 0 ? inputs : 1; }
  int64_t lhsEntry = 0, lhsFeature = 0, outStart = 0, outEntry = 0;
  int64_t filterStart = 0, filterFeature = 0, filterInput = 0, filterChannel = 0;
  /// The strides of the image where its channels do not come last, or where a group
  /// has several: it is copied, dense in the shape's order.
  tensor::Shape lhsShape, lhsLies;
  /// The strides of the result where its channels do not come last: those of
  /// [entry, depth, height, width, channel]. Empty: as above.
  tensor::Shape outLies;
  /// The result is written in that order.
  bool isDense() const {
    tensor::Shape dense = tensor::rowMajorStrides(outShape());
    bool inOrder = outLies.empty() && (entries == 1 || outEntry == dense[0]);
    for (size_t d = 0; d < 3; ++d)
      inOrder &= axes[d].out == 1 || axes[d].outStride == dense[d + 1];
    return inOrder;
  }
  tensor::Shape outShape() const {
    return {entries, axes[0].out, axes[1].out, axes[2].out, channels};
  }
  /// Lines of adjacent taps.
  int64_t lines() const { return features * axes[0].kernel * axes[1].kernel; }
  /// Products of a sum.
  int64_t taps() const {
    return lines() * axes[2].kernel * summed();
  }
};

/// The type that a kernel of single channels reads, the operand's; nullopt: there is none.
std::optional<kernels::DataType> depthwiseInput(const StepSpec &spec);

/// The geometry of a convolution of single channels or small groups that kernels take, or why
/// they do not.
std::variant<DepthwiseGeometry, Refusal>
depthwiseGeometry(const ConvRequest &request);
/// The second alone.
std::optional<Refusal> refusalOfDepthwise(const ConvRequest &request);

/// The same without the zeros of a dilated image: each phase has positions of its own,
/// which meet elements of the image with the same taps (geometry/Phases.h). Empty where there
/// are no such zeros, a phase has no taps, or a tap no phase.
std::vector<DepthwiseGeometry> phasesOf(const DepthwiseGeometry &whole);

/// The gradient of the filter, from strips of both operands (DepthwiseFilterGradient.cpp); or
/// why kernels refuse it.
Compiled makeDepthwiseFilterGradient(const ConvRequest &request);

} // namespace assay::engine
