// `assay run`: parse a program, make its arguments, run it, print or judge or
// save the results.
#include "EnginePlan.h"
#include "ExportedProgram.h"
#include "Options.h"
#include "RunRanks.h"
#include "RunReport.h"
#include "assay/engine/CustomLibrary.h"
#include "assay/engine/Registry.h"
#include "assay/formats/Npy.h"
#include "assay/formats/Npz.h"
#include "assay/judge/program/BothSides.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/kernels/Peaks.h"
#include "assay/program/Executor.h"
#include "assay/program/Expect.h"
#include "assay/program/Inputs.h"
#include "assay/program/Print.h"
#include "assay/program/Profile.h"
#include "assay/program/SavedFolder.h"
#include "assay/program/Watch.h"
#include "assay/reference/Reference.h"
#include "assay/support/Progress.h"
#include "assay/trace/ProgramRecorder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace assay;
using namespace assay::tools;
using program::ResultVerdict;
using program::Value;

namespace {
struct RunOptions {
  std::string path, entry, expect, rule = "dtype", output, args,
                                   accumulate = "wide", algorithm = "direct",
                                   probeDirectory, record;
  std::vector<std::string> inputs, watched, customCalls;
  std::shared_ptr<program::CustomFunctions> functions;
  EngineChoice choice;
  std::unique_ptr<engine::Engine> engine;
  std::string processes = "cooperative";
  double timeoutSeconds = 300;
  std::unique_ptr<RunRanks> ranks; ///< --processes=mpi under a launcher
  int repeat = 1;
  bool profile = false, printDense = false, split = false, interpret = false,
       exactDivision = false;
  CommonOptions common;

  /// Where text goes: standard output is the document's with `--json -`.
  llvm::raw_ostream &text() const {
    return common.json == "-" ? llvm::errs() : llvm::outs();
  }
};

// The results of the programs of the file.
struct Outcome {
  ExitCode code = ExitCode::Ok;
  int64_t passed = 0, failed = 0, mistrusted = 0, engineSteps = 0;
  std::vector<RunFacts> programs;
};
} // namespace

static constexpr const char *kExamples = R"(examples:
  assay run program.mlir --input random            random arguments, results printed
  assay run mlp.mlir --input mlp.npz --expect mlp.npz   in0, in1, ... in; results judged against out0, out1, ...
  assay run mlp.mlir --input mlp.npz --expect mlp.npz --rule shadow   both sides against a shadow in f64
  assay run add.mlir --input 'dense<[1, 2]> : tensor<2xi32>' --input iota
  assay run model.mlir --input random --repeat 10 --profile
  assay run model.mlirbc --input in.npz                 a portable artifact; so is what jax.export serialises
  assay run saved/ --input image.npy                    a folder of torch_xla: the program with its weights
  assay run model.pt2 --input in.npz                    an ExportedProgram of PyTorch (read by the PyTorch of your Python)
  assay run mlp.mlir --input mlp.npz --expect mlp.npz --engine plugin:./libmykernels.so   your kernels in a model
  assay run model.mlir --input in.npz --watch 'layer3/*' --custom-call my_op=./libmine.so   values by name; a call of yours
  mpirun -n 4 assay run sharded.mlir --input in.npz --processes=mpi   a program's processes on ranks, the same bits
exit codes: 0 all held, 1 a check failed, 2 bad input or a limit, 3 nothing was checked, 130 Ctrl-C)";

/// Which values of a program are shown, which functions it may call, and where its processes run.
static void addProgramOptions(CLI::App &app, RunOptions &o) {
  app.option_defaults()->group("Look inside");
  app.add_option("--repeat", o.repeat, "run N times and print the times")
      ->check(CLI::PositiveNumber);
  app.add_flag("--profile", o.profile,
               "time, GFLOP/s and GB/s per kind of step; with --engine native "
               "also as shares of the machine's limits");
  app.add_option("--watch", o.watched,
                 "print every value whose location has this name (* for any "
                 "text), or LINE[:COLUMN] of the file; may be repeated")
      ->allow_extra_args(false);
  app.option_defaults()->group("Calls and processes");
  app.add_option("--custom-call", o.customCalls,
                 "TARGET=LIBRARY.so:FUNCTION: a function of yours for "
                 "stablehlo.custom_call (assay_custom_call.h); may be repeated")
      ->allow_extra_args(false);
  app.add_option("--processes", o.processes,
                 "a program's processes (run_parallel, manual_computation): "
                 "cooperative (all of them here, by turns) or mpi (under "
                 "mpirun -n N: each rank runs its share)")
      ->check(CLI::IsMember({"cooperative", "mpi"}));
  app.add_option("--timeout", o.timeoutSeconds,
                 "with --processes=mpi: seconds without any news after which "
                 "a rank gives up waiting (default 300; 0: never)")
      ->check(CLI::NonNegativeNumber);
}

