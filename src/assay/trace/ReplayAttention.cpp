// Replay of attention between modules. What a dump does not say (the number of
// heads, rotary embedding or not, the mask) is taken from the bench: a few rows
// of every candidate are computed, the best one is kept. The step has roundings
// of its own inside (scores, probabilities), so each side is judged by its
// distance to the formula and not element by element.
#include "assay/trace/ReplayAttention.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace assay::trace {

using tensor::Tensor;
using Doubles = std::vector<double>;

static Doubles toDoubles(const Tensor &tensor) {
  Doubles values(static_cast<size_t>(tensor.size()));
  numerics::toDoubles(tensor.elementType(), tensor.bytes(), values.data(),
                      tensor.size());
  return values;
}

namespace {
/// One side in f64: rows of queries [tokens, width], keys and values
/// [tokens, keyWidth].
struct Side {
  Doubles q, k, v, out;
  std::vector<Doubles> others;
  int64_t tokens = 0, width = 0, keyWidth = 0;
};

enum class Mask { None, Causal, Blocks };
struct Candidate {
  int64_t heads = 1;
  int angles = -1, bounds = -1; // places in others
  Mask mask = Mask::None;
};
} // namespace

static std::optional<Side> sideOf(const AttentionCall &call) {
  if (!call.output.valid() || call.output.rank() < 2 ||
      !call.output.elementType().isFloat())
    return std::nullopt;
  Side side;
  side.width = call.output.shape().back();
  side.tokens = side.width ? call.output.size() / side.width : 0;
  if (side.tokens < 2)
    return std::nullopt;
  auto widthOf = [&](const Tensor &tensor) {
    return tensor.valid() && tensor.elementType().isFloat() &&
                   tensor.size() % side.tokens == 0
               ? tensor.size() / side.tokens
               : 0;
  };
  side.out = toDoubles(call.output);
  const std::vector<Tensor> &parts = call.projections;
  if (parts.size() == 1 && widthOf(parts[0]) == 3 * side.width) {
    Doubles all = toDoubles(parts[0]);
    side.keyWidth = side.width;
    for (int64_t t = 0; t < side.tokens; ++t) {
      const double *row = all.data() + 3 * t * side.width;
      side.q.insert(side.q.end(), row, row + side.width);
      side.k.insert(side.k.end(), row + side.width, row + 2 * side.width);
      side.v.insert(side.v.end(), row + 2 * side.width, row + 3 * side.width);
    }
  } else if (parts.size() == 3 && widthOf(parts[0]) == side.width &&
             widthOf(parts[1]) == widthOf(parts[2]) && widthOf(parts[1]) > 0 &&
             side.width % widthOf(parts[1]) == 0) {
    side.keyWidth = widthOf(parts[1]);
    side.q = toDoubles(parts[0]);
    side.k = toDoubles(parts[1]);
    side.v = toDoubles(parts[2]);
  } else {
    return std::nullopt;
  }
  for (const Tensor &other : call.others)
    side.others.push_back(other.valid() && !other.elementType().isComplex()
                              ? toDoubles(other)
                              : Doubles());
  return side;
}

/// Turns pairs (i, i + half) of every head by the angles of its token.
static Doubles turned(const Doubles &x, int64_t tokens, int64_t width,
                      const Doubles &angles) {
  auto half = static_cast<int64_t>(angles.size()) / tokens;
  Doubles result = x;
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t i = 0; i < half; ++i) {
      double angle = angles[static_cast<size_t>(t * half + i)],
             c = std::cos(angle), s = std::sin(angle);
      for (int64_t head = 0; head < width; head += 2 * half) {
        auto low = static_cast<size_t>(t * width + head + i),
             high = low + static_cast<size_t>(half);
        result[low] = x[low] * c - x[high] * s;
        result[high] = x[high] * c + x[low] * s;
      }
    }
  return result;
}

/// The block of a token: how many bounds lie at or before it.
static int64_t blockOf(const Doubles &bounds, int64_t token) {
  return std::count_if(bounds.begin(), bounds.end(), [&](double bound) {
    return bound <= static_cast<double>(token);
  });
}

