// `assay run`: parse a program, make its arguments, run it, print or judge or
// save the results.
#include "EnginePlan.h"
#include "Options.h"
#include "assay/judge/program/BothSides.h"
#include "assay/kernels/Peaks.h"
#include "assay/numerics/Text.h"
#include "assay/program/Executor.h"
#include "assay/program/Expect.h"
#include "assay/program/Inputs.h"
#include "assay/program/Print.h"
#include "assay/program/Profile.h"
#include "assay/reference/Reference.h"
#include "assay/support/Progress.h"
#include "assay/support/Table.h"
#include "assay/tensor/Npy.h"
#include "assay/tensor/Npz.h"
#include "assay/trace/ProgramRecorder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>

using namespace assay;
using namespace assay::tools;
using program::ResultVerdict;
using program::Value;

namespace {
struct RunOptions {
  std::string path, entry, expect, rule = "dtype", output, args,
                                   accumulate = "wide", probeDirectory, record;
  std::vector<std::string> inputs;
  EngineChoice choice;
  std::unique_ptr<engine::Engine> engine;
  int repeat = 1;
  bool profile = false, printDense = false, split = false, interpret = false;
  CommonOptions common;
};

// What one program of the file came to.
struct Outcome {
  ExitCode code = ExitCode::Ok;
  int64_t passed = 0, failed = 0, engineSteps = 0;
};
} // namespace

static constexpr const char *kExamples = R"(examples:
  assay run program.mlir --input random            random arguments, results printed
  assay run mlp.mlir --input mlp.npz --expect mlp.npz   in0, in1, ... in; results judged against out0, out1, ...
  assay run mlp.mlir --input mlp.npz --expect mlp.npz --rule shadow   both sides against a shadow in f64
  assay run add.mlir --input 'dense<[1, 2]> : tensor<2xi32>' --input iota
  assay run model.mlir --input random --repeat 10 --profile
  assay run mlp.mlir --input mlp.npz --expect mlp.npz --engine plugin:./libmykernels.so   your kernels in a model
exit codes: 0 all held, 1 a check failed, 2 bad input or a limit, 3 nothing was checked, 130 Ctrl-C)";

static void addOptions(CLI::App &app, RunOptions &o) {
  app.add_option("program", o.path,
                 "MLIR text with StableHLO, CHLO, check, func")
      ->required();
  app.add_option("--entry", o.entry,
                 "function to run (default: main, or the only public one)");
  app.add_option("--input", o.inputs,
                 "one per argument: a tensor file (x.npy, a.npz:name), "
                 "dense<...> : tensor<...>, random[:seed], zeros, "
                 "iota; one .npz (in0, in1, ...) or one `random` serves all")
      ->allow_extra_args(false);
  app.add_option(
      "--args", o.args,
      "[dense<...> : tensor<...>, ...], as stablehlo-translate takes them");
  app.add_option(
      "--expect", o.expect,
      "judge the results against members out0, out1, ... of this .npz");
  app.add_option("--rule", o.rule,
                 "dtype (default), bound (derived per operation), shadow, "
                 "ulp:N, close:RTOL,ATOL, exact, or a JSON file");
  app.add_option(
      "--output", o.output,
      "save the results: FILE.npz, or a folder for out0.npy, out1.npy, ...");
  app.add_option(
      "--record", o.record,
      "record what every operation read and made into this .h5 dump");
  o.choice.addTo(app);
  app.add_option("--accumulate", o.accumulate,
                 "sums of dot and convolution: wide (one rounding) or step "
                 "(round each)")
      ->check(CLI::IsMember({"wide", "step"}));
  app.add_option("--repeat", o.repeat, "run N times and print the times")
      ->check(CLI::PositiveNumber);
  app.add_flag("--profile", o.profile,
               "time, GFLOP/s and GB/s per kind of step; with --engine native "
               "also as shares of the machine's limits");
  app.add_flag("--print-dense,--interpreter-print-dense", o.printDense,
               "print results as dense<...> literals");
  app.add_flag("--split-input-file,--split-input", o.split,
               "run every part between // ----- lines");
  app.add_option("--probe-output-dir,--probe-dir", o.probeDirectory,
                 "where interpreter.probe writes");
  app.add_flag("--interpret", o.interpret,
               "accepted for stablehlo-translate's command lines");
  o.common.addTo(app);
  app.footer(kExamples);
}