static void addJudgeOptions(CLI::App &app, RunOptions &o) {
  app.option_defaults()->group("Judge the results");
  CLI::Option *expect = app.add_option(
      "--expect", o.expect,
      "judge the results against members out0, out1, ... of this .npz");
  app.add_option("--rule", o.rule,
                 "dtype (default), bound (derived per operation), shadow, "
                 "ulp:N, close:RTOL,ATOL, exact, or a JSON file")
      ->needs(expect);
  app.add_flag("--exact-division", o.exactDivision,
               "rule bound: x / c and x / sqrt(y) must be divisions, not x * "
               "(1 / c) and x * rsqrt(y), which compilers make of them");
}

/// Flags that StableHLO's tools have too, and how the reference adds.
static void addRareOptions(CLI::App &app, RunOptions &o) {
  app.option_defaults()->group(kRare);
  app.add_option(
      "--args", o.args,
      "[dense<...> : tensor<...>, ...], as stablehlo-translate takes them");
  app.add_flag("--interpret", o.interpret,
               "as stablehlo-translate: a file without @main runs each of its "
               "functions");
  app.add_flag("--split-input-file,--split-input", o.split,
               "run every part between // ----- lines");
  app.add_option("--probe-output-dir,--probe-dir", o.probeDirectory,
                 "where interpreter.probe writes");
  app.add_option("--accumulate", o.accumulate,
                 "sums of dot and convolution: wide (one rounding) or step "
                 "(round each)")
      ->check(CLI::IsMember({"wide", "step"}));
}

static void addOptions(CLI::App &app, RunOptions &o) {
  app.option_defaults()->group("Program");
  app.add_option("program", o.path,
                 "StableHLO, CHLO, check, func as MLIR text or bytecode, a "
                 "portable artifact, a file of jax.export, a .pt2 file of "
                 "torch.export, or a folder of torch_xla's "
                 "StableHLOGraphModule.save()")
      ->required();
  app.add_option("--entry", o.entry,
                 "function to run (default: main, or the only public one); of "
                 "a folder: the method (default: forward)");
  app.add_option("--input", o.inputs,
                 "one per argument: a tensor file (x.npy, a.npz:name), "
                 "dense<...> : tensor<...>, random[:seed], zeros, "
                 "iota; one .npz (in0, in1, ...) or one `random` serves all")
      ->allow_extra_args(false);
  addJudgeOptions(app, o);
  app.option_defaults()->group("Results");
  app.add_option(
      "--output", o.output,
      "save the results: FILE.npz, or a folder for out0.npy, out1.npy, ...");
  app.add_option(
      "--record", o.record,
      "record what every operation read and made into this .h5 dump");
  app.add_flag("--print-dense,--interpreter-print-dense", o.printDense,
               "print results as dense<...> literals");
  app.option_defaults()->group("Engine");
  o.choice.addTo(app);
  app.add_option("--alg", o.algorithm,
                 "convolutions of --engine native: direct (default), auto (3x3 "
                 "windows of f32 by Winograd's transforms where they are "
                 "faster) or wino (wherever they can)")
      ->check(CLI::IsMember({"direct", "auto", "wino"}));
  app.add_option("--dump-passes", o.choice.dumpPasses,
                 "write the program after each pass of --engine native into "
                 "this folder; `assay passes DIR` asks whether one changed it");
  addProgramOptions(app, o);
  addRareOptions(app, o);
  o.common.addTo(app, kAll);
  app.footer(kExamples);
}

