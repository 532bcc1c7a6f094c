/// ONNX's TensorProto, in which ONNX Runtime and the ONNX test sets store a
/// single tensor per file (output_0.pb, NODE.tensorproto).
#pragma once

#include "assay/formats/Types.h"

namespace assay::formats {

struct OnnxTensor {
  std::string name; ///< may be empty
  Tensor tensor;
};

/// Reads one message. `what` names the file in errors.
/// Types:   float, double, float16, bfloat16, the float8 types, integers of 8 to
///          64 bits, bool, complex
/// Errors:  InvalidArgument for files that are not a TensorProto; Unsupported for
///          strings, 4-bit types, segments and data in another file; DataLoss
///          when the data are shorter or longer than the shape requires;
///          ResourceLimit for absurd shapes
/// Source:  ONNX, onnx.proto3, message TensorProto; Protocol Buffers, "Encoding"
llvm::Expected<OnnxTensor> parseOnnxTensor(llvm::ArrayRef<uint8_t> bytes,
                                           llvm::StringRef what);

} // namespace assay::formats
