// aten products, convolutions, normalisations, pooling and attention.
#include "assay/trace/aten/Builder.h"
#include "llvm/Support/FormatVariadic.h"

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
  return factor == 1 ? x
                     : b.binary("multiply", x,
                                x.isFloat() ? b.scalar(factor)
                                            : b.constant((int64_t)factor));
}
// beta * a + alpha * (x y); a beta of 0 drops a.
static void affine(Builder &b, const Value &product) {
  Value out = scaled(b, product, "alpha");
  if (b.number(SIZE_MAX, "beta", 1) != 0)
    out = b.binary("add", scaled(b, b.tensor(0), "beta"), out);
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
static std::string list(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}
static Axes spread(std::optional<Axes> given, size_t count, int64_t otherwise) {
  Axes values = given.value_or(Axes());
  if (values.empty())
    values.push_back(otherwise);
  values.resize(count, values.back());
  return values;
}
static std::string padding(llvm::ArrayRef<int64_t> low,
                           llvm::ArrayRef<int64_t> high) {
  std::string text;
  for (size_t i = 0; i < low.size(); ++i)
    text +=
        llvm::formatv("{0}[{1}, {2}]", i ? ", " : "", low[i], high[i]).str();
  return llvm::formatv("dense<[{0}]> : tensor<{1}x2xi64>", text, low.size())
      .str();
}

void convolution(Builder &b) {
  Value x = b.tensor(0), w = b.tensor(1);
  auto spatial = static_cast<size_t>(w.rank() - 2);
  if (x.rank() != w.rank() || b.boolean(6, "transposed", false))
    return b.refuse("a transposed convolution, or one without a batch");
  Axes stride = spread(b.integers(3, "stride"), spatial, 1),
       pad = spread(b.integers(4, "padding"), spatial, 0),
       dilation = spread(b.integers(5, "dilation"), spatial, 1);
  std::string places;
  for (size_t i = 0; i < spatial; ++i)
    places += ", " + std::to_string(i);
  Value out = b.generic(
      "convolution", {x, w}, {x.type.element, b.output().shape},
      llvm::formatv(
          "window_strides = array<i64: {0}>, padding = {1}, rhs_dilation = "
          "array<i64: {2}>, "
          "dimension_numbers = #stablehlo.conv<[b, f{3}]x[o, i{3}]->[b, "
          "f{3}]>, "
          "feature_group_count = {4} : i64, batch_group_count = 1 : i64",
          list(stride), padding(pad, pad), list(dilation), places,
          b.integer(8, "groups", 1))
          .str());
  if (std::optional<Value> bias = b.optionalTensor(2, "bias"))
    out = b.binary("add", out, b.placed(*bias, out.shape(), {1}));
  b.result(out);
}

/// (x - mean) * rsqrt(variance + eps) over axes; both statistics come along.
struct Normal {
  Value out, mean, rstd;
};
static Normal normalized(Builder &b, const Value &x,
                         llvm::ArrayRef<int64_t> axes, double epsilon) {
  Normal n;
  n.mean = b.mean(x, axes);
  Value centred = b.binary("subtract", x, n.mean);
  Value variance = b.mean(b.binary("multiply", centred, centred), axes);
  n.rstd = b.unary("rsqrt", b.binary("add", variance, b.scalar(epsilon)));
  n.out = b.binary("multiply", centred, n.rstd);
  return n;
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
  Normal n =
      normalized(b, x, lastAxes(x, sizes.size()), b.number(4, "eps", 1e-5));
  Value out = n.out;
  if (std::optional<Value> weight = b.optionalTensor(2, "weight"))
    out = b.binary("multiply", out, *weight);
  if (std::optional<Value> bias = b.optionalTensor(3, "bias"))
    out = b.binary("add", out, *bias);
  b.result(out, 0);
  b.result(n.mean, 1);
  b.result(n.rstd, 2);
}
void groupNorm(Builder &b) { // (x, weight, bias, N, C, HxW, groups, eps)
  Value x = b.tensor(0);
  int64_t images = b.integer(3, "N", 1), channels = b.integer(4, "C", 1),
          rest = b.integer(5, "HxW", 1), groups = b.integer(6, "group", 1);
  Normal n =
      normalized(b, b.reshape(x, {images, groups, channels / groups * rest}),
                 {2}, b.number(7, "eps", 1e-5));
  Value out = b.reshape(n.out, x.shape());
  if (std::optional<Value> weight = b.optionalTensor(1, "weight"))
    out = b.binary("multiply", out, b.placed(*weight, x.shape(), {1}));
  if (std::optional<Value> bias = b.optionalTensor(2, "bias"))
    out = b.binary("add", out, b.placed(*bias, x.shape(), {1}));
  b.result(out, 0);
  b.result(n.mean, 1);
  b.result(n.rstd, 2);
}
static void
batchNormOf(Builder &b,
            double epsilon) { // (x, weight, bias, mean, variance, ...)
  Value x = b.tensor(0);
  auto channel = [&](const Value &v) { return b.placed(v, x.shape(), {1}); };
  Value centred = b.binary("subtract", x, channel(b.tensor(3)));
  Value out = b.binary("multiply", centred,
                       channel(b.unary("rsqrt", b.binary("add", b.tensor(4),
                                                         b.scalar(epsilon)))));
  if (std::optional<Value> weight = b.optionalTensor(1, "weight"))
    out = b.binary("multiply", out, channel(*weight));
  if (std::optional<Value> bias = b.optionalTensor(2, "bias"))
    out = b.binary("add", out, channel(*bias));
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

static Value pooled(Builder &b, const Value &x, llvm::StringRef op,
                    const Axes &sizes, const Axes &strides, const Axes &pads,
                    const Axes &dilations, double initial) {
  auto plain = static_cast<size_t>(x.rank()) - sizes.size();
  auto all = [&](const Axes &values, int64_t otherwise) {
    Axes result(plain, otherwise);
    result.insert(result.end(), values.begin(), values.end());
    return result;
  };
  // What the last windows reach beyond the padding (ceil_mode).
  Axes high = pads;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t size = x.shape()[plain + i], out = b.output().shape[plain + i];
    int64_t needed = (out - 1) * strides[i] + (sizes[i] - 1) * dilations[i] + 1;
    high[i] = needed - size - pads[i];
  }
  std::string element = toString(TensorType{x.type.element, {}});
  return b.generic(
      "reduce_window", {x, b.scalar(initial)},
      {x.type.element, b.output().shape},
      llvm::formatv("window_dimensions = array<i64: {0}>, window_strides = "
                    "array<i64: {1}>, window_dilations = "
                    "array<i64: {2}>, padding = {3}",
                    list(all(sizes, 1)), list(all(strides, 1)),
                    list(all(dilations, 1)),
                    padding(all(pads, 0), all(high, 0)))
          .str(),
      "\n  ^bb0(%a: " + element + ", %b: " + element +
          "):\n    %r = \"stablehlo." + op.str() + "\"(%a, %b) : (" + element +
          ", " + element + ") -> " + element +
          "\n    \"stablehlo.return\"(%r) : (" + element + ") -> ()\n  ");
}
void maxPool(Builder &b) { // the indices, its second result, are left out
  Value x = b.wide(b.tensor(0));
  Axes sizes = spread(b.integers(1, "kernel_size"), 2, 1);
  std::optional<Axes> given = b.integers(2, "stride");
  Axes strides = given && !given->empty() ? spread(given, 2, 1) : sizes;
  b.result(pooled(b, x, "maximum", sizes, strides,
                  spread(b.integers(3, "padding"), 2, 0),
                  spread(b.integers(4, "dilation"), 2, 1), -INFINITY));
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
  Value total = pooled(b, x, "add", sizes, strides, pads, {1, 1}, 0);
  b.result(b.binary("divide", total,
                    b.scalar(static_cast<double>(sizes[0] * sizes[1]))));
}
void adaptiveAvgPool(Builder &b) {
  Value x = b.tensor(0);
  Axes axes = lastAxes(x, 2);
  Shape shape(x.shape().begin(), x.shape().end() - 2);
  Shape out = b.output().shape;
  for (size_t i = 0; i < 2; ++i) { // sizes that divide: blocks of equal size
    int64_t size = x.shape()[shape.size()], parts = out[out.size() - 2 + i];
    (void)size;
    int64_t whole = x.shape()[static_cast<size_t>(axes[i])];
    if (parts == 0 || whole % parts != 0)
      return b.refuse("blocks of unlike size");
  }
  int64_t height = x.shape()[static_cast<size_t>(axes[0])],
          width = x.shape()[static_cast<size_t>(axes[1])],
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
  Value scores = b.binary("multiply", b.dot(q, k, {0, 1}, {0, 1}, {3}, {3}),
                          b.scalar(scale));
  if (std::optional<Value> mask = b.optionalTensor(SIZE_MAX, "attn_mask"))
    scores = mask->type.element.isBool()
                 ? b.select(*mask, scores, b.scalar(-INFINITY))
                 : b.binary("add", scores, *mask);
  if (b.boolean(4, "is_causal", false)) {
    Value later =
        b.compare("GT", b.iota(scores.shape(), 3), b.iota(scores.shape(), 2));
    scores = b.select(later, b.scalar(-INFINITY), scores);
  }
  Value shifted =
      b.unary("exponential",
              b.binary("subtract", scores, b.reduce("maximum", scores, {3})));
  Value weights = b.binary("divide", shifted, b.sum(shifted, {3}));
  b.result(b.dot(weights, v, {0, 1}, {0, 1}, {3}, {2}));
}

} // namespace assay::trace::aten
