// The largest (or smallest) elements along a dimension, best first, with the
// elements of the other operands at the same places: jax.lax.approx_max_k and
// older exporters' top_k. An approximate selection may always return the exact
// result, as this one does. Equal elements keep their order; NaN comes last.
#include "assay/dialect/Stablehlo.h"
#include "assay/reference/KeyOrder.h"
#include "assay/reference/Strided.h"
#include "assay/reference/custom/CustomCalls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include <cstring>

namespace assay::reference {

namespace {
struct Selection {
  int64_t dimension = 0;
  bool largest = true;
  size_t arrays = 1;        ///< number of operands that are sorted together;
                            ///< the first has the keys
  bool withIndices = false; ///< the second result holds the places
};
} // namespace

template <typename Key>
static llvm::Error selectBy(const Selection &what, StepContext &context) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < what.arrays; ++i) {
    llvm::Expected<Tensor> dense = context.dense(i);
    if (!dense)
      return dense.takeError();
    inputs.push_back(std::move(*dense));
  }
  const Tensor &first = inputs[0];
  auto d = static_cast<size_t>(what.dimension);
  int64_t size = first.shape()[d], count = context.out(0).shape()[d],
          inner = tensor::rowMajorStrides(first.shape())[d];
  int64_t outer = size * inner == 0 ? 0 : first.size() / (size * inner);
  std::vector<Key> all(static_cast<size_t>(first.size())),
      line(static_cast<size_t>(size));
  makeKeys(first.elementType(), {.descending = what.largest, .total = false},
           first.bytes(), first.size(), all.data());
  std::vector<Entry<Key>> entries, scratch;
  for (int64_t at = 0; at < outer * inner; ++at) {
    int64_t from = at / inner * size * inner + at % inner,
            to = at / inner * count * inner + at % inner;
    for (int64_t i = 0; i < size; ++i)
      line[size_t(i)] = all[size_t(from + i * inner)];
    selectEntries(line.data(), size, count, entries, scratch);
    for (int64_t i = 0; i < count; ++i) {
      int64_t place = placeOf(entries[size_t(i)]);
      for (size_t r = 0; r < what.arrays; ++r) {
        int64_t width = inputs[r].elementType().storageBytes();
        std::memcpy(context.out(r).mutableBytes() + (to + i * inner) * width,
                    inputs[r].bytes() + (from + place * inner) * width,
                    static_cast<size_t>(width));
      }
      if (what.withIndices)
        context.out(1).mutableData<int32_t>()[to + i * inner] =
            static_cast<int32_t>(place);
    }
  }
  return llvm::Error::success();
}

static llvm::Error select(const Selection &what, StepContext &context) {
  return hasNarrowKeys(context.operand(0).elementType())
             ? selectBy<uint32_t>(what, context)
             : selectBy<uint64_t>(what, context);
}

/// Checks that the results have the operands' types, except that the dimension
/// may be shorter.
static llvm::Error checkTypes(const StepSpec &spec, const Selection &what) {
  size_t results = what.withIndices ? 2 : what.arrays;
  bool fits =
      spec.results.size() == results && spec.operands.size() >= what.arrays &&
      hasKeys(spec.operands[0].element) && what.dimension >= 0 &&
      what.dimension < static_cast<int64_t>(spec.operands[0].shape.size());
  for (size_t i = 0; fits && i < results; ++i) {
    const TensorType &like = spec.operands[i < what.arrays ? i : 0];
    Shape shape = spec.operands[0].shape;
    auto d = static_cast<size_t>(what.dimension);
    fits = like.shape == shape &&
           spec.results[i].shape.size() == shape.size() &&
           spec.results[i].shape[d] <= shape[d];
    if (!fits)
      break;
    shape[d] = spec.results[i].shape[d];
    fits = spec.results[i].shape == shape && shape == spec.results[0].shape &&
           spec.results[i].element ==
               (i < what.arrays ? like.element : ElementType::integer(32));
  }
  if (fits)
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument,
                   "the results do not fit the largest elements of the "
                   "operands along dimension {0}",
                   what.dimension);
}

static llvm::Expected<std::unique_ptr<Step>> makeSelection(const StepSpec &spec,
                                                           Selection what) {
  if (spec.shadow)
    return makeError(ErrorCode::Unsupported,
                     "the choice is made by the values, not by the shadow");
  if (llvm::Error error = checkTypes(spec, what))
    return error;
  return program::makeStep(
      [what](StepContext &context) { return select(what, context); });
}

/// True for GT, false for LT: the comparison that is the called function's
/// body.
static llvm::Expected<bool> wantsLargest(mlir::Operation *op) {
  auto called = op->getAttrOfType<mlir::ArrayAttr>("called_computations");
  if (called && called.size() == 1)
    if (auto symbol = mlir::dyn_cast<mlir::SymbolRefAttr>(called[0]))
      if (mlir::Operation *function =
              mlir::SymbolTable::lookupNearestSymbolFrom(op, symbol))
        if (!function->getRegion(0).empty()) {
          mlir::Block &body = function->getRegion(0).front();
          auto compare = mlir::dyn_cast<stablehlo::CompareOp>(body.front());
          if (compare && body.getNumArguments() > 1 &&
              compare.getLhs() == body.getArgument(0) &&
              compare.getRhs() == body.getArgument(1)) {
            if (compare.getComparisonDirection() ==
                stablehlo::ComparisonDirection::GT)
              return true;
            if (compare.getComparisonDirection() ==
                stablehlo::ComparisonDirection::LT)
              return false;
          }
        }
  return makeError(ErrorCode::Unsupported,
                   "the call needs one function that compares its first two "
                   "arguments by GT or LT");
}

llvm::Expected<std::unique_ptr<Step>> approxTopK(const StepSpec &spec) {
  llvm::Expected<bool> largest = wantsLargest(spec.op);
  if (!largest)
    return largest.takeError();
  return makeSelection(spec,
                       {.dimension = configIntOf(spec.op, "reduction_dim", -1),
                        .largest = *largest,
                        .arrays = spec.operands.size() / 2});
}

llvm::Expected<std::unique_ptr<Step>> topKCall(const StepSpec &spec) {
  if (spec.operands.size() != 1)
    return makeError(ErrorCode::InvalidArgument, "the call takes one operand");
  return makeSelection(
      spec,
      {.dimension = static_cast<int64_t>(spec.operands[0].shape.size()) - 1,
       .largest = configIntOf(spec.op, "largest", 1) != 0,
       .arrays = 1,
       .withIndices = true});
}

} // namespace assay::reference
