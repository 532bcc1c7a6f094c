// Attributes to the specification's defaults, one after the other. Sizes follow
// (Dimensions.h).
#include "assay/judge/reduce/Dimensions.h"
#include "assay/judge/reduce/Shrink.h"
#include "mlir/IR/Builders.h"

using namespace assay;
using namespace assay::judge;

/// The attribute with `value` for every number in it; null where it has no
/// number, or only such ones.
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
/// Attributes that change no result, or only within the bound.
static constexpr const char *kRemovable[] = {
    "precision_config", "algorithm", "indices_are_sorted", "unique_indices"};

namespace {
/// An attribute of an operation that may become simpler.
struct Simpler {
  size_t operation;
  const char *name;
  std::optional<int64_t> value; ///< for every number in it; nullopt: removed
};
} // namespace

/// The attributes that the operations have.
static std::vector<Simpler> simplerAttributes(const TestCase &test) {
  std::vector<Simpler> all;
  mlir::Block &block = test.main().getBody().front();
  size_t at = 0;
  for (mlir::Operation &op : block) {
    if (at == static_cast<size_t>(test.operations()))
      break;
    for (const char *name : kRemovable)
      if (op.hasAttr(name))
        all.push_back({at, name, std::nullopt});
    for (const Default &one : kDefaults)
      if (op.hasAttr(one.name))
        all.push_back({at, one.name, one.value});
    ++at;
  }
  return all;
}

/// The test with that attribute changed. Errors: it has that value already, or
/// the program would not verify.
static llvm::Expected<TestCase> withSimpler(const TestCase &test,
                                            const Simpler &simpler) {
  size_t at = 0;
  bool changed = false;
  llvm::Expected<TestCase> edited =
      withAttributes(test, [&](mlir::Operation *op) {
        mlir::Attribute old =
            at++ == simpler.operation ? op->getAttr(simpler.name) : nullptr;
        if (!old)
          return;
        mlir::Attribute other =
            simpler.value ? filledWith(old, *simpler.value) : nullptr;
        changed = simpler.value ? other && other != old : true;
        if (changed && other)
          op->setAttr(simpler.name, other);
        else if (changed)
          op->removeAttr(simpler.name);
      });
  if (!edited || changed)
    return edited;
  return makeError(ErrorCode::InvalidArgument, "{0} is simple", simpler.name);
}

bool judge::shrinkAttributes(Shrinking &work) {
  std::vector<Simpler> all = simplerAttributes(work.test);
  return work.takeEach(
      all.size(), [&](size_t i) { return withSimpler(work.test, all[i]); });
}