static void printResult(const RunOptions &o, const Value &result) {
  if (result.isTuple()) {
    for (const Value &part : result.tuple())
      printResult(o, part);
    return;
  }
  if (!result.isTensor())
    llvm::outs() << "token";
  else if (o.printDense)
    program::printDense(llvm::outs(), result.tensor());
  else
    program::printTensor(llvm::outs(), result.tensor());
  llvm::outs() << "\n";
}

static llvm::Error saveResults(llvm::StringRef target,
                               llvm::ArrayRef<Value> results) {
  if (!target.ends_with(".npz")) {
    if (std::error_code code = llvm::sys::fs::create_directories(target))
      return makeError(ErrorCode::NotFound, "cannot make the folder '{0}': {1}",
                       target, code.message());
    for (const program::NamedValue &result : program::tensorsOf(results)) {
      llvm::SmallString<128> path(target);
      llvm::sys::path::append(path, result.name + ".npy");
      if (llvm::Error error = formats::writeNpy(path, result.value->tensor()))
        return error;
    }
    return llvm::Error::success();
  }
  llvm::Expected<formats::NpzWriter> writer = formats::NpzWriter::create(target);
  if (!writer)
    return writer.takeError();
  for (const program::NamedValue &result : program::tensorsOf(results))
    if (llvm::Error error = writer->add(result.name, result.value->tensor()))
      return error;
  return writer->finish();
}

// Rule bound: both sides against the truth, by the bounds that `assay verify
// --op` judges by.
static llvm::Expected<std::vector<ResultVerdict>>
judgeByBound(const RunOptions &o,
             std::shared_ptr<const program::Program> program,
             llvm::ArrayRef<tensor::Tensor> inputs,
             llvm::ArrayRef<Value> results, ThreadPool &threads) {
  judge::ProgramJudge judge(std::move(program),
                            {.entry = o.entry,
                             .maxSeconds = o.common.maxSeconds,
                             .everyResult = true,
                             .mistrustsUnbounded = true},
                            threads);
  if (llvm::Error error = judge.prepare(inputs))
    return error;
  return judge::judgeBothByBound(judge, results, o.expect);
}

namespace {
/// One program on its way: planned, run, judged, reported.
class ProgramRun {
public:
  ProgramRun(const RunOptions &o,
             std::shared_ptr<const program::Program> program, Outcome &outcome)
      : o_(o), program_(std::move(program)), outcome_(outcome),
        threads_(o.common.threads), context_(threads_) {}

  llvm::Error plan();
  llvm::Error run();
  llvm::Error judge();
  llvm::Error report(const std::string &repro);
  /// The facts of this run, and why it ended early.
  RunFacts takeFacts(std::string error);

private:
  llvm::Error makeInputs();
  llvm::Expected<std::vector<Value>> runReference();
  llvm::Error startRecording();
  llvm::Error finishRecording();
  void printProfile();

  const RunOptions &o_;
  std::shared_ptr<const program::Program> program_;
  Outcome &outcome_;
  ThreadPool threads_;
  program::RunContext context_;
  numerics::RuleSet rules_{numerics::Rule::dtype()};
  bool shadow_ = false; ///< a result is measured by it
  std::vector<tensor::Tensor> inputs_;
  std::unique_ptr<program::Plan> plan_;
  program::Profile profile_;
  std::unique_ptr<program::Watch> watch_;
  std::unique_ptr<trace::DumpWriter> writer_;
  std::unique_ptr<trace::ProgramRecorder> recorder_;
  std::vector<Value> results_;
  std::vector<double> timesMs_; ///< ascending after run()
  std::vector<ResultVerdict> verdicts_;
};
} // namespace

llvm::Error ProgramRun::makeInputs() {
  llvm::Expected<mlir::func::FuncOp> function = program_->function(o_.entry);
  if (!function)
    return function.takeError();
  std::vector<std::string> specs = o_.inputs;
  if (!o_.args.empty())
    if (llvm::Error error = program::splitArgs(o_.args).moveInto(specs))
      return error;
  return program::makeInputs(*program_, *function, specs, o_.common.seed)
      .moveInto(inputs_);
}

/// Where the streams of a seed's stablehlo.rng begin: a factor that is odd keeps
/// every two seeds apart, and far.
static uint64_t randomStreamOf(uint64_t seed) {
  return seed * 0x9E3779B97F4A7C15u;
}

