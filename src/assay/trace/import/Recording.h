/// What readers of other tools' recordings return to the importer: names, and
/// how to read each tensor. Private to Import.
#pragma once

#include "assay/tensor/Tensor.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace assay::trace {

/// A tensor of a recording.
struct ImportEntry {
  std::string name; ///< without step
  std::function<llvm::Expected<tensor::Tensor>()> read;
};

/// The recording that becomes one dump.
struct ImportRecording {
  std::string source; ///< file or folder
  std::string file;   ///< the dump's name in a folder; empty: that of the rank
  int64_t rank = 0;
  std::vector<std::pair<int64_t, ImportEntry>> entries; ///< with their step
};

/// A name from a file, as step and dataset name.
std::pair<int64_t, std::string> placedName(llvm::StringRef name);

/// Polygraphy's JSON: results of `polygraphy run --save-outputs`, or a list of
/// inputs (`--save-inputs`). Iteration i is step i; each runner is a separate
/// recording. Tensors are .npy images in base64.
/// Errors: NotFound; InvalidArgument for JSON of another kind
llvm::Expected<std::vector<ImportRecording>>
listPolygraphy(llvm::StringRef path);

/// Files of ONNX tensors (.pb, .tensorproto) in a folder or in its
/// test_data_set_N; those become steps. Empty if there are none.
ImportRecording listOnnxTensors(llvm::StringRef folder);

} // namespace assay::trace
