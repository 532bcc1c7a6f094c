/// What matmul, convolution, deconvolution and inner product have in common:
/// every output element is a sum of products of one element of `a` and one of
/// `b`. A Contraction says which; all tensors are dense and row-major in
/// logical order. It serves as the reference, to recompute single points, and
/// to know how deep each sum is.
#pragma once

#include "assay/support/ThreadPool.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cmath>
#include <cstdint>

namespace assay::judge {

struct Contraction {
  /// Convolutions are named from the side of an ordinary convolution whose
  /// input is "in", weights "wei", output "out":
  ///   Forward          a = in,  b = wei, c = out
  ///   BackwardData     a = out, b = wei, c = in  (and deconvolution, forward)
  ///   BackwardWeights  a = in,  b = out, c = wei
  enum class Form : uint8_t {
    Matmul,
    Forward,
    BackwardData,
    BackwardWeights
  } form = Form::Matmul;

  // Matmul: c[batch, i, j] = sum over k of a[...] * b[...], with strides in
  // elements (0 where a batch dimension broadcasts).
  llvm::SmallVector<int64_t, 4> batch, aBatch, bBatch;
  int64_t m = 1, n = 1, k = 1;
  int64_t aI = 0, aK = 0, bK = 0, bJ = 0;
  bool transposedC = false; ///< c is stored [j, i]

  // Convolution, spatial arrays as d, h, w; dil is the distance of two taps (1
  // = dense).
  int64_t mb = 1, groups = 1, inPerGroup = 1, outPerGroup = 1;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, pad[3] = {0, 0, 0}, dil[3] = {1, 1, 1};
  int64_t weiGroup = 0, weiOut = 0,
          weiIn = 0; ///< strides of the weights by group, out and in channel

