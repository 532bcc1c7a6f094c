// Gradient of a depthwise filter where each channel has a plane of its own (NCHW): a tap's
// sum is that of a shifted plane of the image times one of the gradient. Both are copied
// once into bands that fit the caches, the image padded and its columns separated by phase of
// the stride, so that each tap reads vectors of neighbours. Sums stay in lanes until all
// entries are done, and one thread has all of a channel.
#include "assay/engine/native/DepthwiseGeometry.h"
#include "assay/engine/native/Pieces.h"
#include "assay/engine/native/PlanarGain.h"
#include "assay/engine/native/PlaneBand.h"
#include "assay/kernels/outer/Clones.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>

namespace assay::engine {

using kernels::kLanes, kernels::Lanes;
typedef int32_t Masks __attribute__((vector_size(64)));
/// Bytes after a band that its last vectors may read.
static constexpr int64_t kBehind = sizeof(Lanes);

namespace {
/// A plane of the image, padded, and one of the gradient.
struct PlanePair {
  const float *image, *gradient;
  int64_t imagePitch, gradientPitch, rows, columns;
};
} // namespace

/// sums[t] += gradient[y, x] * image[y, x + taps[t]] for `Taps` taps. Elements after a
/// row's last column are not part of it, not even times zero.
template <int Taps>
static ASSAY_INLINE void addTaps(const PlanePair &planes, const int64_t *taps,
                                 Lanes *sums) {
  Lanes mine[Taps];
  const float *images[Taps];
  std::memcpy(mine, sums, sizeof(mine));
  for (int t = 0; t < Taps; ++t)
    images[t] = planes.image + taps[t];
  Masks inside;
  for (int64_t lane = 0; lane < kLanes; ++lane)
    inside[lane] = lane < planes.columns % kLanes ? -1 : 0;
  int64_t whole = planes.columns / kLanes * kLanes;
  for (int64_t y = 0; y < planes.rows; ++y) {
    const float *gradient = planes.gradient + y * planes.gradientPitch;
    int64_t row = y * planes.imagePitch;
    for (int64_t x = 0; x < whole; x += kLanes) {
      Lanes factor, pixels;
      std::memcpy(&factor, gradient + x, sizeof(factor));
      for (int t = 0; t < Taps; ++t) {
        std::memcpy(&pixels, images[t] + row + x, sizeof(pixels));
        mine[t] += factor * pixels;
      }
    }
    if (whole == planes.columns)
      continue;
    Masks factor, pixels;
    std::memcpy(&factor, gradient + whole, sizeof(factor));
    factor &= inside;
    for (int t = 0; t < Taps; ++t) {
      std::memcpy(&pixels, images[t] + row + whole, sizeof(pixels));
      pixels &= inside;
      mine[t] += (Lanes)factor * (Lanes)pixels;
    }
  }
  std::memcpy(sums, mine, sizeof(mine));
}

/// In runs whose sums stay in registers: windows of odd sides have runs of eight and of one.
ASSAY_CLONES static void addAllTaps(const PlanePair &planes,
                                    llvm::ArrayRef<int64_t> taps, Lanes *sums) {
  const int64_t *tap = taps.begin();
  while (tap != taps.end()) {
    int64_t left = taps.end() - tap,
            run = left == 9 ? 9 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    if (run == 9)
      addTaps<9>(planes, tap, sums);
    else if (run == 8)
      addTaps<8>(planes, tap, sums);
    else if (run == 4)
      addTaps<4>(planes, tap, sums);
    else if (run == 2)
      addTaps<2>(planes, tap, sums);
    else
      addTaps<1>(planes, tap, sums);
    tap += run, sums += run;
  }
}

namespace {
/// Strides count elements.
struct GradientPlanes {
  std::array<DepthwiseAxis, 2> axes; ///< rows, columns: `kernel` of the gradient, `out` taps
  int64_t entries = 1, channels = 1, outChannel = 1;
  const DepthwiseAxis &rows() const { return axes[0]; }
  const DepthwiseAxis &columns() const { return axes[1]; }
  int64_t taps() const { return rows().out * columns().out; }
};

class PlanarFilterGradient final : public NativeStep {
public:
  PlanarFilterGradient(GradientPlanes planes, const StepSpec &spec)
      : p_(planes), in_(spec.operands[0].element), out_(spec.results[0].element) {
    std::array<int64_t, 2> plane{}, low{}, size{};
    for (size_t d = 0; d < 2; ++d) {
      const DepthwiseAxis &axis = p_.axes[d];
      plane[d] = axis.in, low[d] = axis.low;
      size[d] = axis.span(axis.out);
    }
    image_ = PlaneBand(plane, low, size, p_.columns().dilation);
    for (int64_t y = 0; y < p_.rows().out; ++y)
      for (int64_t x = 0; x < p_.columns().out; ++x)
        taps_.push_back(image_.place(y * p_.rows().stride, x * p_.columns().stride));
  }
  llvm::Error run(StepContext &context) const override;

private:
  struct Memory {
    std::byte *raw; ///< the image's band where that is not of f32
    float *image, *gradient, *results;
    Lanes *sums;
  };
  int64_t bytes(Memory *places, std::byte *begin) const;
  void fillImage(const std::byte *plane, const Memory &memory) const;
  void addChannel(const std::byte *image, const std::byte *gradient,
                  const Memory &memory) const;
  bool isWide() const { return in_ == real_; }
  void store(const Memory &memory, std::byte *out) const;
  int64_t gradientSize() const { return p_.rows().kernel * p_.columns().kernel; }

