// Modes R and P: one run, or as many as fit the time, and their statistics.
// Times come from the worker, which stops the clock around the engine's own
// computation. The limit that GFLOP/s are set against is measured here, in this
// process, once per pair of types (kernels/Peaks.h).
#include "assay/kernels/Peaks.h"
#include "assay/verify/PerfTemplate.h"
#include "assay/verify/SessionData.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using engine::WorkerResult;

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t n = values.size();
  return n == 0  ? 0
         : n % 2 ? values[n / 2]
                 : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// GFLOP/s that the processor reaches on these types, 0 when Assay has no
/// kernel that measures it.
double Session::peakGflops(ElementType a, ElementType b) {
  auto name = [](ElementType type) { return std::string(nameOf(type)); };
  std::string key = a == b ? name(a) : name(a) + name(b);
  auto [found, isNew] = peaks_.try_emplace(key, 0.0);
  if (!isNew)
    return found->second;
  std::optional<kernels::TypePair> types = kernels::parseTypePair(key);
  if (!types)
    return 0;
  kernels::Registry registry;
  llvm::Expected<double> peak =
      kernels::measureGflops(registry, *types, pool_.threads(), pool_);
  if (!peak) {
    llvm::consumeError(peak.takeError());
    return 0;
  }
  return found->second = *peak;
}

Status Session::measure(const Lowered &c, Data &data, double createSeconds,
                        engine::Worker &tested, Outcome &outcome) {
  const RunOptions &run = *c.problem->options;
  data.plan = planFill(c, FillKind::Normal, run.seed);
  if (llvm::Error error =
          placeData(c, data, engine::Guard::AtStart, data.alignment)) {
    outcome.reason = takeError(std::move(error)).message;
    return Status::Skipped;
  }
  fillData(c, data);
  TimedProblem timed{c.problem, createSeconds, 0, 0, 0, 0};
  for (const Slot &slot : c.slots)
    (slot.isOutput ? timed.outputBytes : timed.inputBytes) +=
        static_cast<double>(slot.spanBytes());
  for (size_t i = 0; i < c.slots.size(); ++i)
    if (c.slots[i].role == "wei" || c.slots[i].role == "diff_wei")
      timed.coldTensor = static_cast<uint32_t>(i) + 1;
  timed.peakGflops = run.mode == Mode::Run
                         ? 0
                         : peakGflops(c.slots[c.a].type, c.slots[c.b].type);
  return timeRuns(timed, data.placements, tested, outcome);
}

static std::string percentOf(double gflops, double peak) {
  return peak > 0 ? llvm::formatv(" ({0:f1} % of the measured peak of {1:f0})",
                                  100 * gflops / peak, peak)
                        .str()
                  : std::string();
}

static void reportTimes(const TimedProblem &timed,
                        const std::vector<double> &samples, Outcome &outcome) {
  double middle = median(samples),
         minimum = *std::min_element(samples.begin(), samples.end());
  std::vector<double> deviations;
  for (double sample : samples)
    deviations.push_back(std::abs(sample - middle));
  double operations = timed.problem->operations(),
         gflops = operations / minimum * 1e-9;
  std::string line =
      llvm::formatv(
          "  min {0:f4} ms, median {1:f4} ms, MAD {2:f4} ms over {3} runs",
          minimum * 1e3, middle * 1e3, median(deviations) * 1e3, samples.size())
          .str();
  if (operations > 0)
    line += llvm::formatv("; {0:f1} GFLOP/s{1}", gflops,
                          percentOf(gflops, timed.peakGflops))
                .str();
  // What has no products is as fast as memory: each tensor once.
  double bytes = (timed.inputBytes + timed.outputBytes) / minimum * 1e-9;
  if (operations == 0)
    line += llvm::formatv("; {0:f1} GB/s", bytes).str();
  outcome.before.push_back(std::move(line));
  outcome.facts["min_ms"] = minimum * 1e3;
  outcome.facts["median_ms"] = middle * 1e3;
  outcome.facts["mad_ms"] = median(deviations) * 1e3;
  outcome.facts["create_ms"] = timed.createSeconds * 1e3;
  outcome.facts["runs"] = static_cast<int64_t>(samples.size());
  outcome.facts["gbytes_per_second"] = bytes;
  if (operations > 0)
    outcome.facts["gflops"] = gflops;
  if (operations > 0 && timed.peakGflops > 0) {
    outcome.facts["peak_gflops"] = timed.peakGflops;
    outcome.facts["percent_of_peak"] = 100 * gflops / timed.peakGflops;
  }
  llvm::json::Array list;
  for (double sample : samples)
    list.push_back(sample * 1e3);
  outcome.facts["samples_ms"] = std::move(list);
}

Status Session::timeRuns(const TimedProblem &timed,
                         llvm::ArrayRef<engine::Placement> placements,
                         engine::Worker &tested, Outcome &outcome) {
  const RunOptions &run = *timed.problem->options;
  engine::RunRequest request{
      static_cast<uint32_t>(placements.size()), 0, 0, 0, 0, 0};
  if (run.mode != Mode::Run) {
    request.repeats =
        run.fixTimes ? static_cast<uint32_t>(run.fixTimes) : 1000000;
    request.maxSeconds = run.maxMsPerProblem / 1000;
    request.minRepeats = run.fixTimes ? request.repeats : 5;
    request.coldBytesMega = run.coldCache == ColdCache::None ? 0 : 128;
    request.coldTensor =
        run.coldCache == ColdCache::Weights ? timed.coldTensor : 0;
  }
  tested.setTimeout(run.timeoutSeconds + run.maxMsPerProblem / 1000);
  WorkerResult result;
  {
    Timer timer(*this, "execute");
    result = tested.run(request, placements);
  }
  tested.setTimeout(run.timeoutSeconds);
  outcome.reason = result.reason;
  if (result.kind == WorkerResult::Kind::Crashed)
    return Status::Crashed;
  if (result.kind == WorkerResult::Kind::Timeout)
    return Status::Timeout;
  if (result.kind != WorkerResult::Kind::Ok)
    return Status::Failed;
  if (run.mode == Mode::Run || result.samples.empty())
    return Status::Executed;
  PerfFacts facts{timed.problem,    result.samples,    timed.createSeconds,
                  timed.inputBytes, timed.outputBytes, problemIndex_};
  llvm::StringRef text = perfTemplateText(run.perfTemplate);
  llvm::Expected<std::string> line = applyPerfTemplate(text, facts);
  if (!line) {
    outcome.reason = takeError(line.takeError()).message;
    return Status::InvalidArguments;
  }
  if (lastTemplate_ != text) {
    outcome.before.push_back("Template entries: " + text.str());
    if (text.contains(','))
      outcome.before.push_back(llvm::cantFail(perfHeader(text)));
    lastTemplate_ = text.str();
  }
  outcome.before.push_back(std::move(*line));
  reportTimes(timed, result.samples, outcome);
  return run.mode == Mode::CorrectnessAndPerformance ? Status::Passed
                                                     : Status::Executed;
}
