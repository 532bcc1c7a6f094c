// `assay reduce`: the smallest test that still fails, from a program, a test or
// a recording.
#include "assay/judge/reduce/Reduce.h"
#include "EnginePlan.h"
#include "Options.h"
#include "assay/engine/Registry.h"
#include "assay/engine/all/Engines.h"
#include "assay/judge/reduce/Checks.h"
#include "assay/program/Inputs.h"
#include "assay/support/Words.h"
#include "assay/triage/EngineSubject.h"
#include "assay/triage/Recording.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>

using namespace assay;
using namespace assay::tools;
using judge::ReducedTest;
using judge::Reduction;
using tensor::Tensor;

static constexpr const char *kExamples = R"(examples:
  assay reduce model.mlir --expect model.npz --engine plugin:./libmykernels.so -o small.mlir
  assay reduce test.mlir --engine native -o small.mlir      a test with check operations, or with test.npz beside it
  assay reduce dump.json -o small.mlir                      a recording of PyTorch, without PyTorch: the recorded results are on trial
  assay reduce dump.json --engine onednn -o small.mlir      its calls on an engine
  assay reduce model.mlir --input random --engine onednn -o small.mlir --budget 300
  assay reduce model.mlir --input model.npz --engine onednn -o small.mlir --resume   goes on after a kill
The first operation whose results leave the derived bound, on inputs that the reference computed, is cut out; then its
sizes, attributes and values get smaller while it fails in the same way. Several faults give small.mlir, small.2.mlir, ...
`assay test small.mlir --engine E` fails on the engine, and passes on a right one; without --engine, `assay test` of a test
from a recording judges what was recorded.
exit codes: 0 a test was written, 2 bad input, 3 nothing fails, 130 Ctrl-C)";

/// With more tests at once, most would be run for nothing.
static constexpr int kMostLanes = 8;

namespace {
struct ReduceFlags {
  std::string path, entry, expect, engine, output, program;
  std::vector<std::string> inputs;
  double budget = 60, timeout = 10;
  bool resume = false;
  CommonOptions common;
};
} // namespace

static void addOptions(CLI::App &app, ReduceFlags &o) {
  app.add_option("PROGRAM", o.path,
                 "a program or test in MLIR text, DUMP.h5 or dump.json")
      ->required();
  app.add_option("--program", o.program,
                 "of an .h5 that `assay run --record` wrote: the program");
  app.add_option("--entry", o.entry,
                 "function (default: main, or the only public one)");
  app.add_option("--expect", o.expect,
                 "as of `assay run`: in0, in1, ... of this .npz are the "
                 "arguments");
  app.add_option("--input", o.inputs,
                 "arguments as `assay run` takes them (default: the .npz "
                 "beside the program, else random)")
      ->allow_extra_args(false);
  app.add_option("--engine", o.engine,
                 "the engine that is wrong (default: native; of a dump: the "
                 "recording itself)")
      ->check(engineNames());
  app.add_option("-o", o.output,
                 "the smaller test; its data in the .npz beside")
      ->required();
  app.add_option("--budget", o.budget, "seconds; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--timeout", o.timeout,
                 "seconds after which a run of the engine hangs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--resume", o.resume,
               "take over what a killed run has tried (OUTPUT.journal)");
  o.common.addTo(app, kThreads | kSeed);
  app.footer(kExamples);
}

/// The arguments: those that the user gives, from --expect, from the file
/// beside the program, or random.
static std::vector<std::string> inputSpecs(const ReduceFlags &o) {
  if (!o.inputs.empty())
    return o.inputs;
  if (!o.expect.empty())
    return {o.expect};
  llvm::SmallString<128> beside(o.path);
  llvm::sys::path::replace_extension(beside, ".npz");
  if (llvm::sys::fs::exists(beside))
    return {beside.str().str()};
  return {"random"};
}

static llvm::Expected<judge::ReduceRequest> request(const ReduceFlags &o) {
  judge::ReduceRequest request;
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::load(o.path);
  if (!program)
    return program.takeError();
  if (llvm::Error error =
          judge::withoutChecks(*program, o.entry).moveInto(request.program))
    return error;
  request.entry = o.entry;
  mlir::func::FuncOp function =
      llvm::cantFail(request.program->function(o.entry));
  if (function.getNumArguments() > 0)
    if (llvm::Error error = program::makeInputs(*request.program, function,
                                                inputSpecs(o), o.common.seed)
                                .moveInto(request.inputs))
      return error;
  return request;
}

/// small.mlir, small.2.mlir, ...
static std::string numbered(llvm::StringRef path, size_t i) {
  if (i == 0)
    return path.str();
  llvm::StringRef stem = path;
  stem.consume_back(".mlir");
  return (stem + "." + llvm::Twine(i + 1) + ".mlir").str();
}

