// aten products, normalisations and attention.
#include "assay/formulas/Softmax.h"
#include "assay/judge/program/CommonForms.h"
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
/// alpha * x, the first factor of a product: BLAS applies alpha to it, so that
/// the terms are rounded.
static Value scaledFactor(Builder &b) { return scaled(b, b.tensor(1), "alpha"); }
// beta * a + (alpha x) y; if beta is 0, a is ignored.
static void affine(Builder &b, const Value &product) {
  Value x = b.tensor(1), out = b.rounded(product);
  if (b.number(SIZE_MAX, "beta", 1) != 0)
    out = b.withBias(out, scaled(b, b.tensor(0), "beta"), x.size(x.rank() - 1));
  b.result(out);
}
void addmm(Builder &b) {
  affine(b, b.dot(scaledFactor(b), b.tensor(2), {}, {}, {1}, {0}));
}
void addmv(Builder &b) {
  affine(b, b.dot(scaledFactor(b), b.tensor(2), {}, {}, {1}, {0}));
}
void baddbmm(Builder &b) {
  affine(b, b.dot(scaledFactor(b), b.tensor(2), {0}, {0}, {2}, {1}));
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
  if (images < 1 || channels < 1 || rest < 1 || groups < 1 ||
      channels % groups != 0 ||
      double(images) * double(channels) * double(rest) != double(b.sizeOf(x)))
    return b.refuse("N, C, HxW and group that do not fit the tensor");
  Emitter::Normal n =
      b.normalized(b.reshape(x, {images, groups, channels / groups * rest}),
                   {2}, b.number(7, "eps", 1e-5));
  // PyTorch returns these in the type of x, and its CUDA kernel continues with
  // the rounded ones.
  for (const Value &statistic : {n.mean, n.rstd})
    judge::withStageIn(statistic.handle, b.output().element);
  Value out = b.reshape(n.out, x.shape());
  if (std::optional<Value> weight = b.optionalTensor(1, "weight"))
    out = b.mul(out, b.placed(*weight, x.shape(), {1}));
  if (std::optional<Value> bias = b.optionalTensor(2, "bias"))
    out = b.add(out, b.placed(*bias, x.shape(), {1}));
  b.result(out, 0);
  b.result(n.mean, 1);
  b.result(n.rstd, 2);
}
/// (x, weight, bias, mean, variance, ...); in training the statistics are the
/// batch's own.
static void batchNormOf(Builder &b, double epsilon, bool training) {
  Value x = b.tensor(0);
  auto channel = [&](const Value &v) { return b.placed(v, x.shape(), {1}); };
  Value out;
  if (training) {
    Axes axes;
    for (int64_t i = 0; i < x.rank(); ++i)
      if (i != 1)
        axes.push_back(i);
    Emitter::Normal n = b.normalized(x, axes, epsilon);
    out = n.out;
    b.result(n.mean, 1);
    b.result(n.rstd, 2);
  } else {
    Value rstd = b.unary("rsqrt", b.add(b.tensor(4), b.scalar(epsilon)));
    // As in Emitter::normalized, kernels may scale first or centre first.
    out = b.sub(b.mul(x, channel(rstd)), channel(b.mul(b.tensor(3), rstd)));
  }
  if (std::optional<Value> weight = b.optionalTensor(1, "weight"))
    out = b.mul(out, channel(*weight));
  if (std::optional<Value> bias = b.optionalTensor(2, "bias"))
    out = b.add(out, channel(*bias));
  b.result(out, 0);
}
void batchNormInference(Builder &b) {
  batchNormOf(b, b.number(6, "eps", 1e-5), false);
}
void batchNorm(Builder &b) {
  batchNormOf(b, b.number(7, "eps", 1e-5), b.boolean(5, "training", false));
}

/// softmax(scale * q k^T + mask) over [batch, heads, tokens, channels]; a
/// kernel may keep the weights in the recorded type.
Value Builder::attentionScores(const Value &q, const Value &k, double scale,
                               bool causal) {
  Value scores = mul(dot(q, k, {0, 1}, {0, 1}, {3}, {3}), scalar(scale));
  if (std::optional<Value> mask = optionalTensor(SIZE_MAX, "attn_mask"))
    scores = mask->type.element.isBool()
                 ? select(*mask, scores, scalar(-INFINITY))
                 : add(scores, *mask);
  if (!causal)
    return scores;
  Value later = compare("GT", iota(scores.shape(), 3), iota(scores.shape(), 2));
  return select(later, scalar(-INFINITY), scores);
}
// Zeros in the rows of x that the argument attn_mask hides entirely, as in
// PyTorch's kernel.
static Value withoutHidden(Builder &b, const Value &x) {
  std::optional<Value> mask = b.optionalTensor(SIZE_MAX, "attn_mask");
  if (!mask)
    return x;
  Axes columns{mask->rank() - 1};
  if (mask->isBool())
    return b.select(b.reduce("or", *mask, columns), x, b.scalar(0));
  Value most = b.reduce("maximum", *mask, columns);
  return b.select(b.compare("EQ", most, b.scalar(-INFINITY)), b.scalar(0), x);
}
void attention(Builder &b) {
  Value q = b.tensor(0), k = b.tensor(1), v = b.tensor(2);
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 ||
      b.number(3, "dropout_p", 0) != 0 || q.shape()[1] != k.shape()[1])
    return b.refuse("dropout, or another number of key heads");
  double scale = b.number(SIZE_MAX, "scale",
                          1 / std::sqrt(static_cast<double>(q.shape()[3])));
  Value scores =
      b.attentionScores(q, k, scale, b.boolean(4, "is_causal", false));
  Value top = b.reduce("maximum", scores, {3});
  Value powers = b.unary("exponential", b.sub(scores, top));
  // PyTorch's kernel for CPUs has its own exponential for 16 bits (exp_u20).
  constexpr double kUlps = 512;
  if (b.output().element.bits < 32)
    powers = judge::withAccuracy(powers, {kUlps, 0});
  Value total = b.sum(powers, {3});
  Value weights = formulas::softmaxForward(b.rules(), scores, 3);
  judge::withStageIn(weights.handle,
                     b.output().element); // as in tensor cores
  weights = b.rounded(weights);
  b.result(withoutHidden(b, b.dot(weights, v, {0, 1}, {0, 1}, {3}, {2})), 0);
  b.result(withoutHidden(b, b.add(top, b.unary("log", total))), 1);
}

} // namespace assay::trace::aten
