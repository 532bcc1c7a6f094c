// `assay diff`: compares two CSV files of the same generated operator tests,
// those of the tested device and of the trusted one.
#include "assay/trace/Diff.h"
#include "Options.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;

ExitCode tools::diffCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Compares the results of generated operator tests on two "
               "devices, each measured against the CPU.\n\n"
               "examples:\n"
               "  assay diff xpu.csv gpu.csv result.csv\n"
               "  assay diff xpu.csv gpu.csv --json -\n\n"
               "exit codes: 0 all pass, 1 a Fail or an unmatched operator, 2 "
               "bad input, 3 nothing was compared");
  std::string target, bench, out;
  CommonOptions flags;
  app.add_option("TARGET", target, "CSV of the tested device")->required();
  app.add_option("BENCH", bench, "CSV of the trusted device")->required();
  app.add_option("RESULT", out, "CSV with all columns");
  flags.addTo(app, kNothing);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<trace::DiffResult> result = trace::diffResults(target, bench);
  if (!result)
    return reportError(result.takeError());
  if (!out.empty())
    if (llvm::Error error = writeText(out, [&](llvm::raw_ostream &os) {
          trace::writeDiffCsv(*result, os);
        }))
      return reportError(std::move(error));
  if (!flags.json.empty())
    if (llvm::Error error = writeJson(flags.json, trace::diffJson(*result)))
      return reportError(std::move(error));
  ExitCode code =
      result->passed + result->failed == 0      ? ExitCode::NothingChecked
      : result->failed + result->unmatched == 0 ? ExitCode::Ok
                                                : ExitCode::CheckFailed;
  if (flags.json == "-" || out == "-")
    return code;
  if (!flags.quiet)
    trace::printDiff(*result, tools::out());
  tools::out() << trace::diffSummary(*result) << "\n";
  if (code == ExitCode::CheckFailed)
    tools::out() << "repro: " << shellCommand(arguments) << "\n";
  return code;
}
