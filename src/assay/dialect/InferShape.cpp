// Shape inference of slice, pad, concatenate, transpose, reduce and windows,
// which is done dimension by dimension.
#include "assay/dialect/InferDetail.h"

namespace assay::stablehlo {

using namespace mlir;

FailureOr<std::optional<int64_t>> countElements(Shape shape, EmitError error) {
  int64_t count = 1;
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return std::optional<int64_t>();
  if (llvm::is_contained(shape, 0))
    return std::optional<int64_t>(0);
  for (int64_t dim : shape)
    if (__builtin_mul_overflow(count, dim, &count))
      return error() << "number of elements does not fit 63 bits";
  return std::optional<int64_t>(count);
}

FailureOr<int64_t> countWindows(int64_t base, const WindowDim &window,
                                EmitError error) {
  if (window.stride <= 0 || window.baseDilation <= 0 ||
      window.windowDilation <= 0 || window.size < 0)
    return error() << "strides and dilations of a window must be positive";
  if (ShapedType::isDynamic(base))
    return ShapedType::kDynamic;
  // 128 bits hold every product of two sizes; the result does not exceed the
  // padded size.
  using Wide = __int128;
  Wide dilatedBase = base == 0 ? 0 : Wide(base - 1) * window.baseDilation + 1;
  Wide padded = Wide(window.padLow) + dilatedBase + window.padHigh;
  Wide dilatedWindow =
      window.size == 0 ? 0 : Wide(window.size - 1) * window.windowDilation + 1;
  if (padded < 0)
    return error() << "negative padding exceeds the size of the dimension, "
                   << base;
  Wide count = padded == 0 || dilatedWindow > padded
                   ? 0
                   : (padded - dilatedWindow) / window.stride + 1;
  if (count > std::numeric_limits<int64_t>::max())
    return error() << "number of windows does not fit 63 bits";
  return static_cast<int64_t>(count);
}

FailureOr<Dims> inferWindows(Shape base, ArrayRef<WindowDim> windows,
                             EmitError error) {
  Dims result;
  for (auto [dim, window] : llvm::zip_equal(base, windows)) {
    FailureOr<int64_t> count = countWindows(dim, window, error);
    if (failed(count))
      return failure();
    result.push_back(*count);
  }
  return result;
}

FailureOr<Dims> inferSlice(Shape operand, Shape starts, Shape limits,
                           Shape strides, EmitError error) {
  if (starts.size() != operand.size() || limits.size() != operand.size() ||
      strides.size() != operand.size()) // slice_c2
    return error() << "start, limit and stride must be given for "
                   << operand.size() << " dimensions, got " << starts.size()
                   << ", " << limits.size() << " and " << strides.size();
  Dims result;
  for (auto [index, size] : llvm::enumerate(operand)) {
    int64_t start = starts[index], limit = limits[index],
            stride = strides[index];
    if (start < 0 || start > limit ||
        (!ShapedType::isDynamic(size) && limit > size)) // slice_c3
      return error() << "range " << start << ":" << limit
                     << " is not within dimension " << index << " of size "
                     << size;
    if (stride <= 0) // slice_c4
      return error() << "stride of dimension " << index
                     << " must be positive, got " << stride;
    int64_t length = limit - start;
    result.push_back(length / stride + (length % stride != 0)); // slice_c5
  }
  return result;
}

FailureOr<Dims> inferPad(Shape operand, Shape low, Shape high, Shape interior,
                         EmitError error) {
  if (low.size() != operand.size() || high.size() != operand.size() ||
      interior.size() != operand.size()) // pad_c2
    return error() << "padding must be given for " << operand.size()
                   << " dimensions, got " << low.size() << ", " << high.size()
                   << " and " << interior.size();
  Dims result;
  for (auto [index, size] : llvm::enumerate(operand)) {
    if (interior[index] < 0) // pad_c3
      return error() << "interior padding of dimension " << index
                     << " must not be negative, got " << interior[index];
    if (ShapedType::isDynamic(size)) {
      result.push_back(ShapedType::kDynamic);
      continue;
    }
    __int128 padded =
        __int128(size) + low[index] + high[index] +
        __int128(std::max<int64_t>(size - 1, 0)) * interior[index];
    if (padded < 0 || padded > std::numeric_limits<int64_t>::max()) // pad_c4
      return error() << "padded size of dimension " << index
                     << " is negative or too large";
    result.push_back(static_cast<int64_t>(padded));
  }
  return result;
}

FailureOr<Dims> inferConcatenate(ArrayRef<Shape> inputs, int64_t dimension,
                                 EmitError error) {
  if (inputs.empty()) // concatenate_c3
    return error() << "needs at least one input";
  Dims result(inputs.front());
  if (dimension < 0 ||
      dimension >= static_cast<int64_t>(result.size())) // concatenate_c4
    return error() << "'dimension' must be within [0, " << result.size()
                   << "), got " << dimension;
  for (Shape input : inputs.drop_front()) {
    if (input.size() != result.size()) // concatenate_c2
      return error() << "inputs must have one rank, got " << result.size()
                     << " and " << input.size();
    for (auto [index, size] : llvm::enumerate(input)) {
      int64_t &known = result[index];
      if (static_cast<int64_t>(index) == dimension) {
        if (ShapedType::isDynamic(known) || ShapedType::isDynamic(size))
          known = ShapedType::kDynamic;
        else if (__builtin_add_overflow(known, size, &known)) // concatenate_c6
          return error() << "size of the result does not fit 63 bits";
      } else if (ShapedType::isDynamic(known)) {
        known = size;
      } else if (!ShapedType::isDynamic(size) &&
                 size != known) { // concatenate_c2
        return error() << "inputs must agree in dimension " << index << ", got "
                       << known << " and " << size;
      }
    }
  }
  return result;
}

FailureOr<Dims> inferTranspose(Shape operand, Shape permutation,
                               EmitError error) {
  if (permutation.size() != operand.size() ||
      !isUniqueBelow(permutation, operand.size())) // transpose_c2
    return error() << "'permutation' must name each of the " << operand.size()
                   << " dimensions once";
  return llvm::map_to_vector(
      permutation, [&](int64_t dim) { return operand[dim]; }); // transpose_c3
}

FailureOr<Dims> inferReduce(Shape input, Shape dimensions, EmitError error) {
  if (!isUniqueBelow(dimensions, input.size())) // reduce_c4, reduce_c5
    return error() << "'dimensions' must be within [0, " << input.size()
                   << ") and not repeat";
  Dims result;
  for (auto [index, size] : llvm::enumerate(input))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(index)))
      result.push_back(size); // reduce_c7
  return result;
}

