// Programs built as IR. Result shapes come from the inference that the
// verifiers also use (dialect/Infer.h), so that each shape is computed in one
// place. An error of the inference becomes the builder's error.
#include "assay/program/Builder.h"
#include "assay/dialect/Infer.h"
#include "assay/dialect/Register.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/Types.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <numeric>

namespace assay::program {

using mlir::Value;
using numerics::ElementType;
using stablehlo::WindowDim;

Builder::Builder()
    : context_(makeContext()), op_(context_.get()),
      location_(mlir::UnknownLoc::get(context_.get())) {
  context_->getOrLoadDialect<mlir::func::FuncDialect>();
  context_->getOrLoadDialect<stablehlo::StablehloDialect>();
  module_ = mlir::ModuleOp::create(location_);
  op_.setInsertionPointToEnd(module_->getBody());
  main_ = mlir::func::FuncOp::create(op_, location_, "main",
                                     op_.getFunctionType({}, {}));
  op_.setInsertionPointToEnd(main_.addEntryBlock());
}

Builder::~Builder() = default;

void Builder::setLocation(llvm::StringRef name) {
  location_ = mlir::NameLoc::get(op_.getStringAttr(name));
}

void Builder::fail(const llvm::Twine &message) {
  if (error_.empty())
    error_ = message.str();
}

TensorType Builder::typeOf(Value value) {
  return llvm::cantFail(tensorTypeOf(value.getType()));
}

//===--- Operations ------------------------------------------------------===//

Value Builder::argument(const TensorType &type, llvm::StringRef name) {
  mlir::Location location =
      name.empty() ? mlir::Location(mlir::UnknownLoc::get(context()))
                   : mlir::NameLoc::get(op_.getStringAttr(name));
  unsigned index = main_.getNumArguments();
  if (mlir::failed(main_.insertArgument(index, mlirTypeOf(context(), type),
                                        op_.getDictionaryAttr({}), location)))
    fail("cannot add an argument");
  return main_.getArgument(index);
}

void Builder::setArgumentAttribute(size_t index, llvm::StringRef name,
                                   mlir::Attribute attribute) {
  main_.setArgAttr(static_cast<unsigned>(index), name, attribute);
}

mlir::Operation *
Builder::create(llvm::StringRef name, mlir::ValueRange operands,
                llvm::ArrayRef<TensorType> results,
                llvm::ArrayRef<mlir::NamedAttribute> attributes,
                llvm::ArrayRef<Region> regions) {
  std::string full =
      name.contains('.') ? name.str() : ("stablehlo." + name).str();
  context_->getOrLoadDialect(llvm::StringRef(full).split('.').first);
  mlir::OperationState state(location_, full);
  mlir::NamedAttrList list(attributes);
  // An attribute of the wrong type would be dropped silently from the
  // operation's properties, so report it here, as the parser does.
  mlir::ScopedDiagnosticHandler handler(
      context(), [&](mlir::Diagnostic &diagnostic) {
        fail("'" + full + "' op " + diagnostic.str());
      });
  std::optional<mlir::RegisteredOperationName> known =
      state.name.getRegisteredInfo();
  if (!known)
    fail("unknown operation '" + full + "'");
  else if (mlir::failed(known->verifyInherentAttrs(
               list, [&] { return mlir::emitError(location_); })))
    list.clear();
  state.addOperands(operands);
  state.addAttributes(list);
  for (const TensorType &type : results)
    state.addTypes(mlirTypeOf(context(), type));
  for (const Region &region : regions) {
    mlir::OpBuilder::InsertionGuard guard(op_);
    mlir::Block *block = op_.createBlock(state.addRegion());
    for (const TensorType &type : region.arguments)
      block->addArgument(mlirTypeOf(context(), type), location_);
    llvm::SmallVector<Value> arguments(block->getArguments());
    llvm::SmallVector<Value> returned = region.body(arguments);
    create("return", returned, {}, {}, {});
  }
  return op_.create(state);
}

Value Builder::op(llvm::StringRef name, mlir::ValueRange operands,
                  const TensorType &result,
                  llvm::ArrayRef<mlir::NamedAttribute> attributes,
                  llvm::ArrayRef<Region> regions) {
  return create(name, operands, result, attributes, regions)->getResult(0);
}

llvm::SmallVector<Value>
Builder::opWithResults(llvm::StringRef name, mlir::ValueRange operands,
                       llvm::ArrayRef<TensorType> results,
                       llvm::ArrayRef<mlir::NamedAttribute> attributes,
                       llvm::ArrayRef<Region> regions) {
  return llvm::SmallVector<Value>(
      create(name, operands, results, attributes, regions)->getResults());
}

Region Builder::combiner(llvm::StringRef name, ElementType type) {
  TensorType scalar{type, {}};
  return {{scalar, scalar},
          [this, name = name.str()](llvm::ArrayRef<Value> of) {
            return llvm::SmallVector<Value>{binary(name, of[0], of[1])};
          }};
}

Region Builder::comparator(llvm::StringRef direction, ElementType type) {
  TensorType scalar{type, {}};
  return {{scalar, scalar},
          [this, direction = direction.str()](llvm::ArrayRef<Value> of) {
            return llvm::SmallVector<Value>{compare(direction, of[0], of[1])};
          }};
}

//===--- Attributes ------------------------------------------------------===//

mlir::Attribute Builder::array(DimsRef values) {
  return op_.getDenseI64ArrayAttr(values);
}
mlir::Attribute Builder::integer(int64_t value) {
  return op_.getI64IntegerAttr(value);
}
mlir::Attribute Builder::pairs(const Padding &of) {
  Dims flat;
  for (auto [low, high] : of)
    flat.append({low, high});
  return mlir::DenseIntElementsAttr::get(
      mlir::RankedTensorType::get({static_cast<int64_t>(of.size()), 2},
                                  op_.getI64Type()),
      DimsRef(flat));
}
mlir::NamedAttribute Builder::named(llvm::StringRef name,
                                    mlir::Attribute value) {
  return op_.getNamedAttr(name, value);
}

//===--- Elementwise -----------------------------------------------------===//

Value Builder::unary(llvm::StringRef name, Value x) {
  TensorType type = typeOf(x);
  if (name == "is_finite")
    type.element = ElementType::boolean();
  else if ((name == "abs" || name == "real" || name == "imag") &&
           type.element.isComplex())
    type.element = type.element.part();
  return op(name, x, type);
}

Value Builder::binary(llvm::StringRef name, Value a, Value b) {
  TensorType type = typeOf(a);
  if (name == "complex")
    type.element = ElementType::complex(type.element.format);
  return op(name, {a, b}, type);
}

Value Builder::compare(llvm::StringRef direction, Value a, Value b) {
  std::optional<stablehlo::ComparisonDirection> known =
      stablehlo::symbolizeComparisonDirection(direction);
  if (!known)
    fail("unknown comparison direction '" + direction + "'");
  return op("compare", {a, b}, {ElementType::boolean(), typeOf(a).shape},
            named("comparison_direction",
                  stablehlo::ComparisonDirectionAttr::get(
                      context(),
                      known.value_or(stablehlo::ComparisonDirection::EQ))));
}

Value Builder::select(Value condition, Value yes, Value no) {
  return op("select", {condition, yes, no}, typeOf(yes));
}

Value Builder::clamp(Value low, Value x, Value high) {
  return op("clamp", {low, x, high}, typeOf(x));
}

Value Builder::convert(Value x, ElementType element) {
  TensorType type = typeOf(x);
  if (type.element == element)
    return x;
  return op("convert", x, {element, type.shape});
}

//===--- Constants -------------------------------------------------------===//

static mlir::Attribute floatAttribute(mlir::Type type, llvm::APFloat value) {
  bool lossy;
  value.convert(mlir::cast<mlir::FloatType>(type).getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &lossy);
  return mlir::FloatAttr::get(type, value);
}

Value Builder::splat(mlir::Attribute element, const TensorType &type) {
  auto shaped = mlir::cast<mlir::ShapedType>(mlirTypeOf(context(), type));
  mlir::DenseElementsAttr values;
  if (type.element.isComplex()) {
    llvm::APFloat real = mlir::cast<mlir::FloatAttr>(element).getValue();
    values = mlir::DenseElementsAttr::get(
        shaped, std::complex<llvm::APFloat>(
                    real, llvm::APFloat::getZero(real.getSemantics())));
  } else {
    values = mlir::DenseElementsAttr::get(shaped, element);
  }
  return op("constant", {}, type, named("value", values));
}

Value Builder::constant(double value, const TensorType &type) {
  ElementType element = type.element;
  if (!element.isFloat() && !element.isComplex())
    return integerConstant(static_cast<int64_t>(value), type);
  mlir::Type part = mlirTypeOf(context(), {element.part(), {}});
  return splat(
      floatAttribute(mlir::getElementTypeOrSelf(part), llvm::APFloat(value)),
      type);
}

Value Builder::integerConstant(int64_t value, const TensorType &type) {
  ElementType element = type.element;
  if (element.isFloat() || element.isComplex())
    return constant(static_cast<double>(value), type);
  auto integer = mlir::cast<mlir::IntegerType>(
      mlir::getElementTypeOrSelf(mlirTypeOf(context(), {element, {}})));
  llvm::APInt bits(
      64, static_cast<uint64_t>(element.isBool() ? value != 0 : value));
  return splat(
      mlir::IntegerAttr::get(integer, bits.sextOrTrunc(integer.getWidth())),
      type);
}

Value Builder::constant(DimsRef values) {
  TensorType type{ElementType::integer(64),
                  {static_cast<int64_t>(values.size())}};
  return op("constant", {}, type, named("value", op_.getI64TensorAttr(values)));
}

Value Builder::realConstant(llvm::ArrayRef<double> values) {
  TensorType type{ElementType::floating(numerics::FloatFormat::F64),
                  {static_cast<int64_t>(values.size())}};
  return op("constant", {}, type,
            named("value", mlir::DenseElementsAttr::get(
                               mlir::cast<mlir::RankedTensorType>(
                                   mlirTypeOf(context(), type)),
                               values)));
}

Value Builder::constant(const tensor::Tensor &values) {
  llvm::Expected<mlir::DenseElementsAttr> attribute =
      attributeOf(context(), values);
  if (!attribute) {
    fail(takeError(attribute.takeError()).message);
    return constant(0, values.type());
  }
  return op("constant", {}, values.type(), named("value", *attribute));
}

Value Builder::iota(const TensorType &type, int64_t axis) {
  return op("iota", {}, type, named("iota_dimension", integer(axis)));
}

// The largest or smallest value: infinite where the format has infinities.
static mlir::Attribute extreme(mlir::FloatType type, bool negative) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  return mlir::FloatAttr::get(
      type, llvm::APFloat::semanticsHasInf(semantics)
                ? llvm::APFloat::getInf(semantics, negative)
                : llvm::APFloat::getLargest(semantics, negative));
}

