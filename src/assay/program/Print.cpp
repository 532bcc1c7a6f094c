// Prints tensors in the format that users of the upstream interpreter know.
#include "assay/program/Print.h"
#include "assay/numerics/Text.h"

#include <cstring>

namespace assay::program {

using numerics::ElementType;

static const std::byte *elementAt(const tensor::Tensor &tensor, int64_t i) {
  return tensor.bytes() +
         (tensor.isSplat() ? 0 : i * tensor.elementType().storageBytes());
}

/// Like a literal, except that a complex number is [re, im].
static std::string element(const tensor::Tensor &tensor, int64_t i) {
  ElementType type = tensor.elementType();
  const std::byte *at = elementAt(tensor, i);
  if (!type.isComplex())
    return numerics::printLiteral(type, at);
  ElementType part = type.part();
  return "[" + numerics::printLiteral(part, at) + ", " +
         numerics::printLiteral(part, at + part.storageBytes()) + "]";
}

// Prints the lines of dimension `d` that begin at flat element `first`.
static void printLevel(llvm::raw_ostream &os, const tensor::Tensor &tensor,
                       size_t d, int64_t first, unsigned indent) {
  llvm::ArrayRef<int64_t> shape = tensor.shape();
  int64_t inner = 1;
  for (size_t i = d + 1; i < shape.size(); ++i)
    inner *= shape[i];
  os.indent(indent) << "[";
  bool last = d + 1 == shape.size() || shape[d] == 0;
  if (!last)
    os << "\n";
  for (int64_t i = 0; i < shape[d]; ++i) {
    if (last) {
      os << (i ? ", " : "") << element(tensor, first + i);
      continue;
    }
    printLevel(os, tensor, d + 1, first + i * inner, indent + 2);
    os << (i + 1 < shape[d] ? ",\n" : "\n");
  }
  if (!last)
    os.indent(indent);
  os << "]";
}

void printTensor(llvm::raw_ostream &os, const tensor::Tensor &tensor) {
  os << tensor::toString(tensor.type()) << " {";
  if (tensor.rank() == 0) {
    os << element(tensor, 0) << "}";
    return;
  }
  os << "\n";
  printLevel(os, tensor, 0, 0, 2);
  os << "\n}";
}

static void printNested(llvm::raw_ostream &os, const tensor::Tensor &tensor,
                        size_t d, int64_t &next) {
  if (d == tensor.shape().size()) {
    os << numerics::printLiteral(tensor.elementType(),
                                 elementAt(tensor, next++));
    return;
  }
  os << "[";
  for (int64_t i = 0; i < tensor.shape()[d]; ++i) {
    os << (i ? ", " : "");
    printNested(os, tensor, d + 1, next);
  }
  os << "]";
}

/// Whether all elements have the same bits.
static bool isUniform(const tensor::Tensor &tensor) {
  auto width = static_cast<size_t>(tensor.elementType().storageBytes());
  for (int64_t i = 1; i < tensor.size(); ++i)
    if (std::memcmp(elementAt(tensor, i), elementAt(tensor, 0), width) != 0)
      return false;
  return true;
}

void printDense(llvm::raw_ostream &os, const tensor::Tensor &tensor) {
  int64_t next = 0;
  os << "dense<";
  if (tensor.size() > 0)
    printNested(os, tensor, isUniform(tensor) ? tensor.shape().size() : 0,
                next);
  os << "> : " << tensor::toString(tensor.type());
}

} // namespace assay::program
