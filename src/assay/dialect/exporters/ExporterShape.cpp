// Operations of tensor and shape. A shape is a tensor of i64 whose length, the
// rank, is known.
#include "assay/dialect/exporters/ExporterRewriter.h"

#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/IR/Matchers.h"

namespace assay::exporters {

using namespace mlir;

/// The value of a constant number.
static std::optional<int64_t> knownNumber(Value value) {
  Operation *made = value.getDefiningOp();
  auto dense =
      made && made->getName().getStringRef() == "stablehlo.constant"
          ? dyn_cast_or_null<DenseIntElementsAttr>(made->getAttr("value"))
          : DenseIntElementsAttr();
  if (!dense || dense.getNumElements() != 1)
    return std::nullopt;
  return (*dense.value_begin<APInt>()).getSExtValue();
}

/// How many sizes a shape has; nullopt where this is not known.
static std::optional<int64_t> rankOf(Value shape) {
  auto type = dyn_cast<RankedTensorType>(shape.getType());
  if (!type || type.getRank() != 1 || type.isDynamicDim(0))
    return std::nullopt;
  return type.getDimSize(0);
}

//===--- tensor ----------------------------------------------------------===//

static Value lowerDim(ExporterRewriter &r) {
  auto type = dyn_cast<RankedTensorType>(r.operand(0).getType());
  std::optional<int64_t> dim = knownNumber(r.operand(1));
  if (!type || !dim || *dim < 0 || *dim >= type.getRank())
    return {};
  return r.sizeOf(r.operand(0), *dim);
}

static Value lowerFromElements(ExporterRewriter &r) {
  RankedTensorType type = r.resultType();
  Value list = r.list(r.op()->getOperands(), type.getElementType());
  return type.getRank() == 1 ? list : r.make("stablehlo.reshape", type, list);
}

static Value lowerExtract(ExporterRewriter &r) {
  auto type = dyn_cast<RankedTensorType>(r.operand(0).getType());
  if (!type)
    return {};
  if (type.getRank() == 0)
    return r.operand(0);
  SmallVector<int64_t> ones(static_cast<size_t>(type.getRank()), 1);
  Value one = r.make(
      "stablehlo.dynamic_slice",
      RankedTensorType::get(ones, type.getElementType()), r.op()->getOperands(),
      r.named("slice_sizes", r.builder().getDenseI64ArrayAttr(ones)));
  return r.make("stablehlo.reshape",
                RankedTensorType::get({}, type.getElementType()), one);
}

Value lowerTensor(ExporterRewriter &r) {
  StringRef name = r.op()->getName().stripDialect();
  if (!r.resultType())
    return {};
  if (name == "dim")
    return lowerDim(r);
  if (name == "from_elements")
    return lowerFromElements(r);
  if (name == "extract")
    return lowerExtract(r);
  if (name == "cast" && isa<RankedTensorType>(r.operand(0).getType()))
    return r.make("stablehlo.convert", r.resultType(), r.operand(0));
  if (name == "reshape")
    return r.make("stablehlo.dynamic_reshape", r.resultType(),
                  r.op()->getOperands());
  return {};
}

//===--- shape -----------------------------------------------------------===//

static Value lowerShapeOf(ExporterRewriter &r) {
  auto type = dyn_cast<RankedTensorType>(r.operand(0).getType());
  if (!type)
    return {};
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(r.sizeOf(r.operand(0), dim));
  return r.list(sizes, r.builder().getI64Type());
}

static Value lowerNumElements(ExporterRewriter &r) {
  std::optional<int64_t> rank = rankOf(r.operand(0));
  if (!rank)
    return {};
  Value product = r.number(1);
  for (int64_t i = 0; i < *rank; ++i)
    product = r.make("stablehlo.multiply", product.getType(),
                     {product, r.element(r.operand(0), r.number(i))});
  return product;
}

/// Pads the operands with leading ones to equal ranks; empty where a rank is
/// not known.
static SmallVector<Value> aligned(ExporterRewriter &r) {
  int64_t most = 0;
  for (Value shape : r.op()->getOperands()) {
    std::optional<int64_t> rank = rankOf(shape);
    if (!rank)
      return {};
    most = std::max(most, *rank);
  }
  SmallVector<Value> shapes;
  auto type = RankedTensorType::get({most}, r.builder().getI64Type());
  for (Value shape : r.op()->getOperands()) {
    SmallVector<int64_t> ones(static_cast<size_t>(most - *rankOf(shape)), 1);
    shapes.push_back(
        ones.empty()
            ? shape
            : r.make("stablehlo.concatenate", type, {r.numbers(ones), shape},
                     r.named("dimension", r.builder().getI64IntegerAttr(0))));
  }
  return shapes;
}

static Value onesLike(ExporterRewriter &r, Value shape) {
  return r.numbers(
      SmallVector<int64_t>(static_cast<size_t>(*rankOf(shape)), 1));
}

static Value lowerBroadcast(ExporterRewriter &r) {
  SmallVector<Value> shapes = aligned(r);
  if (shapes.empty())
    return {};
  Value all = shapes.front();
  for (Value shape : llvm::drop_begin(shapes))
    all = r.make("stablehlo.select", all.getType(),
                 {r.compare("EQ", all, onesLike(r, all)), shape, all});
  return all;
}

/// Whether every element of a list of i1 is true.
static Value allTrue(ExporterRewriter &r, Value list) {
  auto type = RankedTensorType::get({}, r.builder().getI1Type());
  Value all = r.make("stablehlo.constant", type, {},
                     r.named("value", DenseElementsAttr::get(type, true)));
  for (int64_t i = 0; i < *rankOf(list); ++i)
    all = r.make("stablehlo.and", type, {all, r.element(list, r.number(i))});
  return all;
}

/// True where each pair of sizes is equal or one of the two is 1.
static Value lowerBroadcastable(ExporterRewriter &r) {
  SmallVector<Value> shapes = aligned(r);
  if (shapes.size() != 2)
    return {};
  Value one = onesLike(r, shapes[0]),
        fits = r.compare("EQ", shapes[0], shapes[1]);
  for (Value shape : shapes)
    fits = r.make("stablehlo.or", fits.getType(),
                  {fits, r.compare("EQ", shape, one)});
  return allTrue(r, fits);
}

static Value lowerEqual(ExporterRewriter &r) {
  ValueRange shapes = r.op()->getOperands();
  Value all;
  for (Value shape : llvm::drop_begin(shapes)) {
    std::optional<int64_t> rank = rankOf(shape);
    if (!rank || rank != rankOf(shapes.front()))
      return {};
    Value same = allTrue(r, r.compare("EQ", shapes.front(), shape));
    all = all ? r.make("stablehlo.and", same.getType(), {all, same}) : same;
  }
  return all;
}

static Value lowerAll(ExporterRewriter &r) {
  Value all;
  for (Value one : r.op()->getOperands())
    all = all ? r.make("stablehlo.and", one.getType(), {all, one}) : one;
  return all;
}

static Value lowerConstShape(ExporterRewriter &r) {
  SmallVector<int64_t> sizes;
  for (const APInt &size :
       cast<shape::ConstShapeOp>(r.op()).getShape().getValues<APInt>())
    sizes.push_back(size.getSExtValue());
  return r.numbers(sizes);
}

static Value lowerConcat(ExporterRewriter &r) {
  std::optional<int64_t> a = rankOf(r.operand(0)), b = rankOf(r.operand(1));
  if (!a || !b)
    return {};
  return r.make("stablehlo.concatenate",
                RankedTensorType::get({*a + *b}, r.builder().getI64Type()),
                r.op()->getOperands(),
                r.named("dimension", r.builder().getI64IntegerAttr(0)));
}

static Value lowerConstWitness(ExporterRewriter &r) {
  bool holds = cast<shape::ConstWitnessOp>(r.op()).getPassing();
  auto type = RankedTensorType::get({}, r.builder().getI1Type());
  return r.make("stablehlo.constant", type, {},
                r.named("value", DenseElementsAttr::get(type, holds)));
}

static Value lowerRank(ExporterRewriter &r) {
  std::optional<int64_t> rank = rankOf(r.operand(0));
  return rank ? r.number(*rank) : Value();
}

static Value lowerConstSize(ExporterRewriter &r) {
  return r.number(cast<shape::ConstSizeOp>(r.op()).getValue().getSExtValue());
}

static Value same(ExporterRewriter &r) { return r.operand(0); }
static Value lowerExtent(ExporterRewriter &r) {
  return r.element(r.operand(0), r.operand(1));
}
static Value lowerFromExtents(ExporterRewriter &r) {
  return r.list(r.op()->getOperands(), r.builder().getI64Type());
}
template <typename Name> static Value binary(ExporterRewriter &r, Name name) {
  return r.make(name, r.operand(0).getType(), r.op()->getOperands());
}
static Value lowerMul(ExporterRewriter &r) {
  return binary(r, "stablehlo.multiply");
}
static Value lowerAdd(ExporterRewriter &r) {
  return binary(r, "stablehlo.add");
}

namespace {
struct Row {
  StringLiteral name;
  Value (*lower)(ExporterRewriter &);
};
} // namespace

static constexpr Row kRows[] = {
    {"shape_of", lowerShapeOf},
    {"const_shape", lowerConstShape},
    {"const_size", lowerConstSize},
    {"num_elements", lowerNumElements},
    {"broadcast", lowerBroadcast},
    {"get_extent", lowerExtent},
    {"from_extents", lowerFromExtents},
    {"to_extent_tensor", same},
    {"from_extent_tensor", same},
    {"value_as_shape", same},
    {"index_to_size", same},
    {"size_to_index", same},
    {"concat", lowerConcat},
    {"rank", lowerRank},
    {"mul", lowerMul},
    {"add", lowerAdd},
    {"is_broadcastable", lowerBroadcastable},
    {"cstr_broadcastable", lowerBroadcastable},
    {"shape_eq", lowerEqual},
    {"cstr_eq", lowerEqual},
    {"cstr_require", same},
    {"const_witness", lowerConstWitness},
    {"assuming_all", lowerAll},
};

Value lowerShape(ExporterRewriter &r) {
  StringRef name = r.op()->getName().stripDialect();
  for (const Row &row : kRows)
    if (row.name == name)
      return row.lower(r);
  return {};
}

} // namespace assay::exporters
