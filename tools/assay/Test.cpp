// `assay test`: runs every function with checks in .mlir files, in one process,
// in parallel, or on the ranks of a launcher.
#include "EnginePlan.h"
#include "Options.h"
#include "Ranks.h"
#include "TestCases.h"
#include "assay/formats/Npz.h"
#include "assay/judge/program/BothSides.h"
#include "assay/judge/reduce/Reduce.h"
#include "assay/program/Executor.h"
#include "assay/program/Expect.h"
#include "assay/program/Inputs.h"
#include "assay/support/Progress.h"
#include "assay/support/Random.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <mutex>
#include <numeric>

using namespace assay;
using namespace assay::tools;

namespace {
struct TestOptions {
  std::vector<std::string> paths;
  std::string filter, probeDirectory, accumulate = "wide";
  EngineChoice choice;
  std::unique_ptr<engine::Engine> engine;
  int jobs = 0, threadsPerTest = 1;
  bool list = false;
  bool hasEngine = false; ///< an engine was named
  CommonOptions common;
  std::shared_ptr<MemoryBudget> budget; ///< for all tests together
  Interrupt interrupt;                  ///< for all tests together
};
} // namespace

static constexpr const char *kExamples = R"(examples:
  assay test test/reference                 every .mlir below the folder
  assay test add.mlir dot.mlir --filter bf16
  assay test test/reference --list
  assay test test/reference --engine native -j 2
  mpirun -n 4 assay test test/reference     each file on one of four processes, one report
A function is a test when it takes no arguments and has a check operation in its body; so is a @main with arguments
when FILE.npz lies beside FILE.mlir: it runs on in0, in1, ... and must give out0, ... (rule dtype, or else both sides are
within the derived bound). A test that `assay reduce` made of a recording has what was recorded, too (got0, ...): without
--engine it is judged.
exit codes: 0 all passed, 1 a test failed, 2 a file does not parse, 3 no test was found)";

static llvm::Error collect(llvm::StringRef path, std::vector<TestUnit> &units) {
  std::vector<std::string> files;
  if (llvm::sys::fs::is_directory(path)) {
    std::error_code code;
    for (llvm::sys::fs::recursive_directory_iterator it(path, code), end;
         it != end && !code; it.increment(code))
      if (llvm::StringRef(it->path()).ends_with(".mlir"))
        files.push_back(it->path());
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(path.str());
  }
  for (const std::string &file : files) {
    llvm::Expected<std::string> text = program::readFile(file);
    if (!text)
      return text.takeError();
    for (std::string &part : program::splitInput(*text))
      if (!llvm::StringRef(part).trim().empty())
        units.push_back({file, std::move(part)});
  }
  return llvm::Error::success();
}

