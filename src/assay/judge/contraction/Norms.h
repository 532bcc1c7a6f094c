/// Upper bounds of sum |a||b| for every output of a contraction from the norms
/// of rows and columns (Cauchy-Schwarz): cheap, O(elements) instead of a second
/// contraction of |a| and |b|. For independent terms with mean zero they are
/// about 1.6 times too large, at the edges of convolutions a little more;
/// kNormShare of them is below the true sum, so that what passes with it
/// would pass with the true one.
#pragma once

#include "assay/judge/FillKind.h"
#include "assay/judge/contraction/Contraction.h"

#include <vector>

namespace assay::judge {

/// This share of the norms' product bounds sum |a||b| from below for normal and
/// uniform data of depth >= kNormDepth: their sums are 0.64 and 0.75 of the
/// product, and normsApply() refuses windows that are cut to less than 1/16.
inline constexpr double kNormShare = 0.125;
inline constexpr int64_t kNormDepth = 32;

/// Whether the norms are close to sum |a||b|: data of even size, sums not too
/// short, windows not cut too far.
bool normsApply(const Contraction &contraction, FillKind fill);

class Norms {
public:
  Norms(const Contraction &contraction, const float *a, const float *b,
        ThreadPool &pool);
  /// out[i] = |a| |b| for output first + i, i in [0, n).
  void load(int64_t first, int64_t n, double *out) const;

private:
  const Contraction contraction_;
  std::vector<float> a_; ///< matmul [batch, m]; forward [mb, group, out area],
                         ///< backward data [.., in area]; weights [group, in]
  std::vector<float>
      b_; ///< matmul [batch, n]; weights' output channel (forward), input
          ///< channel (backward data), [group, out]
};

} // namespace assay::judge
