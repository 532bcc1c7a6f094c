// aten convolutions: forward, transposed, and both gradients. A transposed
// convolution is the gradient of a plain one by its input, so three functions
// serve all of them.
#include "assay/formulas/Windows.h"
#include "assay/trace/aten/Builder.h"

namespace assay::trace::aten {

namespace {
/// The arguments that a convolution and its gradient share.
struct Windows {
  Axes strides, padding, dilation;
  int64_t groups = 1;
  bool transposed = false;
  /// Spatial dimension `i` of the plain convolution.
  geometry::Axis axis(size_t i, int64_t in, int64_t kernel, int64_t out) const {
    return {in, out, kernel, strides[i], dilation[i], 1, padding[i]};
  }
};
} // namespace

static Windows windowsOf(Builder &b, size_t at, size_t spatial) {
  Windows w;
  w.strides = Builder::spread(b.integers(at, "stride"), spatial, 1);
  w.padding = Builder::spread(b.integers(at + 1, "padding"), spatial, 0);
  w.dilation = Builder::spread(b.integers(at + 2, "dilation"), spatial, 1);
  w.transposed = b.boolean(at + 3, "transposed", false);
  w.groups = b.integer(at + 5, "groups", 1);
  return w;
}
static Axes spatialOf(const Shape &shape) {
  return Axes(shape.begin() + 2, shape.end());
}

static Value forward(Builder &b, const Value &x, const Value &w,
                     const Windows &windows) {
  program::Convolution options;
  options.strides = program::Dims(Dims(windows.strides));
  for (int64_t pad : windows.padding)
    options.padding.emplace_back(pad, pad);
  options.rhsDilation = program::Dims(Dims(windows.dilation));
  options.featureGroups = windows.groups;
  return b.ir().convolution(x, w, options);
}

/// The gradient of forward() by its input, whose spatial sizes are `sizes`:
/// the dilated gradient under the mirrored kernel.
static Value byInput(Builder &b, const Value &g, const Value &w,
                     const Windows &windows, const Axes &sizes) {
  program::Convolution options;
  llvm::SmallVector<geometry::Axis, 3> axes;
  for (size_t i = 0; i < sizes.size(); ++i)
    axes.push_back(windows.axis(i, sizes[i], w.shape()[i + 2], g.shape()[i + 2])
                       .transposed());
  formulas::setWindows(options, axes);
  options.kernelInputFeature = 0;
  options.kernelOutputFeature = 1;
  options.featureGroups = windows.groups;
  // [groups * out, in] -> [out, groups * in]
  int64_t out = w.size(0) / windows.groups, in = w.size(1);
  Axes split{windows.groups, out, in}, order{1, 0, 2},
      joined{out, windows.groups * in};
  for (int64_t i = 2; i < w.rank(); ++i) {
    split.push_back(w.size(i));
    joined.push_back(w.size(i));
    order.push_back(i + 1);
  }
  Value kernel = b.reshape(b.transpose(b.reshape(w, split), order), joined);
  return b.ir().convolution(g, kernel, options);
}

/// The gradient of forward() by its kernel, whose spatial sizes are `sizes`:
/// the sums run over images.
static Value byKernel(Builder &b, const Value &x, const Value &g,
                      const Windows &windows, const Axes &sizes) {
  program::Convolution options;
  llvm::SmallVector<geometry::Axis, 3> axes;
  for (size_t i = 0; i < sizes.size(); ++i)
    axes.push_back(windows.axis(i, x.shape()[i + 2], sizes[i], g.shape()[i + 2])
                       .exchanged());
  formulas::setWindows(options, axes);
  options.inputBatch = 1;
  options.inputFeature = 0;
  options.kernelInputFeature = 0;
  options.kernelOutputFeature = 1;
  options.outputBatch = 1;
  options.outputFeature = 0;
  options.batchGroups = windows.groups;
  return b.ir().convolution(x, g, options);
}

/// The sum of parts of one shape.
static Value sumOfParts(Builder &b, int64_t count,
                        llvm::function_ref<Value(int64_t)> partOf) {
  std::vector<Value> parts;
  Axes each{1};
  for (int64_t i = 0; i < count; ++i) {
    Value part = partOf(i);
    if (i == 0)
      llvm::append_range(each, part.shape());
    parts.push_back(b.reshape(part, each));
  }
  return b.reshape(b.sum(b.concatenate(parts, 0), {0}),
                   Dims(each).drop_front());
}

/// byInput(), but where sums are kept in a narrow type, one place of the kernel
/// after the other (col2im).
static Value ofInput(Builder &b, const Value &g, const Value &w,
                     const Windows &windows, const Axes &sizes) {
  constexpr int64_t kMostPlaces = 64;
  int64_t places = b.sizeOf(w) / std::max<int64_t>(1, w.size(0) * w.size(1));
  if (!b.keepsSumsNarrow() || places < 2 || places > kMostPlaces)
    return byInput(b, g, w, windows, sizes);
  Value flat = b.reshape(w, {w.size(0), w.size(1), places}),
        place = b.iota(flat.shape(), 2);
  return sumOfParts(b, places, [&](int64_t i) {
    Value here = b.compare("EQ", place, b.constant(i));
    Value kernel = b.reshape(b.select(here, flat, b.zeroLike(flat)), w.shape());
    return byInput(b, g, kernel, windows, sizes);
  });
}

/// byKernel(), but where sums are kept in a narrow type, one image after the
/// other.
static Value ofWeight(Builder &b, const Value &x, const Value &g,
                      const Windows &windows, const Axes &sizes) {
  constexpr int64_t kMostImages = 64;
  int64_t images = x.size(0);
  if (!b.keepsSumsNarrow() || images < 2 || images > kMostImages)
    return byKernel(b, x, g, windows, sizes);
  return sumOfParts(b, images, [&](int64_t i) {
    return byKernel(b, b.slice(x, 0, i, i + 1), b.slice(g, 0, i, i + 1),
                    windows, sizes);
  });
}

// (x, weight, bias, stride, padding, dilation, transposed, output_padding,
// groups)
void convolution(Builder &b) {
  Value x = b.tensor(0), w = b.tensor(1);
  if (x.rank() != w.rank() || x.rank() < 3 ||
      static_cast<int64_t>(b.output().shape.size()) != x.rank())
    return b.refuse("a convolution without a batch");
  Windows windows = windowsOf(b, 3, static_cast<size_t>(w.rank() - 2));
  Value out = windows.transposed
                  ? ofInput(b, x, w, windows, spatialOf(b.output().shape))
                  : forward(b, x, w, windows);
  if (std::optional<Value> bias = b.optionalTensor(2, "bias"))
    out = b.withBias(b.rounded(out), b.placed(*bias, out.shape(), {1}),
                     b.sizeOf(w) / std::max<int64_t>(1, bias->size(0)));
  b.result(out);
}

// (g, x, weight, bias_sizes, stride, padding, dilation, transposed,
// output_padding, groups, mask)
void convolutionBackward(Builder &b) {
  Value g = b.tensor(0), x = b.tensor(1), w = b.tensor(2);
  if (x.rank() != w.rank() || x.rank() < 3 ||
      g.rank() != x.rank())
    return b.refuse("a convolution without a batch");
  Windows windows = windowsOf(b, 4, static_cast<size_t>(w.rank() - 2));
  Axes kernel = spatialOf(w.shape());
  if (b.isAsked(0))
    b.result(windows.transposed
                 ? forward(b, g, w, windows)
                 : ofInput(b, g, w, windows, spatialOf(x.shape())),
             0);
  if (b.isAsked(1))
    b.result(windows.transposed ? ofWeight(b, g, x, windows, kernel)
                                : ofWeight(b, x, g, windows, kernel),
             1);
  Axes others;
  for (int64_t i = 0; i < g.rank(); ++i)
    if (i != 1)
      others.push_back(i);
  b.result(b.sum(g, others), 2);
}

} // namespace assay::trace::aten