llvm::Error ProgramRun::plan() {
  if (llvm::Error error = makeInputs())
    return error;
  if (llvm::Error error = numerics::RuleSet::parse(o_.rule).moveInto(rules_))
    return error;
  shadow_ = !o_.expect.empty() && rules_.uses(numerics::RuleKind::Shadow);
  engine::PlanRequest request;
  request.entry = o_.entry;
  request.shadow = shadow_;
  request.numeric.accumulatePerStep = o_.accumulate == "step";
  request.numeric.convolution =
      *program::parseConvolutionAlgorithm(o_.algorithm);
  request.functions = o_.functions;
  if (!o_.watched.empty())
    if (llvm::Error error =
            program::Watch::create(*program_, o_.watched, o_.text())
                .moveInto(watch_))
      return error;
  if (!o_.record.empty())
    request.wanted = [](mlir::Operation *) { return true; };
  else if (watch_)
    request.wanted = [watch = watch_.get()](mlir::Operation *op) {
      return watch->wants(op);
    };
  if (llvm::Error error =
          o_.engine->makePlan(program_, request).moveInto(plan_))
    return error;
  if (shadow_ && !plan_->noShadow.empty()) {
    // Its own result would be the truth that it is measured by.
    rules_ =
        rules_.replaced(numerics::RuleKind::Shadow, numerics::Rule::dtype());
    if (!o_.common.quiet)
      llvm::errs() << "assay: note: there is no shadow for " << plan_->noShadow
                   << "; judged by rule dtype\n";
  }
  if (llvm::Error error = o_.common.memoryBudget().moveInto(context_.budget))
    return error;
  context_.shadow = shadow_;
  context_.probeDirectory = o_.probeDirectory;
  context_.printStream = &o_.text();
  context_.randomCalls = randomStreamOf(o_.common.seed);
  context_.interrupt = o_.common.interrupt();
  context_.ranks = o_.ranks ? &o_.ranks->ranks() : nullptr;
  if (o_.profile)
    context_.observers.push_back(&profile_);
  if (watch_)
    context_.observers.push_back(watch_.get());
  return o_.record.empty() ? llvm::Error::success() : startRecording();
}

llvm::Error ProgramRun::startRecording() {
  if (llvm::Error error =
          trace::DumpWriter::create(o_.record).moveInto(writer_))
    return error;
  recorder_ = std::make_unique<trace::ProgramRecorder>(*writer_);
  context_.observers.push_back(recorder_.get());
  return llvm::Error::success();
}

llvm::Error ProgramRun::finishRecording() {
  if (llvm::Error error = recorder_->takeError())
    return error;
  llvm::Expected<trace::DumpStatistics> statistics = writer_->close();
  if (!statistics)
    return statistics.takeError();
  if (!o_.common.quiet)
    llvm::errs() << "recorded " << statistics->tensors << " tensors in "
                 << o_.record << ", " << statistics->storedOnce
                 << " of them equal to earlier ones\n";
  return llvm::Error::success();
}

llvm::Error ProgramRun::run() {
  program::ProgressObserver progress(plan_->stepCount(), o_.common.quiet);
  if (progress.enabled())
    context_.observers.push_back(&progress);
  llvm::Error failure = llvm::Error::success();
  for (int repeat = 0; repeat < o_.repeat && !failure; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    llvm::Expected<std::vector<Value>> run =
        program::execute(*plan_, inputs_, context_);
    timesMs_.push_back(std::chrono::duration<double, std::milli>(
                           std::chrono::steady_clock::now() - start)
                           .count());
    if (run)
      results_ = std::move(*run);
    else
      failure = run.takeError();
  }
  progress.finish();
  outcome_.engineSteps += context_.engineSteps;
  llvm::erase(context_.observers, &progress);
  llvm::sort(timesMs_);
  // Checks that were made before an error are reported before it.
  for (const program::CheckResult &check : context_.checks) {
    ++(check.passed ? outcome_.passed : outcome_.failed);
    if (!check.passed)
      o_.text() << check.location << ": check failed: " << check.message
                << "\n";
  }
  if (!o_.common.quiet)
    for (const std::string &note : context_.notes)
      llvm::errs() << "assay: warning: " << note << "\n";
  if (failure)
    return failure;
  return recorder_ ? finishRecording() : llvm::Error::success();
}

