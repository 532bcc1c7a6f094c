#include "ProgramRun.h"
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

// Rule bound: compares both sides with the truth, by the bounds that `assay
// verify --op` uses.
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
/// One program: planned, run, judged, reported.
class ProgramRun {
public:
  ProgramRun(const RunOptions &o,
             std::shared_ptr<const program::Program> program, RunOutcome &outcome)
      : o_(o), program_(std::move(program)), outcome_(outcome),
        threads_(o.common.threads), context_(threads_) {}

  llvm::Error plan();
  llvm::Error run();
  llvm::Error judge();
  llvm::Error report(const std::string &repro);
  /// The facts of this run, and the reason if it ended early.
  RunFacts takeFacts(std::string error);

private:
  llvm::Error makeInputs();
  llvm::Expected<std::vector<Value>> runReference();
  llvm::Error startRecording();
  llvm::Error finishRecording();
  void printProfile();

  const RunOptions &o_;
  std::shared_ptr<const program::Program> program_;
  RunOutcome &outcome_;
  ThreadPool threads_;
  program::RunContext context_;
  numerics::RuleSet rules_{numerics::Rule::dtype()};
  bool shadow_ = false; ///< a result is judged by it
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

/// The first random stream of a seed for stablehlo.rng. The factor is odd, so
/// that different seeds have different streams, far from each other.
static uint64_t randomStreamOf(uint64_t seed) {
  return seed * 0x9E3779B97F4A7C15u;
}

llvm::Error ProgramRun::plan() {
  if (llvm::Error error = makeInputs())
    return error;
  if (llvm::Error error = numerics::RuleSet::parse(o_.rule).moveInto(rules_))
    return error;
  if (!o_.expect.empty()) // report a mistake in it before the run
    if (llvm::Error error = formats::NpzReader::open(o_.expect).takeError())
      return error;
  shadow_ = !o_.expect.empty() && rules_.uses(numerics::RuleKind::Shadow);
  engine::PlanRequest request;
  request.entry = o_.entry;
  request.shadow = shadow_;
  request.numeric.accumulatePerStep = o_.accumulate == "step";
  request.numeric.convolution =
      *program::parseConvolutionAlgorithm(o_.algorithm);
  request.numeric.foldsScales = o_.fold == "auto";
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
    // A shadow computed from the program itself would be the truth that its
    // result is compared with.
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
  // Reports the checks before an error.
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

/// The reference's own results with their shadows, for judging another engine's
/// results.
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
  std::string printed; // the engine's run has printed the same
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
    // The steps of products are compared with the speed that this machine
    // reaches now.
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

llvm::Error tools::runProgram(const RunOptions &o,
                              std::shared_ptr<const program::Program> program,
                              const std::string &repro, RunOutcome &outcome) {
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
