// `assay tune convert`: CK Tile's benchmark files (JSON, log, CSV) as Parquet
// for training.
#include "Tune.h"
#include "assay/select/Export.h"

using namespace assay;
using namespace assay::tools;

ExitCode tools::tuneConvert(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      R"(Converts benchmark files of CK Tile (JSON, log or CSV; .gz too) to Parquet.

examples:
  assay tune convert benchmark_results_fp16_rcr.json -o data/fp16.parquet --arch gfx950
  assay tune convert ck_tile_testrun.log -o data/fp8.parquet)");
  std::string input, output, arch = "gfx950";
  CommonOptions common;
  app.add_option("IN", input, ".json, .log or .csv")->required();
  app.add_option("-o,--output", output, "Parquet file")->required();
  app.add_option("--arch", arch, "the processor that the times are of")
      ->capture_default_str();
  common.addTo(app, kNothing);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  return show(common, select::convertFile(input, output, arch));
}
