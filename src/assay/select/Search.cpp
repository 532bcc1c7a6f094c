// Searches score kernels by the model. The registry bounds the space, so that
// every answer can be built and run. In differential evolution a kernel is a
// vector of positions in the value lists of its fields. A child takes base + F
// (a - b) per field with probability CR, and the registered, supported kernel
// nearest to it is the candidate. Source: Storn and Price, "Differential
// evolution", 1997, the variant rand/1/bin.
#include "assay/select/Search.h"
#include "assay/select/Timing.h"
#include "assay/support/Random.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace assay;
using namespace assay::select;

std::optional<Strategy> select::parseStrategy(llvm::StringRef text) {
  return text == "random"   ? std::optional(Strategy::Random)
         : text == "de"     ? std::optional(Strategy::Differential)
         : text == "active" ? std::optional(Strategy::Active)
                            : std::nullopt;
}

namespace {
using Point = std::vector<int32_t>;

/// The scores of the supported kernels; counts the kernels whose score was
/// read.
class Space {
public:
  Space(KernelModel &model, const Problem &problem)
      : scores_(model.scores(problem)), model_(model) {
    for (int32_t kernel : model.kernels().supported(problem))
      if (kernel < static_cast<int32_t>(scores_.size()))
        kernels_.push_back(kernel);
    std::vector<Point> raw;
    for (int32_t kernel : kernels_)
      raw.push_back(model.kernels().fieldsOf(kernel));
    size_t fields = raw.empty() ? 0 : raw[0].size();
    std::vector<std::set<int32_t>> values(fields);
    for (const Point &own : raw)
      for (size_t f = 0; f < fields; ++f)
        values[f].insert(own[f]);
    for (const Point &own : raw) {
      Point &point = points_.emplace_back();
      for (size_t f = 0; f < fields; ++f)
        point.push_back(static_cast<int32_t>(
            std::distance(values[f].begin(), values[f].find(own[f]))));
    }
    for (const std::set<int32_t> &own : values)
      extent_.push_back(std::max<double>(1, static_cast<double>(own.size())));
  }

  size_t fields() const { return extent_.size(); }
  size_t size() const { return kernels_.size(); }
  int64_t looks() const { return static_cast<int64_t>(seen_.size()); }
  const Point &point(size_t i) const { return points_[i]; }
  /// The score of the i-th supported kernel; its first use is counted.
  int64_t look(size_t i) {
    seen_.insert(i);
    return scores_[kernels_[i]];
  }
  size_t nearest(const std::vector<double> &at) const {
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < points_.size(); ++i) {
      double distance = 0;
      for (size_t f = 0; f < fields(); ++f)
        distance += std::fabs(at[f] - points_[i][f]) / extent_[f];
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    return best;
  }
  std::vector<RankedKernel> best(size_t top) const {
    std::vector<size_t> order(seen_.begin(), seen_.end());
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return scores_[kernels_[a]] > scores_[kernels_[b]];
    });
    std::vector<RankedKernel> out;
    for (size_t i = 0; i < std::min(top, order.size()); ++i)
      out.push_back({kernels_[order[i]],
                     model_.forest().toValue(scores_[kernels_[order[i]]])});
    return out;
  }

private:
  std::vector<int32_t> kernels_;
  std::vector<int64_t> scores_;
  KernelModel &model_;
  std::vector<Point> points_;
  std::vector<double> extent_;
  std::set<size_t> seen_;
};

/// Random numbers in order.
class Dice {
public:
  explicit Dice(uint64_t seed) : random_(seed, 0x6465) {}
  size_t below(size_t count) {
    return static_cast<size_t>(
        random_.integer(next_++, 0, static_cast<int64_t>(count) - 1));
  }
  double uniform() { return random_.uniform(next_++); }

private:
  CounterRandom random_;
  uint64_t next_ = 0;
};
} // namespace

