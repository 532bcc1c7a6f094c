// The comparison of two dumps: names are aligned (Align.h), every pair of
// tensors is read and judged on a pool of threads (ComparePair.cpp), and rows
// are in the target's order. Large tensors are first, so that the threads end
// together.
#include "assay/trace/Compare.h"
#include "assay/support/Interrupt.h"
#include "assay/trace/ComparePair.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

namespace assay::trace {

using formats::Hdf5Dataset;
using formats::Hdf5Reader;

llvm::ArrayRef<const numerics::Metric *> comparedMetrics() {
  static const auto metrics = [] {
    static constexpr const char *kNames[] = {
        "Cosine", "Rmse", "IsClose", "MaxAbsError", "GtNum",  "MinAbsError",
        "RelL2",  "Snr",  "UlpP50",  "UlpP99",      "UlpMax", "NonFinite",
        "Argmax"};
    std::array<const numerics::Metric *, std::size(kNames)> result{};
    std::transform(std::begin(kNames), std::end(kNames), result.begin(),
                   [](const char *name) { return numerics::findMetric(name); });
    return result;
  }();
  return metrics;
}

std::vector<AlignItem> alignItems(const Hdf5Reader &file) {
  std::vector<AlignItem> items;
  for (const Hdf5Dataset &dataset : file.datasets())
    items.push_back({parseDumpName(dataset.path), dataset.type, dataset.hash});
  return items;
}

namespace {
/// Pairs to compute: the first row of each distinct pair of stored tensors.
struct Work {
  std::vector<size_t> rows;  // largest first
  std::vector<size_t> first; // row -> row that holds its result
};
} // namespace

/// Whether errors of earlier modules in the same step reach a tensor.
static bool isCarriedTo(const DumpName &name) {
  return name.kind != TensorKind::Other &&
         name.kind != TensorKind::ForwardParams;
}

// Equal stored pairs are computed once if they are judged in the same way: by
// one rule, and within one step, because the error that may be carried differs.
static Work planWork(const Comparison &comparison, const Hdf5Reader &target,
                     const Hdf5Reader &bench, const CompareOptions &options) {
  Work work;
  using Key =
      std::tuple<uint64_t, uint64_t, int64_t, int64_t, const numerics::Rule *>;
  std::map<Key, size_t> seen;
  work.first.resize(comparison.rows.size());
  std::iota(work.first.begin(), work.first.end(), size_t{0});
  auto bytes = [&](size_t row) {
    return target
        .datasets()[static_cast<size_t>(comparison.rows[row].pair.target)]
        .sizeBytes;
  };
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const AlignedPair &pair = comparison.rows[i].pair;
    if (pair.target < 0 || pair.bench < 0)
      continue;
    const Hdf5Dataset &t = target.datasets()[static_cast<size_t>(pair.target)],
                      &b = bench.datasets()[static_cast<size_t>(pair.bench)];
    const DumpName &name =
        comparison.target[static_cast<size_t>(pair.target)].name;
    Key key{t.object, b.object, isCarriedTo(name) ? name.step : -1,
            pair.part ? pair.part->number : -1,
            &options.rules.ruleFor(name.text(),
                                   commonType(t.type.element, b.type.element))};
    auto [it, isNew] = seen.try_emplace(key, i);
    work.first[i] = it->second;
    if (isNew)
      work.rows.push_back(i);
  }
  std::stable_sort(work.rows.begin(), work.rows.end(),
                   [&](size_t a, size_t b) { return bytes(a) > bytes(b); });
  return work;
}

/// The module part and item of a name, which a user's rule file matches.
static std::string nameOf(const Comparison &comparison,
                          const ComparedRow &row) {
  return comparison.item(row, true).name.text();
}

static void countRows(Comparison &comparison) {
  for (ComparedRow &row : comparison.rows) {
    if (row.pair.target < 0 || row.pair.bench < 0) {
      row.status = RowStatus::Unmatched;
      ++(row.pair.bench < 0 ? comparison.unmatchedTarget
                            : comparison.unmatchedBench);
      row.reason =
          row.pair.bench < 0 ? "only in the target" : "only in the bench";
    } else {
      ++(row.status == RowStatus::Fail ? comparison.failed : comparison.passed);
    }
  }
}

/// Runs step(row, buffers) for the listed rows on all threads; an error becomes
/// a failing row.
static llvm::Error
forRows(llvm::ArrayRef<size_t> list, Comparison &comparison, ThreadPool &pool,
        const Interrupt &interrupt,
        llvm::function_ref<llvm::Error(ComparedRow &, PairBuffers &)> step) {
  std::atomic<size_t> next{0};
  std::mutex lock;
  std::optional<ErrorText> stopped;
  pool.runOnAll([&](int) {
    PairBuffers buffers;
    for (size_t at; (at = next++) < list.size();) {
      if (llvm::Error error = interrupt.check()) {
        std::lock_guard<std::mutex> guard(lock);
        stopped = takeError(std::move(error));
        return;
      }
      ComparedRow &row = comparison.rows[list[at]];
      if (llvm::Error error = step(row, buffers)) {
        row.status = RowStatus::Fail;
        row.reason = takeError(std::move(error)).message;
        row.undecided.reset();
      }
    }
  });
  return stopped ? makeError(stopped->code, "{0}", stopped->message)
                 : llvm::Error::success();
}