/// The reference's own results with their shadows: what another engine's are
/// judged beside.
llvm::Expected<std::vector<Value>> ProgramRun::runReference() {
  program::PlanOptions options;
  options.entry = o_.entry;
  options.shadow = true;
  options.functions = o_.functions;
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      program::buildPlan(program_, reference::ReferenceCompiler(), options);
  if (!plan)
    return plan.takeError();
  program::RunContext context(threads_);
  context.shadow = true;
  context.budget = context_.budget;
  context.interrupt = o_.common.interrupt();
  std::string printed; // the engine's run has printed it
  llvm::raw_string_ostream sink(printed);
  context.printStream = &sink;
  context.probeDirectory = o_.probeDirectory;
  return program::execute(**plan, inputs_, context);
}

llvm::Error ProgramRun::judge() {
  if (o_.expect.empty())
    return llvm::Error::success();
  std::vector<Value> trusted;
  if (shadow_ && o_.choice.name != "reference")
    if (llvm::Error error = runReference().moveInto(trusted))
      return error;
  llvm::Expected<std::vector<ResultVerdict>> judged =
      rules_.name() == "bound"
          ? judgeByBound(o_, program_, inputs_, results_, threads_)
          : program::judgeResults(results_, o_.expect, rules_, trusted);
  if (!judged)
    return judged.takeError();
  verdicts_ = std::move(*judged);
  addPatterns(verdicts_);
  for (const ResultVerdict &v : verdicts_)
    ++(v.passed       ? outcome_.passed
       : v.mistrusted ? outcome_.mistrusted
                      : outcome_.failed);
  return llvm::Error::success();
}

void ProgramRun::printProfile() {
  program::MachineLimits limits;
  if (o_.choice.name == "native") {
    // The products' steps are judged by what this machine reaches in this
    // minute.
    kernels::Registry registry;
    llvm::Expected<double> gflops =
        kernels::measureGflops(registry, {}, threads_.threads(), threads_);
    if (gflops)
      limits = {*gflops, kernels::measureBandwidth(
                             threads_.threads(),
                             kernels::megabytesBeyondCaches(registry.machine()),
                             threads_)};
    else
      llvm::consumeError(gflops.takeError());
  }
  profile_.print(o_.text(), limits);
}

llvm::Error ProgramRun::report(const std::string &repro) {
  bool talk = o_.common.json != "-";
  if (o_.ranks && !o_.ranks->ranks().reports())
    return llvm::Error::success(); // another rank writes the files
  if (o_.expect.empty() && talk && o_.output.empty() && o_.repeat == 1)
    for (const Value &result : results_)
      printResult(o_, result);
  if (!o_.expect.empty() && talk) {
    printVerdicts(llvm::outs(), verdicts_, rules_);
    if (shadow_ && context_.divergedDecisions > 0)
      llvm::outs() << context_.divergedDecisions
                   << " comparisons would have gone the other way in the "
                      "shadow\n";
  }
  if (!o_.output.empty())
    if (llvm::Error error = saveResults(o_.output, results_))
      return error;
  if (o_.profile)
    printProfile();
  if (o_.repeat > 1)
    o_.text() << llvm::formatv(
        "time: min {0:F3} ms, median {1:F3} ms over {2} runs\n",
        timesMs_.front(), timesMs_[timesMs_.size() / 2], timesMs_.size());
  if (outcome_.failed + outcome_.mistrusted > 0 && talk)
    llvm::outs() << "repro: " << repro << "\n";
  return llvm::Error::success();
}

RunFacts ProgramRun::takeFacts(std::string error) {
  return {program_->name(),
          o_.entry,
          std::move(context_.checks),
          std::move(verdicts_),
          std::move(timesMs_),
          context_.budget ? context_.budget->peakBytes() : 0,
          std::move(error)};
}

static llvm::Error runProgram(const RunOptions &o,
                              std::shared_ptr<const program::Program> program,
                              const std::string &repro, Outcome &outcome) {
  ProgramRun run(o, std::move(program), outcome);
  if (llvm::Error error = run.plan())
    return error;
  llvm::Error error = run.run();
  if (!error)
    error = run.judge();
  if (!error)
    error = run.report(repro);
  ErrorText text = takeError(std::move(error));
  outcome.programs.push_back(run.takeFacts(text.message));
  return text.message.empty() ? llvm::Error::success()
                              : makeError(text.code, "{0}", text.message);
}

