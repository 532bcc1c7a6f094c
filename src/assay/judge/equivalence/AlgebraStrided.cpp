// The commonest moves and reductions without a table of numbers: broadcasts and
// transposes copy elements by strides; a reduction by sums or products adds or
// multiplies them in place, in any order, since they are exact.
#include "assay/judge/equivalence/AlgebraShadow.h"
#include "assay/reference/Attributes.h"
#include "assay/reference/Strided.h"
#include "mlir/IR/Block.h"

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Shape;
using tensor::Tensor;

/// Where a broadcast or a transpose reads: strides of the operand for the
/// dimensions of the result. None: another operation.
static std::optional<Shape>
readStrides(mlir::Operation *op, llvm::ArrayRef<int64_t> from, size_t rank) {
  llvm::StringRef name = op->getName().getStringRef();
  Shape source = tensor::rowMajorStrides(from), strides(rank, 0);
  if (name == "stablehlo.transpose") {
    for (auto [to, d] : llvm::enumerate(reference::intsOf(op, "permutation")))
      strides[to] = source[d];
    return strides;
  }
  if (name != "stablehlo.broadcast_in_dim")
    return std::nullopt;
  for (auto [d, to] :
       llvm::enumerate(reference::intsOf(op, "broadcast_dimensions")))
    strides[to] = from[d] == 1 ? 0 : source[d];
  return strides;
}

llvm::Expected<bool> AlgebraShadow::moveByStrides(mlir::Operation *op,
                                                  Values operands,
                                                  Values results) {
  const Tensor &from = operands[0].tensor(), &to = results[0].tensor();
  std::optional<Shape> strides =
      readStrides(op, from.shape(), to.shape().size());
  if (!strides || !operands[0].shadow().valid())
    return false;
  int64_t parts = partsOf(to.elementType());
  Shape shape = to.type().shape;
  if (parts > 1) { // the parts have their own dimension
    for (int64_t &stride : *strides)
      stride *= parts;
    strides->push_back(1);
    shape.push_back(parts);
  }
  llvm::Expected<Tensor> shadow = emptyShadow(to.size() * parts);
  if (!shadow)
    return shadow.takeError();
  reference::copyStrided(sizeof(Element), shape, operands[0].shadow().bytes(),
                         *strides, shadow->mutableBytes(),
                         tensor::rowMajorStrides(shape), &run_.threads);
  results[0].setShadow(std::move(*shadow));
  return true;
}

/// Whether a reduction's body is one operation on its two arguments.
static bool isBodyOf(mlir::Operation *op, llvm::StringRef name) {
  mlir::Block &block = op->getRegion(0).front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return false;
  mlir::Operation &first = block.front(), *last = block.getTerminator();
  auto isArgument = [&](mlir::Value value, unsigned number) {
    return value == block.getArgument(number);
  };
  return first.getName().getStringRef() == name &&
         first.getNumOperands() == 2 && last->getNumOperands() == 1 &&
         last->getOperand(0) == first.getResult(0) &&
         ((isArgument(first.getOperand(0), 0) &&
           isArgument(first.getOperand(1), 1)) ||
          (isArgument(first.getOperand(0), 1) &&
           isArgument(first.getOperand(1), 0)));
}

/// out = out combined with every element, each at its place.
template <typename Combine>
static void accumulate(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> outStrides, const Element *in,
                       Element *out, int levels, Combine combine) {
  bool isScalar = shape.empty();
  int64_t inner = isScalar ? 1 : shape.back(),
          step = isScalar ? 0 : outStrides.back();
  llvm::ArrayRef<int64_t> outer = isScalar ? shape : shape.drop_back();
  Shape index(outer.size(), 0);
  do {
    Element *at = out + reference::dotIndex(index, outStrides);
    for (int64_t i = 0; i < inner; ++i, ++in, at += step) {
      for (int level = 0; level < levels; ++level)
        at->x[level] = combine(level, at->x[level], in->x[level]);
      at->lost |= in->lost;
    }
  } while (reference::nextIndex(index, outer));
}

llvm::Expected<bool> AlgebraShadow::reduceInPlace(mlir::Operation *op,
                                                  Values operands,
                                                  Values results) {
  if (op->getName().getStringRef() != "stablehlo.reduce" ||
      operands.size() != 2)
    return false;
  bool adds = isBodyOf(op, "stablehlo.add"),
       multiplies = isBodyOf(op, "stablehlo.multiply");
  const Tensor &in = operands[0].tensor();
  numerics::ElementType type = in.elementType();
  // A body of another type would round its operands.
  if ((!adds && !multiplies) || !type.isFloat() || in.size() == 0 ||
      results[0].tensor().elementType() != type ||
      operands[1].tensor().elementType() != type)
    return false;
  llvm::Expected<std::vector<Element>> elements = elementsOf(operands[0]),
                                       init = elementsOf(operands[1]);
  if (!elements || !init)
    return llvm::joinErrors(elements.takeError(), init.takeError());
  reference::Ints reduced = reference::intsOf(op, "dimensions");
  Shape strides(in.shape().size(), 0);
  int64_t stride = 1;
  for (size_t d = strides.size(); d-- > 0;)
    if (!llvm::is_contained(reduced, static_cast<int64_t>(d))) {
      strides[d] = stride;
      stride *= in.shape()[d];
    }
  Element start = init->front();
  start.kind = ElementKind::Finite;
  start.format = 0;
  std::vector<Element> out(static_cast<size_t>(results[0].tensor().size()),
                           start);
  if (adds)
    accumulate(in.shape(), strides, elements->data(), out.data(),
               algebra_.levels(),
               [](int l, uint64_t x, uint64_t y) { return addMod(l, x, y); });
  else
    accumulate(in.shape(), strides, elements->data(), out.data(),
               algebra_.levels(),
               [](int l, uint64_t x, uint64_t y) { return mulMod(l, x, y); });
  if (llvm::Error error = set(results[0], std::move(out)))
    return error;
  return true;
}