  GradientPlanes p_;
  numerics::ElementType in_, out_, real_ = *numerics::parseElementType("f32");
  PlaneBand image_;
  std::vector<int64_t> taps_; ///< elements into the image's band
};
} // namespace

int64_t PlanarFilterGradient::bytes(Memory *places, std::byte *begin) const {
  int64_t at = 0;
  auto take = [&](int64_t size) {
    std::byte *mine = begin + at;
    at += roundUp(size + kBehind, 64);
    return mine;
  };
  int64_t size = isWide() ? 0 : in_.storageBytes();
  std::byte *sums = take(p_.taps() * int64_t(sizeof(Lanes))),
            *image = take(image_.elements() * 4),
            *gradient = take(gradientSize() * 4), *results = take(p_.taps() * 4),
            *raw = take(image_.elements() * size);
  if (places)
    *places = {raw, reinterpret_cast<float *>(image),
               reinterpret_cast<float *>(gradient),
               reinterpret_cast<float *>(results), reinterpret_cast<Lanes *>(sums)};
  return at;
}

void PlanarFilterGradient::fillImage(const std::byte *plane,
                                     const Memory &memory) const {
  if (isWide())
    return image_.fill(4, plane, reinterpret_cast<std::byte *>(memory.image));
  image_.fill(in_.storageBytes(), plane, memory.raw);
  numerics::convertArray(in_, memory.raw, real_, memory.image,
                         image_.elements());
}

/// Halves are added to halves.
static float sumOf(const Lanes &lanes) {
  float all[kLanes];
  std::memcpy(all, &lanes, sizeof(all));
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; ++i)
      all[i] += all[i + half];
  return all[0];
}

/// A channel's sums to their places.
void PlanarFilterGradient::store(const Memory &memory, std::byte *out) const {
  int64_t size = out_.storageBytes(), taps = p_.taps();
  for (int64_t t = 0; t < taps; ++t)
    memory.results[t] = sumOf(memory.sums[t]);
  // Overwrites the sums, which are no longer needed.
  auto *rounded = reinterpret_cast<std::byte *>(memory.sums);
  numerics::convertArray(real_, memory.results, out_,
                         rounded, taps);
  for (int64_t y = 0; y < p_.rows().out; ++y)
    for (int64_t x = 0; x < p_.columns().out; ++x, rounded += size)
      std::memcpy(out + (y * p_.rows().outStride + x * p_.columns().outStride) * size,
                  rounded, static_cast<size_t>(size));
}

/// All entries of a channel, whose planes begin at the given places.
void PlanarFilterGradient::addChannel(const std::byte *image,
                                      const std::byte *gradient,
                                      const Memory &memory) const {
  const DepthwiseAxis &rows = p_.rows(), &columns = p_.columns();
  int64_t size = p_.channels * in_.storageBytes(),
          imageBytes = rows.in * columns.in * size,
          gradientBytes = gradientSize() * size;
  PlanePair planes{memory.image, memory.gradient, rows.dilation * image_.pitch(),
                   columns.kernel, rows.kernel, columns.kernel};
  std::fill(memory.sums, memory.sums + p_.taps(), Lanes{});
  for (int64_t n = 0; n < p_.entries; ++n) {
    fillImage(image + n * imageBytes, memory);
    numerics::convertArray(in_, gradient + n * gradientBytes, real_,
                           memory.gradient, gradientSize());
    addAllTaps(planes, taps_, memory.sums);
  }
}

