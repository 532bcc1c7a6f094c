// Judges models. An efficiency compares the rate of the kernel that the model
// would run with the best measured rate for the same problem. A pick that
// failed counts as zero. Differences within the noise (the two rows' own
// intervals, or the data set's floor) are ties for top-1 and top-5, but never
// improve an efficiency. Source: CK Tile's metrics and acceptance criteria;
// NDCG after Jarvelin and Kekalainen, gains not exponentiated.
#include "assay/select/Metrics.h"
#include "assay/support/Random.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

using namespace assay;
using namespace assay::select;

double select::quantile(std::vector<double> values, double q) {
  if (values.empty())
    return std::nan("");
  std::sort(values.begin(), values.end());
  double at = q * static_cast<double>(values.size() - 1);
  auto below = static_cast<size_t>(at);
  size_t above = std::min(below + 1, values.size() - 1);
  return values[below] +
         (values[above] - values[below]) * (at - static_cast<double>(below));
}

static double discountedGain(llvm::ArrayRef<size_t> order, size_t k,
                             const Samples &samples, double best) {
  double sum = 0;
  for (size_t i = 0; i < std::min(k, order.size()); ++i)
    sum +=
        samples.tflops[order[i]] / best / std::log2(static_cast<double>(i) + 2);
  return sum;
}

