// Layouts, which JAX requests by jax.experimental.layout.
#include "Layout.h"

#include "assay/dialect/Sdy.h"
#include "assay/dialect/Stablehlo.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

namespace assay::pjrt {

Layout rowMajor(size_t rank) {
  Layout layout;
  for (size_t d = rank; d > 0; --d)
    layout.push_back(static_cast<int64_t>(d) - 1);
  return layout;
}

tensor::Shape stridesOf(llvm::ArrayRef<int64_t> shape, const Layout &layout) {
  tensor::Shape strides(shape.size(), 1);
  int64_t step = 1;
  for (int64_t dimension : layout) {
    auto d = static_cast<size_t>(dimension);
    strides[d] = step;
    step *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

static llvm::Expected<Layout> checked(Layout layout, size_t rank) {
  Layout sorted = layout, expected = rowMajor(rank);
  llvm::sort(sorted, std::greater<int64_t>());
  if (sorted != expected)
    return makeError(assay::ErrorCode::InvalidArgument,
                     "a layout has each of {0} dimensions once", rank);
  return layout;
}

static llvm::Error tilesError() {
  return makeError(assay::ErrorCode::Unsupported,
                   "a layout with tiles or strides: memory of the platform "
                   "assay is dense, its dimensions in any order");
}

llvm::Expected<Layout> layoutOf(const MemoryLayout *asked, size_t rank) {
  if (!asked)
    return rowMajor(rank);
  if (asked->type != MemoryLayout::Tiled || asked->tiled.num_tiles > 0)
    return tilesError();
  llvm::ArrayRef<int64_t> order(asked->tiled.minor_to_major,
                                asked->tiled.minor_to_major_size);
  return checked(Layout(order), rank);
}

/// The layout in which a transpose's result has its operand's order in memory,
/// so that nothing is moved.
static Layout chosenFor(mlir::Value result, size_t rank) {
  while (result && mlir::isa_and_nonnull<sdy::ShardingConstraintOp>(
                       result.getDefiningOp()))
    result = result.getDefiningOp()->getOperand(0);
  Layout layout = rowMajor(rank);
  auto transpose =
      result ? result.getDefiningOp<stablehlo::TransposeOp>() : nullptr;
  llvm::ArrayRef<int64_t> order;
  if (transpose)
    order = transpose.getPermutation();
  if (order.size() != rank)
    return layout; // the value has an additional dimension for devices
  for (auto [i, from] : llvm::enumerate(order))
    layout[rank - 1 - static_cast<size_t>(from)] = static_cast<int64_t>(i);
  return layout;
}

llvm::Expected<Layout> layoutOf(mlir::DictionaryAttr attributes, size_t rank,
                                mlir::Value result) {
  auto mode = attributes ? attributes.getAs<mlir::StringAttr>("mhlo.layout_mode")
                         : nullptr;
  llvm::StringRef text = mode ? mode.getValue() : "default";
  if (text == "auto")
    return chosenFor(result, rank);
  if (!text.consume_front("{") || !text.consume_back("}"))
    return rowMajor(rank);
  if (text.contains(':'))
    return tilesError();
  Layout layout;
  llvm::SmallVector<llvm::StringRef, 6> numbers;
  text.split(numbers, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef number : numbers)
    if (number.getAsInteger(10, layout.emplace_back()))
      layout.back() = -1; // checked() reports it
  return checked(layout, rank);
}

/// gather() with sizes and strides from the major dimension on.
static void gatherMajor(std::byte *out, const std::byte *in,
                        size_t elementBytes, llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int64_t> strides) {
  if (shape.empty()) {
    std::memcpy(out, in, elementBytes);
    return;
  }
  size_t step = elementBytes;
  for (int64_t size : shape.drop_front())
    step *= static_cast<size_t>(size);
  if (shape.size() == 1 && strides[0] == static_cast<int64_t>(elementBytes)) {
    std::memcpy(out, in, elementBytes * static_cast<size_t>(shape[0]));
    return;
  }
  for (int64_t i = 0; i < shape[0]; ++i)
    gatherMajor(out + static_cast<size_t>(i) * step, in + i * strides[0],
                elementBytes, shape.drop_front(), strides.drop_front());
}

void gather(std::byte *out, const std::byte *in, size_t elementBytes,
            llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
            const Layout &layout) {
  tensor::Shape sizes, steps;
  for (int64_t dimension : llvm::reverse(layout)) {
    sizes.push_back(shape[static_cast<size_t>(dimension)]);
    steps.push_back(strides[static_cast<size_t>(dimension)]);
  }
  gatherMajor(out, in, elementBytes, sizes, steps);
}

void copyBytes(std::byte *out, const tensor::Tensor &tensor, const Layout &from,
               const Layout &to) {
  if (tensor.size() == 0)
    return;
  if (from == to) {
    std::memcpy(out, tensor.bytes(), static_cast<size_t>(tensor.denseBytes()));
    return;
  }
  int64_t elementBytes = tensor.elementType().storageBytes();
  tensor::Shape strides = stridesOf(tensor.shape(), from);
  for (int64_t &stride : strides)
    stride *= elementBytes;
  gather(out, tensor.bytes(), static_cast<size_t>(elementBytes), tensor.shape(),
         strides, to);
}

llvm::Expected<tensor::Tensor>
reordered(const tensor::Tensor &tensor, const Layout &from, const Layout &to,
          const std::shared_ptr<MemoryBudget> &budget) {
  if (!tensor.valid() || from == to)
    return tensor;
  auto made = tensor::Tensor::allocate(tensor.type(), budget);
  if (made)
    copyBytes(made->mutableBytes(), tensor, from, to);
  return made;
}

} // namespace assay::pjrt
