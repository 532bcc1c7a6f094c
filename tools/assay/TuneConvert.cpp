// `assay tune convert`: the seed's benchmark files (JSON, log, CSV) as Parquet
// for training.
#include "Tune.h"
#include "assay/select/DataFile.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Parquet.h"
#include "assay/select/SeedGemm.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

ExitCode tools::tuneConvert(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Converts benchmark files of CK Tile (JSON, log or CSV; .gz "
               "too) to Parquet.\n\n"
               "examples:\n"
               "  assay tune convert benchmark_results_fp16_rcr.json -o "
               "data/fp16.parquet --arch gfx950\n"
               "  assay tune convert ck_tile_testrun.log -o data/fp8.parquet");
  std::string input, output, arch = "gfx950", json;
  app.add_option("IN", input, ".json, .log or .csv")->required();
  app.add_option("-o,--output", output, "Parquet file")->required();
  app.add_option("--arch", arch, "the processor that the times are of")
      ->capture_default_str();
  app.add_option("--json", json, "the counts as JSON; - for standard output");
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<std::string> text = readMaybeGzip(input);
  if (!text)
    return reportError(text.takeError());
  ConvertReport report;
  llvm::Expected<ColumnTable> table = convertSeed(*text, input, arch, report);
  if (!table)
    return reportError(table.takeError());
  if (llvm::Error error = checkOverwrite(output))
    return reportError(std::move(error));
  if (llvm::Error error = writeParquet(*table, output))
    return reportError(std::move(error));
  if (!json.empty())
    if (llvm::Error error =
            writeJson(json, llvm::json::Object{{"rows", report.rows},
                                               {"valid", report.valid},
                                               {"damaged", report.damaged},
                                               {"problems", report.problems}}))
      return reportError(std::move(error));
  if (json != "-")
    llvm::outs() << llvm::formatv(
        "converted: {0} rows ({1} valid), {2} damaged records left out; "
        "written to '{3}'\n",
        report.rows, report.valid, report.damaged, output);
  return ExitCode::Ok;
}
