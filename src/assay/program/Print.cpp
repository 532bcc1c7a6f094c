// Printing tensors in the form that users of the upstream interpreter know.
#include "assay/program/Print.h"
#include "assay/numerics/Text.h"

namespace assay::program {

using numerics::ElementType;

static std::string element(const tensor::Tensor &tensor, int64_t i) {
  ElementType type = tensor.elementType();
  const std::byte *at =
      tensor.bytes() + (tensor.isSplat() ? 0 : i * type.storageBytes());
  if (!type.isComplex())
    return numerics::printElement(type, at);
  ElementType part = type.part();
  return "[" + numerics::printElement(part, at) + ", " +
         numerics::printElement(part, at + part.storageBytes()) + "]";
}

// The lines of dimension `d` beginning at flat element `first`.
static void printLevel(llvm::raw_ostream &os, const tensor::Tensor &tensor,
                       size_t d, int64_t first, unsigned indent) {
  llvm::ArrayRef<int64_t> shape = tensor.shape();
  int64_t inner = 1;
  for (size_t i = d + 1; i < shape.size(); ++i)
    inner *= shape[i];
  os.indent(indent) << "[";
  bool last = d + 1 == shape.size();
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
    std::string text = element(tensor, next++);
    bool isComplex = tensor.elementType().isComplex();
    os << (isComplex ? "(" + text.substr(1, text.size() - 2) + ")" : text);
    return;
  }
  os << "[";
  for (int64_t i = 0; i < tensor.shape()[d]; ++i) {
    os << (i ? ", " : "");
    printNested(os, tensor, d + 1, next);
  }
  os << "]";
}

void printDense(llvm::raw_ostream &os, const tensor::Tensor &tensor) {
  int64_t next = 0;
  os << "dense<";
  if (tensor.size() > 0)
    printNested(os, tensor, 0, next);
  os << "> : " << tensor::toString(tensor.type());
}

} // namespace assay::program