static void printResults(const RunOptions &o, llvm::ArrayRef<Value> results) {
  for (const Value &result : results) {
    if (!result.isTensor()) {
      llvm::outs() << (result.isTuple() ? "tuple\n" : "token\n");
      continue;
    }
    if (o.printDense)
      program::printDense(llvm::outs(), result.tensor());
    else
      program::printTensor(llvm::outs(), result.tensor());
    llvm::outs() << "\n";
  }
}

static llvm::Error saveResults(llvm::StringRef target,
                               llvm::ArrayRef<Value> results) {
  if (!target.ends_with(".npz")) {
    if (std::error_code code = llvm::sys::fs::create_directories(target))
      return makeError(ErrorCode::NotFound, "cannot make the folder '{0}': {1}",
                       target, code.message());
    for (size_t i = 0; i < results.size(); ++i) {
      llvm::SmallString<128> path(target);
      llvm::sys::path::append(path, "out" + llvm::Twine(i) + ".npy");
      if (results[i].isTensor())
        if (llvm::Error error = tensor::writeNpy(path, results[i].tensor()))
          return error;
    }
    return llvm::Error::success();
  }
  llvm::Expected<tensor::NpzWriter> writer = tensor::NpzWriter::create(target);
  if (!writer)
    return writer.takeError();
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].isTensor())
      if (llvm::Error error =
              writer->add("out" + std::to_string(i), results[i].tensor()))
        return error;
  return writer->finish();
}

static std::string ulpText(uint64_t ulp) {
  return ulp == ~uint64_t{0} ? "inf" : std::to_string(ulp);
}

static void printVerdicts(llvm::ArrayRef<ResultVerdict> verdicts,
                          llvm::StringRef rule) {
  using Align = Table::Align;
  std::vector<Table::Column> columns{{"result"},
                                     {"type", Align::Left, 28},
                                     {"max abs", Align::Right},
                                     {"max ulp", Align::Right},
                                     {"worst at"}};
  bool bothSides = rule == "shadow" || rule == "bound";
  if (bothSides) {
    llvm::StringRef unit = rule == "bound" ? "of bound" : "err";
    columns.push_back({(unit + "(got)").str(), Align::Right});
    columns.push_back({(unit + "(expected)").str(), Align::Right});
  }
  columns.push_back({"verdict"});
  Table table(std::move(columns));
  for (const ResultVerdict &v : verdicts) {
    std::vector<std::string> row{
        v.name, tensor::typeString(v.type.shape, v.type.element),
        llvm::formatv("{0:e2}", v.maxAbs).str(), ulpText(v.maxUlp), v.worst};
    if (bothSides) {
      row.push_back(llvm::formatv("{0:e2}", v.errorGot).str());
      row.push_back(llvm::formatv("{0:e2}", v.errorExpected).str());
    }
    row.push_back(v.passed ? "passed" : "FAILED");
    table.addRow(std::move(row));
  }
  table.print(llvm::outs());
  for (const ResultVerdict &v : verdicts)
    if (!v.passed)
      llvm::outs() << v.name << ": " << v.text << "\n";
}

static llvm::json::Value toJson(llvm::ArrayRef<ResultVerdict> verdicts) {
  llvm::json::Array rows;
  for (const ResultVerdict &v : verdicts)
    rows.push_back(llvm::json::Object{
        {"result", v.name},
        {"type", tensor::toString(v.type)},
        {"passed", v.passed},
        {"rule", v.rule},
        {"max_abs", v.maxAbs},
        {"max_ulp", ulpText(v.maxUlp)},
        {"worst", v.worst},
        {"text", v.text},
        {"error_got", numerics::printDouble(v.errorGot)},
        {"error_expected", numerics::printDouble(v.errorExpected)}});
  return rows;
}

// Rule bound: both sides against the truth, by the bounds that `assay verify
// --op` judges by.
static llvm::Expected<std::vector<ResultVerdict>>
judgeByBound(const RunOptions &o,
             std::shared_ptr<const program::Program> program,
             llvm::ArrayRef<tensor::Tensor> inputs,
             llvm::ArrayRef<Value> results, ThreadPool &threads) {
  llvm::Expected<judge::ProgramTruth> truth = judge::computeTruth(
      std::move(program), o.entry, inputs, threads, o.common.maxSeconds);
  if (!truth)
    return truth.takeError();
  return judge::judgeBothByBound(*truth, results, o.expect);
}

