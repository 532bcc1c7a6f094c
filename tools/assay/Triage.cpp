// `assay triage`: which side is wrong, and why. The arguments are those of
// `verify`, or a program.
#include "assay/triage/Triage.h"
#include "EnginePlan.h"
#include "Options.h"
#include "assay/judge/reduce/Checks.h"
#include "assay/program/Inputs.h"
#include "assay/verify/Driver.h"
#include "assay/verify/Reader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;
using namespace assay::tools;
using triage::Diagnosis;

static constexpr const char *kExamples = R"(
A problem as the arguments of `assay verify`, or a program in MLIR with the flags of `assay run`.

examples:
  assay triage --matmul --dt=bf16 --engine=plugin:./libmykernels.so 64x4096:4096x64
  assay triage -o issue --conv --engine=onednn --trust=plugin:./fast.so ic64ih56oc64oh56kh3ph1
  assay triage --engine=native --op program.mlir
  assay triage model.mlir --expect model.npz --engine plugin:./libmykernels.so -o issue
closes with `at fault: engine|reference|both|tolerance|unsure (why)`; `reference` is the fast reference that made expected values, or the
file of expected results. -o DIR: the smallest test goes there.
exit codes: 0 it came to an answer, 2 bad input, 3 the failure could not be repeated, 130 Ctrl-C)";

namespace {
struct TriageFlags {
  std::string path, entry, expect, rule = "dtype", engine = "native", folder;
  std::vector<std::string> inputs;
  double budget = 50, timeout = 10;
  CommonOptions common;
};
} // namespace