static llvm::json::Value toJson(const ReducedTest &test,
                                const std::string &path) {
  return llvm::json::Object{{"file", path},
                            {"sentence", test.sentence},
                            {"symptom", judge::nameOf(test.finding.symptom)},
                            {"said", test.finding.text},
                            {"operation", test.operation},
                            {"location", test.location},
                            {"execution", test.execution},
                            {"operations", test.test.operations()},
                            {"elements", test.test.elements()}};
}

static bool isRecording(llvm::StringRef path) {
  return path.ends_with(".h5") || path.ends_with(".json") ||
         llvm::sys::fs::is_directory(path);
}

static llvm::Error showTests(const ReduceFlags &o, const Reduction &reduction,
                             double seconds) {
  bool talk = o.common.json != "-" && !o.common.quiet;
  llvm::json::Array rows;
  for (auto [i, test] : llvm::enumerate(reduction.tests)) {
    std::string path = numbered(o.output, i);
    if (llvm::Error error = judge::writeTest(test, path))
      return error;
    rows.push_back(toJson(test, path));
    if (!talk)
      continue;
    llvm::outs() << llvm::formatv(
        "{0}: {1} and {2}, of {3} and {4}\n  {5}\n  first seen {6}\nrepro: "
        "assay test {0}{7}\n",
        path, counted(test.test.operations(), "operation"),
        counted(test.test.elements(), "element"), reduction.operations,
        reduction.elements, test.sentence,
        isRecording(o.path)
            ? "in call " + test.location
            : llvm::formatv("at {0}, execution {1} of that {2}", test.location,
                            test.execution, test.operation)
                  .str(),
        o.engine.empty() ? "" : " --engine " + o.engine);
    if (!test.finding.text.empty())
      llvm::outs() << "  " << test.finding.text << "\n";
  }
  if (talk && !reduction.note.empty())
    llvm::outs() << reduction.note << "\n";
  if (talk)
    llvm::outs() << llvm::formatv(
        "reduce: {0} tests, {1} trials, {2:f1} s{3}\n", reduction.tests.size(),
        reduction.trials, seconds,
        reduction.isComplete ? ""
                             : "; the budget ended it: --budget with --resume "
                               "goes on");
  if (o.common.json.empty())
    return llvm::Error::success();
  return writeJson(o.common.json,
                   llvm::json::Object{{"tests", std::move(rows)},
                                      {"trials", reduction.trials},
                                      {"complete", reduction.isComplete},
                                      {"note", reduction.note},
                                      {"seconds", seconds}});
}

/// Makes plans that compute products with kernels. The inputs of an operation
/// need not be exact, since its outputs are judged on these very inputs.
static judge::PlanMaker fastPlan() {
  engine::EngineOptions options;
  options.fastReference = true;
  auto engine = std::make_shared<std::unique_ptr<engine::Engine>>(
      llvm::cantFail(engine::makeEngine("reference", options)));
  return [engine](std::shared_ptr<const program::Program> program,
                  llvm::StringRef entry) {
    engine::PlanRequest request;
    request.entry = entry.str();
    request.wanted = [](mlir::Operation *) { return true; };
    return (*engine)->makePlan(std::move(program), request);
  };
}

namespace {
/// The recorded results are under test: no engine is run.
class Recording final : public judge::Subject {
public:
  std::string name() const override { return "the recording"; }
  judge::SubjectRun run(std::shared_ptr<const program::Program>,
                        llvm::ArrayRef<Tensor>) override {
    judge::SubjectRun run;
    run.tookPart = false;
    return run;
  }
};
} // namespace

/// A test that hangs is run many times, and each run takes the whole time
/// limit. Tests of at most a quarter of the size of the first one that hung get
/// a quarter of the time.
namespace {
/// What all lanes know about the engine.
struct Seen {
  /// The number of elements of the inputs of the first test that hung; 0: none
  /// has.
  std::atomic<int64_t> firstHang{0};
  std::atomic<bool> tookPart{false}; ///< in any test
};
using SharedSeen = std::shared_ptr<Seen>;

class Impatient final : public judge::Subject {
public:
  Impatient(std::unique_ptr<judge::Subject> patient,
            std::unique_ptr<judge::Subject> hasty, SharedSeen seen)
      : patient_(std::move(patient)), hasty_(std::move(hasty)),
        seen_(std::move(seen)) {}
  std::string name() const override { return patient_->name(); }
  judge::SubjectRun run(std::shared_ptr<const program::Program> program,
                        llvm::ArrayRef<Tensor> inputs) override {
    int64_t size = 0;
    for (const Tensor &input : inputs)
      size += input.size();
    int64_t hung = seen_->firstHang, none = 0;
    if (hung > 0 && size <= hung / 4)
      return hasty_->run(std::move(program), inputs);
    judge::SubjectRun ran = patient_->run(std::move(program), inputs);
    if (ran.ending == judge::Ending::Hung)
      seen_->firstHang.compare_exchange_strong(none, size);
    if (ran.ending != judge::Ending::Refused && ran.tookPart)
      seen_->tookPart = true;
    return ran;
  }

private:
  std::unique_ptr<judge::Subject> patient_, hasty_;
  SharedSeen seen_;
};
} // namespace

