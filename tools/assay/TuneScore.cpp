// `assay tune score`: the predictions of any LightGBM model of one output for
// rows of a CSV file, by Assay's own reader and evaluation.
#include "Tune.h"
#include "assay/select/LightGbmText.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

static llvm::Expected<std::vector<double>>
scoreCsv(const TreeModel &model, llvm::StringRef text, llvm::StringRef path) {
  std::vector<double> scores;
  int64_t number = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    if (line.trim().empty())
      continue;
    llvm::SmallVector<llvm::StringRef> cells;
    line.split(cells, ',');
    if (cells.size() != model.featureNames.size())
      return makeError(
          ErrorCode::InvalidArgument,
          "'{0}' line {1} has {2} cells, the model has {3} features", path,
          number, cells.size(), model.featureNames.size());
    std::vector<double> row;
    for (llvm::StringRef cell : cells) {
      double value = std::nan("");
      if (!cell.trim().empty() && !cell.trim().equals_insensitive("nan") &&
          cell.trim().getAsDouble(value))
        return makeError(ErrorCode::InvalidArgument,
                         "'{0}' line {1}: '{2}' is no number", path, number,
                         cell.take_front(40));
      row.push_back(value);
    }
    scores.push_back(model.predict(row));
  }
  return scores;
}

ExitCode tools::tuneScore(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Prints the prediction of a LightGBM model (text format, .gz "
               "too) for each row of a CSV file without header;\n"
               "an empty cell or nan is a missing value.\n\n"
               "examples:\n"
               "  assay tune score model_tflops.lgbm.gz rows.csv\n"
               "  assay tune score model.lgbm rows.csv --rewrite copy.lgbm");
  std::string modelPath, rowsPath, rewrite;
  app.add_option("MODEL", modelPath, "LightGBM text model")->required();
  app.add_option("ROWS", rowsPath, "CSV of feature values")->required();
  app.add_option("--rewrite", rewrite,
                 "also write the model as Assay prints it");
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<TreeModel> model = readLightGbm(modelPath);
  if (!model)
    return reportError(model.takeError());
  llvm::Expected<std::string> text = readMaybeGzip(rowsPath);
  if (!text)
    return reportError(text.takeError());
  llvm::Expected<std::vector<double>> scores =
      scoreCsv(*model, *text, rowsPath);
  if (!scores)
    return reportError(scores.takeError());
  if (!rewrite.empty())
    if (llvm::Error error = writeLightGbm(*model, rewrite))
      return reportError(std::move(error));
  for (double score : *scores)
    llvm::outs() << llvm::format("%.17g", score) << "\n";
  return ExitCode::Ok;
}
