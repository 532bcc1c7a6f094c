// Attributes to the specification's defaults, one after the other. Sizes follow
// (Dimensions.h).
#include "assay/judge/reduce/Dimensions.h"
#include "assay/judge/reduce/Shrink.h"
#include "mlir/IR/Builders.h"

using namespace assay;
using namespace assay::judge;

/// The attribute with every number of it `value`; null where it holds none, or
/// no other.
static mlir::Attribute filledWith(mlir::Attribute attribute, int64_t value) {
  if (auto array = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(attribute)) {
    llvm::SmallVector<int64_t> numbers(array.size(), value);
    return mlir::DenseI64ArrayAttr::get(attribute.getContext(), numbers);
  }
  if (auto dense = mlir::dyn_cast<mlir::DenseIntElementsAttr>(attribute))
    return mlir::DenseElementsAttr::get(
        dense.getType(),
        llvm::APInt(dense.getElementType().getIntOrFloatBitWidth(),
                    static_cast<uint64_t>(value)));
  if (auto number = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    return mlir::IntegerAttr::get(number.getType(), value);
  return {};
}

namespace {
struct Default {
  const char *name;
  int64_t value;
};
} // namespace
static constexpr Default kDefaults[] = {
    {"window_strides", 1},   {"lhs_dilation", 1},
    {"rhs_dilation", 1},     {"base_dilations", 1},
    {"window_dilations", 1}, {"padding", 0},
    {"edge_padding_low", 0}, {"edge_padding_high", 0},
    {"interior_padding", 0}, {"feature_group_count", 1},
};
/// They change no result, or only within the bound.
static constexpr const char *kRemovable[] = {
    "precision_config", "algorithm", "indices_are_sorted", "unique_indices"};

/// Takes the test with the attribute of operation `index` replaced (null:
/// removed).
static bool takeAttribute(
    Shrinking &work, size_t index, llvm::StringRef name,
    llvm::function_ref<mlir::Attribute(mlir::Attribute)> replacement) {
  size_t at = 0;
  bool changed = false;
  llvm::Expected<TestCase> edited =
      withAttributes(work.test, [&](mlir::Operation *op) {
        if (at++ != index)
          return;
        mlir::Attribute old = op->getAttr(name), other = replacement(old);
        if (other == old)
          return;
        changed = true;
        if (other)
          op->setAttr(name, other);
        else
          op->removeAttr(name);
      });
  if (!changed) {
    if (!edited)
      llvm::consumeError(edited.takeError());
    return false;
  }
  return work.take(std::move(edited));
}

bool judge::shrinkAttributes(Shrinking &work) {
  bool changed = false;
  for (size_t index = 0; index < static_cast<size_t>(work.test.operations());
       ++index) {
    auto has = [&](llvm::StringRef name) {
      mlir::Block &block = work.test.main().getBody().front();
      return std::next(block.begin(), static_cast<int64_t>(index))
          ->hasAttr(name);
    };
    for (const char *name : kRemovable)
      if (has(name))
        changed |= takeAttribute(work, index, name, [](mlir::Attribute) {
          return mlir::Attribute();
        });
    for (const Default &one : kDefaults)
      if (has(one.name))
        changed |=
            takeAttribute(work, index, one.name, [&](mlir::Attribute old) {
              mlir::Attribute other = filledWith(old, one.value);
              return other ? other : old;
            });
  }
  return changed;
}