FailureOr<Dims> inferFft(Shape operand, FftType type, Shape length,
                         EmitError error) {
  if (length.empty() || length.size() > 3 ||
      length.size() > operand.size()) // fft_c1, fft_c3
    return error() << "'fft_length' must have 1 to 3 elements and no more than "
                      "the rank, "
                   << operand.size() << ", got " << length.size();
  Dims result(operand);
  auto tail = [&](size_t i) -> int64_t & {
    return result[operand.size() - length.size() + i];
  };
  for (auto [index, size] : llvm::enumerate(length)) {
    bool last = index + 1 == length.size();
    int64_t expected =
        type == FftType::IRFFT && last ? (size == 0 ? 0 : size / 2 + 1) : size;
    bool real = type == FftType::RFFT || type == FftType::IRFFT;
    if (size < 0 || (real && !ShapedType::isDynamic(tail(index)) &&
                     tail(index) != expected)) // fft_c4, fft_c5
      return error() << "'fft_length' does not fit the operand: dimension "
                     << operand.size() - length.size() + index
                     << " must have size " << expected << ", got "
                     << tail(index);
    if (!real && !ShapedType::isDynamic(tail(index)) && tail(index) != size)
      return error() << "'fft_length' does not fit the operand: dimension "
                     << operand.size() - length.size() + index << " has size "
                     << tail(index) << ", got " << size;
    if (real && last)
      tail(index) =
          type == FftType::RFFT ? (size == 0 ? 0 : size / 2 + 1) : size;
  }
  return result;
}

} // namespace assay::stablehlo
