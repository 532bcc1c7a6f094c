// aten pooling and upsampling, and their gradients.
#include "assay/formulas/Windows.h"
#include "assay/trace/aten/Builder.h"

namespace assay::trace::aten {

static Axes lastAxes(const Value &x, size_t count) {
  Axes axes;
  for (int64_t i = x.rank() - static_cast<int64_t>(count); i < x.rank(); ++i)
    axes.push_back(i);
  return axes;
}

// The last dimensions folded by windows of the recorded result.
static Value pooled(Builder &b, const Value &x, llvm::StringRef op,
                    const Axes &sizes, const Axes &strides, const Axes &pads,
                    const Axes &dilations) {
  if (x.rank() < static_cast<int64_t>(sizes.size()) ||
      static_cast<int64_t>(b.output().shape.size()) != x.rank()) {
    b.refuse("fewer than two dimensions");
    return x;
  }
  llvm::SmallVector<geometry::Axis, 3> axes;
  for (size_t i = 0, plain = x.shape().size() - sizes.size(); i < sizes.size();
       ++i) // the last windows reach beyond the padding with ceil_mode
    axes.push_back({x.shape()[plain + i], b.output().shape[plain + i],
                    sizes[i], strides[i], dilations[i], 1, pads[i]});
  return formulas::foldWindows(b.ir(), op, x, axes);
}
namespace {
/// (x, kernel_size, stride, padding, ...) along the last dimensions.
struct Windows {
  Windows(Builder &b, size_t count)
      : sizes(Builder::spread(b.integers(1, "kernel_size"), count, 1)),
        pads(Builder::spread(b.integers(3, "padding"), count, 0)) {
    std::optional<Axes> given = b.integers(2, "stride");
    strides =
        given && !given->empty() ? Builder::spread(given, count, 1) : sizes;
  }
  Axes sizes, pads, strides;
};
} // namespace

// Without the indices, the operator's second result.
static void maxPoolOf(Builder &b, size_t count) {
  Windows w(b, count);
  b.result(pooled(b, b.wide(b.tensor(0)), "maximum", w.sizes, w.strides, w.pads,
                  Builder::spread(b.integers(4, "dilation"), count, 1)));
}
void maxPool(Builder &b) { maxPoolOf(b, 2); }
void maxPool3d(Builder &b) { maxPoolOf(b, 3); }
/// The number of places in each window of an average: those of the input,
/// optionally with the padding; never those beyond the padding that ceil_mode's
/// last windows reach.
static Value countsOf(Builder &b, const Value &x, const Axes &sizes,
                      const Axes &strides, const Axes &pads, bool padding) {
  Axes shape(x.shape().begin(), x.shape().end()), around = pads;
  for (size_t i = 0; padding && i < sizes.size(); ++i) {
    shape[shape.size() - sizes.size() + i] += 2 * pads[i];
    around[i] = 0;
  }
  return pooled(b, b.placed(b.scalar(1), shape, {}), "add", sizes, strides,
                around, Axes(sizes.size(), 1));
}
static void avgPoolOf(Builder &b, size_t count) {
  Value x = b.tensor(0);
  Windows w(b, count);
  bool isPadded = llvm::any_of(w.pads, [](int64_t pad) { return pad != 0; }),
       isCut = b.boolean(4, "ceil_mode", false),
       counted = b.boolean(5, "count_include_pad", true);
  double divisor = b.number(6, "divisor_override", 0);
  Value total =
      pooled(b, x, "add", w.sizes, w.strides, w.pads, Axes(count, 1));
  if (divisor == 0 && (isCut || (isPadded && !counted)))
    return b.result(
        b.div(total, countsOf(b, x, w.sizes, w.strides, w.pads, counted)));
  for (int64_t size : divisor == 0 ? w.sizes : Axes())
    divisor = (divisor == 0 ? 1 : divisor) * static_cast<double>(size);
  b.result(b.div(total, b.scalar(divisor)));
}
void avgPool(Builder &b) { avgPoolOf(b, 2); }
void avgPool3d(Builder &b) { avgPoolOf(b, 3); }
void adaptiveAvgPool(Builder &b) {
  Value x = b.tensor(0);
  Shape out = b.output().shape;
  if (x.rank() < 2 || out.size() < 2)
    return b.refuse("fewer than two dimensions");
  Axes axes = lastAxes(x, 2);
  Shape shape(x.shape().begin(), x.shape().end() - 2);
  for (size_t i = 0; i < 2; ++i) { // sizes that divide: equal blocks
    int64_t parts = out[out.size() - 2 + i], whole = x.size(axes[i]);
    if (parts == 0 || whole % parts != 0)
      return b.refuse("blocks of unlike size");
  }
  int64_t height = x.size(axes[0]), width = x.size(axes[1]),
          rows = out[out.size() - 2], columns = out[out.size() - 1];
  auto plain = static_cast<int64_t>(shape.size());
  shape.append({rows, height / rows, columns, width / columns});
  b.result(b.mean(b.reshape(x, shape), {plain + 1, plain + 3}));
}

// (g, x, kernel, stride, padding, dilation, ceil_mode, indices): a plane's
// gradient is added at the places that the indices name in it.
void maxPoolBackward(Builder &b) {
  Value g = b.tensor(0), x = b.tensor(1), places = b.tensor(7);
  if (x.rank() < 2)
    return b.refuse("fewer than two dimensions");
  int64_t plane = x.size(x.rank() - 1) * x.size(x.rank() - 2),
          planes = plane ? b.sizeOf(x) / plane : 0,
          each = planes ? b.sizeOf(g) / planes : 0;
  Value first = b.mul(b.iota({planes, each}, 0), b.constant(plane));
  Value at = b.add(b.reshape(places, {planes, each}), first);
  Value out = b.scattered(b.broadcast(b.scalar(0), {planes * plane, 1}),
                          b.reshape(at, {planes * each}),
                          b.reshape(g, {planes * each, 1}), "add");
  b.result(b.reshape(out, x.shape()));
}
void adaptiveAvgPoolBackward(Builder &b) {
  Value g = b.tensor(0), x = b.tensor(1);
  if (x.rank() < 2 || g.rank() != x.rank())
    return b.refuse("a gradient of another rank");
  Axes axes = lastAxes(x, 2);
  if (b.sizeOf(g) == 0)
    return b.refuse("blocks of unlike size");
  if (x.size(axes[0]) % g.size(axes[0]) || x.size(axes[1]) % g.size(axes[1]))
    return b.refuse("blocks of unlike size");
  double size = static_cast<double>(x.size(axes[0]) / g.size(axes[0]) *
                                    (x.size(axes[1]) / g.size(axes[1])));
  b.result(b.div(b.enlarged(g, x.shape()), b.scalar(size)));
}

// (x, output_size, scales): whole factors repeat elements.
void upsampleNearest(Builder &b) {
  b.result(b.enlarged(b.tensor(0), b.output().shape));
}
// (g, output_size, input_size, scales): sums over repeated elements.
void upsampleNearestBackward(Builder &b) {
  Value g = b.tensor(0);
  Shape in = b.output().shape, shape;
  Axes axes;
  if (static_cast<int64_t>(in.size()) != g.rank())
    return b.refuse("a gradient of another rank");
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] == 0 || g.shape()[i] % in[i] != 0)
      return b.refuse("a factor that is not whole");
    shape.push_back(in[i]);
    shape.push_back(g.shape()[i] / in[i]);
    axes.push_back(2 * static_cast<int64_t>(i) + 1);
  }
  b.result(b.sum(b.reshape(g, shape), axes));
}

} // namespace assay::trace::aten
