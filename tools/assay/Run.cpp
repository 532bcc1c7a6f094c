// `assay run`: runs the programs of a file on an engine, one after the other,
// and prints the closing lines.
#include "ExportedProgram.h"
#include "ProgramRun.h"
#include "assay/engine/Registry.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/program/Inputs.h"
#include "assay/program/Print.h"
#include "assay/formats/SavedFolder.h"

#include "llvm/Support/FileSystem.h"

using namespace assay;
using namespace assay::tools;

static std::string productsText(int64_t count) {
  return std::to_string(count) + (count == 1 ? " product or convolution"
                                             : " products and convolutions");
}

/// Reports how much of the work the engine did. If another library's engine did
/// nothing, there is nothing to judge. Assay's own engines use the reference
/// wherever they have no step of their own.
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
    if (isOther && o.engine->lastWorkerResult() ==
                       engine::WorkerResult::Kind::Invalid)
      code = ExitCode::BadInput; // it cannot be loaded, or calls problems
                                 // invalid
    else if (judged && isOther)
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

/// Reports an error of the run, and tells the other ranks.
static ExitCode reportFailure(const RunOptions &o, llvm::Error error) {
  ErrorText text = takeError(std::move(error));
  if (o.ranks)
    o.ranks->fail(text.code, text.message);
  return reportError(makeError(text.code, "{0}", text.message));
}

static bool hasMain(const program::Program &program) {
  return program.module().lookupSymbol<mlir::func::FuncOp>("main") != nullptr;
}

/// Runs every function in order, as stablehlo-translate --interpret does with a
/// file without @main. Reports the errors of all but the last here.
static llvm::Error
runEachFunction(RunOptions &o, std::shared_ptr<const program::Program> program,
                const std::string &repro, RunOutcome &outcome) {
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

/// Runs every part of the text, one after the other.
static void runParts(RunOptions &o, std::string text, const std::string &repro,
                     RunOutcome &outcome) {
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
    if (program && o.choice.name == "native" && o.fold == "auto" &&
        !o.expect.empty())
      judge::allowFoldedScales(**program, /*argumentsStay=*/!o.choice.isolated);
    llvm::Error error = !program ? program.takeError()
                        : o.interpret && o.entry.empty() && !hasMain(**program)
                            ? runEachFunction(o, *program, repro, outcome)
                            : runProgram(o, *program, repro, outcome);
    if (error)
      outcome.code = worst(outcome.code, reportFailure(o, std::move(error)));
  }
}

/// Opens a folder, which stands for one of its programs (--entry) and its
/// weights; a .pt2 file stands for such a folder, which `converted` keeps.
static llvm::Error openFolder(RunOptions &o, ConvertedProgram &converted) {
  if (isExportedProgram(o.path)) {
    if (llvm::Error error = converted.convert(o.path, o.inputs))
      return error;
    o.path = converted.folder();
  }
  if (!llvm::sys::fs::is_directory(o.path))
    return llvm::Error::success();
  auto folder = formats::SavedFolder::open(o.path, o.entry);
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

/// Runs the file's programs on the engine and prints the closing lines.
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
  RunOutcome outcome;
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
  addRunOptions(app, o);
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