/// Decides, in the order of execution, the rows that the sums can decide once
/// the carried error is known. Returns the rows that need a second look.
static std::vector<size_t> decide(Comparison &comparison, const Work &work,
                                  const CompareOptions &options) {
  constexpr double kSigmas =
      24; // tails of many small errors, and a gain of three
  std::vector<size_t> rest;
  std::map<int64_t, double> carriedOfStep;
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    ComparedRow &row = comparison.rows[i];
    if (row.pair.target < 0 || row.pair.bench < 0)
      continue;
    const DumpName &name = comparison.item(row, true).name;
    const ComparedRow &measured = comparison.rows[work.first[i]];
    double &carried = carriedOfStep[name.step];
    bool inModule = isCarriedTo(name);
    if (work.first[i] == i && row.undecided) {
      const numerics::Rule &rule = options.rules.ruleFor(name.text(), row.type);
      double slope = rule.slopeFor(row.type);
      row.allowedRms = row.benchRms;
      if (inModule && rule.kind() == numerics::RuleKind::Dtype && slope > 0) {
        row.carried = carried;
        row.allowedRms *= 1 + kSigmas * carried / slope;
      }
      if (rule.passesBySums(*row.undecided, row.allowedRms))
        row.undecided.reset();
      else
        rest.push_back(i);
    }
    bool passes = measured.compared && !measured.undecided &&
                  measured.status == RowStatus::Pass;
    if (inModule && passes && measured.relL2 < 1)
      carried = std::max(carried, measured.relL2);
  }
  return rest;
}

/// The order of the samples in each step: from the map, or from the inputs.
static std::map<int64_t, std::shared_ptr<const SampleOrder>>
sampleOrders(Comparison &comparison, const PairFiles &files,
             const SampleOrder &given) {
  std::map<int64_t, std::shared_ptr<const SampleOrder>> orders;
  if (given.empty()) {
    orders = findSampleOrders(comparison, files);
  } else {
    auto all = std::make_shared<const SampleOrder>(given);
    for (const AlignItem &item : comparison.target)
      orders[item.name.step] = all;
  }
  for (const auto &[step, order] : orders)
    comparison.sampleOrders[step] = *order;
  return orders;
}

/// Measures rows again that the sums do not decide, where masks were recorded.
static llvm::Error leaveOutPadding(Comparison &comparison, const Work &work,
                                   const PairFiles &files,
                                   const CompareOptions &options,
                                   ThreadPool &pool) {
  auto stepOf = [&](const ComparedRow &row) {
    return comparison.item(row, true).name.step;
  };
  std::vector<size_t> undecided;
  llvm::copy_if(work.rows, std::back_inserter(undecided), [&](size_t i) {
    const ComparedRow &row = comparison.rows[i];
    return row.undecided && !row.samples && !row.pair.part;
  });
  if (undecided.empty())
    return llvm::Error::success();
  PaddingMasks masks = findPadding(comparison, work.first, files);
  llvm::erase_if(undecided, [&](size_t i) {
    auto ofStep = masks.find(stepOf(comparison.rows[i]));
    return ofStep == masks.end() || ofStep->second.empty();
  });
  return forRows(undecided, comparison, pool, options.interrupt,
                 [&](ComparedRow &row, PairBuffers &buffers) {
                   return measureWithoutPadding(files, nameOf(comparison, row),
                                                options, buffers,
                                                masks.at(stepOf(row)), row);
                 });
}

llvm::Expected<Comparison> compareDumps(const Hdf5Reader &target,
                                        const Hdf5Reader &bench,
                                        const CompareOptions &options,
                                        ThreadPool &pool) {
  Comparison result;
  result.targetPath = target.path();
  result.benchPath = bench.path();
  result.target = alignItems(target);
  result.bench = alignItems(bench);
  result.alignment = alignNames(result.target, result.bench, options.map);
  result.pair = options.pair;
  result.ruleName = options.rules.name();
  result.rank = rankOfFile(target.path());
  for (const AlignedPair &pair : result.alignment.pairs) {
    result.rows.emplace_back();
    result.rows.back().pair = pair;
  }
  PairFiles files{target, bench};
  Work work = planWork(result, target, bench, options);
  std::map<int64_t, std::shared_ptr<const SampleOrder>> orders =
      sampleOrders(result, files, options.map.samples);
  auto measure = [&](ComparedRow &row, PairBuffers &buffers) {
    const DumpName &name = result.item(row, true).name;
    auto order = orders.find(name.step);
    bool inBatch = order != orders.end() && name.kind != TensorKind::Other;
    return measurePair(files, nameOf(result, row), options, buffers,
                       inBatch ? order->second : nullptr, row);
  };
  if (llvm::Error error =
          forRows(work.rows, result, pool, options.interrupt, measure))
    return error;
  if (llvm::Error error = leaveOutPadding(result, work, files, options, pool))
    return error;
  std::vector<size_t> rest = decide(result, work, options);
  if (llvm::Error error = forRows(rest, result, pool, options.interrupt,
                                  [&](ComparedRow &row, PairBuffers &buffers) {
                                    return judgePair(files, nameOf(result, row),
                                                     options, buffers, row);
                                  }))
    return error;
  for (size_t i = 0; i < result.rows.size(); ++i) {
    if (work.first[i] != i) {
      AlignedPair pair = result.rows[i].pair;
      result.rows[i] = result.rows[work.first[i]];
      if (pair.part)
        pair.part->blocks = result.rows[i].pair.part->blocks;
      result.rows[i].pair = pair;
    }
    result.rows[i].undecided.reset();
  }
  countRows(result);
  return result;
}

} // namespace assay::trace
