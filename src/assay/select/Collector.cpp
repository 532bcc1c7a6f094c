// The race of one problem. The anchor is the analytic model's choice. Round 0
// times every candidate in three pairs (two, when both show that it is
// hopeless), round 1 times the better sixth in nine, round 2 runs the finalists
// until their interval is narrow. Every measurement is passed to the sink at
// once. A resumed race skips the measurements that an earlier one finished in
// the same round.
#include "assay/select/Collector.h"
#include "assay/support/Random.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::select;

/// A timed sample lasts at least this long.
static constexpr double kSampleNs = 10e3;
/// A kernel this many times slower than the anchor gets two pairs.
static constexpr double kHopeless = 1.7;

/// Active collection (and search): the size of the first sample, the number of
/// best kernels whose neighbours are tried, of new kernels per step, and of
/// steps.
static constexpr int64_t kActiveSample = 64;
static constexpr size_t kActiveBest = 4, kActiveNew = 24, kActiveSteps = 6;

llvm::Expected<KernelChoice> select::parseKernelChoice(llvm::StringRef text) {
  KernelChoice choice;
  if (text == "all")
    return choice;
  choice.all = false;
  llvm::StringRef count = text;
  if (count.consume_front("active")) {
    choice.active = true;
    choice.count = kActiveSample;
    if (count.empty())
      return choice;
    count = count.consume_front(":") ? count : "";
  } else if (!count.consume_front("sample:")) {
    count = "";
  }
  if (!count.getAsInteger(10, choice.count) && choice.count > 0)
    return choice;
  return makeError(
      ErrorCode::InvalidArgument,
      "--kernels is '{0}', expected all, active, active:N, or sample:N with N "
      "of at least 1",
      text);
}

/// The candidates, the anchor first.
static std::vector<int32_t> chooseCandidates(const Contest &contest,
                                             std::vector<int32_t> order,
                                             const RaceOptions &options) {
  if (options.kernels.all ||
      static_cast<int64_t>(order.size()) <= options.kernels.count)
    return order;
  CounterRandom random(options.seed, contest.hash());
  size_t best = (options.kernels.count + 1) / 2;
  for (size_t i = best; i < static_cast<size_t>(options.kernels.count); ++i)
    std::swap(order[i],
              order[random.integer(i, static_cast<int64_t>(i),
                                   static_cast<int64_t>(order.size()) - 1)]);
  order.resize(options.kernels.count);
  return order;
}

namespace {
/// The state of one race.
class Race {
public:
  Race(Contest &contest, ThreadPool &pool, const RaceOptions &options,
       const MeasurementSink &sink, const Interrupt &interrupt)
      : contest_(contest), pool_(pool), options_(options), sink_(sink), interrupt_(interrupt),
        timer_(contest.threads()) {}

  llvm::Expected<RaceResult> run(std::vector<int32_t> candidates,
                                 const KnownRows &known) {
    for (int32_t kernel : candidates)
      addEntry(kernel, known);
    if (llvm::Error error = compileAll())
      return error;
    if (!entries_[0].prepared)
      return finish();
    repetitions_ = timer_.repetitionsFor(*entries_[0].prepared, kSampleNs);
    PairResult self =
        measurePairs(timer_, *entries_[0].prepared, *entries_[0].prepared,
                     repetitions_, {5, 15, options_.noise, 0});
    result_.noiseFloor =
        std::fabs(1 - self.statistics.median) + self.statistics.noise;
    const PairLimits rounds[] = {
        {3, 3, options_.noise, kHopeless},
        {std::min(5, options_.mostPairs), 9, options_.noise, 0},
        {std::min(5, options_.mostPairs), options_.mostPairs, options_.noise,
         0}};
    if (llvm::Error error = runRound(0, entries_.size(), rounds[0]))
      return error;
    if (options_.kernels.active)
      if (llvm::Error error = climb(candidates, known, rounds[0]))
        return error;
    size_t better = std::max(3 * options_.finalists, entries_.size() / 6);
    if (llvm::Error error = runRound(1, better, rounds[1]))
      return error;
    if (llvm::Error error = runRound(2, options_.finalists, rounds[2]))
      return error;
    return finish();
  }

private:
  struct Entry {
    int32_t kernel;
    std::string name;
    std::shared_ptr<const Contender> prepared;
    Measurement row;
    bool isKnown;
  };

  void addEntry(int32_t kernel, const KnownRows &known) {
    Entry entry{kernel, contest_.name(kernel), nullptr, {}, false};
    for (const Measurement &row : known)
      if (entry.name == row.kernel) {
        entry.row = row;
        entry.isKnown = true;
      }
    entries_.push_back(std::move(entry));
  }

  bool isFull() const {
    return options_.most > 0 && entries_.size() >= options_.most;
  }

  /// The measured kernels, fastest first.
  std::vector<size_t> measured() const {
    std::vector<size_t> order;
    for (size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].prepared && entries_[i].row.valid)
        order.push_back(i);
    llvm::stable_sort(order, [&](size_t a, size_t b) {
      return entries_[a].row.ratio < entries_[b].row.ratio;
    });
    return order;
  }

