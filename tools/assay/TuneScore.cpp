// `assay tune score`: the predictions of any LightGBM model with one output for
// the rows of a CSV file, by Assay's own reader and evaluation.
#include "Tune.h"
#include "assay/select/Export.h"
#include "assay/select/LightGbmText.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Prints the prediction of a LightGBM model (text format, .gz too) for each row of a CSV file without header;
an empty cell or nan is a missing value.

examples:
  assay tune score model_tflops.lgbm.gz rows.csv
  assay tune score model.lgbm rows.csv --rewrite copy.lgbm)";

ExitCode tools::tuneScore(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  std::string modelPath, rowsPath, rewrite;
  app.add_option("MODEL", modelPath, "LightGBM text model")->required();
  app.add_option("ROWS", rowsPath, "CSV of feature values")->required();
  app.add_option("--rewrite", rewrite,
                 "also write the model as Assay prints it");
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<select::TreeModel> model = select::readLightGbm(modelPath);
  if (!model)
    return reportError(model.takeError());
  auto scores = select::scoreCsv(*model, rowsPath);
  if (!scores)
    return reportError(scores.takeError());
  if (!rewrite.empty())
    if (llvm::Error error = select::writeLightGbm(*model, rewrite))
      return reportError(std::move(error));
  for (double score : *scores)
    llvm::outs() << llvm::format("%.17g", score) << "\n";
  return ExitCode::Ok;
}
