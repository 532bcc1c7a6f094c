// Modes R and P: one run, or as many as fit the time, and their statistics. Times come from the worker, which stops the
// clock around the engine's own computation.
#include "assay/verify/SessionData.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::verify;
using engine::WorkerResult;

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t n = values.size();
  return n == 0 ? 0 : n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// Replaces the %fields% of benchdnn's templates.
static std::string applyTemplate(llvm::StringRef text, const Case &c, const std::vector<double> &samples, double createMs) {
  const Problem &p = *c.problem;
  double minimum = *std::min_element(samples.begin(), samples.end()), maximum = *std::max_element(samples.begin(), samples.end());
  double sum = 0;
  for (double s : samples)
    sum += s;
  double average = sum / static_cast<double>(samples.size()), ops = p.operations();
  auto stripped = [](std::string name) { return llvm::StringRef(name).trim('"').str(); };
  std::string out;
  while (!text.empty()) {
    auto [before, rest] = text.split('%');
    out += before;
    if (before.size() == text.size())
      break;
    auto [field, tail] = rest.split('%');
    text = tail;
    llvm::StringRef name = field;
    double time = name.consume_front("-") ? minimum : name.consume_front("+") ? maximum : average;
    if (name.consume_front("0"))
      time = average;
    double unit = 1;
    if (name.size() > 1 && (name[0] == 'K' || name[0] == 'M' || name[0] == 'G')) {
      unit = name[0] == 'K' ? 1e3 : name[0] == 'M' ? 1e6 : 1e9;
      name = name.drop_front();
    }
    auto value = [&](double v) { return llvm::formatv("{0:f6}", v / unit).str(); };
    if (name == "engine" || name == "impl")
      out += p.options->engine;
    else if (name == "driver")
      out += nameOf(p.driver);
    else if (name == "name")
      out += "\"" + stripped(p.name) + "\"";
    else if (name == "prb")
      out += p.repro;
    else if (name == "desc")
      out += descriptorText(p);
    else if (name == "dir")
      out += nameOf(p.direction);
    else if (name == "sdt")
      out += std::string(nameOf(p.types[0])) + ":" + nameOf(p.types[1]) + ":" + nameOf(p.types[2]);
    else if (name == "bia_dt")
      out += nameOf(p.biasType);
    else if (name == "stag" || name == "wtag" || name == "dtag")
      out += p.tags[name == "stag" ? 0 : name == "wtag" ? 1 : 2];
    else if (name == "alg")
      out += p.algorithm == Algorithm::Direct ? "direct" : p.algorithm == Algorithm::Winograd ? "wino" : "auto";
    else if (name == "attr")
      out += reproText(p, false).substr(0, 0) + toText(p.attributes.scales, true) + toText(p.attributes.postOps);
    else if (name == "ops")
      out += value(ops);
    else if (name == "flops")
      out += value(ops / time);
    else if (name == "time")
      out += value(time * 1e3);
    else if (name == "ctime")
      out += value(createMs);
    else if (name == "bw")
      out += value(static_cast<double>(c.bytes()) / time);
    else
      out += ("%" + field + "%").str();
  }
  return out;
}

static constexpr const char *kDefaultTemplate = "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%";
static constexpr const char *kCsvTemplate =
    "perf,%engine%,%impl%,%name%,%dir%,%sdt%,%bia_dt%,%stag%,%wtag%,%dtag%,%alg%,%attr%,%desc%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%";

Status Session::measure(const Case &c, Data &data, engine::Worker &tested, Outcome &outcome) {
  const RunOptions &run = *c.problem->options;
  data.plan = planFill(c, FillKind::Normal, run.seed);
  if (llvm::Error error = placeData(c, data, engine::Guard::AtStart, data.alignment)) {
    outcome.reason = takeError(std::move(error)).message;
    return Status::Skipped;
  }
  fillData(c, data);
  engine::RunRequest request{static_cast<uint32_t>(data.placements.size()), 0, 0, 0, 0};
  if (run.mode != Mode::Run) {
    request.repeats = run.fixTimes ? static_cast<uint32_t>(run.fixTimes) : 1000000;
    request.maxSeconds = run.maxMsPerProblem / 1000;
    request.minRepeats = run.fixTimes ? request.repeats : 5;
    request.coldBytesMega = run.coldCache == ColdCache::None ? 0 : 128;
  }
  tested.setTimeout(run.timeoutSeconds + run.maxMsPerProblem / 1000);
  WorkerResult result;
  {
    Timer timer(*this, "execute");
    result = tested.run(request, data.placements);
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
  double middle = median(result.samples), minimum = *std::min_element(result.samples.begin(), result.samples.end());
  std::vector<double> deviations;
  for (double sample : result.samples)
    deviations.push_back(std::abs(sample - middle));
  double gflops = c.problem->operations() / minimum * 1e-9;
  llvm::StringRef text = run.perfTemplate == "def" ? kDefaultTemplate : run.perfTemplate == "csv" ? kCsvTemplate : run.perfTemplate.c_str();
  outcome.before.push_back(applyTemplate(text, c, result.samples, 0));
  outcome.before.push_back(llvm::formatv("  min {0:f4} ms, median {1:f4} ms, MAD {2:f4} ms over {3} runs; {4:f1} GFLOP/s", minimum * 1e3, middle * 1e3,
                                         median(deviations) * 1e3, result.samples.size(), gflops)
                               .str());
  outcome.facts["min_ms"] = minimum * 1e3;
  outcome.facts["median_ms"] = middle * 1e3;
  outcome.facts["mad_ms"] = median(deviations) * 1e3;
  outcome.facts["runs"] = static_cast<int64_t>(result.samples.size());
  outcome.facts["gflops"] = gflops;
  llvm::json::Array samples;
  for (double sample : result.samples)
    samples.push_back(sample * 1e3);
  outcome.facts["samples_ms"] = std::move(samples);
  return run.mode == Mode::CorrectnessAndPerformance ? Status::Passed : Status::Executed;
}
