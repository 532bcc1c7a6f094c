// See Norms.h. Convolutions: the squares are summed over the channels of a
// group first, then over each window by the same contraction with one channel
// and weights of 1, so that padding, strides and dilation need no second look.
#include "assay/judge/contraction/Norms.h"
#include "assay/support/Math.h"
#include "assay/support/TargetClones.h"

#include <algorithm>

using namespace assay;
using namespace assay::judge;

using Form = Contraction::Form;

/// The smallest share of a window's taps that read data rather than padding,
/// over the windows of one axis that read any.
static double leastShare(const geometry::Axis &axis) {
  int64_t least = axis.kernel;
  for (int64_t window = 0; window < axis.out; ++window)
    if (int64_t hits = axis.tapsInside(window))
      least = std::min(least, hits);
  return static_cast<double>(least) / static_cast<double>(axis.kernel);
}

bool judge::normsApply(const Contraction &c, FillKind fill) {
  if ((fill != FillKind::Normal && fill != FillKind::Uniform) ||
      c.depth() < kNormDepth)
    return false;
  if (c.form == Form::Matmul)
    return true;
  if (c.form == Form::BackwardWeights) {
    int64_t strides = c.area(&geometry::Axis::stride);
    return strides <= 4 && c.inArea() * strides * 4 >= c.kernelArea();
  }
  double share = 1;
  for (const geometry::Axis &axis : c.axes)
    share *= leastShare(c.form == Form::Forward ? axis : axis.transposed());
  return share >= 1.0 / 16;
}

ASSAY_CLONES static void addSquares(const float *x, int64_t n, float *sums) {
  for (int64_t i = 0; i < n; ++i)
    sums[i] += x[i] * x[i];
}

ASSAY_CLONES static float sumOfSquares(const float *x, int64_t n) {
  float lanes[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int l = 0; l < 16; ++l)
      lanes[l] += x[i + l] * x[i + l];
  float sum = 0;
  for (; i < n; ++i)
    sum += x[i] * x[i];
  for (float lane : lanes)
    sum += lane;
  return sum;
}

ASSAY_CLONES static void multiply(const float *x, double factor, int64_t n,
                                  double *out) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = factor * x[i];
}

static void roots(std::vector<float> &values) {
  for (float &value : values)
    value = std::sqrt(value);
}

/// Squares of `count` vectors of length `depth`, summed; one of the two strides
/// is 1 in a dense tensor.
static void squares(const float *x, int64_t count, int64_t stride,
                    int64_t depth, int64_t depthStride, float *out) {
  if (depthStride == 1) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = sumOfSquares(x + i * stride, depth);
    return;
  }
  for (int64_t k = 0; k < depth; ++k) {
    if (stride == 1)
      addSquares(x + k * depthStride, count, out);
    else
      for (int64_t i = 0; i < count; ++i)
        out[i] +=
            x[i * stride + k * depthStride] * x[i * stride + k * depthStride];
  }
}

static void matmulNorms(const Contraction &c, const float *a, const float *b,
                        std::vector<float> &aNorms, std::vector<float> &bNorms,
                        ThreadPool &pool) {
  int64_t batches = product(c.batch);
  aNorms.resize(batches * c.m);
  bNorms.resize(batches * c.n);
  for (int64_t i = 0; i < batches; ++i) {
    int64_t rest = i, aAt = 0, bAt = 0;
    for (size_t d = c.batch.size(); d-- > 0; rest /= c.batch[d]) {
      aAt += rest % c.batch[d] * c.aBatch[d];
      bAt += rest % c.batch[d] * c.bBatch[d];
    }
    int64_t grain = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, c.k));
    pool.parallelFor(c.m, grain, [&](int64_t begin, int64_t end) {
      squares(a + aAt + begin * c.aI, end - begin, c.aI, c.k, c.aK,
              aNorms.data() + i * c.m + begin);
    });
    pool.parallelFor(c.n, std::max<int64_t>(grain, 64),
                     [&](int64_t begin, int64_t end) {
                       squares(b + bAt + begin * c.bJ, end - begin, c.bJ, c.k,
                               c.bK, bNorms.data() + i * c.n + begin);
                     });
  }
}

