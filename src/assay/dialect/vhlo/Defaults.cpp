// The kinds of defaults in Defaults.def: how each is made, and how it is
// recognised.
#include "assay/dialect/vhlo/Defaults.h"
#include "assay/dialect/StablehloAttrs.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

namespace assay::vhlo {

using namespace mlir;

namespace {
enum class Kind {
  False,
  Zero,
  ZeroI32,
  MinusOne,
  NoNumbers,
  Ones,
  ZeroPairs,
  AllFalse,
  Precisions,
  Accuracy,
  NoComparison,
  NoType,
  NoText,
  NoItems,
  NoEntries,
  Original
};
struct Default {
  llvm::StringLiteral stems, name;
  Kind kind;
};
} // namespace

static constexpr Default kDefaults[] = {
#define VHLO_DEFAULT(STEMS, NAME, KIND) {STEMS, #NAME, Kind::KIND},
#include "assay/dialect/vhlo/Defaults.def"
#undef VHLO_DEFAULT
};

static const Default *find(llvm::StringRef stem, llvm::StringRef name) {
  for (const Default &one : kDefaults) {
    llvm::SmallVector<llvm::StringRef> stems;
    llvm::SplitString(one.stems, stems);
    if (one.name == name && (stems.empty() || llvm::is_contained(stems, stem)))
      return &one;
  }
  return nullptr;
}

/// Makes defaults that have one entry per window.
static Attribute makePerWindow(Kind kind, int64_t windows, Builder &b) {
  auto pairs = RankedTensorType::get({windows, 2}, b.getI64Type());
  if (kind == Kind::Ones)
    return b.getDenseI64ArrayAttr(llvm::SmallVector<int64_t>(windows, 1));
  if (kind == Kind::AllFalse)
    return b.getDenseBoolArrayAttr(llvm::SmallVector<bool>(windows, false));
  return DenseElementsAttr::get(pairs, int64_t{0});
}

static Attribute makeOwn(Kind kind, MLIRContext *context) {
  using namespace stablehlo;
  if (kind == Kind::Accuracy)
    return ResultAccuracyAttr::getDefault(context);
  if (kind == Kind::NoComparison)
    return ComparisonTypeAttr::get(context, ComparisonType::NOTYPE);
  Attribute one = PrecisionAttr::get(context, Precision::DEFAULT);
  return ArrayAttr::get(context, {one, one});
}

Attribute makeDefault(llvm::StringRef stem, llvm::StringRef name,
                      int64_t windows, MLIRContext *context) {
  const Default *found = find(stem, name);
  Builder b(context);
  if (!found)
    return {};
  switch (found->kind) {
  case Kind::False:
    return b.getBoolAttr(false);
  case Kind::Zero:
    return b.getI64IntegerAttr(0);
  case Kind::ZeroI32:
    return b.getI32IntegerAttr(0);
  case Kind::MinusOne:
    return b.getI64IntegerAttr(-1);
  case Kind::Original:
    return b.getI32IntegerAttr(1);
  case Kind::NoNumbers:
    return b.getDenseI64ArrayAttr({});
  case Kind::NoType:
    return TypeAttr::get(b.getNoneType());
  case Kind::NoText:
    return b.getStringAttr("");
  case Kind::NoItems:
    return b.getArrayAttr({});
  case Kind::NoEntries:
    return b.getDictionaryAttr({});
  case Kind::Ones:
  case Kind::ZeroPairs:
  case Kind::AllFalse:
    return makePerWindow(found->kind, windows, b);
  case Kind::Precisions:
  case Kind::Accuracy:
  case Kind::NoComparison:
    return makeOwn(found->kind, context);
  }
  return {};
}

static bool isEmpty(Attribute value) {
  if (auto text = llvm::dyn_cast<StringAttr>(value))
    return text.empty();
  if (auto array = llvm::dyn_cast<ArrayAttr>(value))
    return array.empty();
  if (auto dictionary = llvm::dyn_cast<DictionaryAttr>(value))
    return dictionary.empty();
  if (auto numbers = llvm::dyn_cast<DenseI64ArrayAttr>(value))
    return numbers.empty();
  auto list = llvm::dyn_cast<DenseElementsAttr>(value);
  return list && list.getNumElements() == 0;
}

/// Whether every element of a list, in either form, is `number`; true for an
/// empty list.
static bool isAll(Attribute value, int64_t number) {
  if (auto numbers = llvm::dyn_cast<DenseI64ArrayAttr>(value))
    return llvm::all_of(numbers.asArrayRef(),
                        [&](int64_t one) { return one == number; });
  if (auto flags = llvm::dyn_cast<DenseBoolArrayAttr>(value))
    return llvm::all_of(flags.asArrayRef(),
                        [&](bool one) { return one == (number != 0); });
  auto list = llvm::dyn_cast<DenseIntElementsAttr>(value);
  if (!list)
    return false;
  if (list.isSplat())
    return list.getSplatValue<APInt>().getSExtValue() == number;
  return llvm::all_of(list.getValues<APInt>(), [&](const APInt &one) {
    return one.getSExtValue() == number;
  });
}

static bool isNumber(Attribute value, int64_t number) {
  auto integer = llvm::dyn_cast<IntegerAttr>(value);
  return integer && integer.getValue().getBitWidth() <= 64 &&
         integer.getValue().getSExtValue() == number;
}

static bool isDefaultPrecision(Attribute value) {
  auto list = llvm::dyn_cast<ArrayAttr>(value);
  return list && llvm::all_of(list, [](Attribute one) {
           auto precision = llvm::dyn_cast<stablehlo::PrecisionAttr>(one);
           return precision &&
                  precision.getValue() == stablehlo::Precision::DEFAULT;
         });
}

bool isDefault(llvm::StringRef stem, llvm::StringRef name, Attribute value) {
  const Default *found = find(stem, name);
  if (!found)
    return false;
  switch (found->kind) {
  case Kind::False:
  case Kind::Zero:
  case Kind::ZeroI32:
    return isNumber(value, 0);
  case Kind::MinusOne:
    return isNumber(value, -1);
  case Kind::Original:
    return isNumber(value, 1);
  case Kind::NoType: {
    auto type = llvm::dyn_cast<TypeAttr>(value);
    return type && llvm::isa<NoneType>(type.getValue());
  }
  case Kind::NoNumbers:
  case Kind::NoText:
  case Kind::NoItems:
  case Kind::NoEntries:
    return isEmpty(value);
  case Kind::Ones:
    return isAll(value, 1);
  case Kind::ZeroPairs:
  case Kind::AllFalse:
    return isAll(value, 0);
  case Kind::Precisions:
    return isDefaultPrecision(value);
  case Kind::Accuracy:
  case Kind::NoComparison:
    return value == makeOwn(found->kind, value.getContext());
  }
  return false;
}

} // namespace assay::vhlo
