// Operations of arith, one row each. Signless integers become StableHLO's
// signed ones; the unsigned forms compute on the same bits as unsigned.
#include "assay/dialect/exporters/ExporterRewriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace assay::exporters {

using namespace mlir;

namespace {
enum class Form {
  Plain,    ///< operands and result as they are
  Unsigned, ///< operands and result as unsigned
  Widen,    ///< a conversion; i1 true becomes -1
  Extend    ///< a conversion from the unsigned type
};
struct Row {
  StringLiteral name, becomes;
  Form form;
};
} // namespace

static constexpr Row kRows[] = {
    {"addi", "add", Form::Plain},
    {"subi", "subtract", Form::Plain},
    {"muli", "multiply", Form::Plain},
    {"divsi", "divide", Form::Plain},
    {"remsi", "remainder", Form::Plain},
    {"minsi", "minimum", Form::Plain},
    {"maxsi", "maximum", Form::Plain},
    {"andi", "and", Form::Plain},
    {"ori", "or", Form::Plain},
    {"xori", "xor", Form::Plain},
    {"shli", "shift_left", Form::Plain},
    {"shrsi", "shift_right_arithmetic", Form::Plain},
    {"shrui", "shift_right_logical", Form::Plain},
    {"addf", "add", Form::Plain},
    {"subf", "subtract", Form::Plain},
    {"mulf", "multiply", Form::Plain},
    {"divf", "divide", Form::Plain},
    {"negf", "negate", Form::Plain},
    {"minimumf", "minimum", Form::Plain},
    {"maximumf", "maximum", Form::Plain},
    {"select", "select", Form::Plain},
    {"bitcast", "bitcast_convert", Form::Plain},
    {"divui", "divide", Form::Unsigned},
    {"remui", "remainder", Form::Unsigned},
    {"minui", "minimum", Form::Unsigned},
    {"maxui", "maximum", Form::Unsigned},
    {"index_cast", "convert", Form::Widen},
    {"extsi", "convert", Form::Widen},
    {"sitofp", "convert", Form::Widen},
    {"trunci", "convert", Form::Plain},
    {"fptosi", "convert", Form::Plain},
    {"extf", "convert", Form::Plain},
    {"truncf", "convert", Form::Plain},
    {"index_castui", "convert", Form::Extend},
    {"extui", "convert", Form::Extend},
    {"uitofp", "convert", Form::Extend},
};

static Type unsignedOf(Type element) {
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                          IntegerType::Unsigned);
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

static Value asUnsigned(ExporterRewriter &r, Value value) {
  Type element = elementOf(value);
  return element.isInteger(1) ? value : r.retyped(value, unsignedOf(element));
}

static Value lowerRow(ExporterRewriter &r, const Row &row) {
  std::string name = ("stablehlo." + row.becomes).str();
  RankedTensorType type = r.resultType();
  SmallVector<Value> operands(r.op()->getOperands());
  switch (row.form) {
  case Form::Plain:
    return r.make(name, type, operands);
  case Form::Unsigned: {
    Type element = type.getElementType();
    for (Value &operand : operands)
      operand = asUnsigned(r, operand);
    Value value =
        r.make(name, cast<RankedTensorType>(operands[0].getType()), operands);
    return r.retyped(value, element);
  }
  case Form::Widen: {
    Value value = r.make(name, type, operands);
    bool negates = elementOf(operands[0]).isInteger(1);
    return negates ? r.make("stablehlo.negate", type, value) : value;
  }
  case Form::Extend:
    return r.make(name, type, asUnsigned(r, operands[0]));
  }
  return {};
}

static Value lowerConstant(ExporterRewriter &r) {
  RankedTensorType type = r.resultType();
  auto value = r.op()->getAttr("value");
  DenseElementsAttr dense;
  if (auto number = dyn_cast<IntegerAttr>(value))
    dense = DenseElementsAttr::get(type, number.getValue());
  else if (auto real = dyn_cast<FloatAttr>(value))
    dense = DenseElementsAttr::get(type, real.getValue());
  else if (auto list = dyn_cast<DenseIntElementsAttr>(value);
           list && list.getElementType().isIndex())
    dense = list.mapValues(type.getElementType(),
                           [](const APInt &one) { return one; });
  else
    return {}; // other constants are run as they are
  return r.make("stablehlo.constant", type, {}, r.named("value", dense));
}

static Value lowerCompare(ExporterRewriter &r) {
  using P = arith::CmpIPredicate;
  P predicate = cast<arith::CmpIOp>(r.op()).getPredicate();
  Value a = r.operand(0), b = r.operand(1);
  if (predicate >= P::ult)
    a = asUnsigned(r, a), b = asUnsigned(r, b);
  switch (predicate) {
  case P::eq:
    return r.compare("EQ", a, b);
  case P::ne:
    return r.compare("NE", a, b);
  case P::slt:
  case P::ult:
    return r.compare("LT", a, b);
  case P::sle:
  case P::ule:
    return r.compare("LE", a, b);
  case P::sgt:
  case P::ugt:
    return r.compare("GT", a, b);
  case P::sge:
  case P::uge:
    return r.compare("GE", a, b);
  }
  return {};
}

/// Ordered comparisons and `une`; the latter is StableHLO's NE.
static Value lowerCompareFloats(ExporterRewriter &r) {
  using P = arith::CmpFPredicate;
  Value a = r.operand(0), b = r.operand(1);
  switch (cast<arith::CmpFOp>(r.op()).getPredicate()) {
  case P::OEQ:
    return r.compare("EQ", a, b);
  case P::UNE:
    return r.compare("NE", a, b);
  case P::OLT:
    return r.compare("LT", a, b);
  case P::OLE:
    return r.compare("LE", a, b);
  case P::OGT:
    return r.compare("GT", a, b);
  case P::OGE:
    return r.compare("GE", a, b);
  default:
    return {};
  }
}

/// Divides towards zero, and subtracts (or adds) 1 where the inexact quotient
/// was rounded in the wrong direction.
static Value lowerRoundedDivision(ExporterRewriter &r, bool up) {
  RankedTensorType type = r.resultType();
  Value a = r.operand(0), b = r.operand(1);
  auto constant = [&](int64_t value) {
    auto attribute = DenseElementsAttr::get(
        type, APInt(type.getElementTypeBitWidth(), value, true));
    return r.make("stablehlo.constant", type, {}, r.named("value", attribute));
  };
  Value quotient = r.make("stablehlo.divide", type, {a, b}),
        rest = r.make("stablehlo.remainder", type, {a, b}), zero = constant(0);
  Value inexact = r.compare("NE", rest, zero),
        signs = r.compare(up ? "EQ" : "NE", r.compare("LT", rest, zero),
                          r.compare("LT", b, zero));
  Value steps = r.make("stablehlo.and", inexact.getType(), {inexact, signs});
  Value stepped =
      r.make("stablehlo.add", type, {quotient, constant(up ? 1 : -1)});
  return r.make("stablehlo.select", type, {steps, stepped, quotient});
}

Value lowerArith(ExporterRewriter &r) {
  if (!r.resultType())
    return {};
  StringRef name = r.op()->getName().stripDialect();
  if (name == "constant")
    return lowerConstant(r);
  if (name == "cmpi")
    return lowerCompare(r);
  if (name == "cmpf")
    return lowerCompareFloats(r);
  if (name == "floordivsi" || name == "ceildivsi")
    return lowerRoundedDivision(r, name == "ceildivsi");
  for (const Row &row : kRows)
    if (row.name == name)
      return lowerRow(r, row);
  return {};
}

} // namespace assay::exporters