llvm::Error PlanarFilterGradient::run(StepContext &context) const {
  ++context.run.engineSteps;
  llvm::Expected<Tensor> image = context.dense(0);
  if (!image)
    return image.takeError();
  llvm::Expected<Tensor> gradient = context.dense(1);
  if (!gradient)
    return gradient.takeError();
  std::byte *out = context.out(0).mutableBytes();
  // Padding is written once for some channels.
  constexpr int64_t kChannels = 16;
  int64_t planes = p_.entries * p_.channels,
          each = std::clamp<int64_t>(
              p_.channels / (4 * context.run.threads.threads()), 1, kChannels);
  return forEachPiece(
      context, ceilDiv(p_.channels, each), bytes(nullptr, nullptr),
      [&](int64_t piece, std::byte *memory) -> llvm::Error {
        Memory places;
        std::memset(memory, 0, static_cast<size_t>(bytes(&places, memory)));
        for (int64_t c = piece * each;
             c < std::min(p_.channels, (piece + 1) * each); ++c) {
          addChannel(image->bytes() + c * (image->denseBytes() / planes),
                     gradient->bytes() + c * (gradient->denseBytes() / planes), places);
          store(places, out + c * p_.outChannel * out_.storageBytes());
        }
        return llvm::Error::success();
      });
}

/// The planes of an operation, where each channel of image and gradient has its own.
static std::optional<GradientPlanes> planesOf(const ConvRequest &request) {
  const StepSpec &spec = request.spec;
  const geometry::Convolution &w = request.w;
  auto dims = request.dims;
  const tensor::Shape &in = spec.operands[0].shape;
  if (w.axes.size() != 2 || w.hasDilatedInput() || w.batchGroups != in[1] ||
      w.outFeatures != in[1] || w.isReversed() ||
      !isGradientOfPlanes(dims))
    return std::nullopt;
  tensor::Shape out = tensor::rowMajorStrides(spec.results[0].shape);
  GradientPlanes p;
  p.entries = w.features, p.channels = in[1];
  p.outChannel = out[dims.getOutputFeatureDimension()];
  for (size_t d = 0; d < 2; ++d) {
    p.axes[d] = {w.axes[d], 0, out[dims.getOutputSpatialDimensions()[d]]};
  }
  return p;
}

/// Smaller planes are transposed in the caches; windows of more taps read too many vectors
/// that straddle lines. Source: nine layers on a Zen 5 (24 November 2026).
static constexpr int64_t kLeastPlaneBytes = 24 << 10, kMostTaps = 25;

static bool isWorthPlanes(const GradientPlanes &p, int64_t size) {
  double elements = double(p.rows().span(p.rows().out)) *
                    double(p.columns().span(p.columns().out));
  return p.rows().in * p.columns().in * size >= kLeastPlaneBytes &&
         p.taps() <= kMostTaps && elements <= kMostBandElements;
}

static std::optional<Refusal> supports(const ConvRequest &request) {
  numerics::ElementType type = request.spec.operands[0].element;
  if (!llvm::is_contained({"f32", "bf16", "f16"}, llvm::StringRef(numerics::toString(type))))
    return refuse("gradients in planes are of f32, bf16 and f16");
  std::optional<GradientPlanes> p = planesOf(request);
  if (!p)
    return refuse("not the gradient of a filter of single channels in planes");
  if (p->entries == 0 || !isWorthPlanes(*p, type.storageBytes()))
    return refuse("planes of less than 24 KiB, or windows of more than 25 taps");
  return refusalOfDepthwise(request);
}

static double cost(const ConvRequest &request) {
  return 0.4 * request.directCost();
}

static Compiled make(const ConvRequest &request,
                     llvm::function_ref<Compiled()> /*next*/) {
  return std::make_unique<PlanarFilterGradient>(*planesOf(request),
                                                request.spec);
}

const ConvAlgorithm kPlaneGradientsConvolution{supports, cost, make};

} // namespace assay::engine