static llvm::Error runProgram(const RunOptions &o,
                              std::shared_ptr<const program::Program> program,
                              const std::string &repro, Outcome &outcome) {
  llvm::Expected<mlir::func::FuncOp> function = program->function(o.entry);
  if (!function)
    return function.takeError();
  std::vector<std::string> specs = o.inputs;
  if (!o.args.empty()) {
    llvm::Expected<std::vector<std::string>> split = program::splitArgs(o.args);
    if (!split)
      return split.takeError();
    specs = std::move(*split);
  }
  llvm::Expected<std::vector<tensor::Tensor>> inputs =
      program::makeInputs(*program, *function, specs, o.common.seed);
  if (!inputs)
    return inputs.takeError();
  llvm::Expected<numerics::RuleSet> rules = numerics::RuleSet::parse(o.rule);
  if (!rules)
    return rules.takeError();
  bool shadow = !o.expect.empty() && o.rule == "shadow";

  engine::PlanRequest planOptions;
  planOptions.entry = o.entry;
  planOptions.shadow = shadow;
  planOptions.numeric.accumulatePerStep = o.accumulate == "step";
  if (!o.record.empty())
    planOptions.wanted = [](mlir::Operation *) { return true; };
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      o.engine->makePlan(program, planOptions);
  if (!plan)
    return plan.takeError();
  ThreadPool threads(o.common.threads);
  program::RunContext context(threads);
  llvm::Expected<std::shared_ptr<MemoryBudget>> budget =
      o.common.memoryBudget();
  if (!budget)
    return budget.takeError();
  context.budget = *budget;
  context.shadow = shadow;
  context.probeDirectory = o.probeDirectory;
  if (o.common.maxSeconds > 0)
    context.interrupt.setTimeLimit(o.common.maxSeconds);
  program::Profile profile;
  program::ProgressObserver progress((*plan)->stepCount(), o.common.quiet);
  if (o.profile)
    context.observers.push_back(&profile);
  if (progress.enabled())
    context.observers.push_back(&progress);

  std::unique_ptr<trace::DumpWriter> writer;
  std::unique_ptr<trace::ProgramRecorder> recorder;
  if (!o.record.empty()) {
    llvm::Expected<std::unique_ptr<trace::DumpWriter>> created =
        trace::DumpWriter::create(o.record);
    if (!created)
      return created.takeError();
    writer = std::move(*created);
    recorder = std::make_unique<trace::ProgramRecorder>(*writer);
    context.observers.push_back(recorder.get());
  }

  std::vector<Value> results;
  std::vector<double> timesMs;
  llvm::Error failure = llvm::Error::success();
  for (int repeat = 0; repeat < o.repeat; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    llvm::Expected<std::vector<Value>> run =
        program::execute(**plan, *inputs, context);
    timesMs.push_back(std::chrono::duration<double, std::milli>(
                          std::chrono::steady_clock::now() - start)
                          .count());
    if (!run) {
      llvm::consumeError(std::move(failure));
      failure = run.takeError();
      break;
    }
    results = std::move(*run);
  }
  progress.finish();
  outcome.engineSteps += context.engineSteps;
  // Checks that were made before an error are reported before it.
  for (const program::CheckResult &check : context.checks) {
    ++(check.passed ? outcome.passed : outcome.failed);
    if (!check.passed)
      llvm::outs() << check.location << ": check failed: " << check.message
                   << "\n";
  }
  if (failure)
    return failure;
  if (recorder) {
    if (llvm::Error error = recorder->takeError())
      return error;
    llvm::Expected<trace::DumpStatistics> statistics = writer->close();
    if (!statistics)
      return statistics.takeError();
    if (!o.common.quiet)
      llvm::errs() << "recorded " << statistics->tensors << " tensors in "
                   << o.record << ", " << statistics->storedOnce
                   << " of them equal to earlier ones\n";
  }
  std::vector<ResultVerdict> verdicts;
  if (o.expect.empty()) {
    if (o.common.json != "-" && o.output.empty() && o.repeat == 1)
      printResults(o, results);
  } else {
    llvm::Expected<std::vector<ResultVerdict>> judged =
        o.rule == "bound" ? judgeByBound(o, program, *inputs, results, threads)
                          : program::judgeResults(results, o.expect, *rules);
    if (!judged)
      return judged.takeError();
    verdicts = std::move(*judged);
    for (const ResultVerdict &v : verdicts)
      ++(v.passed ? outcome.passed : outcome.failed);
    if (o.common.json != "-") {
      printVerdicts(verdicts, o.rule);
      if (shadow && context.divergedDecisions > 0)
        llvm::outs()
            << context.divergedDecisions
            << " comparisons would have gone the other way in the shadow\n";
    }
  }
  if (!o.output.empty())
    if (llvm::Error error = saveResults(o.output, results))
      return error;
  if (o.profile) {
    program::MachineLimits limits;
    if (o.choice.name == "native") {
      // The products' steps are judged by what this machine reaches in this
      // minute.
      kernels::Registry registry;
      llvm::Expected<double> gflops =
          kernels::measureGflops(registry, {}, threads.threads(), threads);
      if (gflops)
        limits = {*gflops,
                  kernels::measureBandwidth(threads.threads(), 256, threads)};
      else
        llvm::consumeError(gflops.takeError());
    }
    profile.print(llvm::outs(), limits);
  }
  std::sort(timesMs.begin(), timesMs.end());
  if (o.repeat > 1)
    llvm::outs() << llvm::formatv(
        "time: min {0:F3} ms, median {1:F3} ms over {2} runs\n",
        timesMs.front(), timesMs[timesMs.size() / 2], timesMs.size());
  if (outcome.failed > 0 && o.common.json != "-")
    llvm::outs() << "repro: " << repro << "\n";
  if (!o.common.json.empty()) {
    llvm::json::Object object{{"program", program->name()},
                              {"results", toJson(verdicts)},
                              {"checks_passed", outcome.passed},
                              {"checks_failed", outcome.failed},
                              {"time_ms", timesMs.front()},
                              {"peak_bytes", context.budget->peakBytes()}};
    return writeJson(o.common.json, std::move(object));
  }
  return llvm::Error::success();
}

