/// What matmul, convolution, deconvolution and inner product have in common:
/// every output element is a sum of products of one element of `a` and one of
/// `b`. A Contraction says which; all tensors are dense and row-major in
/// logical order. It serves as the reference, to recompute single points, and
/// to know how deep each sum is.
#pragma once

#include "assay/geometry/Convolution.h"
#include "assay/support/ThreadPool.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cmath>
#include <cstdint>

namespace assay::judge {

struct Contraction {
  /// The names are those of an ordinary convolution whose input is "in",
  /// weights "wei", output "out":
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

  // Convolution; windows slide over "in".
  int64_t mb = 1, groups = 1, inPerGroup = 1, outPerGroup = 1;
  geometry::Axes3 axes;
  int64_t weiGroup = 0, weiOut = 0,
          weiIn = 0; ///< strides of the weights by group, out and in channel

  int64_t area(int64_t geometry::Axis::*of) const {
    return axes[0].*of * (axes[1].*of) * (axes[2].*of);
  }
  int64_t inArea() const { return area(&geometry::Axis::in); }
  int64_t outArea() const { return area(&geometry::Axis::out); }
  int64_t kernelArea() const { return area(&geometry::Axis::kernel); }
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
using geometry::Axis;

struct ConvIndex {
  int64_t image, channel, x[3]; ///< image: of all groups and samples
};
/// Splits an index into a tensor [mb, groups, channels, area].
inline ConvIndex splitConv(const Contraction &c, int64_t index,
                           int64_t channels, int64_t Axis::*size) {
  ConvIndex r;
  for (size_t d = 3; d-- > 0; index /= c.axes[d].*size)
    r.x[d] = index % (c.axes[d].*size);
  r.channel = index % channels;
  r.image = index / channels;
  return r;
}

/// Calls visit(i, place) for every index i of the three dimensions `looped` for
/// which meet(axis number, coordinate), -1 for none, is a coordinate of `met`
/// on each axis.
template <typename Meet, typename Visit>
void forEachMeeting(const Contraction &c, int64_t Axis::*looped,
                    int64_t Axis::*met, Meet meet, Visit visit) {
  const geometry::Axes3 &a = c.axes;
  for (int64_t i = 0; i < a[0].*looped; ++i) {
    int64_t d = meet(0, i);
    for (int64_t j = 0; d >= 0 && j < a[1].*looped; ++j) {
      int64_t h = meet(1, j);
      for (int64_t k = 0; h >= 0 && k < a[2].*looped; ++k)
        if (int64_t w = meet(2, k); w >= 0)
          visit((i * (a[1].*looped) + j) * (a[2].*looped) + k,
                (d * (a[1].*met) + h) * (a[2].*met) + w);
    }
  }
}

template <typename Term>
void forwardTerms(const Contraction &c, int64_t index, Term term) {
  ConvIndex o = splitConv(c, index, c.outPerGroup, &Axis::out);
  int64_t filter = o.image % c.groups * c.weiGroup + o.channel * c.weiOut,
          area = c.inArea();
  for (int64_t ic = 0; ic < c.inPerGroup; ++ic)
    forEachMeeting(
        c, &Axis::kernel, &Axis::in,
        [&](size_t d, int64_t tap) { return c.axes[d].element(o.x[d], tap); },
        [&](int64_t tap, int64_t place) {
          term((o.image * c.inPerGroup + ic) * area + place,
               filter + ic * c.weiIn + tap);
        });
}

template <typename Term>
void backwardDataTerms(const Contraction &c, int64_t index, Term term) {
  ConvIndex i = splitConv(c, index, c.inPerGroup, &Axis::in);
  int64_t filter = i.image % c.groups * c.weiGroup + i.channel * c.weiIn,
          area = c.outArea();
  for (int64_t oc = 0; oc < c.outPerGroup; ++oc)
    forEachMeeting(
        c, &Axis::kernel, &Axis::out,
        [&](size_t d, int64_t tap) { return c.axes[d].window(i.x[d], tap); },
        [&](int64_t tap, int64_t place) {
          term((i.image * c.outPerGroup + oc) * area + place,
               filter + oc * c.weiOut + tap);
        });
}

/// Group, out channel, in channel and tap of a weight's index.
struct WeightIndex {
  int64_t g, oc, ic, k[3];
};
inline WeightIndex splitWeight(const Contraction &c, int64_t index) {
  WeightIndex r;
  for (size_t d = 3; d-- > 0; index /= c.axes[d].kernel)
    r.k[d] = index % c.axes[d].kernel;
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
  int64_t inArea = c.inArea(), outArea = c.outArea();
  for (int64_t n = 0; n < c.mb; ++n)
    forEachMeeting(
        c, &Axis::out, &Axis::in,
        [&](size_t d, int64_t window) {
          return c.axes[d].element(window, r.k[d]);
        },
        [&](int64_t window, int64_t place) {
          int64_t image = n * c.groups + r.g;
          term((image * c.inPerGroup + r.ic) * inArea + place,
               (image * c.outPerGroup + r.oc) * outArea + window);
        });
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
