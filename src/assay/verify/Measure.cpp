// Modes R and P: one run, or as many as fit the time, and their statistics.
// Times come from the worker, which stops the clock around the engine's own
// computation. The limit that GFLOP/s are set against is measured here, in this
// process, once per pair of types (kernels/Peaks.h).
#include "assay/kernels/Peaks.h"
#include "assay/verify/PerfTemplate.h"
#include "assay/verify/SessionData.h"

#include <algorithm>
#include <cmath>
#include <random>

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
  data.plan = planFill(
      c, run.inputs.empty() ? FillKind::Normal : FillKind::Given, run.seed);
  data.plan.nonFinite = data.anyNonFinite;
  if (llvm::Error error =
          placeData(c, data, engine::Guard::AtStart, data.alignment)) {
    outcome.reason = takeError(std::move(error)).message;
    return Status::Skipped;
  }
  fillData(c, data);
  TimedProblem timed;
  timed.problem = c.problem;
  timed.createSeconds = createSeconds;
  timed.inputs =
      llvm::count_if(c.slots, [](const Slot &slot) { return !slot.isOutput; });
  for (size_t i = 0; i < c.slots.size(); ++i) {
    const Slot &slot = c.slots[i];
    auto bytes = static_cast<double>(slot.bytes());
    (slot.isOutput ? timed.outputBytes : timed.inputBytes) += bytes;
    if (static_cast<int>(i) == c.sumInput && slot.isOutput)
      timed.inputBytes += bytes; // a tensor that sums are added to is read, too
    // The bytes between the elements of a strided input must stay as they are.
    if (c.sumInput < 0 && (slot.isOutput || slot.isDense()))
      data.placements[i].freshBytes = slot.spanBytes();
  }
  if (c.sumInput < 0 && run.mode != Mode::Run)
    timed.judge = [&](Outcome &judged) { return judgeTimed(c, data, judged); };
  for (size_t i = 0; i < c.slots.size(); ++i)
    if (c.slots[i].role == "wei" || c.slots[i].role == "diff_wei")
      timed.coldTensor = static_cast<uint32_t>(i) + 1;
  timed.peakGflops = run.mode == Mode::Run
                         ? 0
                         : peakGflops(c.slots[c.a].type, c.slots[c.b].type);
  return timeRuns(timed, data.placements, tested, outcome);
}

bool Session::judgeTimed(const Lowered &c, Data &data, Outcome &outcome) {
  for (size_t i = 0; i < c.slots.size(); ++i) {
    const Slot &slot = c.slots[i];
    std::byte *at = data.at(*arena_, static_cast<int>(i));
    if (!slot.isOutput && data.values[i] != reinterpret_cast<float *>(at))
      unpack(slot, at, data.values[i], pool_);
  }
  takeFactors(c, data);
  return checkFill(c, data, outcome);
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
  // A problem without products is as fast as memory: each element once.
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

/// The results' bytes, one tensor after the other.
static std::vector<std::byte>
outputBytes(llvm::ArrayRef<engine::Placement> placements, size_t inputs,
            const std::byte *arena) {
  std::vector<std::byte> bytes;
  for (const engine::Placement &place : placements.drop_front(inputs)) {
    const std::byte *from = arena + place.fileOffset;
    bytes.insert(bytes.end(), from, from + place.regionBytes);
  }
  return bytes;
}

/// The runs in two parts, the first of a length that an engine cannot foresee: its
/// last run is judged, and its results are looked at once more before the
/// second part.
WorkerResult
Session::timeWithJudge(const TimedProblem &timed, engine::RunRequest request,
                       llvm::ArrayRef<engine::Placement> placements,
                       engine::Worker &tested, bool &isRight,
                       Outcome &outcome) {
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
    Timer timer(*this, "execute");
    return tested.run(asked, placements);
  };
  WorkerResult result = execute(part);
  if (result.kind != WorkerResult::Kind::Ok)
    return result;
  size_t inputs = timed.inputs;
  std::vector<std::byte> before =
      outputBytes(placements, inputs, arena_->data());
  Outcome judged;
  isRight = timed.judge(judged);
  if (isRight && before != outputBytes(placements, inputs, arena_->data())) {
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
  if (timed.judge) {
    bool isRight = true;
    result =
        timeWithJudge(timed, request, placements, tested, isRight, outcome);
    if (!isRight)
      return Status::Failed;
  } else {
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
  facts.implementation =
      outcome.facts.getString("implementation").value_or("").str();
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
  if (run.mode == Mode::CorrectnessAndPerformance)
    return Status::Passed; // its memory was watched before
  return watchMemory(placements, tested, *timed.problem, Status::Executed,
                     outcome);
}
