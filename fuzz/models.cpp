// Fuzzes a model folder: the input's parts, separated by form feeds, are its
// feature_spec.json, its manifest and its trees. One folder serves the process,
// its files written over. What loads has all that its spec names, and predicts a
// number for every row.
#include "assay/select/Manifest.h"
#include "assay/select/ModelFolder.h"
#include "llvm/Support/FileSystem.h"

#include <cmath>
#include <cstdlib>
#include <fstream>

using namespace assay;
using namespace assay::select;

static const std::string &folder() {
  static const std::string path = [] {
    llvm::SmallString<128> made;
    if (llvm::sys::fs::createUniqueDirectory("fuzz-model", made))
      std::abort();
    return made.str().str();
  }();
  return path;
}

static void put(const char *name, llvm::StringRef text) {
  std::ofstream(folder() + "/" + name, std::ios::binary | std::ios::trunc)
      .write(text.data(), static_cast<std::streamsize>(text.size()));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  auto [spec, rest] = text.split('\f');
  auto [manifest, trees] = rest.split('\f');
  put("feature_spec.json", spec);
  put("train_manifest.json", manifest);
  put("model_tflops.lgbm", trees);
  for (bool rankingOnly : {false, true}) {
    llvm::Expected<Model> model = loadModel(folder(), rankingOnly);
    if (!model) {
      llvm::consumeError(model.takeError());
      continue;
    }
    std::vector<float> row(model->spec.names.size(), 3);
    for (auto &[target, tree] : model->trees)
      if (double value = model->predict(target, row); value < 0)
        std::abort();
    if (llvm::Error error = checkSchema(*model))
      llvm::consumeError(std::move(error));
    (void)outsideOfTraining(*model, {7, 1 << 20, 3, 1});
  }
  return 0;
}
