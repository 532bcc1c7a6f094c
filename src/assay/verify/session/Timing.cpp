// The worker measures the time of the engine's own computation. The limit that
// GFLOP/s are compared with is measured here, in this process, once per pair of
// types (kernels/Peaks.h).
#include "assay/verify/session/Timing.h"
#include "assay/kernels/Peaks.h"
#include "assay/verify/PerfTemplate.h"
#include "assay/verify/session/Running.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace assay;
using namespace assay::verify;
using engine::WorkerResult;

struct Timing::Runs {
  Trial &trial;
  engine::Worker &tested;
  std::vector<engine::Placement> places;
  TimedProblem timed;
  double createSeconds, peakGflops;
  int64_t index;
  const RunOptions &options() const { return *trial.problem.options; }
};

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t n = values.size();
  return n == 0  ? 0
         : n % 2 ? values[n / 2]
                 : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// GFLOP/s that the processor reaches on these types, 0 when Assay has no
/// kernel that measures it.
double Timing::peakGflops(const TimedProblem &timed) {
  if (!timed.factors)
    return 0;
  auto [a, b] = *timed.factors;
  auto name = [](ElementType type) { return std::string(nameOf(type)); };
  std::string key = a == b ? name(a) : name(a) + name(b);
  auto [found, isNew] = peaks_.try_emplace(key, 0.0);
  if (!isNew)
    return found->second;
  std::optional<kernels::TypePair> types = kernels::parseTypePair(key);
  if (!types)
    return 0;
  kernels::Registry registry;
  llvm::Expected<double> peak = kernels::measureGflops(
      registry, *types, resources_.pool().threads(), resources_.pool());
  if (!peak) {
    llvm::consumeError(peak.takeError());
    return 0;
  }
  return found->second = *peak;
}

/// Empty for an engine that is faster than this processor: a device.
static std::string percentOf(double gflops, double peak) {
  return peak > 0 && gflops < 1.5 * peak
             ? llvm::formatv(" ({0:f1} % of the measured peak of {1:f0})",
                             100 * gflops / peak, peak)
                   .str()
             : std::string();
}

namespace {
/// The figures of one problem's samples.
struct Times {
  double minimum, middle, deviation; ///< seconds
  double gflops, peakGflops;         ///< 0: no products, no limit
  double gigabytes;                  ///< GB per second, counting each element
                                     ///< once
};
} // namespace

static void noteTimes(const Times &times, double createSeconds,
                      const std::vector<double> &samples, Outcome &outcome) {
  std::string line =
      llvm::formatv(
          "  min {0:f4} ms, median {1:f4} ms, MAD {2:f4} ms over {3} runs",
          times.minimum * 1e3, times.middle * 1e3, times.deviation * 1e3,
          samples.size())
          .str();
  line += times.gflops > 0
              ? llvm::formatv("; {0:f1} GFLOP/s{1}", times.gflops,
                              percentOf(times.gflops, times.peakGflops))
                    .str()
              : llvm::formatv("; {0:f1} GB/s", times.gigabytes).str();
  outcome.before.push_back(std::move(line));
  outcome.facts["min_ms"] = times.minimum * 1e3;
  outcome.facts["median_ms"] = times.middle * 1e3;
  outcome.facts["mad_ms"] = times.deviation * 1e3;
  outcome.facts["create_ms"] = createSeconds * 1e3;
  outcome.facts["runs"] = static_cast<int64_t>(samples.size());
  outcome.facts["gbytes_per_second"] = times.gigabytes;
  if (times.gflops > 0)
    outcome.facts["gflops"] = times.gflops;
  if (times.gflops > 0 && times.peakGflops > 0) {
    outcome.facts["peak_gflops"] = times.peakGflops;
    outcome.facts["percent_of_peak"] = 100 * times.gflops / times.peakGflops;
  }
  llvm::json::Array list;
  for (double sample : samples)
    list.push_back(sample * 1e3);
  outcome.facts["samples_ms"] = std::move(list);
}

llvm::Error Timing::report(const Runs &runs, const std::vector<double> &samples,
                           Outcome &outcome) {
  const TimedProblem &timed = runs.timed;
  PerfFacts facts{&runs.trial.problem, samples,           runs.createSeconds,
                  timed.inputBytes,    timed.outputBytes, runs.index};
  facts.implementation =
      outcome.facts.getString("implementation").value_or("").str();
  llvm::StringRef text = perfTemplateText(runs.options().perfTemplate);
  llvm::Expected<std::string> line = applyPerfTemplate(text, facts);
  if (!line)
    return line.takeError();
  if (lastTemplate_ != text) {
    outcome.before.push_back("Template entries: " + text.str());
    if (text.contains(','))
      outcome.before.push_back(llvm::cantFail(perfHeader(text)));
    lastTemplate_ = text.str();
  }
  outcome.before.push_back(std::move(*line));
  double middle = median(samples),
         minimum = *std::min_element(samples.begin(), samples.end());
  std::vector<double> deviations;
  for (double sample : samples)
    deviations.push_back(std::abs(sample - middle));
  noteTimes({minimum, middle, median(deviations),
             runs.trial.problem.operations() / minimum * 1e-9, runs.peakGflops,
             (timed.inputBytes + timed.outputBytes) / minimum * 1e-9},
            runs.createSeconds, samples, outcome);
  return llvm::Error::success();
}