static std::string productsText(int64_t count) {
  return std::to_string(count) + (count == 1 ? " product or convolution"
                                             : " products and convolutions");
}

/// What the engine did itself. A judgement in which the engine of another
/// library had no part is none; Assay's own are the reference wherever they
/// have nothing of their own.
static void reportEngine(const RunOptions &o, int64_t steps, bool judged,
                         ExitCode &code) {
  bool isOther = o.choice.name != "reference" && o.choice.name != "native";
  if (o.choice.name == "reference") {
    if (steps > 0 && !o.common.quiet)
      llvm::errs() << productsText(steps)
                   << " ran on kernels (engine reference+kernels; --fast-ref "
                      "off uses none)\n";
    return;
  }
  if (steps == 0 && code == ExitCode::Ok) {
    llvm::errs() << "assay: warning: nothing ran on engine '" << o.choice.name
                 << "'\n";
    if (judged && isOther)
      code = ExitCode::NothingChecked;
  } else if (steps > 0 && isOther && !o.common.quiet) {
    llvm::errs() << (engine::pjrtPlugin(o.choice.name) ? "the program"
                                                       : productsText(steps))
                 << " ran on engine '" << o.choice.name << "'\n";
  }
  for (const auto &[reason, count] : o.engine->kept())
    if (!o.common.quiet)
      llvm::errs() << count << " stayed with the reference: " << reason << "\n";
}

/// An error of the run; the other ranks are told.
static ExitCode reportFailure(const RunOptions &o, llvm::Error error) {
  ErrorText text = takeError(std::move(error));
  if (o.ranks)
    o.ranks->fail(text.code, text.message);
  return reportError(makeError(text.code, "{0}", text.message));
}

/// Flags that do not go together, and the functions that flags name.
static llvm::Error prepare(RunOptions &o) {
  o.functions = std::make_shared<program::CustomFunctions>();
  for (const std::string &each : o.customCalls)
    if (llvm::Error error = engine::addCustomFunction(each, *o.functions))
      return error;
  if (o.choice.isolated && (!o.customCalls.empty() || !o.watched.empty()))
    return makeError(ErrorCode::InvalidArgument,
                     "--custom-call and --watch need the program in this "
                     "process: leave out --isolate");
  if (!o.choice.dumpPasses.empty() &&
      (o.choice.name != "native" || o.choice.isolated || !o.watched.empty() ||
       !o.record.empty() || !o.probeDirectory.empty()))
    return makeError(ErrorCode::InvalidArgument,
                     "--dump-passes shows the passes of --engine native in "
                     "this process, which run where no value is watched: "
                     "leave out --isolate, --watch, --record and "
                     "--probe-output-dir");
  if (o.processes == "mpi" && (o.choice.isolated || !o.record.empty() ||
                               !o.watched.empty() || !o.probeDirectory.empty()))
    return makeError(ErrorCode::InvalidArgument,
                     "--isolate, --record, --watch and --probe-output-dir look "
                     "at every process: they go with --processes=cooperative");
  return llvm::Error::success();
}

static bool hasMain(const program::Program &program) {
  return program.module().lookupSymbol<mlir::func::FuncOp>("main") != nullptr;
}

/// As stablehlo-translate --interpret does with a file without @main: every
/// function in its order. The errors of all but the last are reported here.
static llvm::Error
runEachFunction(RunOptions &o, std::shared_ptr<const program::Program> program,
                const std::string &repro, Outcome &outcome) {
  llvm::Error last = llvm::Error::success();
  for (auto function : program->module().getOps<mlir::func::FuncOp>()) {
    if (function.isDeclaration())
      continue;
    if (last)
      outcome.code = worst(outcome.code, reportFailure(o, std::move(last)));
    o.entry = function.getSymName().str();
    if (o.common.json != "-")
      llvm::outs() << "Evaluated results of function: " << o.entry << "\n";
    last = runProgram(o, program, repro, outcome);
  }
  o.entry.clear();
  return last;
}