  int64_t inArea() const { return in[0] * in[1] * in[2]; }
  int64_t outArea() const { return out[0] * out[1] * out[2]; }
  int64_t kernelArea() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t aElements() const;
  int64_t bElements() const;
  int64_t cElements() const;
  /// The largest number of products in one sum (taps in the padding count).
  int64_t depth() const;
};

/// Calls term(aIndex, bIndex) for every product of output element `index`, in
/// ascending order of the reduced dimensions.
template <typename Term>
void forEachTerm(const Contraction &c, int64_t index, Term term);

/// c = contraction of a and b, accumulated in double. Threads: the pool's; bits
/// do not depend on their number.
void contract(const Contraction &contraction, const float *a, const float *b,
              double *c, ThreadPool &pool);
/// The same with compensated (double-double) accumulation; slow, for f64
/// problems.
void contractCompensated(const Contraction &contraction, const float *a,
                         const float *b, double *c, ThreadPool &pool);

/// One output element with compensated accumulation, and the sum of the
/// absolute values of its products.
struct Point {
  double value = 0, absolute = 0;
  int64_t terms = 0;
};
Point contractPoint(const Contraction &contraction, const float *a,
                    const float *b, int64_t index);

// ---- implementation of the template ----

namespace detail {
struct ConvIndex {
  int64_t n, g, channel, x[3];
};
/// Splits an index into a tensor [mb, groups, channels, area].
inline ConvIndex splitConv(int64_t index, int64_t groups, int64_t channels,
                           const int64_t (&size)[3]) {
  ConvIndex r;
  r.x[2] = index % size[2], index /= size[2];
  r.x[1] = index % size[1], index /= size[1];
  r.x[0] = index % size[0], index /= size[0];
  r.channel = index % channels, index /= channels;
  r.g = index % groups;
  r.n = index / groups;
  return r;
}

template <typename Term>
void forwardTerms(const Contraction &c, int64_t index, Term term) {
  ConvIndex o = splitConv(index, c.groups, c.outPerGroup, c.out);
  for (int64_t ic = 0; ic < c.inPerGroup; ++ic)
    for (int64_t kd = 0; kd < c.kernel[0]; ++kd)
      for (int64_t kh = 0; kh < c.kernel[1]; ++kh)
        for (int64_t kw = 0; kw < c.kernel[2]; ++kw) {
          int64_t d = o.x[0] * c.stride[0] - c.pad[0] + kd * c.dil[0],
                  h = o.x[1] * c.stride[1] - c.pad[1] + kh * c.dil[1],
                  w = o.x[2] * c.stride[2] - c.pad[2] + kw * c.dil[2];
          if (d < 0 || d >= c.in[0] || h < 0 || h >= c.in[1] || w < 0 ||
              w >= c.in[2])
            continue;
          int64_t a =
              (((o.n * c.groups + o.g) * c.inPerGroup + ic) * c.in[0] + d) *
                  c.in[1] * c.in[2] +
              h * c.in[2] + w;
          int64_t b = o.g * c.weiGroup + o.channel * c.weiOut + ic * c.weiIn +
                      (kd * c.kernel[1] + kh) * c.kernel[2] + kw;
          term(a, b);
        }
}

/// Output position whose tap k meets input position x, or -1.
inline int64_t meeting(int64_t x, int64_t k, int64_t stride, int64_t pad,
                       int64_t dil, int64_t size) {
  int64_t shifted = x + pad - k * dil;
  if (shifted < 0 || shifted % stride || shifted / stride >= size)
    return -1;
  return shifted / stride;
}

template <typename Term>
void backwardDataTerms(const Contraction &c, int64_t index, Term term) {
  ConvIndex i = splitConv(index, c.groups, c.inPerGroup, c.in);
  for (int64_t oc = 0; oc < c.outPerGroup; ++oc)
    for (int64_t kd = 0; kd < c.kernel[0]; ++kd)
      for (int64_t kh = 0; kh < c.kernel[1]; ++kh)
        for (int64_t kw = 0; kw < c.kernel[2]; ++kw) {
          int64_t d = meeting(i.x[0], kd, c.stride[0], c.pad[0], c.dil[0],
                              c.out[0]),
                  h = meeting(i.x[1], kh, c.stride[1], c.pad[1], c.dil[1],
                              c.out[1]),
                  w = meeting(i.x[2], kw, c.stride[2], c.pad[2], c.dil[2],
                              c.out[2]);
          if (d < 0 || h < 0 || w < 0)
            continue;
          int64_t a =
              (((i.n * c.groups + i.g) * c.outPerGroup + oc) * c.out[0] + d) *
                  c.out[1] * c.out[2] +
              h * c.out[2] + w;
          int64_t b = i.g * c.weiGroup + oc * c.weiOut + i.channel * c.weiIn +
                      (kd * c.kernel[1] + kh) * c.kernel[2] + kw;
          term(a, b);
        }
}

/// Group, out channel, in channel and tap of a weight's index.
struct WeightIndex {
  int64_t g, oc, ic, k[3];
};
inline WeightIndex splitWeight(const Contraction &c, int64_t index) {
  WeightIndex r;
  r.k[2] = index % c.kernel[2], index /= c.kernel[2];
  r.k[1] = index % c.kernel[1], index /= c.kernel[1];
  r.k[0] = index % c.kernel[0], index /= c.kernel[0];
  bool outIsOuter = c.weiOut >= c.weiIn * c.inPerGroup;
  int64_t inner = outIsOuter ? c.inPerGroup : c.outPerGroup,
          outer = outIsOuter ? c.outPerGroup : c.inPerGroup;
  int64_t low = index % inner, high = index / inner % outer;
  r.g = index / inner / outer;
  r.ic = outIsOuter ? low : high;
  r.oc = outIsOuter ? high : low;
  return r;
}

template <typename Term>
void backwardWeightsTerms(const Contraction &c, int64_t index, Term term) {
  WeightIndex r = splitWeight(c, index);
  for (int64_t n = 0; n < c.mb; ++n)
    for (int64_t od = 0; od < c.out[0]; ++od)
      for (int64_t oh = 0; oh < c.out[1]; ++oh)
        for (int64_t ow = 0; ow < c.out[2]; ++ow) {
          int64_t d = od * c.stride[0] - c.pad[0] + r.k[0] * c.dil[0],
                  h = oh * c.stride[1] - c.pad[1] + r.k[1] * c.dil[1],
                  w = ow * c.stride[2] - c.pad[2] + r.k[2] * c.dil[2];
          if (d < 0 || d >= c.in[0] || h < 0 || h >= c.in[1] || w < 0 ||
              w >= c.in[2])
            continue;
          int64_t a =
              (((n * c.groups + r.g) * c.inPerGroup + r.ic) * c.in[0] + d) *
                  c.in[1] * c.in[2] +
              h * c.in[2] + w;
          int64_t b =
              (((n * c.groups + r.g) * c.outPerGroup + r.oc) * c.out[0] + od) *
                  c.out[1] * c.out[2] +
              oh * c.out[2] + ow;
          term(a, b);
        }
}
} // namespace detail

template <typename Term>
void forEachTerm(const Contraction &c, int64_t index, Term term) {
  switch (c.form) {
  case Contraction::Form::Forward:
    return detail::forwardTerms(c, index, term);
  case Contraction::Form::BackwardData:
    return detail::backwardDataTerms(c, index, term);
  case Contraction::Form::BackwardWeights:
    return detail::backwardWeightsTerms(c, index, term);
  case Contraction::Form::Matmul:
    break;
  }
  int64_t fast = c.transposedC ? c.m : c.n;
  int64_t x = index % fast, rest = index / fast,
          slow = c.transposedC ? c.n : c.m;
  int64_t y = rest % slow, batch = rest / slow, i = c.transposedC ? x : y,
          j = c.transposedC ? y : x;
  int64_t a = i * c.aI, b = j * c.bJ;
  for (size_t d = c.batch.size(); d-- > 0; batch /= c.batch[d]) {
    a += batch % c.batch[d] * c.aBatch[d];
    b += batch % c.batch[d] * c.bBatch[d];
  }
  for (int64_t k = 0; k < c.k; ++k)
    term(a + k * c.aK, b + k * c.bK);
}

} // namespace assay::judge
