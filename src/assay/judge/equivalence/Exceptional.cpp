// The first pair of corresponding values that differ, and the number of
// arithmetic operations in each program from corresponding values to this pair.
#include "assay/judge/equivalence/Exceptional.h"
#include "assay/dialect/Stablehlo.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

using namespace assay;
using namespace assay::judge;

namespace {
/// A value of a run: the operation, the result's number, and the execution's
/// number.
using Key = std::tuple<mlir::Operation *, unsigned, int>;

struct Side {
  std::vector<Key> order; ///< on ordinary data
  std::vector<uint64_t> fingerprints;
  std::map<uint64_t, std::vector<size_t>> byFingerprint;
  std::vector<size_t> ranks; ///< among the values of one fingerprint
  std::map<Key, uint64_t> exact;                  ///< on the exceptional data
};
} // namespace

static std::vector<Key> keysOf(llvm::ArrayRef<MadeValue> made) {
  std::map<std::pair<mlir::Operation *, unsigned>, int> counts;
  std::vector<Key> keys;
  for (const MadeValue &value : made)
    keys.emplace_back(value.op, value.result,
                      counts[{value.op, value.result}]++);
  return keys;
}

static Side sideOf(llvm::ArrayRef<MadeValue> ordinary,
                   llvm::ArrayRef<MadeValue> exceptional) {
  Side side;
  side.order = keysOf(ordinary);
  for (auto [i, value] : llvm::enumerate(ordinary)) {
    side.fingerprints.push_back(value.fingerprint);
    std::vector<size_t> &equal = side.byFingerprint[value.fingerprint];
    side.ranks.push_back(equal.size());
    equal.push_back(i);
  }
  for (auto [key, value] : llvm::zip(keysOf(exceptional), exceptional))
    side.exact[key] = value.exact;
  return side;
}

/// Operations that only choose or move have no laws.
static bool isArithmetic(mlir::Operation *op) {
  llvm::StringRef name = op->getName().stripDialect();
  return !llvm::StringSwitch<bool>(name)
              .Cases({"select", "maximum", "minimum", "clamp", "compare", "abs",
                      "sign"},
                     true)
              .Cases({"convert", "constant", "iota", "reshape", "transpose",
                      "broadcast_in_dim", "slice"},
                     true)
              .Cases({"concatenate", "pad", "gather", "reverse", "sort",
                      "is_finite", "tuple", "get_tuple_element"},
                     true)
              .Cases({"dynamic_slice", "dynamic_update_slice", "floor", "ceil",
                      "and", "or", "not", "xor", "optimization_barrier"},
                     true)
              .Default(false);
}

/// Operations of arithmetic in one: products and quotients of complex numbers
/// are formulas of several.
static int weightOf(mlir::Operation *op) {
  if (!isArithmetic(op))
    return 0;
  bool isComplex = llvm::any_of(op->getOperandTypes(), [](mlir::Type type) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && mlir::isa<mlir::ComplexType>(tensor.getElementType());
  });
  bool isByParts = llvm::StringSwitch<bool>(op->getName().stripDialect())
                       .Cases({"add", "subtract", "negate", "real", "imag"},
                              true)
                       .Default(false);
  return isComplex && !isByParts ? 2 : 1;
}

/// Whether two values that correspond differ on the exceptional data.
static bool partAt(const Side &own, const Key &mine, const Side &other,
                   const Key &theirs) {
  auto a = own.exact.find(mine), b = other.exact.find(theirs);
  return a != own.exact.end() && b != other.exact.end() &&
         a->second != b->second;
}