/// Every part of the text, one after the other.
static void runParts(RunOptions &o, std::string text, const std::string &repro,
                     Outcome &outcome) {
  std::vector<std::string> parts =
      o.split ? program::splitInput(text)
              : std::vector<std::string>{std::move(text)};
  for (const std::string &part : parts) {
    if (o.split && llvm::StringRef(part).trim().empty())
      continue;
    llvm::Expected<std::shared_ptr<const program::Program>> program =
        program::Program::parse(part, o.path);
    if (program && o.exactDivision)
      judge::demandExactDivision(**program);
    llvm::Error error = !program ? program.takeError()
                        : o.interpret && o.entry.empty() && !hasMain(**program)
                            ? runEachFunction(o, *program, repro, outcome)
                            : runProgram(o, *program, repro, outcome);
    if (error)
      outcome.code = worst(outcome.code, reportFailure(o, std::move(error)));
  }
}

/// A folder stands for one of its programs (--entry) and its weights; a .pt2
/// file for such a folder, which `converted` keeps.
static llvm::Error openFolder(RunOptions &o, ConvertedProgram &converted) {
  if (isExportedProgram(o.path)) {
    if (llvm::Error error = converted.convert(o.path, o.inputs))
      return error;
    o.path = converted.folder();
  }
  if (!llvm::sys::fs::is_directory(o.path))
    return llvm::Error::success();
  auto folder = program::SavedFolder::open(o.path, o.entry);
  if (!folder)
    return folder.takeError();
  if (!o.args.empty())
    if (llvm::Error error = program::splitArgs(o.args).moveInto(o.inputs))
      return error;
  o.args.clear();
  o.entry.clear();
  o.path = folder->program;
  return folder->bind(o.inputs).moveInto(o.inputs);
}

/// The file's programs on the engine, and the closing lines.
static ExitCode runFile(RunOptions &o, const std::string &repro) {
  ConvertedProgram converted;
  if (llvm::Error error = openFolder(o, converted))
    return reportFailure(o, std::move(error));
  llvm::Expected<std::string> text = program::readFile(o.path);
  if (!text)
    return reportFailure(o, text.takeError());
  if (llvm::Error error = o.choice.make(o.common.threads, o.common.maxSeconds)
                              .moveInto(o.engine))
    return reportFailure(o, std::move(error));
  Outcome outcome;
  runParts(o, std::move(*text), repro, outcome);
  if (outcome.failed + outcome.mistrusted > 0)
    outcome.code = worst(outcome.code, ExitCode::CheckFailed);
  bool checked = outcome.passed + outcome.failed + outcome.mistrusted > 0;
  if (checked && o.common.json != "-") {
    llvm::outs() << "checks: " << outcome.passed << " passed, "
                 << outcome.failed << " failed";
    if (outcome.mistrusted > 0)
      llvm::outs() << ", " << outcome.mistrusted << " mistrusted";
    llvm::outs() << "\n";
  }
  if (!o.common.json.empty() && !outcome.programs.empty() &&
      (!o.ranks || o.ranks->ranks().reports()))
    if (llvm::Error error = writeJson(o.common.json, runJson(outcome.programs)))
      outcome.code = worst(outcome.code, reportFailure(o, std::move(error)));
  reportEngine(o, outcome.engineSteps, checked, outcome.code);
  if (!checked && !o.expect.empty() && outcome.code == ExitCode::Ok)
    outcome.code = ExitCode::NothingChecked;
  return outcome.code;
}

ExitCode tools::runCommand(llvm::ArrayRef<const char *> arguments) {
  RunOptions o;
  CLI::App app("Runs a StableHLO program in the reference interpreter; prints "
               "its results or judges them.");
  addOptions(app, o);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (llvm::Error error = prepare(o))
    return reportError(std::move(error));
  std::optional<int> watched;
  if (o.processes == "mpi")
    if (llvm::Error error =
            RunRanks::join(arguments, o.timeoutSeconds, o.ranks, watched))
      return reportError(std::move(error));
  if (watched)
    return static_cast<ExitCode>(*watched);
  ExitCode code = runFile(o, shellCommand(arguments));
  if (o.ranks)
    o.ranks->finish();
  return code;
}
