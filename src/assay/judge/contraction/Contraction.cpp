// The straightforward reference: one output row (or plane) at a time,
// accumulated in double, the innermost loop over neighbouring outputs so that
// compilers can use vector registers. No blocking, no packing: it is meant to
// be right and readable; the fast reference makes verification fast.
#include "assay/judge/contraction/Contraction.h"
#include "assay/support/Math.h"
#include "assay/support/TargetClones.h"

#include <algorithm>
#include <vector>

using namespace assay;
using namespace assay::judge;

int64_t Contraction::aElements() const {
  if (form == Form::Matmul) {
    int64_t count = m * k;
    for (size_t d = 0; d < batch.size(); ++d)
      count *= aBatch[d] ? batch[d] : 1;
    return count;
  }
  return form == Form::BackwardData ? mb * groups * outPerGroup * outArea()
                                    : mb * groups * inPerGroup * inArea();
}

int64_t Contraction::bElements() const {
  if (form == Form::Matmul) {
    int64_t count = n * k;
    for (size_t d = 0; d < batch.size(); ++d)
      count *= bBatch[d] ? batch[d] : 1;
    return count;
  }
  return form == Form::BackwardWeights
             ? mb * groups * outPerGroup * outArea()
             : groups * outPerGroup * inPerGroup * kernelArea();
}

int64_t Contraction::cElements() const {
  switch (form) {
  case Form::Matmul:
    return product(batch) * m * n;
  case Form::Forward:
    return mb * groups * outPerGroup * outArea();
  case Form::BackwardData:
    return mb * groups * inPerGroup * inArea();
  case Form::BackwardWeights:
    return groups * outPerGroup * inPerGroup * kernelArea();
  }
  return 0;
}

int64_t Contraction::depth() const {
  switch (form) {
  case Form::Matmul:
    return k;
  case Form::Forward:
    return inPerGroup * kernelArea();
  case Form::BackwardData:
    return outPerGroup * kernelArea();
  case Form::BackwardWeights:
    return mb * outArea();
  }
  return 0;
}

/// y[j] += x * b[j * stride]
ASSAY_CLONES static void axpy(double x, const float *b, int64_t stride,
                              double *y, int64_t n) {
  if (stride == 1)
    for (int64_t j = 0; j < n; ++j)
      y[j] += x * b[j];
  else
    for (int64_t j = 0; j < n; ++j)
      y[j] += x * b[j * stride];
}

/// sum of a[i * aStride] * b[i * bStride]
static double dot(const float *a, int64_t aStride, const float *b,
                  int64_t bStride, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += static_cast<double>(a[i * aStride]) * b[i * bStride];
  return sum;
}

static void matmulRows(const Contraction &c, const float *a, const float *b,
                       double *out, int64_t begin, int64_t end) {
  std::vector<double> row(c.n);
  for (int64_t r = begin; r < end; ++r) {
    int64_t i = r % c.m, batch = r / c.m, rest = batch;
    const float *aRow = a + i * c.aI, *bBase = b;
    for (size_t d = c.batch.size(); d-- > 0; rest /= c.batch[d]) {
      aRow += rest % c.batch[d] * c.aBatch[d];
      bBase += rest % c.batch[d] * c.bBatch[d];
    }
    std::fill(row.begin(), row.end(), 0.0);
    if (c.bJ == 1 || c.bK != 1)
      for (int64_t k = 0; k < c.k; ++k)
        axpy(aRow[k * c.aK], bBase + k * c.bK, c.bJ, row.data(), c.n);
    else
      for (int64_t j = 0; j < c.n; ++j)
        row[j] = dot(aRow, c.aK, bBase + j * c.bJ, c.bK, c.k);
    double *to = out + batch * c.m * c.n;
    for (int64_t j = 0; j < c.n; ++j)
      to[c.transposedC ? j * c.m + i : i * c.n + j] = row[j];
  }
}

using Span = geometry::Axis::Range;

/// Calls body(weight index inside one filter plane, spans of d, h, w) for every
/// tap.
template <typename Body>
static void forEachTap(const Contraction &c, Body body) {
  const geometry::Axes3 &a = c.axes;
  int64_t tap = 0;
  for (int64_t kd = 0; kd < a[0].kernel; ++kd)
    for (int64_t kh = 0; kh < a[1].kernel; ++kh)
      for (int64_t kw = 0; kw < a[2].kernel; ++kw)
        body(tap++, a[0].windowsInside(kd), a[1].windowsInside(kh),
             a[2].windowsInside(kw));
}

/// plane (an output plane) += weight * the input plane seen through one tap.
static void gatherTap(const Contraction &c, double weight, const float *in,
                      Span d, Span h, Span w, double *plane) {
  for (int64_t od = d.first; od < d.last; ++od)
    for (int64_t oh = h.first; oh < h.last; ++oh) {
      const float *row = in + ((od * c.axes[0].stride + d.shift) * c.axes[1].in +
                               oh * c.axes[1].stride + h.shift) *
                                  c.axes[2].in;
      axpy(weight, row + w.first * c.axes[2].stride + w.shift, c.axes[2].stride,
           plane + (od * c.axes[1].out + oh) * c.axes[2].out + w.first, w.last - w.first);
    }
}

/// plane (an input plane) += weight * the output plane put back through one
/// tap.
static void scatterTap(const Contraction &c, double weight, const float *out,
                       Span d, Span h, Span w, double *plane) {
  for (int64_t od = d.first; od < d.last; ++od)
    for (int64_t oh = h.first; oh < h.last; ++oh) {
      double *row = plane +
                    ((od * c.axes[0].stride + d.shift) * c.axes[1].in + oh * c.axes[1].stride +
                     h.shift) *
                        c.axes[2].in +
                    w.shift;
      const float *from = out + (od * c.axes[1].out + oh) * c.axes[2].out;
      if (c.axes[2].stride == 1)
        axpy(weight, from + w.first, 1, row + w.first, w.last - w.first);
      else
        for (int64_t ow = w.first; ow < w.last; ++ow)
          row[ow * c.axes[2].stride] += weight * from[ow];
    }
}