  /// Active collection: measures neighbours of the best kernels so far, until a
  /// step finds nothing that is faster by more than the noise.
  llvm::Error climb(llvm::ArrayRef<int32_t> first, const KnownRows &known,
                    const PairLimits &limits) {
    std::vector<int32_t> rest = contest_.candidates();
    llvm::sort(rest);
    llvm::erase_if(rest,
                   [&](int32_t k) { return llvm::is_contained(first, k); });
    for (size_t step = 0; step < kActiveSteps; ++step) {
      std::vector<size_t> order = measured();
      if (order.empty())
        return llvm::Error::success();
      double before = entries_[order[0]].row.ratio;
      size_t added = 0;
      for (size_t b = 0; b < std::min(kActiveBest, order.size()); ++b) {
        int32_t best = entries_[order[b]].kernel;
        for (int32_t &kernel : rest)
          if (kernel >= 0 && !isFull() &&
              added < kActiveNew * (b + 1) / kActiveBest &&
              contest_.differences(best, kernel) == 1) {
            addEntry(kernel, known);
            kernel = -1;
            ++added;
          }
      }
      if (added == 0)
        return llvm::Error::success();
      llvm::erase(rest, -1);
      if (llvm::Error error = compileAll())
        return error;
      if (llvm::Error error = runRound(0, entries_.size(), limits))
        return error;
      if (entries_[measured()[0]].row.ratio > before * (1 - options_.noise))
        return llvm::Error::success();
    }
    return llvm::Error::success();
  }

  Measurement blank(const Entry &entry) const {
    Measurement row;
    row.problem = contest_.problem();
    row.kernel = entry.name;
    row.anchor = entries_[0].name;
    return row;
  }

  llvm::Error record(Entry &entry, Measurement row) {
    entry.row = std::move(row);
    entry.isKnown = true;
    return sink_(entry.row);
  }

  llvm::Error compileAll() {
    std::vector<std::string> reasons(entries_.size());
    pool_.parallelFor(static_cast<int64_t>(entries_.size()), 1,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                          if (llvm::Error ended = interrupt_.check())
                            return llvm::consumeError(std::move(ended));
                          auto prepared =
                              contest_.prepare(entries_[i].kernel);
                          if (prepared)
                            entries_[i].prepared = *prepared;
                          else
                            reasons[i] =
                                takeError(prepared.takeError()).message;
                        }
                      });
    if (llvm::Error error = interrupt_.check())
      return error;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].prepared || entries_[i].isKnown)
        continue;
      Measurement row = blank(entries_[i]);
      row.reason = reasons[i];
      if (llvm::Error error = record(entries_[i], std::move(row)))
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error runRound(int round, size_t size, const PairLimits &limits) {
    std::vector<Entry *> order;
    for (Entry &entry : entries_)
      if (entry.prepared)
        order.push_back(&entry);
    if (round > 0)
      std::stable_sort(order.begin(), order.end(), [](Entry *a, Entry *b) {
        return a->row.ratio < b->row.ratio;
      });
    if (order.size() > size)
      order.resize(size);
    for (Entry *entry : order) {
      if (entry->isKnown && entry->row.valid &&
          (entry->row.round >= round || !entry->row.noisy))
        continue;
      if (llvm::Error error = interrupt_.check())
        return error;
      PairResult pairs = measurePairs(timer_, *entries_[0].prepared,
                                      *entry->prepared, repetitions_, limits);
      Measurement row = blank(*entry);
      row.ratio = pairs.statistics.median;
      row.noise = pairs.statistics.noise;
      row.pairs = pairs.statistics.pairs;
      row.anchorNs = pairs.anchorNs;
      row.noisy = pairs.noisy;
      row.round = round;
      row.valid = true;
      if (llvm::Error error = record(*entry, std::move(row)))
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Expected<RaceResult> finish() {
    for (Entry &entry : entries_)
      result_.rows.push_back(std::move(entry.row));
    return std::move(result_);
  }

  Contest &contest_;
  ThreadPool &pool_;
  const RaceOptions &options_;
  const MeasurementSink &sink_;
  const Interrupt &interrupt_;
  KernelTimer timer_;
  std::vector<Entry> entries_;
  int repetitions_ = 1;
  RaceResult result_;
};
} // namespace

/// Moves the kernel of that name to the front. All ratios of one problem refer
/// to one anchor, but the kernel with the best estimate may have changed since
/// the race began.
static void bringForward(llvm::StringRef anchor, const Contest &contest,
                         std::vector<int32_t> &candidates) {
  if (contest.name(candidates.front()) == anchor)
    return;
  std::vector<int32_t> all = contest.candidates();
  auto named = llvm::find_if(
      all, [&](int32_t kernel) { return contest.name(kernel) == anchor; });
  if (named == all.end())
    return;
  int32_t kernel = *named;
  llvm::erase(candidates, kernel);
  candidates.insert(candidates.begin(), kernel);
}

llvm::Expected<RaceResult>
select::race(Contest &contest, ThreadPool &pool, const RaceOptions &options,
             const KnownRows &known, const MeasurementSink &sink,
             const Interrupt &interrupt) {
  std::vector<int32_t> candidates = options.first;
  if (candidates.empty())
    candidates = chooseCandidates(contest, contest.candidates(), options);
  if (candidates.empty())
    return makeError(ErrorCode::Unsupported, "no kernel supports {0}",
                     contest.title());
  if (!known.empty())
    bringForward(known.front().anchor, contest, candidates);
  return Race(contest, pool, options, sink, interrupt)
      .run(std::move(candidates), known);
}
