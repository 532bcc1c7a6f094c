// Runs races problem by problem. Each finished measurement is appended to the
// data file's journal at once. At the end (budget, last problem, Ctrl-C) all
// rows become Parquet. A run skips the problems that an earlier run finished; a
// problem that the earlier run had begun continues with the measurement that
// was lost.
#include "assay/select/CollectDetail.h"
#include "assay/select/Features.h"
#include "assay/select/Parquet.h"

#include <algorithm>

using namespace assay;
using namespace assay::select;

std::vector<CollectTask> select::collectTasks(const CollectOptions &options) {
  std::vector<CollectTask> tasks;
  std::set<std::string> seen;
  for (ProblemRef &problem : sampleOf(options.problems, options.problems.size(),
                                       options.race.seed)) {
    std::string key = problem->key();
    if (seen.insert(key).second) // the list may name a problem twice
      tasks.push_back({std::move(problem), std::move(key)});
  }
  return tasks;
}

static std::string lineFor(const Contest &contest, const RaceResult &result) {
  const Measurement *best = nullptr;
  for (const Measurement &row : result.rows)
    if (row.valid && (!best || row.ratio < best->ratio))
      best = &row;
  if (!best)
    return contest.title() + ": no kernel ran";
  return llvm::formatv("{0}: {1} kernels, best {2} at {3:f2}x the anchor, "
                       "{4:f1} us, {5:f1} GFLOP/s",
                       contest.title(), result.rows.size(), best->kernel,
                       1 / best->ratio, best->ratio * best->anchorNs * 1e-3,
                       contest.flops() / (best->ratio * best->anchorNs))
      .str();
}

/// The time that the remaining problems take at the pace so far, at most what
/// is left of the budget.
static double estimateLeft(const CollectProgress &at, double seconds,
                           double budget) {
  double left =
      at.done > 0 ? seconds / double(at.done) * double(at.of - at.done) : -1;
  if (budget > 0)
    left = left < 0 ? budget - seconds : std::min(left, budget - seconds);
  return at.done > 0 || budget > 0 ? std::max(0.0, left) : -1;
}

static llvm::Error keepsGoing(llvm::Error error) {
  ErrorText text = takeError(std::move(error));
  return makeError(text.code,
                   "{0}; the measurements so far are kept, the same command "
                   "goes on with them",
                   text.message);
}

llvm::Expected<std::string>
select::measureTask(KernelSet &set, ThreadPool &pool,
                    const CollectOptions &options, const CollectTask &task,
                    DataFile &file, const Interrupt &interrupt) {
  RaceOptions racing = options.race;
  if (options.first)
    racing.first = options.first(task.problem);
  auto contest = set.contest(task.problem, pool, racing.seed);
  if (!contest)
    return contest.takeError();
  llvm::Expected<RaceResult> result = race(
      **contest, pool, racing, file.rowsOf(task.key),
      [&](const Measurement &row) { return file.append(row); }, interrupt);
  if (!result)
    return result.takeError();
  if (llvm::Error error = file.markComplete(task.key, result->noiseFloor))
    return error;
  return lineFor(**contest, *result);
}

llvm::Expected<std::unique_ptr<DataFile>>
select::openData(KernelSet &set, const CollectOptions &options,
                 DataFileAccess access) {
  if (llvm::Error error = requireParquet())
    return error;
  Provenance provenance =
      Provenance::here(set.machine(), options.race.seed);
  provenance.registryHash = set.registryHash();
  CollectSettings settings{set.dtype(),
                           set.layout(),
                           options.kernelsText,
                           provenance.machineClass,
                           provenance.registryHash,
                           options.race.seed,
                           options.race.mostPairs,
                           set.op()};
  return DataFile::open(options.output, settings, provenance, access);
}

llvm::Error select::finishData(DataFile &file, CollectReport &report) {
  llvm::Expected<DataFile::Totals> totals = file.finish();
  if (!totals && report.stopped) {
    llvm::consumeError(totals.takeError());
    return makeError(report.stopped->code, "{0}", report.stopped->message);
  }
  if (!totals)
    return totals.takeError();
  report.rows = totals->rows;
  report.valid = totals->valid;
  report.noisy = totals->noisy;
  report.failures = totals->rows - totals->valid;
  report.noiseFloor = totals->noiseFloor;
  return llvm::Error::success();
}

