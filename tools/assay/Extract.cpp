// `assay extract`: unit tests from recorded operator calls.
#include "Commands.h"
#include "assay/support/Table.h"
#include "assay/trace/ExtractPytest.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace assay;
using namespace assay::trace;

static constexpr const char *kFooter = R"(examples:
  assay extract dump.json                         pytests/ from a trace of begin_dump/end_dump
  assay extract dump.json --factory=random -o t   random data in the recorded ranges, into t/
  pytest --detail_compare_path=gpu.csv pytests/ --seed 42)";

/// Prints what was made and what was left out; the same facts go to `jsonPath`.
static llvm::Error report(const ExtractReport &made, llvm::StringRef outDir,
                          bool quiet, llvm::StringRef jsonPath) {
  if (!quiet) {
    llvm::outs() << llvm::formatv(
        "{0} recorded calls: {1} tests in {2} files in {3}\n", made.calls,
        made.tests, made.files, outDir);
    for (const auto &[reason, count] : made.leftOut)
      llvm::outs() << llvm::formatv("  {0} left out: {1}\n", count, reason);
  }
  if (jsonPath.empty())
    return llvm::Error::success();
  llvm::json::Object leftOut;
  for (const auto &[reason, count] : made.leftOut)
    leftOut[reason] = count;
  llvm::json::Value facts =
      llvm::json::Object{{"calls", made.calls},
                         {"tests", made.tests},
                         {"files", made.files},
                         {"folder", outDir},
                         {"left_out", std::move(leftOut)}};
  if (jsonPath == "-") {
    llvm::outs() << llvm::formatv("{0:2}\n", facts);
    return llvm::Error::success();
  }
  std::error_code failure;
  llvm::raw_fd_ostream file(jsonPath, failure);
  if (failure)
    return makeError(ErrorCode::InvalidArgument, "'{0}': {1}", jsonPath,
                     failure.message());
  file << llvm::formatv("{0:2}\n", facts);
  return llvm::Error::success();
}

static ExitCode extract(const std::string &input, ExtractOptions options,
                        bool quiet, llvm::StringRef jsonPath) {
  llvm::Expected<std::vector<TracedCall>> calls = readOperatorTrace(input);
  if (!calls)
    return tools::reportError(calls.takeError());
  options.traceDir = llvm::sys::path::parent_path(input).str();
  llvm::Expected<ExtractReport> made = extractPytests(*calls, options);
  if (!made)
    return tools::reportError(made.takeError());
  if (llvm::Error error = report(*made, options.outDir, quiet, jsonPath))
    return tools::reportError(std::move(error));
  return made->tests > 0 ? ExitCode::Ok : ExitCode::NothingChecked;
}

ExitCode tools::extractCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Makes unit tests from recorded operator calls.", arguments[0]);
  app.footer(kFooter);
  std::string input, factory = "load", blacklist, format = "pytest", jsonPath;
  bool quiet = false;
  ExtractOptions options;
  app.add_option("dump", input, "dump.json of begin_dump/end_dump")->required();
  app.add_option("-o", options.outDir, "folder of the tests")
      ->capture_default_str();
  app.add_option("--factory", factory,
                 "load: recorded tensors where there are some; random: data in "
                 "the recorded range")
      ->check(CLI::IsMember({"load", "random"}))
      ->capture_default_str();
  app.add_flag(
      "--cpu_init", options.cpuInit,
      "make inputs on the CPU, so that every device gets the same data");
  app.add_flag("--blacklist{default}", blacklist,
               "operators to leave out, by comma behind '='; without names: "
               "those whose results are random");
  app.add_option("--format", format, "form of the tests")
      ->check(CLI::IsMember({"pytest"}))
      ->capture_default_str();
  app.add_option("--json", jsonPath,
                 "the same facts as JSON ('-': standard output)");
  app.add_flag("--quiet", quiet, "print nothing but errors");
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::ParseError &error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? ExitCode::Ok
                                                      : ExitCode::BadInput;
  }
  options.load = factory == "load";
  if (blacklist == "default") {
    options.blacklist = defaultBlacklist();
  } else {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(blacklist).split(names, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : names)
      options.blacklist.push_back(name.trim().str());
  }
  return extract(input, std::move(options), quiet, jsonPath);
}
