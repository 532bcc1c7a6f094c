// aten gradients of activations, softmax, normalisations and attention, from
// the recorded gradient and the results of the forward operator. Each is the
// derivative of the formula in this folder, written out.
#include "assay/formulas/Activations.h"
#include "assay/formulas/Norms.h"
#include "assay/formulas/Softmax.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/trace/aten/Builder.h"

#include <cmath>

namespace assay::trace::aten {

void thresholdBackward(Builder &b) {
  Value pass =
      b.compare("GT", b.tensor(1), b.scalar(b.number(2, "threshold", 0)));
  b.result(b.select(pass, b.tensor(0), b.scalar(0)));
}
void tanhBackward(Builder &b) {
  Value y = b.tensor(1), slope = b.sub(b.scalar(1), b.mul(y, y));
  b.result(b.mul(b.tensor(0), slope));
}
void sigmoidBackward(Builder &b) {
  Value y = b.tensor(1), rest = b.rounded(b.sub(b.scalar(1), y));
  b.result(b.mul(b.tensor(0), b.rounded(b.mul(y, rest))));
}
void siluBackward(Builder &b) {
  b.result(b.mul(b.tensor(0), formulas::gatedSlope(b.rules(), b.tensor(1))));
}
void leakyReluBackward(Builder &b) {
  Value gradient = b.tensor(0);
  Value below = b.mul(gradient, b.scalar(b.number(2, "negative_slope", 0.01)));
  b.result(
      b.select(b.compare("GT", b.tensor(1), b.scalar(0)), gradient, below));
}

// (g, alpha, scale, input scale, is result, x or result)
void eluBackward(Builder &b) {
  Value g = b.tensor(0), x = b.tensor(5), inner = b.scalar(b.number(3, "", 1));
  double alpha = b.number(1, "alpha", 1), scale = b.number(2, "scale", 1);
  Value product = b.scalar(alpha * scale);
  Value slope = b.boolean(4, "is_result", false)
                    ? b.add(x, product)
                    : b.mul(b.unary("exponential", b.mul(x, inner)), product);
  b.result(b.select(b.compare("GT", x, b.scalar(0)), b.mul(g, b.scalar(scale)),
                    b.mul(b.mul(g, inner), slope)));
}
void softplusBackward(Builder &b) {
  Value g = b.tensor(0),
        scaled = b.mul(b.tensor(1), b.scalar(b.number(2, "beta", 1)));
  b.result(
      b.select(b.compare("GT", scaled, b.scalar(b.number(3, "threshold", 20))),
               g, b.mul(g, b.unary("logistic", scaled))));
}
void hardtanhBackward(Builder &b) {
  Value x = b.tensor(1);
  Value within =
      b.binary("and", b.compare("GT", x, b.scalar(b.number(2, "min_val", -1))),
               b.compare("LT", x, b.scalar(b.number(3, "max_val", 1))));
  b.result(b.select(within, b.tensor(0), b.scalar(0)));
}
void hardswishBackward(Builder &b) {
  Value g = b.tensor(0), x = b.tensor(1);
  Value slope = b.add(b.div(x, b.scalar(3)), b.scalar(0.5));
  Value below = b.select(b.compare("LT", x, b.scalar(3)), b.mul(g, slope), g);
  b.result(b.select(b.compare("GT", x, b.scalar(-3)), below, b.scalar(0)));
}
void mishBackward(Builder &b) {
  b.result(b.mul(b.tensor(0), formulas::mishSlope(b.rules(), b.tensor(1))));
}
void preluBackward(Builder &b) {
  Value g = b.tensor(0), x = b.tensor(1),
        isAbove = b.compare("GT", x, b.scalar(0));
  b.result(b.select(isAbove, g, b.mul(g, b.tensor(2))), 0);
  b.result(b.select(isAbove, b.scalar(0), b.mul(x, g)), 1);
}

/// Phi(x) + x phi(x), or the derivative of the form with tanh.
static Value geluSlope(Builder &b, const Value &x, bool byTanh) {
  Value half = b.scalar(0.5), square = b.mul(x, x);
  if (!byTanh) {
    Value below =
        b.mul(half, b.unary("chlo.erfc", b.mul(x, b.scalar(-M_SQRT1_2))));
    Value density = b.mul(b.unary("exponential", b.mul(square, b.scalar(-0.5))),
                          b.scalar(M_SQRT1_2 * M_2_SQRTPI / 2));
    return b.add(below, b.mul(x, density));
  }
  Value factor = b.scalar(std::sqrt(2 / M_PI)), one = b.scalar(1);
  Value bent = formulas::tanhOfCube(b.rules(), x);
  Value steep =
      b.mul(factor, b.add(one, b.mul(square, b.scalar(3 * 0.044715))));
  Value right =
      b.mul(b.mul(b.mul(half, x), b.sub(one, b.mul(bent, bent))), steep);
  return b.add(b.mul(half, b.add(one, bent)), right);
}
void geluBackward(Builder &b) {
  bool byTanh = b.text(2, "approximate", "none") != "none";
  b.result(b.mul(b.tensor(0), geluSlope(b, b.tensor(1), byTanh)));
}

static void softmaxGradient(Builder &b, formulas::SoftmaxForm form) {
  Value y = b.tensor(1);
  b.result(formulas::softmaxBackward(b.rules(), y, b.tensor(0),
                                     b.axis(2, "dim", -1, y.rank()), form));
}
void softmaxBackward(Builder &b) {
  softmaxGradient(b, formulas::SoftmaxForm::Plain);
}
void logSoftmaxBackward(Builder &b) {
  softmaxGradient(b, formulas::SoftmaxForm::Logarithm);
}

static Value normalGradient(Builder &b, const Value &g, const Value &xhat,
                            const Value &rstd, const Axes &axes) {
  return formulas::normGradient(
      b.rules(), g, xhat, rstd, /*rms=*/false,
      [&](mlir::Value x) { return b.mean(x, axes); });
}
static Axes axesBut(int64_t kept, int64_t rank) {
  Axes axes;
  for (int64_t i = 0; i < rank; ++i)
    if (i != kept)
      axes.push_back(i);
  return axes;
}

namespace {
struct Statistics {
  Value mean, rstd;
};
} // namespace

/// The statistics that the forward call kept. Where they were not recorded, as
/// for a module, they are computed again with the epsilon at that place; in
/// their type each may be the nearest value or a neighbour of it.
static Statistics statisticsOf(Builder &b, size_t first, const Value &x,
                               const Axes &axes, size_t epsilon,
                               const Axes &shape) {
  if (std::optional<Value> mean = b.optionalTensor(first, "mean"))
    return {b.reshape(*mean, shape), b.reshape(b.tensor(first + 1), shape)};
  Emitter::Normal made = b.normalized(x, axes, b.number(epsilon, "eps", 0));
  auto kept = [&](const Value &y) {
    return b.reshape(b.rounded(b.rounded(b.rounded(y))), shape);
  };
  return {kept(made.mean), kept(made.rstd)};
}

// (g, x, normalized_shape, mean, rstd, weight, bias, mask), then a module's
// epsilon
void layerNormBackward(Builder &b) {
  Value g = b.tensor(0), x = b.tensor(1);
  auto inner = static_cast<int64_t>(
      b.integers(2, "normalized_shape").value_or(Axes()).size());
  Axes outer, normal, shape;
  for (int64_t i = 0; i < x.rank(); ++i) {
    (i < x.rank() - inner ? outer : normal).push_back(i);
    shape.push_back(i < x.rank() - inner ? x.size(i) : 1);
  }
  auto [mean, rstd] = statisticsOf(b, 3, x, normal, 8, shape);
  Value xhat = b.mul(b.sub(x, mean), rstd);
  std::optional<Value> weight = b.optionalTensor(5, "weight");
  b.result(
      normalGradient(b, weight ? b.mul(g, *weight) : g, xhat, rstd, normal), 0);
  b.result(b.weightSum(b.mul(g, xhat), outer), 1);
  b.result(b.weightSum(g, outer), 2);
}

// (g, x, mean, rstd, weight, N, C, HxW, groups, mask), then a module's epsilon
void groupNormBackward(Builder &b) {
  Value g = b.tensor(0), x = b.tensor(1);
  int64_t images = b.integer(5, "N", 1), channels = b.integer(6, "C", 1),
          rest = b.integer(7, "HxW", 1), groups = b.integer(8, "group", 1);
  if (groups < 1 || channels < groups || images < 1 || rest < 1)
    return b.refuse("groups that do not fit");
  Axes grouped{images, groups, channels / groups * rest},
      flat{images, channels, rest};
  Value rows = b.reshape(x, grouped);
  auto [mean, rstd] = statisticsOf(b, 2, rows, {2}, 10, {images, groups, 1});
  Value xhat = b.mul(b.sub(rows, mean), rstd);
  Value scaled = b.reshape(g, flat);
  if (std::optional<Value> weight = b.optionalTensor(4, "weight"))
    scaled = b.mul(scaled, b.placed(*weight, flat, {1}));
  Value gx = normalGradient(b, b.reshape(scaled, grouped), xhat, rstd, {2});
  b.result(b.reshape(gx, x.shape()), 0);
  Value gradients = b.reshape(g, flat);
  b.result(b.weightSum(b.mul(gradients, b.reshape(xhat, flat)), {0, 2}), 1);
  b.result(b.weightSum(gradients, {0, 2}), 2);
}

// (g, x, weight, running mean, running variance, mean, rstd, train, eps, mask)
void batchNormBackward(Builder &b) {
  Value g = b.tensor(0), x = b.tensor(1);
  Axes others = axesBut(1, x.rank()), channels{x.size(1)};
  auto channel = [&](const Value &v) { return b.placed(v, x.shape(), {1}); };
  bool train = b.boolean(7, "train", false);
  Statistics known =
      train ? statisticsOf(b, 5, x, others, 8, channels)
            : Statistics{
                  b.tensor(3),
                  b.unary("rsqrt",
                          b.add(b.tensor(4), b.scalar(b.number(8, "eps", 0))))};
  Value rstd = channel(known.rstd),
        xhat = b.mul(b.sub(x, channel(known.mean)), rstd);
  std::optional<Value> weight = b.optionalTensor(2, "weight");
  Value scaled = weight ? b.mul(g, channel(*weight)) : g;
  b.result(train ? normalGradient(b, scaled, xhat, rstd, others)
                 : b.mul(scaled, rstd),
           0);
  b.result(b.weightSum(b.mul(g, xhat), others), 1);
  b.result(b.weightSum(g, others), 2);
}

// (g, q, k, v, out, logsumexp, dropout_p, is_causal, attn_mask, scale): the
// probabilities are computed again from the logsumexp.
void attentionBackward(Builder &b) {
  Value g = b.tensor(0), q = b.tensor(1), k = b.tensor(2), v = b.tensor(3);
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 ||
      b.number(6, "dropout_p", 0) != 0 || q.shape()[1] != k.shape()[1])
    return b.refuse("dropout, or another number of key heads");
  double scale = b.number(SIZE_MAX, "scale",
                          1 / std::sqrt(static_cast<double>(q.shape()[3])));
  Value scores =
      b.attentionScores(q, k, scale, b.boolean(7, "is_causal", false));
  Value sums = b.tensor(5);
  Axes column(sums.shape().begin(), sums.shape().end());
  column.push_back(1);
  Value weights =
      b.unary("exponential", b.sub(scores, b.reshape(sums, column)));
  Value slopes = b.dot(g, v, {0, 1}, {0, 1}, {3}, {3});
  Value mean = b.sum(b.mul(g, b.tensor(4)), {3});
  scores = b.mul(b.mul(weights, b.sub(slopes, mean)), b.scalar(scale));
  for (const Value &factor : {weights, scores})
    judge::withStageIn(factor.handle, b.output().element);
  scores = b.rounded(scores);
  b.result(b.dot(scores, k, {0, 1}, {0, 1}, {3}, {2}), 0);
  b.result(b.dot(scores, q, {0, 1}, {0, 1}, {2}, {2}), 1);
  b.result(b.dot(b.rounded(weights), g, {0, 1}, {0, 1}, {2}, {2}), 2);
}

} // namespace assay::trace::aten
