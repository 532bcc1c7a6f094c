// A slope from src is computed as the function is, one from dst by single operations.
#include "assay/verify/AccurateEltwise.h"
#include "assay/judge/program/CommonForms.h"

using namespace assay;
using namespace assay::verify;
using formulas::EltwiseFunction;
using mlir::Value;
using program::Builder;

static Value stated(const EltwiseFunction &function, Value value) {
  return judge::withAccuracy(
      value,
      judge::eltwiseAccuracy(function.stem(), function.alpha, function.beta));
}

Value verify::accurateEltwise(Builder &builder, const EltwiseFunction &function,
                              Value x) {
  return stated(function, formulas::eltwiseForward(builder, function, x));
}

Value verify::accurateEltwiseGradient(Builder &builder,
                                      const EltwiseFunction &function,
                                      Value data, Value diffDst) {
  Value slope = formulas::eltwiseSlope(builder, function, data);
  if (!function.usesDst())
    stated(function, slope);
  return builder.binary("multiply", diffDst, slope);
}

Value AccurateArithmetic::unary(llvm::StringRef name, Value x) {
  Value value = Arithmetic::unary(name, x);
  bool isPower = name == "exponential";
  return isPower || name == "log"
             ? stated({isPower ? "exp" : "log", 0, 0}, value)
             : value;
}
