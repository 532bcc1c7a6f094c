// Convolutions become products one image and group at a time. With U the
// unfolded input [in channels * taps, output area] (zero where a tap falls into
// the padding) and W the weights [out channels, in channels * taps]:
//   forward            out = W U
//   backward data      U' = W^T out, folded back (added up) into the input
//   backward weights   W' = sum over images of out U^T
#include "assay/verify/FastContraction.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using judge::Contraction;
using kernels::GemmProblem;

static GemmProblem problemOf(int64_t m, int64_t n, int64_t k,
                             kernels::Strides a, kernels::Strides b,
                             kernels::Strides c, double beta, int threads) {
  GemmProblem p;
  p.m = m, p.n = n, p.k = k;
  p.aStrides = a, p.bStrides = b, p.cStrides = c;
  p.beta = beta;
  p.threads = threads;
  return p;
}

static kernels::GemmPointers pointersOf(const float *a, const float *b,
                                        float *c) {
  kernels::GemmPointers pointers;
  pointers.a = a;
  pointers.b = b;
  pointers.c = c;
  return pointers;
}

/// Copies (unfold) or adds back (fold) the input planes of one group.
template <bool kFold>
static void unfold(const Contraction &c, float *in, float *columns,
                   ThreadPool &pool) {
  int64_t taps = c.kernelArea(), area = c.outArea();
  pool.parallelFor(c.inPerGroup, 1, [&](int64_t begin, int64_t end) {
    for (int64_t ic = begin; ic < end; ++ic)
      for (int64_t tap = 0; tap < taps; ++tap) {
        int64_t kw = tap % c.kernel[2], kh = tap / c.kernel[2] % c.kernel[1],
                kd = tap / c.kernel[2] / c.kernel[1];
        float *plane = in + ic * c.inArea(),
              *row = columns + (ic * taps + tap) * area;
        for (int64_t od = 0; od < c.out[0]; ++od)
          for (int64_t oh = 0; oh < c.out[1]; ++oh, row += c.out[2]) {
            int64_t d = od * c.stride[0] - c.pad[0] + kd * c.dil[0],
                    h = oh * c.stride[1] - c.pad[1] + kh * c.dil[1];
            bool inside = d >= 0 && d < c.in[0] && h >= 0 && h < c.in[1];
            float *line = plane + (d * c.in[1] + h) * c.in[2];
            for (int64_t ow = 0; ow < c.out[2]; ++ow) {
              int64_t w = ow * c.stride[2] - c.pad[2] + kw * c.dil[2];
              bool hit = inside && w >= 0 && w < c.in[2];
              if constexpr (kFold) {
                if (hit)
                  line[w] += row[ow];
              } else {
                row[ow] = hit ? line[w] : 0.0f;
              }
            }
          }
      }
  });
}

static llvm::Error runMatmul(const Contraction &c, const float *a,
                             const float *b, float *out,
                             kernels::Registry &registry,
                             kernels::Selector &selector, ThreadPool &pool) {
  kernels::Strides result =
      c.transposedC ? kernels::Strides{1, c.m, 0} : kernels::Strides{c.n, 1, 0};
  GemmProblem p = problemOf(c.m, c.n, c.k, {c.aI, c.aK, 0}, {c.bK, c.bJ, 0},
                            result, 0, pool.threads());
  int64_t batches = 1;
  for (int64_t size : c.batch)
    batches *= size;
  for (int64_t i = 0; i < batches; ++i) {
    int64_t rest = i, aAt = 0, bAt = 0;
    for (size_t d = c.batch.size(); d-- > 0; rest /= c.batch[d]) {
      aAt += rest % c.batch[d] * c.aBatch[d];
      bAt += rest % c.batch[d] * c.bBatch[d];
    }
    if (llvm::Error error =
            kernels::gemm(p, pointersOf(a + aAt, b + bAt, out + i * c.m * c.n),
                          registry, selector, pool))
      return error;
  }
  return llvm::Error::success();
}

/// Weights of one group as a dense [out, in * taps] matrix, from or to their
/// own strides.
static void copyWeights(const Contraction &c, int64_t group, float *weights,
                        float *dense, bool toDense) {
  int64_t taps = c.kernelArea();
  for (int64_t oc = 0; oc < c.outPerGroup; ++oc)
    for (int64_t ic = 0; ic < c.inPerGroup; ++ic) {
      float *own = weights + group * c.weiGroup + oc * c.weiOut + ic * c.weiIn,
            *flat = dense + (oc * c.inPerGroup + ic) * taps;
      std::memcpy(toDense ? flat : own, toDense ? own : flat,
                  taps * sizeof(float));
    }
}

llvm::Error FastContraction::run(const Contraction &c, const float *a,
                                 const float *b, float *out, ThreadPool &pool) {
  if (c.form == Contraction::Form::Matmul)
    return runMatmul(c, a, b, out, registry_, *selector_, pool);
  int64_t rows = c.inPerGroup * c.kernelArea(), area = c.outArea(),
          threads = pool.threads();
  std::vector<float> columns(rows * area), weights(c.outPerGroup * rows);
  bool forward = c.form == Contraction::Form::Forward,
       backwardData = c.form == Contraction::Form::BackwardData;
  if (backwardData)
    std::fill(out, out + c.cElements(), 0.0f);
  for (int64_t g = 0; g < c.groups; ++g) {
    if (forward || backwardData)
      copyWeights(c, g, const_cast<float *>(b), weights.data(), true);
    for (int64_t n = 0; n < c.mb; ++n) {
      int64_t inAt = (n * c.groups + g) * c.inPerGroup * c.inArea(),
              outAt = (n * c.groups + g) * c.outPerGroup * area;
      GemmProblem p;
      kernels::GemmPointers pointers;
      if (forward) {
        unfold<false>(c, const_cast<float *>(a) + inAt, columns.data(), pool);
        p = problemOf(c.outPerGroup, area, rows, {rows, 1, 0}, {area, 1, 0},
                      {area, 1, 0}, 0, threads);
        pointers = pointersOf(weights.data(), columns.data(), out + outAt);
      } else if (backwardData) {
        p = problemOf(rows, area, c.outPerGroup, {1, rows, 0}, {area, 1, 0},
                      {area, 1, 0}, 0, threads);
        pointers = pointersOf(weights.data(), a + outAt, columns.data());
      } else {
        unfold<false>(c, const_cast<float *>(a) + inAt, columns.data(), pool);
        p = problemOf(c.outPerGroup, rows, area, {area, 1, 0}, {1, area, 0},
                      {rows, 1, 0}, n ? 1 : 0, threads);
        pointers = pointersOf(b + outAt, columns.data(), weights.data());
      }
      if (llvm::Error error =
              kernels::gemm(p, pointers, registry_, *selector_, pool))
        return error;
      if (backwardData)
        unfold<true>(c, out + inAt, columns.data(), pool);
    }
    if (!forward && !backwardData)
      copyWeights(c, g, out, weights.data(), false);
  }
  return llvm::Error::success();
}