/// The results' bytes, one tensor after the other.
static std::vector<std::byte>
outputBytes(llvm::ArrayRef<engine::Placement> places, size_t inputs,
            const std::byte *arena) {
  std::vector<std::byte> bytes;
  for (const engine::Placement &place : places.drop_front(inputs)) {
    const std::byte *from = arena + place.fileOffset;
    bytes.insert(bytes.end(), from, from + place.regionBytes);
  }
  return bytes;
}

/// The runs in two parts, the first of a length that an engine cannot foresee:
/// its last run is judged, and its results are compared again before the second
/// part.
WorkerResult Timing::timeWithJudge(const Runs &runs, engine::RunRequest request,
                                   bool &isRight, Outcome &outcome) {
  std::random_device chance;
  std::uniform_real_distribution<double> share(0.05, 0.95);
  double first = share(chance);
  request.freshSeed = uint64_t{chance()} << 1 | 1;
  engine::RunRequest part = request, rest = request;
  part.repeats =
      static_cast<uint32_t>(std::max(1.0, std::floor(first * request.repeats)));
  part.minRepeats = 1 + chance() % std::max(1u, request.minRepeats);
  part.maxSeconds = first * request.maxSeconds;
  auto execute = [&](const engine::RunRequest &asked) {
    Resources::Timer timer(resources_, "execute");
    return runs.tested.run(asked, runs.places);
  };
  WorkerResult result = execute(part);
  if (result.kind != WorkerResult::Kind::Ok)
    return result;
  auto results = [&] {
    return outputBytes(runs.places, runs.timed.inputs, resources_.memory());
  };
  std::vector<std::byte> before = results();
  Outcome judged;
  isRight = runs.trial.judgeTimed(judged) &&
            areGapsIntact(runs.trial.results(), resources_.memory(),
                          engine::Unwritten::Marks, judged);
  if (isRight && before != results()) {
    isRight = false;
    judged.reason = "the results changed after the run had returned";
  }
  outcome.facts["judged_run"] = static_cast<int64_t>(result.samples.size());
  outcome.judge = judged.judge;
  if (!isRight) {
    outcome.reason =
        llvm::formatv("timed run {0}, chosen at random, is wrong: {1}",
                      result.samples.size(), judged.reason)
            .str();
    llvm::append_range(outcome.after, judged.after);
    return result;
  }
  auto done = static_cast<uint32_t>(result.samples.size());
  rest.repeats -= std::min(rest.repeats, done);
  rest.minRepeats -= std::min(rest.minRepeats, done);
  rest.maxSeconds -= part.maxSeconds;
  rest.freshSeed += 2;
  if (rest.repeats == 0)
    return result;
  WorkerResult others = execute(rest);
  others.samples.insert(others.samples.begin(), result.samples.begin(),
                        result.samples.end());
  return others;
}

WorkerResult Timing::timeAll(const Runs &runs, bool &isRight,
                             Outcome &outcome) {
  const RunOptions &run = runs.options();
  engine::RunRequest request{
      static_cast<uint32_t>(runs.places.size()), 0, 0, 0, 0, 0};
  if (run.mode != Mode::Run) {
    request.repeats =
        run.fixTimes ? static_cast<uint32_t>(run.fixTimes) : 1000000;
    request.maxSeconds = run.maxMsPerProblem / 1000;
    request.minRepeats = run.fixTimes ? request.repeats : 5;
    request.coldBytesMega = run.coldCache == ColdCache::None ? 0 : 128;
    request.coldTensor =
        run.coldCache == ColdCache::Weights ? runs.timed.coldTensor : 0;
    if (runs.timed.isJudged)
      return timeWithJudge(runs, request, isRight, outcome);
  }
  Resources::Timer timer(resources_, "execute");
  return runs.tested.run(request, runs.places);
}

Status Timing::run(Trial &trial, std::vector<engine::Placement> places,
                   double createSeconds, int64_t index, engine::Worker &tested,
                   Outcome &outcome) {
  const RunOptions &run = *trial.problem.options;
  TimedProblem timed = trial.timed(places);
  double peak = run.mode == Mode::Run ? 0 : peakGflops(timed);
  Runs runs{trial, tested, std::move(places), timed, createSeconds,
            peak,  index};
  tested.setTimeout(run.timeoutSeconds + run.maxMsPerProblem / 1000);
  bool isRight = true;
  WorkerResult result = timeAll(runs, isRight, outcome);
  tested.setTimeout(run.timeoutSeconds);
  if (!isRight)
    return Status::Failed;
  outcome.reason = result.reason;
  if (result.kind == WorkerResult::Kind::Crashed ||
      result.kind == WorkerResult::Kind::Timeout)
    return statusOf(result.kind);
  if (result.kind != WorkerResult::Kind::Ok)
    return Status::Failed;
  if (run.mode == Mode::Run || result.samples.empty())
    return Status::Executed;
  if (llvm::Error error = report(runs, result.samples, outcome)) {
    end(Status::InvalidArguments, std::move(error), outcome);
    return outcome.status;
  }
  if (run.mode == Mode::CorrectnessAndPerformance)
    return Status::Passed; // its memory was checked before
  return watchMemory(runs.places, run, Status::Executed, tested, outcome);
}
