// `assay tune convert`: converts CK Tile's benchmark files (JSON, log, CSV) to
// Parquet for training.
#include "Tune.h"
#include "assay/select/Export.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Converts benchmark files of CK Tile (JSON, log or CSV; .gz too) to Parquet, with all columns that training reads.

examples:
  assay tune convert benchmark_results_fp16_rcr.json -o data/fp16.parquet --arch gfx950
  assay tune convert --input new.json --output data/all.parquet --merge_with data/fp16.parquet
  assay tune convert ck_tile_testrun.log -o data/fp8.parquet --arch gfx950 --capture_hw)";

ExitCode tools::tuneConvert(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  select::ConvertFiles files;
  select::ConvertOptions options;
  CommonOptions common;
  app.add_option("IN,--input", files.input, ".json, .log or .csv")->required();
  app.add_option("-o,--output", files.output, "Parquet file")->required();
  app.add_option("--arch", options.arch, "the processor that the times are of")
      ->capture_default_str();
  app.add_option("--dtype", options.dtype,
                 "instead of the type that records and kernel names say");
  app.add_option("--op_type,--op-type", options.opType,
                 "instead of gemm_universal or grouped_conv");
  app.add_option("--variant", options.variant,
                 "instead of the direction that kernels of convolutions say");
  app.add_option("--merge_with,--merge-with", files.mergeWith,
                 "Parquet files whose rows are added");
  app.add_flag("--capture_hw,--capture-hw", files.captureHardware,
               "add columns hw_* with rocminfo's facts about this node's GPU");
  common.addTo(app, kNothing);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  return show(common, select::convertFile(files, std::move(options)));
}