/// What the engine did itself. A judgement in which the engine of another
/// library had no part is none; Assay's own are the reference wherever they
/// have nothing of their own.
static void reportEngine(const RunOptions &o, int64_t steps, bool judged,
                         ExitCode &code) {
  bool isOther = o.choice.name != "reference" && o.choice.name != "native";
  if (o.choice.name == "reference")
    return;
  if (steps == 0 && code == ExitCode::Ok) {
    llvm::errs() << "assay: warning: nothing ran on engine '" << o.choice.name
                 << "'\n";
    if (judged && isOther)
      code = ExitCode::NothingChecked;
  } else if (steps > 0 && isOther && !o.common.quiet) {
    llvm::errs() << steps << " products and convolutions ran on engine '"
                 << o.choice.name << "'\n";
  }
  for (const auto &[reason, count] : o.engine->kept())
    if (!o.common.quiet)
      llvm::errs() << count << " stayed with the reference: " << reason << "\n";
}

ExitCode tools::runCommand(llvm::ArrayRef<const char *> arguments) {
  RunOptions o;
  CLI::App app("Runs a StableHLO program in the reference interpreter; prints "
               "its results or judges them.");
  addOptions(app, o);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<std::string> text = program::readFile(o.path);
  if (!text)
    return reportError(text.takeError());
  std::vector<std::string> parts =
      o.split ? program::splitInput(*text)
              : std::vector<std::string>{std::move(*text)};
  if (llvm::Error error = o.choice.make(o.common.threads, o.common.maxSeconds)
                              .moveInto(o.engine))
    return reportError(std::move(error));
  Outcome outcome;
  for (const std::string &part : parts) {
    if (o.split && llvm::StringRef(part).trim().empty())
      continue;
    llvm::Expected<std::shared_ptr<const program::Program>> program =
        program::Program::parse(part, o.path);
    llvm::Error error =
        program ? runProgram(o, *program, shellCommand(arguments), outcome)
                : program.takeError();
    if (error)
      outcome.code = worst(outcome.code, reportError(std::move(error)));
  }
  if (outcome.failed > 0)
    outcome.code = worst(outcome.code, ExitCode::CheckFailed);
  bool checked = outcome.passed + outcome.failed > 0;
  if (checked && o.common.json != "-")
    llvm::outs() << "checks: " << outcome.passed << " passed, "
                 << outcome.failed << " failed\n";
  reportEngine(o, outcome.engineSteps, checked, outcome.code);
  if (!checked && !o.expect.empty() && outcome.code == ExitCode::Ok)
    outcome.code = ExitCode::NothingChecked;
  return outcome.code;
}
