/// Other tools' recordings as dumps.
#pragma once

#include "assay/support/Error.h"
#include "assay/support/Interrupt.h"

#include <cstdint>
#include <string>
#include <vector>

namespace assay::trace {

struct ImportResult {
  int64_t tensors = 0;
  std::vector<std::string> files;   ///< the dumps that were written
  std::vector<std::string> skipped; ///< "NAME: why", for members that are not tensors
};

/// Writes what `from` holds as a dump at `to`, names are kept where they have a
/// dump's form, and become /STEP/NAME otherwise (docs/dumps.md).
///   .npz, .safetensors, .pt .pth .bin (PyTorch; nothing in it is run)
///   .json of Polygraphy: several runners become several files
///   a folder of ONNX tensors: .pb, .tensorproto
///   a folder of msprobe: .../step0/rank0/{dump.json, dump_tensor_data/}, or
///   one above; several ranks become several files in the folder `to`, named as
///   the recorder names them
/// A file is complete or absent. Errors: NotFound, InvalidArgument (no known
/// form, two tensors of one name), DataLoss, Cancelled
llvm::Expected<ImportResult> importDump(llvm::StringRef from,
                                        llvm::StringRef to,
                                        const Interrupt &interrupt);

/// "Module.conv1.Conv2d.forward.0.input.0" as a dataset's name:
/// "conv1.Conv2d.0.forward_input.0"; "Functional.linear.3.forward.output.0" as
/// "Functional.linear.3.forward_output.0". Other names are unchanged.
/// Source: msprobe, user guide, names of its dump.json
std::string nameOfMsprobe(llvm::StringRef name);

} // namespace assay::trace