static mlir::Attribute extreme(mlir::IntegerType type, bool isSigned,
                               bool smallest) {
  unsigned width = type.getWidth();
  if (!isSigned)
    return mlir::IntegerAttr::get(type, smallest
                                            ? llvm::APInt::getZero(width)
                                            : llvm::APInt::getAllOnes(width));
  return mlir::IntegerAttr::get(
      type, smallest ? llvm::APInt::getSignedMinValue(width)
                     : llvm::APInt::getSignedMaxValue(width));
}

Value Builder::neutral(llvm::StringRef name, ElementType type) {
  TensorType scalar{type, {}};
  if (name == "add" || name == "or")
    return integerConstant(0, scalar);
  if (name == "multiply")
    return integerConstant(1, scalar);
  if (name == "and")
    return integerConstant(type.isBool() ? 1 : -1, scalar);
  if (name != "maximum" && name != "minimum") {
    fail("'" + name + "' has no neutral element");
    return integerConstant(0, scalar);
  }
  bool smallest = name == "maximum";
  if (type.isComplex()) {
    fail("complex numbers have no order");
    return integerConstant(0, scalar);
  }
  mlir::Type element =
      mlir::getElementTypeOrSelf(mlirTypeOf(context(), scalar));
  if (auto format = mlir::dyn_cast<mlir::FloatType>(element))
    return splat(extreme(format, smallest), scalar);
  return splat(extreme(mlir::cast<mlir::IntegerType>(element), type.isSigned(),
                       smallest),
               scalar);
}