/// Measures the tasks until they are done, the budget ends, or `interrupt`
/// stops them. An interrupt is not an error: it is stored in report.stopped.
static llvm::Error measure(KernelSet &set, ThreadPool &pool,
                           const CollectOptions &options,
                           llvm::ArrayRef<CollectTask> tasks, DataFile &file,
                           const Interrupt &interrupt, const CollectSink &sink,
                           CollectReport &report) {
  CollectClock clock;
  CollectProgress at{0, static_cast<int64_t>(tasks.size()), -1, ""};
  at.secondsLeft = estimateLeft(at, 0, options.budgetSeconds);
  sink(at);
  for (const CollectTask &task : tasks) {
    if (options.budgetSeconds > 0 && clock.seconds() > options.budgetSeconds)
      break;
    llvm::Expected<std::string> line =
        measureTask(set, pool, options, task, file, interrupt);
    if (!line) {
      ErrorText text = takeError(line.takeError());
      if (llvm::Error error = interrupt.check()) {
        llvm::consumeError(std::move(error));
        report.stopped = std::move(text);
        break;
      }
      return keepsGoing(makeError(text.code, "{0}", text.message));
    }
    ++at.done;
    at.secondsLeft = estimateLeft(at, clock.seconds(), options.budgetSeconds);
    at.line = std::move(*line);
    sink(at);
  }
  report.problemsDone = report.problemsKept + at.done;
  report.problemsLeft = at.of - at.done;
  return llvm::Error::success();
}

llvm::Expected<CollectReport> select::collect(KernelSet &set,
                                              ThreadPool &pool,
                                              const CollectOptions &options,
                                              const Interrupt &interrupt,
                                              const CollectSink &sink) {
  CollectClock clock;
  llvm::Expected<std::unique_ptr<DataFile>> file = openData(set, options);
  if (!file)
    return file.takeError();
  CollectReport report;
  report.path = (*file)->path();
  report.reused = (*file)->keptRows();
  std::vector<CollectTask> tasks = collectTasks(options);
  report.problemsKept = static_cast<int64_t>(tasks.size());
  llvm::erase_if(tasks, [&](const CollectTask &task) {
    return (*file)->isComplete(task.key);
  });
  report.problemsKept -= static_cast<int64_t>(tasks.size());
  if (llvm::Error error = measure(set, pool, options, tasks, **file,
                                  interrupt, sink, report))
    return error;
  if (llvm::Error error = finishData(**file, report))
    return error;
  report.seconds = clock.seconds();
  return report;
}

std::string CollectProgress::text() const {
  std::string left =
      secondsLeft < 0
          ? ""
          : llvm::formatv(", about {0:F0} s left", secondsLeft).str();
  if (line.empty())
    return llvm::formatv("{0} problems to measure{1}", of, left);
  return llvm::formatv("{0} of {1}{2}  {3}", done, of, left, line);
}

llvm::json::Value CollectReport::toJson() const {
  return llvm::json::Object{{"output", path},
                            {"rows", rows},
                            {"valid", valid},
                            {"noisy", noisy},
                            {"failures", failures},
                            {"problems_done", problemsDone},
                            {"problems_left", problemsLeft},
                            {"problems_kept", problemsKept},
                            {"reused", reused},
                            {"seconds", seconds},
                            {"noise_floor", noiseFloor}};
}

void CollectReport::print(llvm::raw_ostream &os, bool) const {
  os << llvm::formatv(
      "collected: {0} rows ({1} valid, {2} noisy, {3} failed) over {4} "
      "problems, {5} left, in {6:f1} s; noise floor {7:P2}; written to '{8}'",
      rows, valid, noisy, failures, problemsDone, problemsLeft, seconds,
      noiseFloor, path);
  if (reused > 0)
    os << ", which held " << reused << " measurements";
  os << "\n";
}
