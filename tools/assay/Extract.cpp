// `assay extract`: makes unit tests from recorded operator calls.
#include "Options.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/support/Table.h"
#include "assay/support/Words.h"
#include "assay/trace/ExtractMlir.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;
using namespace assay::trace;

static constexpr const char *kFooter = R"(examples:
  assay extract dump.json                         pytests/ from a trace of begin_dump/end_dump
  assay extract dump.json --factory=random -o t   random data in the recorded ranges, into t/
  pytest --detail_compare_path=gpu.csv pytests/ --seed 42
  assay extract dump.json --format mlir           mlirtests/: StableHLO programs with their data, no framework
  assay test mlirtests --engine native
  assay extract run.h5 --program model.mlir       the operations of `assay run model.mlir --record run.h5`

exit codes: 0 tests were written, 2 bad input, 3 no test could be made)";

namespace {
struct Flags {
  tools::CommonOptions common;
  std::string input, program, factory = "load", blacklist, format;
  ExtractOptions options;

  void add(CLI::App &app) {
    app.add_option("DUMP", input,
                   "dump.json of begin_dump/end_dump, or an .h5 with operator "
                   "calls (of PrecisionDebugger with "
                   "dump_torch_api, of begin_dump, of `assay run --record`), "
                   "or the folder with one of them")
        ->required();
    app.add_option("-o", options.outDir,
                   "folder of the tests (default: pytests, or mlirtests for "
                   "--format mlir)");
    app.add_option(
        "--program", program,
        "the .mlir program that an .h5 of `assay run --record` is of");
    app.add_option("--factory", factory,
                   "load: recorded tensors where there are some; random: data "
                   "in the recorded range (pytest only)")
        ->check(CLI::IsMember({"load", "random"}))
        ->capture_default_str();
    app.add_flag(
        "--cpu_init", options.cpuInit,
        "make inputs on the CPU, so that every device gets the same data");
    app.add_flag("--blacklist{default}", blacklist,
                 "operators to leave out, separated by commas after '='; without names: "
                 "those whose results are random");
    app.add_option("--format", format,
                   "pytest: tests for PyTorch; mlir: StableHLO programs with "
                   "an .npz beside each; both (default: "
                   "pytest, mlir for the dump of a program)")
        ->check(CLI::IsMember({"pytest", "mlir", "both"}));
    common.addTo(app, tools::kNothing);
  }
};
} // namespace

/// Prints the tests that were made and those left out; returns the same facts
/// as JSON.
static llvm::json::Object report(const ExtractReport &made,
                                 llvm::StringRef kind, const Flags &flags) {
  if (!flags.common.quiet && flags.common.json != "-") {
    tools::out() << llvm::formatv(
        "{0}: {1} in {2} in {3}\n", counted(made.calls, "recorded call"),
        counted(made.tests, kind == "pytest" ? "test" : ".mlir test"),
        counted(made.files, "file"), flags.options.outDir);
    for (const auto &[reason, count] : made.leftOut)
      tools::out() << llvm::formatv("  {0} left out: {1}\n", count, reason);
  }
  llvm::json::Object leftOut;
  for (const auto &[reason, count] : made.leftOut)
    leftOut[reason] = count;
  return llvm::json::Object{{"calls", made.calls},
                            {"tests", made.tests},
                            {"files", made.files},
                            {"folder", flags.options.outDir},
                            {"left_out", std::move(leftOut)}};
}

/// Writes tests of PyTorch's operator calls, in one form or both. Returns the
/// number of tests.
static llvm::Expected<int64_t>
extractCalls(const std::vector<TracedCall> &calls, const Flags &flags,
             llvm::json::Object &json) {
  int64_t tests = 0;
  if (flags.format != "mlir") {
    llvm::Expected<ExtractReport> made = extractPytests(calls, flags.options);
    if (!made)
      return made.takeError();
    tests += made->tests;
    json = report(*made, "pytest", flags);
  }
  if (flags.format != "pytest") {
    llvm::Expected<ExtractReport> made = extractMlir(calls, flags.options);
    if (!made)
      return made.takeError();
    tests += made->tests;
    llvm::json::Object facts = report(*made, ".mlir", flags);
    if (flags.format == "both")
      json["mlir"] = std::move(facts);
    else
      json = std::move(facts);
  }
  return tests;
}

static llvm::Expected<int64_t> extractProgram(const Operators &operators,
                                              Flags &flags,
                                              llvm::json::Object &json) {
  if (flags.format == "pytest")
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' is the dump of a StableHLO program; its tests are --format mlir",
        flags.input);
  llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> dump =
      formats::Hdf5Reader::open(flags.input);
  if (!dump)
    return dump.takeError();
  llvm::Expected<ExtractReport> made =
      extractMlir(**dump, operators, flags.options);
  if (!made)
    return made.takeError();
  json = report(*made, ".mlir", flags);
  return made->tests;
}

static llvm::Expected<int64_t> extract(Flags &flags, llvm::json::Object &json) {
  llvm::Expected<Operators> operators =
      Operators::ofRecording(flags.input, flags.program);
  if (!operators)
    return operators.takeError();
  bool isProgram = !operators->description().ends_with(".json");
  if (flags.format.empty())
    flags.format = isProgram ? "mlir" : "pytest";
  if (flags.options.outDir.empty())
    flags.options.outDir = flags.format == "mlir" ? "mlirtests" : "pytests";
  flags.options.traceDir =
      llvm::sys::path::parent_path(operators->description()).str();
  return isProgram ? extractProgram(*operators, flags, json)
                   : extractCalls(operators->calls(), flags, json);
}

ExitCode tools::extractCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Makes unit tests from recorded operator calls.", arguments[0]);
  app.footer(kFooter);
  Flags flags;
  flags.options.outDir.clear();
  flags.add(app);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  flags.options.load = flags.factory == "load";
  if (flags.blacklist == "default") {
    flags.options.blacklist = defaultBlacklist();
  } else {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(flags.blacklist).split(names, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : names)
      flags.options.blacklist.push_back(name.trim().str());
  }
  llvm::json::Object json;
  llvm::Expected<int64_t> tests = extract(flags, json);
  if (!tests)
    return reportError(tests.takeError());
  if (!flags.common.json.empty())
    if (llvm::Error error = writeJson(flags.common.json, std::move(json)))
      return reportError(std::move(error));
  return *tests > 0 ? ExitCode::Ok : ExitCode::NothingChecked;
}