//===--- Data movement ---------------------------------------------------===//

Value Builder::inferred(
    Value otherwise,
    llvm::function_ref<mlir::FailureOr<llvm::SmallVector<int64_t>>(
        llvm::function_ref<mlir::InFlightDiagnostic()>)>
        infer,
    llvm::function_ref<Value(DimsRef)> emit) {
  mlir::FailureOr<llvm::SmallVector<int64_t>> shape;
  {
    mlir::ScopedDiagnosticHandler handler(
        context(),
        [&](mlir::Diagnostic &diagnostic) { fail(diagnostic.str()); });
    shape = infer([&] { return mlir::emitError(location_); });
  }
  return mlir::failed(shape) ? otherwise : emit(*shape);
}

Value Builder::broadcast(Value x, DimsRef shape, DimsRef broadcastDimensions) {
  return op("broadcast_in_dim", x, {typeOf(x).element, tensor::Shape(shape)},
            named("broadcast_dimensions", array(broadcastDimensions)));
}

Value Builder::reshape(Value x, DimsRef shape) {
  TensorType type = typeOf(x);
  if (DimsRef(type.shape) == shape)
    return x;
  return op("reshape", x, {type.element, tensor::Shape(shape)});
}

Value Builder::transpose(Value x, DimsRef permutation) {
  TensorType type = typeOf(x);
  return inferred(
      x,
      [&](auto emit) {
        return stablehlo::inferTranspose(type.shape, permutation, emit);
      },
      [&](DimsRef shape) {
        return op("transpose", x, {type.element, tensor::Shape(shape)},
                  named("permutation", array(permutation)));
      });
}