static void attend(const Side &side, const Candidate &c, const Doubles &q,
                   const Doubles &k, int64_t row, double *out) {
  int64_t channels = side.width / c.heads,
          group = c.heads / (side.keyWidth / channels);
  double scale = 1 / std::sqrt(static_cast<double>(channels));
  const Doubles *bounds = c.mask == Mask::Blocks
                              ? &side.others[static_cast<size_t>(c.bounds)]
                              : nullptr;
  std::vector<int64_t> seen;
  for (int64_t t = 0; t < side.tokens; ++t)
    if ((c.mask != Mask::Causal || t <= row) &&
        (!bounds || blockOf(*bounds, t) == blockOf(*bounds, row)))
      seen.push_back(t);
  Doubles weights(seen.size());
  std::fill_n(out, side.width, 0.0);
  for (int64_t h = 0; h < c.heads; ++h) {
    const double *query = q.data() + row * side.width + h * channels;
    int64_t at = h / group * channels;
    double largest = -HUGE_VAL, total = 0;
    for (size_t j = 0; j < seen.size(); ++j) {
      const double *key = k.data() + seen[j] * side.keyWidth + at;
      double sum = 0;
      for (int64_t i = 0; i < channels; ++i)
        sum += query[i] * key[i];
      weights[j] = sum * scale;
      largest = std::max(largest, weights[j]);
    }
    for (double &weight : weights)
      total += weight = std::exp(weight - largest);
    for (size_t j = 0; j < seen.size(); ++j) {
      const double *value = side.v.data() + seen[j] * side.keyWidth + at;
      for (int64_t i = 0; i < channels; ++i)
        out[h * channels + i] += weights[j] / total * value[i];
    }
  }
}

/// Relative L2 distance of the recorded rows from the formula.
static double deviationOf(const Side &side, const Candidate &c, int64_t rows) {
  Doubles q = side.q, k = side.k, out(static_cast<size_t>(side.width));
  if (c.angles >= 0) {
    const Doubles &angles = side.others[static_cast<size_t>(c.angles)];
    q = turned(q, side.tokens, side.width, angles);
    k = turned(k, side.tokens, side.keyWidth, angles);
  }
  rows = std::min(rows, side.tokens);
  double error = 0, norm = 0;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t row = (2 * i + 1) * side.tokens / (2 * rows);
    attend(side, c, q, k, row, out.data());
    for (int64_t j = 0; j < side.width; ++j) {
      double x = out[static_cast<size_t>(j)],
             d = side.out[static_cast<size_t>(row * side.width + j)] - x;
      error += d * d;
      norm += x * x;
    }
  }
  return norm > 0 && std::isfinite(error) ? std::sqrt(error / norm) : HUGE_VAL;
}

static std::vector<Candidate> candidatesOf(const Side &side,
                                           const AttentionCall &call) {
  std::vector<std::pair<int64_t, int>> heads; // with the place of the angles
  for (size_t i = 0; i < side.others.size(); ++i) {
    auto size = static_cast<int64_t>(side.others[i].size());
    int64_t channels = size % side.tokens == 0 ? 2 * (size / side.tokens) : 0;
    if (call.others[i].elementType().isFloat() && channels > 0 &&
        channels < side.width && side.keyWidth % channels == 0)
      heads.emplace_back(side.width / channels, static_cast<int>(i));
  }
  for (int64_t channels = 8; channels <= side.width && channels <= 256;
       channels += 8)
    if (side.width % channels == 0 && side.keyWidth % channels == 0)
      heads.emplace_back(side.width / channels, -1);
  std::vector<Candidate> result;
  for (auto [count, angles] : heads) {
    result.push_back({count, angles, -1, Mask::None});
    result.push_back({count, angles, -1, Mask::Causal});
    for (size_t i = 0; i < side.others.size(); ++i)
      if (call.others[i].elementType().isInteger() &&
          call.others[i].rank() == 1 && !side.others[i].empty() &&
          static_cast<int64_t>(side.others[i].size()) <= side.tokens / 2 &&
          std::is_sorted(side.others[i].begin(), side.others[i].end()))
        result.push_back({count, angles, static_cast<int>(i), Mask::Blocks});
  }
  return result;
}

std::optional<ReplayResult> replayAttention(const AttentionCall &target,
                                            const AttentionCall &bench) {
  constexpr int64_t kTrialRows = 3, kRows = 24;
  constexpr double kExplained = 0.01;
  std::optional<Side> t = sideOf(target), b = sideOf(bench);
  if (!t || !b || t->tokens != b->tokens || t->width != b->width ||
      t->keyWidth != b->keyWidth || t->others.size() != b->others.size())
    return std::nullopt;
  std::optional<Candidate> best;
  double least = kExplained;
  for (const Candidate &candidate : candidatesOf(*b, bench))
    if (double deviation = deviationOf(*b, candidate, kTrialRows);
        deviation < least) {
      least = deviation;
      best = candidate;
    }
  if (!best)
    return std::nullopt;
  ReplayResult result;
  const char *masks[] = {"", ", causal", ", blocks"};
  result.formula = llvm::formatv("attention ({0} heads{1}{2})", best->heads,
                                 best->angles >= 0 ? ", rotary" : "",
                                 masks[static_cast<int>(best->mask)])
                       .str();
  result.byDeviation = true;
  result.elements = std::min(kRows, t->tokens) * t->width;
  result.benchDeviation = deviationOf(*b, *best, kRows);
  result.targetDeviation = deviationOf(*t, *best, kRows);
  result.allowance =
      0.5 * numerics::unitRoundoff(bench.output.elementType().format);
  return result;
}

} // namespace assay::trace
