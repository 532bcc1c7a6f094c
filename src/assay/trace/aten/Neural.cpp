// aten products, convolutions, normalisations, pooling and attention.
#include "assay/trace/aten/Builder.h"

#include <cmath>

namespace assay::trace::aten {

void mm(Builder &b) {
  b.result(b.dot(b.tensor(0), b.tensor(1), {}, {}, {1}, {0}));
}
void bmm(Builder &b) {
  b.result(b.dot(b.tensor(0), b.tensor(1), {0}, {0}, {2}, {1}));
}
void mv(Builder &b) {
  b.result(b.dot(b.tensor(0), b.tensor(1), {}, {}, {1}, {0}));
}
void dot(Builder &b) {
  b.result(b.dot(b.tensor(0), b.tensor(1), {}, {}, {0}, {0}));
}

static Value scaled(Builder &b, const Value &x, llvm::StringRef name) {
  double factor = b.number(SIZE_MAX, name, 1);
  return factor == 1 ? x : b.mul(x, b.numberLike(factor, x));
}
// beta * a + alpha * (x y); a beta of 0 drops a.
static void affine(Builder &b, const Value &product) {
  Value out = scaled(b, product, "alpha");
  if (b.number(SIZE_MAX, "beta", 1) != 0)
    out = b.add(scaled(b, b.tensor(0), "beta"), out);
  b.result(out);
}
void addmm(Builder &b) {
  affine(b, b.dot(b.tensor(1), b.tensor(2), {}, {}, {1}, {0}));
}
void addmv(Builder &b) {
  affine(b, b.dot(b.tensor(1), b.tensor(2), {}, {}, {1}, {0}));
}
void baddbmm(Builder &b) {
  affine(b, b.dot(b.tensor(1), b.tensor(2), {0}, {0}, {2}, {1}));
}
static Axes spread(std::optional<Axes> given, size_t count, int64_t otherwise) {
  Axes values = given.value_or(Axes());
  if (values.empty())
    values.push_back(otherwise);
  values.resize(count, values.back());
  return values;
}

void convolution(Builder &b) {
  Value x = b.tensor(0), w = b.tensor(1);
  auto spatial = static_cast<size_t>(w.rank() - 2);
  if (x.rank() != w.rank() || b.boolean(6, "transposed", false))
    return b.refuse("a transposed convolution, or one without a batch");
  program::Convolution options;
  options.strides =
      program::Dims(Dims(spread(b.integers(3, "stride"), spatial, 1)));
  for (int64_t pad : spread(b.integers(4, "padding"), spatial, 0))
    options.padding.emplace_back(pad, pad);
  options.rhsDilation =
      program::Dims(Dims(spread(b.integers(5, "dilation"), spatial, 1)));
  options.featureGroups = b.integer(8, "groups", 1);
  Value out = b.ir().convolution(x, w, options);
  if (std::optional<Value> bias = b.optionalTensor(2, "bias"))
    out = b.add(out, b.placed(*bias, out.shape(), {1}));
  b.result(out);
}

static Axes lastAxes(const Value &x, size_t count) {
  Axes axes;
  for (int64_t i = x.rank() - static_cast<int64_t>(count); i < x.rank(); ++i)
    axes.push_back(i);
  return axes;
}

void layerNorm(Builder &b) {
  Value x = b.tensor(0);
  Axes sizes = b.integers(1, "normalized_shape").value_or(Axes());
  Emitter::Normal n =
      b.normalized(x, lastAxes(x, sizes.size()), b.number(4, "eps", 1e-5));
  Value out = n.out;
  if (std::optional<Value> weight = b.optionalTensor(2, "weight"))
    out = b.mul(out, *weight);
  if (std::optional<Value> bias = b.optionalTensor(3, "bias"))
    out = b.add(out, *bias);
  b.result(out, 0);
  b.result(n.mean, 1);
  b.result(n.rstd, 2);
}
void groupNorm(Builder &b) { // (x, weight, bias, N, C, HxW, groups, eps)
  Value x = b.tensor(0);
  int64_t images = b.integer(3, "N", 1), channels = b.integer(4, "C", 1),
          rest = b.integer(5, "HxW", 1), groups = b.integer(6, "group", 1);
  Emitter::Normal n =
      b.normalized(b.reshape(x, {images, groups, channels / groups * rest}),
                   {2}, b.number(7, "eps", 1e-5));
  Value out = b.reshape(n.out, x.shape());
  if (std::optional<Value> weight = b.optionalTensor(1, "weight"))
    out = b.mul(out, b.placed(*weight, x.shape(), {1}));
  if (std::optional<Value> bias = b.optionalTensor(2, "bias"))
    out = b.add(out, b.placed(*bias, x.shape(), {1}));
  b.result(out, 0);
  b.result(n.mean, 1);
  b.result(n.rstd, 2);
}
static void
batchNormOf(Builder &b,
            double epsilon) { // (x, weight, bias, mean, variance, ...)
  Value x = b.tensor(0);
  auto channel = [&](const Value &v) { return b.placed(v, x.shape(), {1}); };
  Value centred = b.sub(x, channel(b.tensor(3)));
  Value out =
      b.mul(centred,
            channel(b.unary("rsqrt", b.add(b.tensor(4), b.scalar(epsilon)))));
  if (std::optional<Value> weight = b.optionalTensor(1, "weight"))
    out = b.mul(out, channel(*weight));
  if (std::optional<Value> bias = b.optionalTensor(2, "bias"))
    out = b.add(out, channel(*bias));
  b.result(out, 0);
}
void batchNormInference(Builder &b) {
  batchNormOf(b, b.number(6, "eps", 1e-5));
}
void batchNorm(Builder &b) {
  if (b.boolean(5, "training", false))
    return b.refuse("statistics of the batch");
  batchNormOf(b, b.number(7, "eps", 1e-5));
}

// The last dimensions folded by windows of the recorded result.
static Value pooled(Builder &b, const Value &x, llvm::StringRef op,
                    const Axes &sizes, const Axes &strides, const Axes &pads,
                    const Axes &dilations) {
  auto plain = static_cast<size_t>(x.rank()) - sizes.size();
  program::Window window{{}, {}, {}, {}, {}};
  window.size.assign(plain, 1);
  window.strides.assign(plain, 1);
  window.windowDilation.assign(plain, 1);
  window.padding.assign(plain, {0, 0});
  for (size_t i = 0; i < sizes.size(); ++i) {
    window.size.push_back(sizes[i]);
    window.strides.push_back(strides[i]);
    window.windowDilation.push_back(dilations[i]);
    // What the last windows reach beyond the padding (ceil_mode).
    int64_t size = x.shape()[plain + i], out = b.output().shape[plain + i];
    int64_t needed = (out - 1) * strides[i] + (sizes[i] - 1) * dilations[i] + 1;
    window.padding.emplace_back(pads[i], needed - size - pads[i]);
  }
  return b.ir().reduceWindow(op, x, window);
}
void maxPool(Builder &b) { // the indices, its second result, are left out
  Value x = b.wide(b.tensor(0));
  Axes sizes = spread(b.integers(1, "kernel_size"), 2, 1);
  std::optional<Axes> given = b.integers(2, "stride");
  Axes strides = given && !given->empty() ? spread(given, 2, 1) : sizes;
  b.result(pooled(b, x, "maximum", sizes, strides,
                  spread(b.integers(3, "padding"), 2, 0),
                  spread(b.integers(4, "dilation"), 2, 1)));
}
void avgPool(Builder &b) {
  Value x = b.tensor(0);
  Axes sizes = spread(b.integers(1, "kernel_size"), 2, 1),
       pads = spread(b.integers(3, "padding"), 2, 0);
  std::optional<Axes> given = b.integers(2, "stride");
  Axes strides = given && !given->empty() ? spread(given, 2, 1) : sizes;
  bool padded = pads[0] || pads[1];
  if (b.boolean(4, "ceil_mode", false) ||
      (padded && !b.boolean(5, "count_include_pad", true)) ||
      b.number(6, "divisor_override", 0) != 0)
    return b.refuse(
        "ceil_mode, padding that is not counted, or another divisor");
  Value total = pooled(b, x, "add", sizes, strides, pads, {1, 1});
  b.result(b.div(total, b.scalar(static_cast<double>(sizes[0] * sizes[1]))));
}
void adaptiveAvgPool(Builder &b) {
  Value x = b.tensor(0);
  Axes axes = lastAxes(x, 2);
  Shape shape(x.shape().begin(), x.shape().end() - 2);
  Shape out = b.output().shape;
  for (size_t i = 0; i < 2; ++i) { // sizes that divide: blocks of equal size
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

// softmax(scale * q k^T + mask) v over [batch, heads, tokens, channels].
void attention(Builder &b) {
  Value q = b.tensor(0), k = b.tensor(1), v = b.tensor(2);
  if (q.rank() != 4 || b.number(3, "dropout_p", 0) != 0 ||
      q.shape()[1] != k.shape()[1])
    return b.refuse("dropout, or another number of key heads");
  double scale = b.number(SIZE_MAX, "scale",
                          1 / std::sqrt(static_cast<double>(q.shape()[3])));
  Value scores = b.mul(b.dot(q, k, {0, 1}, {0, 1}, {3}, {3}), b.scalar(scale));
  if (std::optional<Value> mask = b.optionalTensor(SIZE_MAX, "attn_mask"))
    scores = mask->type.element.isBool()
                 ? b.select(*mask, scores, b.scalar(-INFINITY))
                 : b.add(scores, *mask);
  if (b.boolean(4, "is_causal", false)) {
    Value later =
        b.compare("GT", b.iota(scores.shape(), 3), b.iota(scores.shape(), 2));
    scores = b.select(later, b.scalar(-INFINITY), scores);
  }
  Value weights = b.softmax(scores, 3);
  b.result(b.dot(weights, v, {0, 1}, {0, 1}, {3}, {2}));
}

} // namespace assay::trace::aten