static PickOutcome judgeGroup(const Samples &samples, size_t number,
                              llvm::ArrayRef<double> scores) {
  const Samples::Group &group = samples.groups[number];
  std::vector<size_t> byScore(group.count), byRate;
  std::iota(byScore.begin(), byScore.end(), group.first);
  byRate = byScore;
  llvm::stable_sort(byScore,
                    [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  llvm::stable_sort(byRate, [&](size_t a, size_t b) {
    return samples.tflops[a] > samples.tflops[b];
  });
  PickOutcome out;
  out.group = number;
  out.pick = byScore[0];
  out.best = byRate[0];
  double best = samples.tflops[out.best];
  out.efficiency = samples.tflops[out.pick] / best;
  auto isTie = [&](size_t row) {
    double noise = std::max(samples.noise[row] + samples.noise[out.best],
                            samples.noiseFloor);
    return row == out.best ||
           (samples.valid[row] &&
            samples.tflops[row] >= best * (1 - std::min(noise, 0.05)));
  };
  out.top1 = isTie(out.pick);
  for (size_t i = 0; i < std::min<size_t>(5, byScore.size()); ++i)
    out.top5 = out.top5 || isTie(byScore[i]);
  constexpr size_t kDepths[] = {1, 5, 10};
  for (int i = 0; i < 3; ++i)
    out.ndcg[i] = discountedGain(byScore, kDepths[i], samples, best) /
                  discountedGain(byRate, kDepths[i], samples, best);
  out.bestMs = samples.latencyMs[out.best];
  out.pickMs =
      samples.valid[out.pick] ? samples.latencyMs[out.pick] : std::nan("");
  return out;
}

std::vector<PickOutcome> select::judgePicks(const Samples &samples,
                                            llvm::ArrayRef<double> scores) {
  std::vector<PickOutcome> outcomes;
  for (size_t g = 0; g < samples.groups.size(); ++g) {
    const Samples::Group &group = samples.groups[g];
    bool anyValid = false;
    for (size_t i = group.first; i < group.first + group.count; ++i)
      anyValid = anyValid || samples.valid[i];
    if (anyValid)
      outcomes.push_back(judgeGroup(samples, g, scores));
  }
  return outcomes;
}

Summary select::summarize(llvm::ArrayRef<PickOutcome> outcomes) {
  Summary summary;
  summary.problems = outcomes.size();
  if (outcomes.empty())
    return summary;
  using Statistic = std::function<double(llvm::ArrayRef<size_t>)>;
  auto meanOf = [&](auto value) -> Statistic {
    return [&outcomes, value](llvm::ArrayRef<size_t> sample) {
      double sum = 0;
      for (size_t i : sample)
        sum += value(outcomes[i]);
      return sum / static_cast<double>(sample.size());
    };
  };
  auto quantileOf = [&](double q) -> Statistic {
    return [&outcomes, q](llvm::ArrayRef<size_t> sample) {
      std::vector<double> values;
      for (size_t i : sample)
        values.push_back(outcomes[i].efficiency);
      return quantile(std::move(values), q);
    };
  };
  std::pair<Interval *, Statistic> statistics[] = {
      {&summary.mean,
       meanOf([](const PickOutcome &o) { return o.efficiency; })},
      {&summary.p50, quantileOf(0.5)},
      {&summary.p10, quantileOf(0.1)},
      {&summary.p1, quantileOf(0.01)},
      {&summary.min, quantileOf(0)},
      {&summary.top1,
       meanOf([](const PickOutcome &o) { return double(o.top1); })},
      {&summary.top5,
       meanOf([](const PickOutcome &o) { return double(o.top5); })},
      {&summary.ndcg1, meanOf([](const PickOutcome &o) { return o.ndcg[0]; })},
      {&summary.ndcg5, meanOf([](const PickOutcome &o) { return o.ndcg[1]; })},
      {&summary.ndcg10,
       meanOf([](const PickOutcome &o) { return o.ndcg[2]; })}};
  constexpr int kResamplings = 1000;
  size_t n = outcomes.size();
  std::vector<size_t> all(n), sample(n);
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<double>> draws(std::size(statistics));
  CounterRandom random(0x626f6f74, n);
  for (int draw = 0; draw < kResamplings; ++draw) {
    for (size_t i = 0; i < n; ++i)
      sample[i] = static_cast<size_t>(
          random.integer(draw * n + i, 0, static_cast<int64_t>(n) - 1));
    for (size_t s = 0; s < std::size(statistics); ++s)
      draws[s].push_back(statistics[s].second(sample));
  }
  for (size_t s = 0; s < std::size(statistics); ++s)
    *statistics[s].first = {statistics[s].second(all),
                            quantile(draws[s], 0.025),
                            quantile(draws[s], 0.975)};
  double logs = 0;
  for (const PickOutcome &outcome : outcomes)
    logs += std::log(std::max(outcome.efficiency, 1e-6));
  summary.geomean = std::exp(logs / static_cast<double>(n));
  return summary;
}

namespace {
/// The name of a slice, and its place in the order of slices of one kind.
struct SliceName {
  int64_t place;
  std::string name;
  friend auto operator<=>(const SliceName &, const SliceName &) = default;
};
} // namespace

static SliceName rangeName(const char *what, int64_t value,
                           llvm::ArrayRef<int64_t> bounds) {
  for (int64_t bound : bounds)
    if (value < bound)
      return {bound, llvm::formatv("{0} < {1}", what, bound).str()};
  return {std::numeric_limits<int64_t>::max(),
          llvm::formatv("{0} >= {1}", what, bounds.back()).str()};
}

std::vector<Slice> select::sliceOutcomes(const Samples &samples,
                                         llvm::ArrayRef<PickOutcome> outcomes) {
  std::vector<Slice> slices;
  auto add = [&](auto nameOf) {
    std::map<SliceName, std::vector<PickOutcome>> byName;
    for (const PickOutcome &outcome : outcomes)
      byName[nameOf(samples.groups[outcome.group], outcome)].push_back(outcome);
    for (auto &[name, list] : byName)
      slices.push_back({name.name, std::move(list)});
  };
  using Group = Samples::Group;
  add([](const Group &g, const PickOutcome &) {
    return rangeName("m", g.m, {8, 128, 1024});
  });
  add([](const Group &g, const PickOutcome &) {
    return rangeName("k", g.k, {512, 4096});
  });
  add([](const Group &g, const PickOutcome &) {
    return SliceName{g.threads, "threads " + std::to_string(g.threads)};
  });
  add([](const Group &g, const PickOutcome &) {
    return SliceName{0, "layout " + g.layout};
  });
  add([&](const Group &, const PickOutcome &o) {
    return SliceName{0, "pipeline " + samples.pipeline[o.best]};
  });
  add([](const Group &, const PickOutcome &o) {
    return o.bestMs < 0.02 ? SliceName{0, "best under 20 us"}
                           : SliceName{1, "best of 20 us or more"};
  });
  return slices;
}

Acceptance select::accept(llvm::ArrayRef<PickOutcome> fresh,
                          llvm::ArrayRef<PickOutcome> baseline,
                          const Samples &samples) {
  Summary a = summarize(fresh), b = summarize(baseline);
  Acceptance out;
  out.accepted = fresh.size() == baseline.size() && !fresh.empty();
  auto criterion = [&](const char *name, double mine, double theirs,
                       double slack) {
    bool held = mine >= theirs - slack;
    out.accepted = out.accepted && held;
    out.lines.push_back(
        llvm::formatv("{0}: {1} {2:P2} against {3:P2} (at most {4:P1} less)",
                      held ? "held" : "MISSED", name, mine, theirs, slack)
            .str());
  };
  criterion("mean efficiency", a.mean.value, b.mean.value, 0.005);
  criterion("median efficiency", a.p50.value, b.p50.value, 0.005);
  criterion("P10 efficiency", a.p10.value, b.p10.value, 0.02);
  size_t worse = 0, worst = 0;
  for (size_t i = 0; i < std::min(fresh.size(), baseline.size()); ++i) {
    double drop = baseline[i].efficiency - fresh[i].efficiency;
    worse += drop > 0.1;
    if (drop > baseline[worst].efficiency - fresh[worst].efficiency)
      worst = i;
  }
  out.accepted = out.accepted && worse == 0;
  if (!fresh.empty())
    out.lines.push_back(llvm::formatv("{0}: {1} problems lose more than 10 % "
                                      "(worst: {2}, {3:P1} against {4:P1})",
                                      worse ? "MISSED" : "held", worse,
                                      samples.groups[fresh[worst].group].key,
                                      fresh[worst].efficiency,
                                      baseline[worst].efficiency)
                            .str());
  return out;
}

Fit select::fitOf(llvm::ArrayRef<double> predicted,
                  llvm::ArrayRef<double> measured) {
  Fit fit;
  if (measured.empty())
    return fit;
  double mean = std::accumulate(measured.begin(), measured.end(), 0.0) /
                static_cast<double>(measured.size());
  double residual = 0, total = 0;
  for (size_t i = 0; i < measured.size(); ++i) {
    residual += (predicted[i] - measured[i]) * (predicted[i] - measured[i]);
    total += (measured[i] - mean) * (measured[i] - mean);
  }
  fit.rmse = std::sqrt(residual / static_cast<double>(measured.size()));
  fit.r2 = total > 0 ? 1 - residual / total : 0;
  return fit;
}
