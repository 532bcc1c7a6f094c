// Feeds arbitrary text to the reader of LightGBM models. What it accepts must
// survive printing and reading again, and where the fast forest takes it, the
// forest's scores must be those of plain evaluation.
#include "assay/select/Forest.h"
#include "assay/select/LightGbmText.h"

#include <cstdlib>

using namespace assay;
using namespace assay::select;

/// Three tiles times two traits; the features take the four axes in turn.
static void compareWithPlain(const TreeModel &model) {
  size_t features = model.featureNames.size();
  ForestGrid grid;
  grid.tiles = 3;
  grid.traits = 2;
  for (int32_t kernel = 0; kernel < 6; ++kernel) {
    grid.tileOf.push_back(kernel / 2);
    grid.traitOf.push_back(kernel % 2);
  }
  auto value = [](size_t feature, int64_t at) {
    return static_cast<float>(static_cast<int64_t>(feature * 7) % 13 + at);
  };
  for (size_t i = 0; i < features; ++i) {
    auto axis = static_cast<Axis>(i % 4);
    grid.axes.push_back(axis);
    grid.constant.emplace_back();
    int64_t count = axis == Axis::Tile ? 3 : axis == Axis::Trait ? 2 : 0;
    for (int64_t at = 0; at < count; ++at)
      grid.constant.back().push_back(value(i, at));
  }
  llvm::Expected<Forest> forest = Forest::compile(model, grid);
  if (!forest)
    return llvm::consumeError(forest.takeError());
  ForestQuery query;
  query.mixed.resize(features);
  for (size_t i = 0; i < features; ++i) {
    query.problem.push_back(value(i, 0));
    if (grid.axes[i] == Axis::Mixed)
      for (int64_t tile = 0; tile < forest->paddedTiles(); ++tile)
        query.mixed[i].push_back(value(i, tile));
  }
  Forest::Scratch scratch = forest->makeScratch();
  llvm::ArrayRef<int32_t> scores = forest->evaluate(query, scratch);
  for (int64_t kernel = 0; kernel < 6; ++kernel) {
    std::vector<double> row;
    for (size_t i = 0; i < features; ++i)
      row.push_back(value(i, grid.axes[i] == Axis::Problem ? 0
                             : grid.axes[i] == Axis::Trait ? kernel % 2
                                                           : kernel / 2));
    if (scores[forest->cellOf(kernel)] != forest->plainScore(model, row))
      std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<TreeModel> model = parseLightGbm(
      llvm::StringRef(reinterpret_cast<const char *>(data), size), "input");
  if (!model) {
    llvm::consumeError(model.takeError());
    return 0;
  }
  llvm::Expected<TreeModel> again =
      parseLightGbm(printLightGbm(*model), "printed");
  if (!again) // printed models are always read
    std::abort();
  if (model->featureNames.size() <= 256 && model->trees.size() <= 64)
    compareWithPlain(*model);
  return 0;
}