static llvm::Expected<std::unique_ptr<judge::Subject>>
subjectOf(const ReduceFlags &o, const SharedSeen &seen) {
  if (isRecording(o.path) && o.engine.empty())
    return std::make_unique<Recording>();
  std::unique_ptr<judge::Subject> subjects[2];
  for (int i : {0, 1})
    if (llvm::Error error =
            triage::EngineSubject::create(
                o.engine, o.common.threads,
                i ? std::max(o.timeout / 4, std::min(o.timeout, 1.0))
                  : o.timeout)
                .moveInto(subjects[i]))
      return error;
  return std::make_unique<Impatient>(std::move(subjects[0]),
                                     std::move(subjects[1]), seen);
}

/// Adds lanes that run tests at the same time, one per thread.
static llvm::Error addLanes(const ReduceFlags &o, const SharedSeen &seen,
                            judge::Trial &trial) {
  int lanes = std::min(trial.pool().threads(), kMostLanes);
  for (int i = 1; i < lanes; ++i) {
    llvm::Expected<std::unique_ptr<judge::Subject>> subject =
        subjectOf(o, seen);
    if (!subject)
      return subject.takeError();
    trial.addLane(std::move(*subject), 1);
  }
  return llvm::Error::success();
}

/// Runs the reduction; removes the journal when it has finished.
static llvm::Expected<Reduction> reduceAll(const ReduceFlags &o,
                                           const SharedSeen &seen) {
  judge::ReduceRequest asked;
  std::string heading = "assay reduce 1 " + o.path + " " + o.engine;
  if (!isRecording(o.path)) {
    if (llvm::Error error = request(o).moveInto(asked))
      return error;
    asked.plan = fastPlan();
    judge::TestCase whole{asked.program, asked.inputs, {}, {}};
    heading = "assay reduce 1 " + whole.key() + " " + o.engine;
  }
  llvm::Expected<std::unique_ptr<judge::Subject>> subject = subjectOf(o, seen);
  if (!subject)
    return subject.takeError();
  llvm::Expected<judge::Journal> journal =
      judge::Journal::open(o.output + ".journal", heading, o.resume);
  if (!journal)
    return journal.takeError();
  ThreadPool pool(o.common.threads);
  judge::Trial trial(**subject, pool, o.budget, std::move(*journal));
  if (llvm::Error error = addLanes(o, seen, trial))
    return error;
  llvm::Expected<Reduction> reduction =
      isRecording(o.path) ? triage::reduceRecording(
                                {o.path, o.program, !o.engine.empty()}, trial)
                          : judge::reduce(asked, trial);
  if (!reduction || (reduction->isComplete && !Interrupt::requested()))
    trial.journal().remove();
  return reduction;
}

ExitCode tools::reduceCommand(llvm::ArrayRef<const char *> arguments) {
  ReduceFlags o;
  CLI::App app("Makes a failing program, test or recording as small as it can "
               "be while it still fails.");
  addOptions(app, o);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (o.engine.empty() && !isRecording(o.path))
    o.engine = "native";
  auto start = std::chrono::steady_clock::now();
  auto seen = std::make_shared<Seen>();
  llvm::Expected<Reduction> reduction = reduceAll(o, seen);
  if (!reduction)
    return reportError(reduction.takeError());
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (llvm::Error error = showTests(o, *reduction, seconds))
    return reportError(std::move(error));
  if (Interrupt::requested())
    return ExitCode::Interrupted;
  if (!reduction->tests.empty())
    return ExitCode::Ok;
  if (!reduction->isComplete) {
    llvm::errs() << "assay: nothing fails in what was asked before the budget "
                    "ended: raise --budget\n";
    return ExitCode::NothingChecked;
  }
  // Assay's own engines use the reference where they have no step of their own.
  if (!o.engine.empty() && !engine::takesPrograms(o.engine) &&
      !seen->tookPart) {
    llvm::errs() << "assay: engine '" << o.engine << "' took no operation of '"
                 << o.path << "': nothing was tried; `assay run --engine "
                 << o.engine << "` says why\n";
    return ExitCode::NothingChecked;
  }
  llvm::errs() << "assay: "
               << (o.engine.empty()
                       ? "every recorded operation of '" + o.path +
                             "' is within its bound"
                       : "engine '" + o.engine +
                             "' computes every operation of '" + o.path +
                             "' within the bound on this data")
               << "\n";
  return ExitCode::NothingChecked;
}