Value Builder::reverse(Value x, DimsRef axes) {
  return op("reverse", x, typeOf(x), named("dimensions", array(axes)));
}

Value Builder::slice(Value x, DimsRef starts, DimsRef limits, DimsRef strides) {
  TensorType type = typeOf(x);
  return inferred(
      x,
      [&](auto emit) {
        return stablehlo::inferSlice(type.shape, starts, limits, strides, emit);
      },
      [&](DimsRef shape) {
        return op("slice", x, {type.element, tensor::Shape(shape)},
                  {named("start_indices", array(starts)),
                   named("limit_indices", array(limits)),
                   named("strides", array(strides))});
      });
}

Value Builder::concatenate(llvm::ArrayRef<Value> parts, int64_t axis) {
  std::vector<TensorType> types;
  std::vector<DimsRef> shapes;
  for (Value part : parts)
    types.push_back(typeOf(part));
  for (const TensorType &type : types)
    shapes.push_back(type.shape);
  return inferred(
      parts.front(),
      [&](auto emit) {
        return stablehlo::inferConcatenate(shapes, axis, emit);
      },
      [&](DimsRef shape) {
        return op("concatenate", parts,
                  {types.front().element, tensor::Shape(shape)},
                  named("dimension", integer(axis)));
      });
}

Value Builder::pad(Value x, Value filler, DimsRef low, DimsRef high,
                   DimsRef interior) {
  TensorType type = typeOf(x);
  return inferred(
      x,
      [&](auto emit) {
        return stablehlo::inferPad(type.shape, low, high, interior, emit);
      },
      [&](DimsRef shape) {
        return op("pad", {x, filler}, {type.element, tensor::Shape(shape)},
                  {named("edge_padding_low", array(low)),
                   named("edge_padding_high", array(high)),
                   named("interior_padding", array(interior))});
      });
}

//===--- Contractions and folds ------------------------------------------===//

Value Builder::reduce(llvm::StringRef name, Value x, DimsRef axes) {
  TensorType type = typeOf(x);
  return inferred(
      x,
      [&](auto emit) { return stablehlo::inferReduce(type.shape, axes, emit); },
      [&](DimsRef shape) {
        return op("reduce", {x, neutral(name, type.element)},
                  {type.element, tensor::Shape(shape)},
                  named("dimensions", array(axes)),
                  combiner(name, type.element));
      });
}

static int64_t at(DimsRef values, size_t i, int64_t otherwise) {
  return i < values.size() ? values[i] : otherwise;
}

// Whether inference may divide by these sizes, strides and dilations.
static bool arePositive(std::initializer_list<DimsRef> lists) {
  return llvm::all_of(lists, [](DimsRef values) {
    return llvm::all_of(values, [](int64_t value) { return value > 0; });
  });
}

Value Builder::reduceWindow(llvm::StringRef name, Value x,
                            const Window &window) {
  TensorType type = typeOf(x);
  if (window.size.size() != type.shape.size() ||
      !arePositive({window.size, window.strides, window.baseDilation,
                    window.windowDilation})) {
    fail("a window needs one positive size for each dimension, and positive "
         "strides and dilations");
    return x;
  }
  std::vector<WindowDim> windows;
  for (size_t i = 0; i < window.size.size(); ++i) {
    std::pair<int64_t, int64_t> padding =
        i < window.padding.size() ? window.padding[i] : std::pair(0L, 0L);
    windows.push_back({window.size[i], at(window.strides, i, 1), padding.first,
                       padding.second, at(window.baseDilation, i, 1),
                       at(window.windowDilation, i, 1)});
  }
  llvm::SmallVector<mlir::NamedAttribute> attributes{
      named("window_dimensions", array(window.size))};
  for (auto [key, values] :
       {std::pair("window_strides", DimsRef(window.strides)),
        std::pair("base_dilations", DimsRef(window.baseDilation)),
        std::pair("window_dilations", DimsRef(window.windowDilation))})
    if (!values.empty())
      attributes.push_back(named(key, array(values)));
  if (!window.padding.empty())
    attributes.push_back(named("padding", pairs(window.padding)));
  return inferred(
      x,
      [&](auto emit) {
        return stablehlo::inferWindows(type.shape, windows, emit);
      },
      [&](DimsRef shape) {
        return op("reduce_window", {x, neutral(name, type.element)},
                  {type.element, tensor::Shape(shape)}, attributes,
                  combiner(name, type.element));
      });
}