static bool hasChecks(mlir::func::FuncOp function) {
  bool found = false;
  function.walk([&](mlir::Operation *op) {
    llvm::StringRef name = op->getName().getStringRef();
    if (name.starts_with("check."))
      found = true;
    if (auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name"))
      found |= target.getValue().starts_with("check.");
  });
  return found;
}

static bool hasProbes(mlir::func::FuncOp function) {
  return function
      .walk([](mlir::Operation *op) {
        return op->getName().getStringRef() == "interpreter.probe"
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// The data of an extracted test: FILE.npz beside FILE.mlir, for a @main that
/// takes arguments, or that has results and no checks.
static std::string dataBeside(const std::string &file,
                              mlir::func::FuncOp function) {
  llvm::SmallString<128> data(file);
  llvm::sys::path::replace_extension(data, ".npz");
  bool open = function.getNumArguments() > 0 ||
              (function.getNumResults() > 0 && !hasChecks(function));
  bool taken =
      function.getSymName() == "main" && open && llvm::sys::fs::exists(data);
  return taken ? data.str().str() : "";
}

/// The results of a recording, which replace those of a run: got0, got1, ... of
/// its file. Empty: the file has none.
static llvm::Expected<std::vector<tensor::Tensor>>
recordedResults(const std::string &data,
                llvm::ArrayRef<program::Value> results) {
  std::vector<tensor::Tensor> recorded;
  llvm::Expected<formats::NpzReader> file = formats::NpzReader::open(data);
  if (!file)
    return file.takeError();
  if (!file->contains("got0"))
    return recorded;
  for (auto [i, result] : llvm::enumerate(results)) {
    llvm::Expected<tensor::Tensor> got =
        file->read("got" + std::to_string(i), result.tensor().type());
    if (!got)
      return got.takeError();
    recorded.push_back(std::move(*got));
  }
  return recorded;
}

/// Judges the results of a test with `assay.rule = "bound"` (as `assay reduce`
/// writes it) by the bounds of its operations, on its own inputs. If there is a
/// recording, its results are judged.
static void addBoundVerdicts(
    const std::shared_ptr<const program::Program> &program,
    mlir::func::FuncOp function, llvm::ArrayRef<tensor::Tensor> inputs,
    llvm::ArrayRef<program::Value> results,
    std::vector<tensor::Tensor> recorded, program::RunContext &context) {
  judge::ProgramJudgeOptions options;
  options.entry = function.getSymName().str();
  options.everyResult = true;
  judge::ProgramJudge judge(program, options, context.threads);
  std::vector<judge::ProgramResult> got;
  std::vector<tensor::Tensor> dense;
  llvm::Error error = judge.prepare(inputs);
  const char *name = recorded.empty() ? "out" : "got";
  for (const program::Value &value : results)
    if (*name == 'o')
      recorded.push_back(value.tensor());
  for (const tensor::Tensor &value : recorded) {
    llvm::Expected<tensor::Tensor> tensor = value.dense();
    if (tensor)
      dense.push_back(std::move(*tensor));
    else
      error = llvm::joinErrors(std::move(error), tensor.takeError());
  }
  if (error) {
    context.checks.push_back({false, "", takeError(std::move(error)).message});
    return;
  }
  for (auto [i, tensor] : llvm::enumerate(dense))
    got.push_back({name + std::to_string(i), tensor.bytes()});
  judge::ProgramVerdict verdict = judge.judge(got, "recorded");
  std::string text = verdict.reason;
  for (const std::string &finding : verdict.findings)
    text += "\n" + finding;
  context.checks.push_back({verdict.status == judge::Status::Passed,
                            program::describeLocation(function.getLoc()),
                            std::move(text)});
}

/// Accepts results that fail the rule dtype if both sides are within the
/// derived bound: where the terms of a sum cancel, its size says nothing about
/// its error.
static void passByBound(const std::shared_ptr<const program::Program> &program,
                        mlir::func::FuncOp function,
                        llvm::ArrayRef<tensor::Tensor> inputs,
                        llvm::ArrayRef<program::Value> results,
                        const std::string &data, ThreadPool &threads,
                        std::vector<program::ResultVerdict> &verdicts) {
  if (llvm::all_of(verdicts, [](auto &verdict) { return verdict.passed; }))
    return;
  judge::ProgramJudge judge(program,
                            {.entry = function.getSymName().str(),
                             .everyResult = true,
                             .mistrustsUnbounded = true},
                            threads);
  std::vector<program::ResultVerdict> bounded;
  llvm::Error error = judge.prepare(inputs);
  if (!error)
    error = judge::judgeBothByBound(judge, results, data).moveInto(bounded);
  llvm::consumeError(std::move(error)); // the verdict of rule dtype is kept
  for (auto [verdict, other] : llvm::zip(verdicts, bounded))
    verdict.passed |= other.passed;
}

/// Judges the results against out0, out1, ...; each is a check.
static void addVerdicts(const std::shared_ptr<const program::Program> &program,
                        mlir::func::FuncOp function,
                        llvm::ArrayRef<tensor::Tensor> inputs,
                        llvm::ArrayRef<program::Value> results,
                        const std::string &data, program::RunContext &context) {
  llvm::Expected<std::vector<program::ResultVerdict>> verdicts =
      program::judgeResults(results, data,
                            numerics::RuleSet{numerics::Rule::dtype()});
  if (!verdicts) {
    context.checks.push_back(
        {false, data, takeError(verdicts.takeError()).message});
    return;
  }
  passByBound(program, function, inputs, results, data, context.threads,
              *verdicts);
  for (const program::ResultVerdict &verdict : *verdicts)
    context.checks.push_back(
        {verdict.passed, data + ":" + verdict.name, verdict.text});
}

/// Adds an error to a test's result.
static void addError(TestCase &result, llvm::Error error) {
  ErrorText text = takeError(std::move(error));
  result.limited |= text.code == ErrorCode::ResourceLimit;
  result.detail += (result.detail.empty() ? "" : "; ") + text.message;
}

/// Plans and runs the function; its checks are in the context. `data`: the
/// test's .npz, or empty.
static llvm::Error
execute(const TestOptions &o,
        const std::shared_ptr<const program::Program> &program,
        mlir::func::FuncOp function, const std::string &data,
        program::RunContext &context) {
  engine::PlanRequest request;
  request.entry = function.getSymName().str();
  request.numeric.accumulatePerStep = o.accumulate == "step";
  llvm::Expected<std::unique_ptr<program::Plan>> plan =
      o.engine->makePlan(program, request);
  if (!plan)
    return plan.takeError();
  std::vector<tensor::Tensor> inputs;
  if (!data.empty() && function.getNumArguments() > 0)
    if (llvm::Error error =
            program::makeInputs(*program, function, {data}, o.common.seed)
                .moveInto(inputs))
      return error;
  llvm::Expected<std::vector<program::Value>> results =
      program::execute(**plan, inputs, context);
  if (!results)
    return results.takeError();
  auto rule = function->getAttrOfType<mlir::StringAttr>(judge::kRuleAttribute);
  if (!data.empty() && rule && rule.getValue() == "bound") {
    std::vector<tensor::Tensor> recorded;
    if (!o.hasEngine)
      if (llvm::Error error = recordedResults(data, *results).moveInto(recorded))
        return error;
    addBoundVerdicts(program, function, inputs, *results, std::move(recorded),
                     context);
  } else if (!data.empty()) {
    addVerdicts(program, function, inputs, *results, data, context);
  }
  return llvm::Error::success();
}

static TestCase
runFunction(const TestOptions &o,
            const std::shared_ptr<const program::Program> &program,
            mlir::func::FuncOp function, const std::string &data,
            std::string name) {
  TestCase result{std::move(name), TestStatus::Failed, ""};
  ThreadPool threads(o.threadsPerTest);
  program::RunContext context(threads);
  context.budget = o.budget;
  context.interrupt = o.interrupt;
  std::string printed;
  llvm::raw_string_ostream printStream(printed);
  context.printStream = &printStream;
  // The probes of a test are written to its own folder, which is then removed.
  llvm::SmallString<64> probes(o.probeDirectory);
  bool ownProbes = probes.empty() && hasProbes(function);
  if (ownProbes && llvm::sys::fs::createUniqueDirectory("assay-probes", probes))
    ownProbes = false;
  llvm::scope_exit removeProbes([&] {
    if (ownProbes)
      llvm::sys::fs::remove_directories(probes);
  });
  context.probeDirectory = probes.str().str();
  llvm::Error failure = execute(o, program, function, data, context);
  for (const program::CheckResult &check : context.checks)
    if (!check.passed)
      result.detail += (result.detail.empty() ? "" : "; ") + check.location +
                       ": " + check.message;
  if (failure)
    addError(result, std::move(failure));
  else if (context.checks.empty())
    result.detail = "no check was reached";
  else if (result.detail.empty())
    result.status = TestStatus::Passed;
  return result;
}

static UnitResult runUnit(const TestOptions &o, const TestUnit &unit,
                          const llvm::Regex *filter) {
  UnitResult result;
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::parse(unit.text, unit.file);
  if (!program) {
    result.error = takeError(program.takeError()).message;
    return result;
  }
  for (mlir::func::FuncOp function :
       (*program)->module().getOps<mlir::func::FuncOp>()) {
    std::string name = unit.file + ":@" + function.getSymName().str();
    std::string data =
        function.isDeclaration() ? "" : dataBeside(unit.file, function);
    if (function.isDeclaration() || (data.empty() && !hasChecks(function)) ||
        (filter && !filter->match(name)))
      continue;
    if (o.list)
      result.cases.push_back({name, TestStatus::Passed, ""});
    else if (function.getNumArguments() > 0 && data.empty())
      result.cases.push_back({name, TestStatus::Skipped, "it takes arguments"});
    else
      result.cases.push_back(runFunction(o, *program, function, data, name));
  }
  return result;
}

static constexpr const char *kStatusNames[] = {"passed", "FAILED", "skipped"};

static void printCase(const TestOptions &o, const TestCase &c,
                      const std::string &file) {
  if (o.list)
    llvm::outs() << c.name << "\n";
  else if (c.status != TestStatus::Passed)
    llvm::outs() << kStatusNames[static_cast<int>(c.status)] << " " << c.name
                 << ": " << c.detail << "\n";
  if (c.status == TestStatus::Failed)
    llvm::outs()
        << "repro: assay test " << file << " --filter '"
        << llvm::Regex::escape(llvm::StringRef(c.name).rsplit(':').second)
        << "$'"
        << (o.choice.name == "reference" ? "" : " --engine " + o.choice.name)
        << (o.accumulate == "wide" ? "" : " --accumulate " + o.accumulate)
        << "\n";
}

/// Prints failures and counts; the exit code is that of the worst outcome.
static ExitCode report(const TestOptions &o, const std::vector<TestUnit> &units,
                       const std::vector<UnitResult> &results) {
  int64_t counts[3] = {};
  ExitCode code = ExitCode::Ok;
  llvm::json::Array rows;
  for (size_t i = 0; i < units.size(); ++i) {
    if (!results[i].error.empty()) {
      llvm::errs() << "assay: error: " << results[i].error << "\n";
      code = worst(code, ExitCode::BadInput);
    }
    for (const TestCase &c : results[i].cases) {
      ++counts[static_cast<int>(c.status)];
      printCase(o, c, units[i].file);
      if (c.limited)
        code = worst(code, ExitCode::BadInput);
      rows.push_back(llvm::json::Object{
          {"name", c.name},
          {"status", kStatusNames[static_cast<int>(c.status)]},
          {"detail", c.detail}});
    }
  }
  if (Interrupt::requested())
    code = ExitCode::Interrupted;
  if (!o.list)
    llvm::outs() << counts[0] << " passed, " << counts[1] << " failed, "
                 << counts[2] << " skipped\n";
  if (counts[1] > 0)
    code = worst(code, ExitCode::CheckFailed);
  if (counts[0] + counts[1] == 0 && code == ExitCode::Ok) {
    code = ExitCode::NothingChecked;
    if (rows.empty())
      llvm::errs() << "assay: warning: no tests: no function has check "
                      "operations, and no FILE.npz lies beside a FILE.mlir; "
                      "`assay test --help` says what a test is\n";
  }
  if (!o.common.json.empty()) {
    llvm::json::Object object{{"tests", std::move(rows)},
                              {"passed", counts[0]},
                              {"failed", counts[1]},
                              {"skipped", counts[2]}};
    if (llvm::Error error = writeJson(o.common.json, std::move(object)))
      code = worst(code, reportError(std::move(error)));
  }
  return code;
}

static void addOptions(CLI::App &app, TestOptions &o) {
  app.add_option("PATH", o.paths, ".mlir files or folders")->required();
  app.add_option(
      "-j,--jobs", o.jobs,
      "files at a time (default: --threads); they share the threads");
  o.choice.addTo(app);
  app.add_option("--accumulate", o.accumulate,
                 "sums of dot and convolution: wide (one rounding) or step "
                 "(round each)")
      ->check(CLI::IsMember({"wide", "step"}));
  app.add_option("--filter", o.filter,
                 "run only tests whose name matches this regular expression");
  app.add_option("--probe-output-dir", o.probeDirectory,
                 "where interpreter.probe writes");
  app.add_flag("--list", o.list, "list the tests, run none");
  o.common.addTo(app, kAll);
  app.footer(kExamples);
}

/// Applies the limits for all tests together, and chooses how they share the
/// threads; on a rank one unit runs at a time.
static llvm::Error applyLimits(TestOptions &o, const ranks::RankBoard *board) {
  llvm::Expected<int64_t> bytes = o.common.memoryBytes();
  if (!bytes)
    return bytes.takeError();
  o.budget = std::make_shared<MemoryBudget>(
      board ? *bytes / board->identity().onMachine : *bytes);
  o.interrupt = o.common.interrupt();
  if (board && o.jobs > 1)
    return makeError(ErrorCode::InvalidArgument,
                     "--jobs={0} beside {1} ranks of a launcher; leave out one "
                     "of them",
                     o.jobs, board->identity().size);
  int threads = board                  ? threadsOfRank(*board, o.common.threads)
                : o.common.threads > 0 ? o.common.threads
                                       : availableCores();
  if (o.jobs <= 0)
    o.jobs = board ? 1 : threads;
  o.threadsPerTest = std::max(1, threads / o.jobs);
  return llvm::Error::success();
}

/// The units in an order drawn by the seed (0: their own order), to find tests
/// that depend on each other.
static std::vector<int64_t> orderOf(size_t units, uint64_t seed) {
  std::vector<int64_t> order(units);
  std::iota(order.begin(), order.end(), 0);
  CounterRandom random(seed, 0x7465);
  for (size_t i = order.size(); seed != 0 && i > 1; --i)
    std::swap(order[i - 1],
              order[random.integer(i, 0, static_cast<int64_t>(i) - 1)]);
  return order;
}

/// Reports the units that were not run because of a limit or Ctrl-C.
static ExitCode reportLeft(llvm::Error stopped, int64_t left) {
  if (!stopped)
    return ExitCode::Ok;
  return reportError(addContext(std::move(stopped),
                                std::to_string(left) + " files were not run"));
}

/// Runs the units. None begins after a limit is reached, which is then
/// reported.
static ExitCode runAll(const TestOptions &o, const std::vector<TestUnit> &units,
                       const llvm::Regex *filter,
                       std::vector<UnitResult> &results) {
  std::vector<int64_t> order = orderOf(units.size(), o.common.seed);
  Progress progress("test", static_cast<int64_t>(units.size()), o.common.quiet);
  ThreadPool pool(o.jobs);
  std::mutex mutex;
  int64_t done = 0, left = 0;
  llvm::Error stopped = llvm::Error::success();
  results.resize(units.size());
  pool.parallelFor(
      static_cast<int64_t>(units.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          auto unit = static_cast<size_t>(order[static_cast<size_t>(i)]);
          if (llvm::Error error = o.interrupt.check()) {
            std::lock_guard<std::mutex> lock(mutex);
            llvm::consumeError(std::move(stopped));
            stopped = std::move(error);
            ++left;
            continue;
          }
          results[unit] = runUnit(o, units[unit], filter);
          std::lock_guard<std::mutex> lock(mutex);
          progress.update(++done, units[unit].file);
        }
      });
  progress.finish();
  return reportLeft(std::move(stopped), left);
}

/// The same on the ranks of a launcher; one of them reports.
static ExitCode runOnRanks(const TestOptions &o, ranks::RankBoard &board,
                           const std::vector<TestUnit> &units,
                           const llvm::Regex *filter) {
  llvm::Expected<SharedUnits> shared = shareUnits(
      board, units, orderOf(units.size(), o.common.seed),
      [&](size_t unit) { return runUnit(o, units[unit], filter); },
      o.interrupt);
  if (!shared)
    return reportError(shared.takeError());
  if (!shared->reports)
    return ExitCode::Ok;
  ExitCode code = ExitCode::Ok;
  if (shared->stopped)
    code = reportLeft(
        makeError(shared->stopped->code, "{0}", shared->stopped->message),
        shared->left);
  code = worst(code, report(o, units, shared->results));
  llvm::outs().flush();
  ranks::closeReport(board);
  return code;
}

ExitCode tools::testCommand(llvm::ArrayRef<const char *> arguments) {
  TestOptions o;
  CLI::App app("Runs every function with checks in .mlir files.");
  addOptions(app, o);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  o.hasEngine = app.count("--engine") > 0;
  std::string regexError;
  llvm::Regex filter(o.filter);
  if (!o.filter.empty() && !filter.isValid(regexError))
    return reportError(makeError(ErrorCode::InvalidArgument,
                                 "--filter '{0}': {1}", o.filter, regexError));
  llvm::Expected<JoinedRanks> joined = joinRanks("test", arguments);
  if (!joined)
    return reportError(joined.takeError());
  if (joined->code)
    return *joined->code;
  if (llvm::Error error = applyLimits(o, joined->board.get()))
    return reportError(std::move(error));
  if (llvm::Error error = o.choice.make(o.threadsPerTest, o.common.maxSeconds)
                              .moveInto(o.engine))
    return reportError(std::move(error));
  std::vector<TestUnit> units;
  for (const std::string &path : o.paths)
    if (llvm::Error error = collect(path, units))
      return reportError(std::move(error));
  const llvm::Regex *chosen = o.filter.empty() ? nullptr : &filter;
  if (joined->board)
    return runOnRanks(o, *joined->board, units, chosen);
  std::vector<UnitResult> results;
  ExitCode ran = runAll(o, units, chosen, results);
  return worst(ran, report(o, units, results));
}
