/// The flags of `assay run`.
#pragma once

#include "EnginePlan.h"
#include "Options.h"
#include "RunRanks.h"
#include "assay/program/CustomFunctions.h"

namespace assay::tools {

struct RunOptions {
  std::string path, entry, expect, rule = "dtype", output, args,
                                   accumulate = "wide", algorithm = "direct", fold = "auto",
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

  /// The stream for text: with `--json -`, standard output holds the JSON.
  llvm::raw_ostream &text() const {
    return common.json == "-" ? llvm::errs() : llvm::outs();
  }
};

void addRunOptions(CLI::App &app, RunOptions &options);
/// Loads the functions that flags name. Errors: those of loading them;
/// InvalidArgument for conflicting flags.
llvm::Error prepare(RunOptions &options);

} // namespace assay::tools