static void addShared(CLI::App &app, TriageFlags &o) {
  app.add_option("-o", o.folder, "folder of the smallest test");
  app.add_option("--budget", o.budget,
                 "seconds for making the case small; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  o.common.addTo(app, kThreads | kSeed);
  app.footer(kExamples);
}

static void addProgram(CLI::App &app, TriageFlags &o) {
  app.add_option("PROGRAM", o.path, "a program or test in MLIR text")
      ->required();
  app.add_option("--entry", o.entry,
                 "function (default: main, or the only public one)");
  app.add_option("--expect", o.expect,
                 "expected results: members out0, out1, ... of this .npz");
  app.add_option("--rule", o.rule, "that the results are judged by")
      ->capture_default_str();
  app.add_option("--input", o.inputs,
                 "arguments as `assay run` takes them (default: those of "
                 "--expect, or of the .npz beside the program, else random)")
      ->allow_extra_args(false);
  app.add_option("--engine", o.engine, "the engine under test")
      ->check(engineNames())
      ->capture_default_str();
  app.add_option("--timeout", o.timeout,
                 "seconds after which a run of the engine hangs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

static triage::TriageOptions optionsOf(const TriageFlags &o) {
  return {o.common.threads, o.budget, o.folder};
}

static ExitCode report(const TriageFlags &o,
                       const std::vector<Diagnosis> &all) {
  ExitCode code = ExitCode::Ok;
  llvm::json::Array rows;
  for (const Diagnosis &one : all) {
    code = worst(code, one.exitCode());
    rows.push_back(one.toJson());
    if (o.common.json == "-")
      continue;
    if (o.common.quiet)
      llvm::outs() << "at fault: " << nameOf(one.side) << " (" << one.why
                   << ")\n";
    else
      one.print(llvm::outs());
  }
  if (!o.common.json.empty())
    if (llvm::Error error = writeJson(
            o.common.json, llvm::json::Object{{"triage", std::move(rows)}}))
      return reportError(std::move(error));
  return Interrupt::requested() ? ExitCode::Interrupted : code;
}

/// True for arguments of `verify`: one of them names a driver.
static bool hasDriver(llvm::ArrayRef<const char *> arguments) {
  return llvm::any_of(arguments, [](llvm::StringRef word) {
    return word.consume_front("--") && verify::findDriver(word);
  });
}

/// Triages the problem that these words describe, without triage's own options.
static llvm::Expected<std::vector<Diagnosis>>
triageWords(const TriageFlags &o, llvm::ArrayRef<std::string> words) {
  std::vector<Diagnosis> all;
  verify::Reader reader({}, [&](verify::Problem problem) -> llvm::Error {
    if (!problem.invalid.empty())
      return makeError(ErrorCode::InvalidArgument, "{0}", problem.invalid);
    if (!problem.unimplemented.empty())
      return makeError(ErrorCode::Unsupported, "{0}", problem.unimplemented);
    llvm::Expected<Diagnosis> one =
        triage::triageProblem(problem, optionsOf(o));
    if (!one)
      return one.takeError();
    all.push_back(std::move(*one));
    return llvm::Error::success();
  });
  std::vector<const char *> pointers;
  for (const std::string &word : words)
    pointers.push_back(word.c_str());
  if (llvm::Error error = reader.readArguments(pointers))
    return error;
  if (all.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "the words name no problem; `assay verify --help` shows "
                     "what they are");
  return all;
}

static llvm::Expected<std::vector<Diagnosis>>
triageFile(const TriageFlags &o, const std::string &command) {
  triage::ProgramQuestion question;
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::load(o.path);
  if (!program)
    return program.takeError();
  if (llvm::Error error =
          judge::withoutChecks(*program, o.entry).moveInto(question.program))
    return error;
  mlir::func::FuncOp function =
      llvm::cantFail(question.program->function(o.entry));
  llvm::SmallString<128> beside(o.path);
  llvm::sys::path::replace_extension(beside, ".npz");
  std::vector<std::string> specs = o.inputs;
  if (specs.empty())
    specs = {!o.expect.empty()               ? o.expect
             : llvm::sys::fs::exists(beside) ? beside.str().str()
                                             : "random"};
  if (function.getNumArguments() > 0)
    if (llvm::Error error = program::makeInputs(*question.program, function,
                                                specs, o.common.seed)
                                .moveInto(question.inputs))
      return error;
  question.entry = o.entry;
  question.engine = o.engine;
  question.rule = o.rule;
  question.expectFile = o.expect;
  question.words = command;
  question.timeoutSeconds = o.timeout;
  llvm::Expected<Diagnosis> one = triage::triageProgram(question, optionsOf(o));
  if (!one)
    return one.takeError();
  return std::vector<Diagnosis>{std::move(*one)};
}

ExitCode tools::triageCommand(llvm::ArrayRef<const char *> arguments) {
  TriageFlags o;
  CLI::App app("Which side of a failed comparison is wrong? Runs the "
               "debugging algorithm.");
  bool isWords = hasDriver(arguments);
  addShared(app, o);
  if (!isWords)
    addProgram(app, o);
  // The words of a problem belong to verify. Triage's own options before the
  // driver are removed here.
  std::vector<const char *> own{arguments.front()};
  std::vector<std::string> words;
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef word = arguments[i], name = word.split('=').first;
    bool takesNext =
        name == "-o" || name == "--budget" ||
        ((name == "--threads" || name == "--json") && !word.contains('='));
    bool isOwn = !isWords || takesNext || name == "--quiet" ||
                 name == "--json" || name == "--threads" || name == "--help" ||
                 name == "--help-all" || name == "-h";
    if (!isOwn) {
      words.push_back(word.str());
      continue;
    }
    own.push_back(arguments[i]);
    if (isWords && takesNext && !word.contains('=') && i + 1 < arguments.size())
      own.push_back(arguments[++i]);
  }
  if (std::optional<ExitCode> code = parseArguments(app, own))
    return *code;
  llvm::Expected<std::vector<Diagnosis>> all =
      isWords ? triageWords(o, words) : triageFile(o, shellCommand(arguments));
  return all ? report(o, *all) : reportError(all.takeError());
}