static void searchRandom(Space &space, int64_t budget, Dice &dice) {
  std::vector<size_t> order(space.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  for (size_t i = 0; i < order.size() && static_cast<int64_t>(i) < budget;
       ++i) {
    std::swap(order[i], order[i + dice.below(order.size() - i)]);
    space.look(order[i]);
  }
}

static void searchDifferential(Space &space, int64_t budget, Dice &dice) {
  constexpr double kScale = 0.7, kCross = 0.7;
  size_t members = std::clamp<size_t>(static_cast<size_t>(budget) / 10, 4, 40);
  std::vector<size_t> population;
  for (size_t i = 0; i < members && space.looks() < budget; ++i) {
    population.push_back(dice.below(space.size()));
    space.look(population.back());
  }
  // Near the end a generation may add nothing new, so the number of generations
  // is limited.
  for (int64_t generation = 0;
       generation < 4 * budget / static_cast<int64_t>(members) + 4;
       ++generation)
    for (size_t i = 0; i < population.size() && space.looks() < budget; ++i) {
      const Point &self = space.point(population[i]),
                  &base =
                      space.point(population[dice.below(population.size())]);
      const Point &a = space.point(population[dice.below(population.size())]);
      const Point &b = space.point(population[dice.below(population.size())]);
      std::vector<double> child(space.fields());
      size_t forced = dice.below(space.fields());
      for (size_t f = 0; f < child.size(); ++f) {
        bool crosses = f == forced || dice.uniform() < kCross;
        child[f] =
            crosses ? base[f] + kScale * (a[f] - b[f]) + (dice.uniform() - 0.5)
                    : self[f];
      }
      size_t candidate = space.nearest(child);
      if (space.look(candidate) >= space.look(population[i]))
        population[i] = candidate;
    }
}

llvm::Expected<std::vector<RankedKernel>>
select::search(KernelModel &model, const Problem &problem,
               const SearchOptions &options) {
  Space space(model, problem);
  if (space.size() == 0)
    return makeError(ErrorCode::Unsupported, "no kernel supports {0}",
                     problem.title());
  Dice dice(options.seed);
  options.strategy == Strategy::Random
      ? searchRandom(space, options.budget, dice)
      : searchDifferential(space, options.budget, dice);
  return space.best(options.top);
}

/// The kernels of a race that ran, fastest first, at most `most`.
static std::vector<Measurement> fastest(std::vector<Measurement> rows,
                                        size_t most) {
  std::erase_if(rows, [](const Measurement &row) { return !row.valid; });
  llvm::stable_sort(rows, [](const Measurement &a, const Measurement &b) {
    return a.ratio < b.ratio;
  });
  if (rows.size() > most)
    rows.resize(most);
  return rows;
}

static llvm::Error keepsNothing(const Measurement &) {
  return llvm::Error::success();
}

llvm::Expected<std::vector<MeasuredKernel>>
select::searchByClock(KernelModel &model, KernelSet &set, ThreadPool &pool,
                      const ProblemRef &problem, const SearchOptions &options,
                      int mostPairs, const Interrupt &interrupt) {
  RaceOptions racing;
  racing.kernels = {/*all=*/false, /*count=*/0, /*active=*/true};
  racing.seed = options.seed;
  racing.mostPairs = mostPairs;
  racing.most = static_cast<size_t>(options.budget);
  size_t first = std::min<size_t>(64, (racing.most + 1) / 2);
  for (const RankedKernel &kernel : model.rank(*problem, first))
    racing.first.push_back(kernel.kernel);
  if (racing.first.empty())
    return makeError(ErrorCode::Unsupported, "no kernel supports {0}",
                     problem->title());
  auto contest = set.contest(problem, pool, options.seed);
  if (!contest)
    return contest.takeError();
  llvm::Expected<RaceResult> result =
      race(**contest, pool, racing, {}, keepsNothing, interrupt);
  if (!result)
    return result.takeError();
  std::vector<Measurement> rows =
      fastest(std::move(result->rows), options.top);
  if (rows.empty())
    return makeError(ErrorCode::Unsupported,
                     "no kernel could be prepared for {0}", problem->title());
  // Each kernel's measurement has its own time of the anchor. One of them
  // serves for all, so that the times have the order of the ratios.
  std::vector<int64_t> scores = model.scores(*problem);
  Target target = *model.model().rankingTarget();
  std::vector<MeasuredKernel> out;
  for (const Measurement &row : rows) {
    int32_t kernel = set.numberOf(row.kernel, *problem);
    auto at = static_cast<size_t>(kernel);
    double score = at < scores.size()
                       ? model.forest().toValue(scores[at])
                       : model.model().score(target, set.row(*problem, kernel));
    out.push_back({{kernel, score}, row.ratio * rows[0].anchorNs});
  }
  return out;
}

llvm::Expected<std::vector<TimedContender>>
select::timeContenders(Contest &contest, llvm::ArrayRef<int32_t> kernels,
                       int mostPairs, const Interrupt &interrupt) {
  KernelTimer timer(contest.threads());
  std::shared_ptr<const Contender> anchor;
  std::vector<TimedContender> out;
  int repetitions = 1;
  for (int32_t kernel : kernels) {
    if (llvm::Error error = interrupt.check())
      return error;
    auto prepared = contest.prepare(kernel);
    if (!prepared) {
      llvm::consumeError(prepared.takeError()); // it has no row
      continue;
    }
    if (!anchor) {
      anchor = *prepared;
      repetitions = timer.repetitionsFor(*anchor, 20e3);
    }
    PairResult pairs =
        measurePairs(timer, *anchor, **prepared, repetitions,
                     {std::min(7, mostPairs), mostPairs, 0.01, 0});
    out.push_back({kernel, pairs.statistics.median, pairs.statistics.noise,
                   pairs.statistics.median * pairs.anchorNs,
                   pairs.statistics.pairs});
  }
  if (out.empty())
    return makeError(ErrorCode::Unsupported,
                     "no kernel could be prepared for {0}", contest.title());
  return out;
}

llvm::Expected<std::vector<TimedContender>>
select::timePicks(KernelSet &set, ThreadPool &pool, const ProblemRef &problem,
                  llvm::ArrayRef<int32_t> kernels, const PickTiming &timing,
                  const Interrupt &interrupt) {
  auto contest = set.contest(problem, pool, timing.seed);
  if (!contest)
    return contest.takeError();
  return timeContenders(**contest, kernels, timing.mostPairs, interrupt);
}

/// How near the picks come to the fastest of the timed kernels. A pick that
/// could not run has no row, and its efficiency stays 0.
static Validation judgePicks(const Contest &contest, const JudgedPicks &picks,
                             llvm::ArrayRef<TimedContender> timed) {
  auto nameOf = [&](int32_t kernel) {
    return kernel < 0 ? std::string() : contest.name(kernel);
  };
  Validation out;
  out.problem = contest.title();
  out.learned = nameOf(picks.learned);
  out.analytic = nameOf(picks.analytic);
  out.assumed = nameOf(picks.assumed.value_or(-1));
  double best = INFINITY;
  for (const TimedContender &kernel : timed)
    if (kernel.ratio < best) {
      best = kernel.ratio;
      out.bestNs = kernel.ns;
      out.oracle = contest.name(kernel.kernel);
    }
  for (const TimedContender &kernel : timed) {
    if (kernel.kernel == picks.learned) {
      out.learnedEfficiency = best / kernel.ratio;
      out.noise = kernel.noise;
    }
    if (kernel.kernel == picks.analytic)
      out.analyticEfficiency = best / kernel.ratio;
    if (kernel.kernel == picks.assumed)
      out.assumedEfficiency = best / kernel.ratio;
  }
  return out;
}

llvm::Expected<Validation>
select::validateProblem(Contest &contest, ThreadPool &pool,
                        const JudgedPicks &picks, const RaceOptions &options,
                        const Interrupt &interrupt) {
  llvm::Expected<RaceResult> result =
      race(contest, pool, options, {}, keepsNothing, interrupt);
  if (!result)
    return result.takeError();
  std::vector<Measurement> rows = fastest(std::move(result->rows), 16);
  std::map<std::string, int32_t> numbers;
  for (int32_t kernel : contest.candidates())
    numbers[contest.name(kernel)] = kernel;
  std::vector<int32_t> kernels;
  auto add = [&](int32_t kernel) {
    if (kernel >= 0 && !llvm::is_contained(kernels, kernel))
      kernels.push_back(kernel);
  };
  add(picks.learned);
  add(picks.analytic);
  add(picks.assumed.value_or(-1));
  for (const Measurement &row : rows)
    add(numbers.at(row.kernel));
  llvm::Expected<std::vector<TimedContender>> timed =
      timeContenders(contest, kernels, options.mostPairs, interrupt);
  if (!timed)
    return timed.takeError();
  return judgePicks(contest, picks, *timed);
}