/// The value on the other side that corresponds to value `i`, and whether they
/// differ. If several correspond, it is the one of the same rank where both
/// sides have the same number of them (a zero constant and its negation are one
/// number), else one that does not differ.
static std::optional<std::pair<size_t, bool>>
twinOf(const Side &own, size_t i, const Side &other) {
  auto found = other.byFingerprint.find(own.fingerprints[i]);
  if (found == other.byFingerprint.end())
    return std::nullopt;
  const std::vector<size_t> &theirs = found->second;
  auto partsFrom = [&](size_t j) {
    return partAt(own, own.order[i], other, other.order[j]);
  };
  if (own.byFingerprint.at(own.fingerprints[i]).size() == theirs.size()) {
    size_t twin = theirs[own.ranks[i]];
    return std::pair(twin, partsFrom(twin));
  }
  for (size_t j : theirs)
    if (!partsFrom(j))
      return std::pair(j, false);
  return std::pair(theirs.front(), true);
}

/// The number of arithmetic operations that make this value from values that
/// correspond and do not differ themselves (x / 1 is x, and yet another NaN if
/// it is complex).
static int stretchTo(mlir::Operation *op, const Side &own, const Side &other) {
  llvm::DenseSet<mlir::Operation *> shared, seen;
  for (size_t i = 0; i < own.order.size(); ++i)
    if (auto twin = twinOf(own, i, other); twin && !twin->second)
      shared.insert(std::get<0>(own.order[i]));
  int count = 0;
  llvm::SmallVector<mlir::Operation *> open;
  if (op)
    open.push_back(op);
  while (!open.empty()) {
    mlir::Operation *at = open.pop_back_val();
    if (!at || !seen.insert(at).second || (at != op && shared.contains(at)))
      continue;
    count += weightOf(at);
    for (mlir::Value operand : at->getOperands())
      open.push_back(operand.getDefiningOp());
  }
  return count;
}

/// Whether these are two convolutions of different sizes: one has terms that
/// are zero, for example where groups become one convolution with a mask. A
/// zero times an infinity is NaN.
static bool hasZeroTerms(mlir::Operation *a, mlir::Operation *b) {
  auto isConvolution = [](mlir::Operation *op) {
    return op && op->getName().getStringRef() == "stablehlo.convolution";
  };
  auto shapeOf = [](mlir::Operation *op, unsigned i) {
    auto type =
        mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(i).getType());
    return type ? type.getShape() : llvm::ArrayRef<int64_t>();
  };
  return isConvolution(a) && isConvolution(b) &&
         (shapeOf(a, 0) != shapeOf(b, 0) || shapeOf(a, 1) != shapeOf(b, 1));
}

/// Whether one is a product and the other a sum of products, perhaps of only
/// one: a zero that is added to the initial zero of a sum loses its sign.
static bool isSumOfOneTerm(mlir::Operation *a, mlir::Operation *b) {
  auto isSum = [](mlir::Operation *op) {
    return op && mlir::isa<stablehlo::DotGeneralOp, stablehlo::DotOp,
                           stablehlo::ConvolutionOp, stablehlo::ReduceOp,
                           stablehlo::ReduceWindowOp>(op);
  };
  return isSum(a) != isSum(b);
}

/// The first pair of `own` values, in their order, that differs on the other side.
static std::optional<std::pair<size_t, size_t>>
firstParting(const Side &own, const Side &other) {
  for (size_t i = 0; i < own.order.size(); ++i)
    if (auto twin = twinOf(own, i, other); twin && twin->second)
      return std::pair(i, twin->first);
  return std::nullopt;
}

Parted judge::howTheyPart(const TwoRuns &runs) {
  Side a = sideOf(runs.ordinaryA, runs.exceptionalA),
       b = sideOf(runs.ordinaryB, runs.exceptionalB);
  for (bool swapped : {false, true}) {
    const Side &own = swapped ? a : b, &other = swapped ? b : a;
    auto pair = firstParting(own, other);
    if (!pair)
      continue;
    mlir::Operation *mine = std::get<0>(own.order[pair->first]),
                    *theirs = std::get<0>(other.order[pair->second]);
    bool isLaw = stretchTo(mine, own, other) > 1 ||
                 stretchTo(theirs, other, own) > 1 ||
                 hasZeroTerms(mine, theirs) || isSumOfOneTerm(mine, theirs);
    return isLaw ? Parted::ByALaw : Parted::ByOne;
  }
  return Parted::Nowhere;
}
