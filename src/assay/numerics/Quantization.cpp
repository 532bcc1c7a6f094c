// Quantises and dequantises by the specification's formulas, with one rounding
// to the expressed type at each step. A tensor with parameters along an axis is
// treated as outer x channels x inner elements; a tensor with one set of
// parameters is a single channel.
#include "assay/numerics/Quantization.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

namespace assay::numerics {

using ExpressedTypes = Concat<FloatTypes, TypeList<Quad>>;

namespace {
struct Channels {
  int64_t outer = 1, count = 1, inner = 1;
};

/// The parameters of one channel in the type in which the loop computes.
template <typename T> struct Channel {
  WideOf<T> scale;
  int64_t zeroPoint;
};
} // namespace

const QuantizationParameters *
internQuantization(QuantizationParameters parameters) {
  // Grows by one entry per distinct type; programs have only a few.
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const QuantizationParameters>>
      known;
  std::lock_guard<std::mutex> lock(mutex);
  auto &entry = known[parameters.text];
  if (!entry)
    entry =
        std::make_unique<const QuantizationParameters>(std::move(parameters));
  return entry.get();
}

static Channels channelsOf(const QuantizationParameters &parameters,
                           llvm::ArrayRef<int64_t> shape) {
  Channels channels;
  for (auto [d, size] : llvm::enumerate(shape)) {
    auto dim = static_cast<int64_t>(d);
    bool inside = parameters.axis < 0 || dim > parameters.axis;
    (inside                   ? channels.inner
     : dim == parameters.axis ? channels.count
                              : channels.outer) *= size;
  }
  return channels;
}

template <typename T>
static Channel<T> channelOf(const QuantizationParameters &parameters,
                            int64_t index) {
  auto i = static_cast<size_t>(index);
  // The scale is a constant of the expressed type, even in a shadow run.
  alignas(16) std::byte scale[16];
  convertArray(ElementType::floating(FloatFormat::F64), &parameters.scales[i],
               parameters.expressed, scale, 1);
  WideOf<T> wide;
  convertArray(parameters.expressed, scale, elementTypeOf<WideOf<T>>(), &wide,
               1);
  return {wide, parameters.zeroPoints[i]};
}

/// Calls run(channel, first element, count) for each run of elements that have
/// the same parameters.
template <typename T, typename Run>
static void eachRun(const QuantizationParameters &parameters,
                    llvm::ArrayRef<int64_t> shape, Run run) {
  Channels channels = channelsOf(parameters, shape);
  for (int64_t c = 0; c < channels.count; ++c) {
    Channel<T> channel = channelOf<T>(parameters, c);
    for (int64_t o = 0; o < channels.outer; ++o)
      run(channel, (o * channels.count + c) * channels.inner, channels.inner);
  }
}

void dequantizeArray(ElementType type, llvm::ArrayRef<int64_t> shape,
                     const void *source, ElementType floats, void *target) {
  dispatch<IntegerTypes>(type, [&](auto storageTag) {
    using S = typename decltype(storageTag)::Type;
    dispatch<ExpressedTypes>(floats, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      using Wide = WideOf<T>;
      const S *in = static_cast<const S *>(source);
      T *out = static_cast<T *>(target);
      eachRun<T>(*type.quantization, shape,
                 [&](Channel<T> channel, int64_t first, int64_t count) {
                   for (int64_t i = first; i < first + count; ++i) {
                     int64_t difference =
                         convertElement<int64_t>(in[i]) - channel.zeroPoint;
                     T value = convertElement<T>(difference);
                     out[i] = static_cast<T>(static_cast<Wide>(value) *
                                             channel.scale);
                   }
                 });
    });
  });
}

template <typename Wide> static Wide nearestEven(Wide x) {
  if constexpr (std::is_same_v<Wide, Quad>)
    return x; // a shadow is never quantised
  else
    return std::nearbyint(x);
}

/// The steps of quantizeArray() for one element.
template <typename T>
static int64_t quantizeElement(T x, Channel<T> channel, WideOf<T> zeroPoint,
                               WideOf<T> low, WideOf<T> high) {
  using Wide = WideOf<T>;
  auto rounded = [](Wide value) {
    return static_cast<Wide>(static_cast<T>(value));
  };
  Wide scaled = rounded(static_cast<Wide>(x) / channel.scale);
  Wide moved = rounded(scaled + zeroPoint);
  if (moved != moved)
    return 0;
  return convertElement<int64_t>(
      nearestEven(std::min(std::max(moved, low), high)));
}

void quantizeArray(ElementType type, llvm::ArrayRef<int64_t> shape,
                   const void *source, void *target) {
  const QuantizationParameters &parameters = *type.quantization;
  dispatch<IntegerTypes>(type, [&](auto storageTag) {
    using S = typename decltype(storageTag)::Type;
    dispatch<FloatTypes>(parameters.expressed, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      using Wide = WideOf<T>;
      const T *in = static_cast<const T *>(source);
      S *out = static_cast<S *>(target);
      auto constant = [](int64_t value) {
        return static_cast<Wide>(convertElement<T>(value));
      };
      Wide low = constant(parameters.storageMin),
           high = constant(parameters.storageMax);
      eachRun<T>(parameters, shape,
                 [&](Channel<T> channel, int64_t first, int64_t count) {
                   Wide zeroPoint = constant(channel.zeroPoint);
                   for (int64_t i = first; i < first + count; ++i) {
                     int64_t value = quantizeElement<T>(in[i], channel,
                                                        zeroPoint, low, high);
                     // rounding may have moved the limits outwards
                     out[i] = convertElement<S>(std::clamp(
                         value, parameters.storageMin, parameters.storageMax));
                   }
                 });
    });
  });
}

} // namespace assay::numerics
