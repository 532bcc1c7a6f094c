/// Parts of the short syntax: the functions for `custom<Name>` in the .td
/// files. Each parseX reads the output of its printX.
#pragma once

#include "assay/dialect/FieldReader.h"
#include "assay/dialect/StablehloAttrs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace assay::stablehlo {

using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

// --- Types -------------------------------------------------------------------

/// `T` if all operands and the result have this type, else `(T1, T2) -> R`.
mlir::ParseResult parseSameTypeList(mlir::OpAsmParser &parser,
                                    llvm::ArrayRef<mlir::Type *> operands,
                                    mlir::Type &result);
void printSameTypeList(mlir::OpAsmPrinter &printer, mlir::Operation *op);

/// These two forms for one, two or three operands; the last type is that of the
/// result.
template <typename... T>
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser, T &...types) {
  mlir::Type *all[] = {&types...};
  return parseSameTypeList(parser, llvm::ArrayRef(all).drop_back(),
                           *all[sizeof...(types) - 1]);
}
template <typename... T>
void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, T...) {
  printSameTypeList(printer, op);
}

/// Like parseSameTypes, for a variadic operand.
mlir::ParseResult
parseSameVariadicTypes(mlir::OpAsmParser &parser,
                       llvm::ArrayRef<mlir::OpAsmParser::UnresolvedOperand>,
                       Types &operands, mlir::Type &result);
void printSameVariadicTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                            mlir::OperandRange, mlir::TypeRange, mlir::Type);

/// The complex result type if both operands have the type of its parts, else a
/// function type.
mlir::ParseResult parseComplexTypes(mlir::OpAsmParser &parser, mlir::Type &lhs,
                                    mlir::Type &rhs, mlir::Type &result);
void printComplexTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::Type lhs, mlir::Type rhs, mlir::Type result);

/// `P, T` if on_true, on_false and the result have type T, else a function
/// type.
mlir::ParseResult parseSelectTypes(mlir::OpAsmParser &parser, mlir::Type &pred,
                                   mlir::Type &onTrue, mlir::Type &onFalse,
                                   mlir::Type &result);
void printSelectTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::Type pred, mlir::Type onTrue, mlir::Type onFalse,
                      mlir::Type result);

/// A tuple type whose elements are the operands' types.
mlir::ParseResult parseTupleTypes(mlir::OpAsmParser &parser, Types &operands,
                                  mlir::Type &result);
void printTupleTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::TypeRange operands, mlir::Type result);

/// A list of types that is the same for operands and results.
mlir::ParseResult parsePairwiseTypes(mlir::OpAsmParser &parser, Types &operands,
                                     Types &results);
void printPairwiseTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::TypeRange operands, mlir::TypeRange results);

// --- Operands and attributes -------------------------------------------------

/// `%a, %b,` with a comma after the last operand.
mlir::ParseResult parseOperandsThenComma(mlir::OpAsmParser &parser,
                                         Operands &operands);
void printOperandsThenComma(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                            mlir::OperandRange operands);

/// The bare word of an enumeration, `LT`; also accepts its long form
/// `#stablehlo<...>`.
template <typename EnumAttribute>
mlir::ParseResult parseWord(mlir::OpAsmParser &parser, EnumAttribute &value) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return parser.parseAttribute(value);
  auto number = symbolizeEnum<decltype(value.getValue())>(word);
  if (!number)
    return parser.emitError(loc)
           << "'" << word << "' is not a " << EnumAttribute::getMnemonic();
  value = EnumAttribute::get(parser.getContext(), *number);
  return mlir::success();
}
template <typename EnumAttribute>
void printWord(mlir::OpAsmPrinter &printer, mlir::Operation *,
               EnumAttribute value) {
  printer << stringifyEnum(value.getValue());
}

/// `[start:limit:stride, start:limit]`.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser,
                                   mlir::DenseI64ArrayAttr &starts,
                                   mlir::DenseI64ArrayAttr &limits,
                                   mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      llvm::ArrayRef<int64_t> starts,
                      llvm::ArrayRef<int64_t> limits,
                      llvm::ArrayRef<int64_t> strides);

/// `e5m10`.
mlir::ParseResult parseFloatFormat(mlir::OpAsmParser &parser,
                                   mlir::IntegerAttr &exponent,
                                   mlir::IntegerAttr &mantissa);
void printFloatFormat(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::IntegerAttr exponent, mlir::IntegerAttr mantissa);

/// The `@name` of a custom call.
mlir::ParseResult parseCallTarget(mlir::OpAsmParser &parser,
                                  mlir::StringAttr &target);
void printCallTarget(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::StringAttr target);

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
mlir::ParseResult parseDotDimensions(mlir::OpAsmParser &parser,
                                     DotDimensionNumbersAttr &dims);
void printDotDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        DotDimensionNumbersAttr dims);

/// `, precision = [DEFAULT, HIGH]`, or nothing.
mlir::ParseResult parsePrecisionConfig(mlir::OpAsmParser &parser,
                                       mlir::ArrayAttr &precision);
void printPrecisionConfig(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                          mlir::ArrayAttr precision);

/// The same, then `, algorithm = <...>` or nothing.
mlir::ParseResult parsePrecisionAndAlgorithm(mlir::OpAsmParser &parser,
                                             mlir::ArrayAttr &precision,
                                             DotAlgorithmAttr &algorithm);
void printPrecisionAndAlgorithm(mlir::OpAsmPrinter &printer,
                                mlir::Operation *op, mlir::ArrayAttr precision,
                                DotAlgorithmAttr algorithm);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
mlir::ParseResult parseConvDimensions(mlir::AsmParser &parser,
                                      ConvDimensionNumbersAttr &dims);
void printConvDimensions(mlir::AsmPrinter &printer,
                         ConvDimensionNumbersAttr dims);
inline void printConvDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *,
                                ConvDimensionNumbersAttr dims) {
  printConvDimensions(printer, dims);
}

/// `stride = [..], pad = [[l, h], ..], lhs_dilate = [..], rhs_dilate = [..],
/// reverse = [..]`, each optional.
mlir::ParseResult parseConvWindow(mlir::OpAsmParser &parser,
                                  mlir::DenseI64ArrayAttr &strides,
                                  mlir::DenseIntElementsAttr &padding,
                                  mlir::DenseI64ArrayAttr &lhsDilation,
                                  mlir::DenseI64ArrayAttr &rhsDilation,
                                  mlir::DenseBoolArrayAttr &reversal);
void printConvWindow(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     mlir::DenseI64ArrayAttr strides,
                     mlir::DenseIntElementsAttr padding,
                     mlir::DenseI64ArrayAttr lhsDilation,
                     mlir::DenseI64ArrayAttr rhsDilation,
                     mlir::DenseBoolArrayAttr reversal);

} // namespace assay::stablehlo