/// Norms of the windows of `x` [mb * groups, channels, area], through `c`
/// reduced to one channel.
static void windowNorms(const Contraction &c, const float *x, int64_t channels,
                        std::vector<float> &norms, ThreadPool &pool) {
  int64_t images = c.mb * c.groups,
          area = c.form == Form::Forward ? c.inArea() : c.outArea();
  std::vector<float> sums(images * area, 0.0f), ones(c.kernelArea(), 1.0f);
  pool.parallelFor(images, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t channel = 0; channel < channels; ++channel)
        addSquares(x + (i * channels + channel) * area, area,
                   sums.data() + i * area);
  });
  Contraction window = c;
  window.mb = images;
  window.groups = window.inPerGroup = window.outPerGroup = 1;
  window.weiGroup = window.weiOut = window.weiIn = c.kernelArea();
  std::vector<double> wide(window.cElements());
  contract(window, sums.data(), ones.data(), wide.data(), pool);
  norms.assign(wide.begin(), wide.end());
}

/// Squares of the weights summed over the taps and over the other channel of
/// each group.
static void weightNorms(const Contraction &c, const float *wei, bool byOut,
                        std::vector<float> &norms, ThreadPool &pool) {
  int64_t mine = byOut ? c.outPerGroup : c.inPerGroup,
          other = byOut ? c.inPerGroup : c.outPerGroup, taps = c.kernelArea();
  int64_t myStride = byOut ? c.weiOut : c.weiIn,
          otherStride = byOut ? c.weiIn : c.weiOut;
  norms.assign(c.groups * mine, 0.0f);
  pool.parallelFor(
      c.groups * mine, std::max<int64_t>(1, 32768 / (other * taps)),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const float *from = wei + i / mine * c.weiGroup + i % mine * myStride;
          if (otherStride == taps) // contiguous
            norms[i] = sumOfSquares(from, other * taps);
          else
            for (int64_t j = 0; j < other; ++j)
              norms[i] += sumOfSquares(from + j * otherStride, taps);
        }
      });
}

/// Squares of each channel over all images and positions.
static void channelNorms(const float *x, int64_t mb, int64_t channels,
                         int64_t area, std::vector<float> &norms,
                         ThreadPool &pool) {
  norms.assign(channels, 0.0f);
  pool.parallelFor(channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t channel = begin; channel < end; ++channel)
      for (int64_t n = 0; n < mb; ++n)
        norms[channel] +=
            sumOfSquares(x + (n * channels + channel) * area, area);
  });
}

Norms::Norms(const Contraction &c, const float *a, const float *b,
             ThreadPool &pool)
    : contraction_(c) {
  switch (c.form) {
  case Form::Matmul:
    matmulNorms(c, a, b, a_, b_, pool);
    break;
  case Form::Forward:
    windowNorms(c, a, c.inPerGroup, a_, pool);
    weightNorms(c, b, /*byOut=*/true, b_, pool);
    break;
  case Form::BackwardData:
    windowNorms(c, a, c.outPerGroup, a_, pool);
    weightNorms(c, b, /*byOut=*/false, b_, pool);
    break;
  case Form::BackwardWeights:
    channelNorms(a, c.mb, c.groups * c.inPerGroup, c.inArea(), a_, pool);
    channelNorms(b, c.mb, c.groups * c.outPerGroup, c.outArea(), b_, pool);
    break;
  }
  roots(a_);
  roots(b_);
}

void Norms::load(int64_t first, int64_t n, double *out) const {
  const Contraction &c = contraction_;
  if (c.form == Form::BackwardWeights) {
    for (int64_t i = 0; i < n; ++i) {
      judge::detail::WeightIndex at = judge::detail::splitWeight(c, first + i);
      out[i] = static_cast<double>(a_[at.g * c.inPerGroup + at.ic]) *
               b_[at.g * c.outPerGroup + at.oc];
    }
    return;
  }
  bool matmul = c.form == Form::Matmul, forward = c.form == Form::Forward;
  // Rows of the output along which one factor is constant: `fast` neighbours,
  // `slow` such rows per image.
  int64_t fast = matmul    ? (c.transposedC ? c.m : c.n)
                 : forward ? c.outArea()
                           : c.inArea();
  int64_t slow = matmul    ? (c.transposedC ? c.n : c.m)
                 : forward ? c.outPerGroup
                           : c.inPerGroup;
  const std::vector<float> &along = matmul && !c.transposedC ? b_ : a_,
                           &across = matmul && !c.transposedC ? a_ : b_;
  for (int64_t done = 0; done < n;) {
    int64_t row = (first + done) / fast, at = (first + done) % fast,
            image = row / slow;
    int64_t count = std::min(n - done, fast - at);
    int64_t constant = matmul ? row : image % c.groups * slow + row % slow;
    multiply(along.data() + image * fast + at, across[constant], count,
             out + done);
    done += count;
  }
}