Value Builder::dot(Value a, Value b, DimsRef batchA, DimsRef batchB,
                   DimsRef contractA, DimsRef contractB,
                   std::optional<ElementType> result) {
  TensorType lhs = typeOf(a), rhs = typeOf(b);
  auto dimensions = stablehlo::DotDimensionNumbersAttr::get(
      context(), batchA, batchB, contractA, contractB);
  return inferred(
      a,
      [&](auto emit) {
        return stablehlo::inferDotGeneral(lhs.shape, rhs.shape, dimensions,
                                          emit);
      },
      [&](DimsRef shape) {
        return op("dot_general", {a, b},
                  {result.value_or(lhs.element), tensor::Shape(shape)},
                  named("dot_dimension_numbers", dimensions));
      });
}

// Returns 2, 3, ... where no spatial dimensions are given.
static Dims spatialOr(const Dims &given, size_t rank) {
  Dims result = given;
  if (given.empty())
    for (size_t i = 2; i < rank; ++i)
      result.push_back(static_cast<int64_t>(i));
  return result;
}

static std::vector<WindowDim> convolutionWindows(const Convolution &options,
                                                 size_t count) {
  std::vector<WindowDim> windows(count);
  for (size_t i = 0; i < count; ++i) {
    windows[i].stride = at(options.strides, i, 1);
    windows[i].baseDilation = at(options.lhsDilation, i, 1);
    windows[i].windowDilation = at(options.rhsDilation, i, 1);
    if (i < options.padding.size())
      std::tie(windows[i].padLow, windows[i].padHigh) = options.padding[i];
  }
  return windows;
}

Value Builder::convolution(Value input, Value kernel,
                           const Convolution &options,
                           std::optional<ElementType> result) {
  TensorType lhs = typeOf(input), rhs = typeOf(kernel);
  size_t rank = lhs.shape.size();
  if (rank < 2 || rank != rhs.shape.size() ||
      !arePositive(
          {options.strides, options.lhsDilation, options.rhsDilation})) {
    fail("a convolution needs two operands of one rank, at least 2, and "
         "positive strides and dilations");
    return input;
  }
  Dims kernelSpatial = spatialOr(options.kernelSpatial, rank);
  auto dimensions = stablehlo::ConvDimensionNumbersAttr::get(
      context(), options.inputBatch, options.inputFeature,
      spatialOr(options.inputSpatial, rank), options.kernelInputFeature,
      options.kernelOutputFeature, kernelSpatial, options.outputBatch,
      options.outputFeature, spatialOr(options.outputSpatial, rank));
  std::vector<WindowDim> windows = convolutionWindows(options, rank - 2);
  llvm::SmallVector<mlir::NamedAttribute> attributes{
      named("dimension_numbers", dimensions),
      named("feature_group_count", integer(options.featureGroups)),
      named("batch_group_count", integer(options.batchGroups))};
  for (auto [key, values] :
       {std::pair("window_strides", DimsRef(options.strides)),
        std::pair("lhs_dilation", DimsRef(options.lhsDilation)),
        std::pair("rhs_dilation", DimsRef(options.rhsDilation))})
    if (!values.empty())
      attributes.push_back(named(key, array(values)));
  if (!options.padding.empty())
    attributes.push_back(named("padding", pairs(options.padding)));
  if (!options.reversal.empty())
    attributes.push_back(
        named("window_reversal", op_.getDenseBoolArrayAttr(options.reversal)));
  return inferred(
      input,
      [&](auto emit) {
        return stablehlo::inferConvolution(lhs.shape, rhs.shape, dimensions,
                                           windows, options.featureGroups,
                                           options.batchGroups, emit);
      },
      [&](DimsRef shape) {
        return op("convolution", {input, kernel},
                  {result.value_or(lhs.element), tensor::Shape(shape)},
                  attributes);
      });
}

//===--- The end ---------------------------------------------------------===//

llvm::Expected<std::shared_ptr<const Program>>
Builder::finish(llvm::ArrayRef<Value> results, llvm::StringRef name) {
  if (!error_.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}: {1}", name, error_);
  mlir::func::ReturnOp::create(op_, location_, results);
  llvm::SmallVector<mlir::Type> types(mlir::ValueRange(results).getTypes());
  main_.setType(
      op_.getFunctionType(main_.getFunctionType().getInputs(), types));
  return Program::adopt(std::move(context_), std::move(module_), name);
}

} // namespace assay::program
