/// Reads Python pickles without Python: values are built, nothing is called.
/// Supports what PyTorch's .pt files need: dictionaries, lists, tuples,
/// numbers, text, and tensors as torch._utils._rebuild_tensor_v2 describes
/// them.
#pragma once

#include "assay/formats/Types.h"

#include <memory>
#include <string>
#include <vector>

namespace assay::formats {

/// A tensor of a .pt file: a strided view of one of the archive's storages.
struct PickledTensor {
  std::string storage; ///< member data/STORAGE
  numerics::ElementType element;
  int64_t offset = 0; ///< in elements of the storage
  Shape shape, strides;
};

struct PickleValue;
using PicklePtr = std::shared_ptr<PickleValue>;

struct PickleValue {
  enum class Kind {
    None,     ///< also irrelevant values: flags, generators, hooks
    Number,   ///< `number`
    Text,     ///< `text`
    Sequence, ///< list, tuple, set: `items`
    Map,      ///< `items`: key, value, key, value
    Global,   ///< `text`: "module name", one of the allowed globals
    Storage,  ///< `tensor` without its shape
    Tensor,   ///< `tensor`
    Object    ///< an object of an allowed class, made of `items`
  };
  Kind kind = Kind::None;
  double number = 0;
  std::string text;
  std::vector<PicklePtr> items;
  PickledTensor tensor;
};

/// The value of a pickle (protocols 2 to 5). No Python code runs: a global that
/// is not needed to describe tensors is an error that names it. Errors:
/// InvalidArgument (a global that is not allowed, a damaged stream, excessive
/// depth or size), Unsupported (an element type, an opcode).
/// Source: Python's pickletools; PyTorch torch/serialization.py,
/// torch/_utils.py
llvm::Expected<PicklePtr> readPickle(llvm::ArrayRef<uint8_t> bytes,
                                     llvm::StringRef what);

} // namespace assay::formats