static double correlateTap(const Contraction &c, const float *in,
                           const float *out, Span d, Span h, Span w) {
  double sum = 0;
  for (int64_t od = d.first; od < d.last; ++od)
    for (int64_t oh = h.first; oh < h.last; ++oh) {
      const float *row = in + ((od * c.axes[0].stride + d.shift) * c.axes[1].in +
                               oh * c.axes[1].stride + h.shift) *
                                  c.axes[2].in;
      sum += dot(row + w.first * c.axes[2].stride + w.shift, c.axes[2].stride,
                 out + (od * c.axes[1].out + oh) * c.axes[2].out + w.first, 1,
                 w.last - w.first);
    }
  return sum;
}

static void forwardPlanes(const Contraction &c, const float *a, const float *b,
                          double *out, int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    int64_t oc = p % c.outPerGroup, g = p / c.outPerGroup % c.groups,
            n = p / c.outPerGroup / c.groups;
    double *plane = out + p * c.outArea();
    std::fill(plane, plane + c.outArea(), 0.0);
    for (int64_t ic = 0; ic < c.inPerGroup; ++ic) {
      const float *in =
          a + ((n * c.groups + g) * c.inPerGroup + ic) * c.inArea();
      const float *filter = b + g * c.weiGroup + oc * c.weiOut + ic * c.weiIn;
      forEachTap(c, [&](int64_t tap, Span d, Span h, Span w) {
        gatherTap(c, filter[tap], in, d, h, w, plane);
      });
    }
  }
}

static void backwardDataPlanes(const Contraction &c, const float *a,
                               const float *b, double *out, int64_t begin,
                               int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    int64_t ic = p % c.inPerGroup, g = p / c.inPerGroup % c.groups,
            n = p / c.inPerGroup / c.groups;
    double *plane = out + p * c.inArea();
    std::fill(plane, plane + c.inArea(), 0.0);
    for (int64_t oc = 0; oc < c.outPerGroup; ++oc) {
      const float *from =
          a + ((n * c.groups + g) * c.outPerGroup + oc) * c.outArea();
      const float *filter = b + g * c.weiGroup + oc * c.weiOut + ic * c.weiIn;
      forEachTap(c, [&](int64_t tap, Span d, Span h, Span w) {
        scatterTap(c, filter[tap], from, d, h, w, plane);
      });
    }
  }
}

static void backwardWeightsPlanes(const Contraction &c, const float *a,
                                  const float *b, double *out, int64_t begin,
                                  int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    int64_t ic = p % c.inPerGroup, oc = p / c.inPerGroup % c.outPerGroup,
            g = p / c.inPerGroup / c.outPerGroup;
    double *filter = out + g * c.weiGroup + oc * c.weiOut + ic * c.weiIn;
    std::fill(filter, filter + c.kernelArea(), 0.0);
    for (int64_t n = 0; n < c.mb; ++n) {
      const float *in =
          a + ((n * c.groups + g) * c.inPerGroup + ic) * c.inArea();
      const float *grad =
          b + ((n * c.groups + g) * c.outPerGroup + oc) * c.outArea();
      forEachTap(c, [&](int64_t tap, Span d, Span h, Span w) {
        filter[tap] += correlateTap(c, in, grad, d, h, w);
      });
    }
  }
}

void judge::contract(const Contraction &c, const float *a, const float *b,
                     double *out, ThreadPool &pool) {
  switch (c.form) {
  case Contraction::Form::Matmul:
    return pool.parallelFor(product(c.batch) * c.m, 1,
                            [&](int64_t begin, int64_t end) {
                              matmulRows(c, a, b, out, begin, end);
                            });
  case Contraction::Form::Forward:
    return pool.parallelFor(c.mb * c.groups * c.outPerGroup, 1,
                            [&](int64_t begin, int64_t end) {
                              forwardPlanes(c, a, b, out, begin, end);
                            });
  case Contraction::Form::BackwardData:
    return pool.parallelFor(c.mb * c.groups * c.inPerGroup, 1,
                            [&](int64_t begin, int64_t end) {
                              backwardDataPlanes(c, a, b, out, begin, end);
                            });
  case Contraction::Form::BackwardWeights:
    return pool.parallelFor(c.groups * c.outPerGroup * c.inPerGroup, 1,
                            [&](int64_t begin, int64_t end) {
                              backwardWeightsPlanes(c, a, b, out, begin, end);
                            });
  }
}

Point judge::contractPoint(const Contraction &c, const float *a, const float *b,
                           int64_t index) {
  // Products of two floats are exact in double; sums carry their rounding error
  // along (Knuth's two-sum).
  Point point;
  double low = 0;
  forEachTerm(c, index, [&](int64_t ai, int64_t bi) {
    double term = static_cast<double>(a[ai]) * b[bi], sum = point.value + term,
           part = sum - point.value;
    low += (point.value - (sum - part)) + (term - part);
    point.value = sum;
    point.absolute += std::abs(term);
    ++point.terms;
  });
  if (std::isfinite(point.value))
    point.value += low;
  return point;
}

void judge::contractCompensated(const Contraction &c, const float *a,
                                const float *b, double *out, ThreadPool &pool) {
  pool.parallelFor(c.cElements(), 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out[i] = contractPoint(c, a, b, i).value;
  });
}
