// The text of a StableHLO module for one operator call. Each helper appends one
// operation in MLIR's generic syntax and returns its result; shapes follow the
// usual broadcasting of NumPy and PyTorch.
#include "assay/trace/aten/Builder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <cmath>

namespace assay::trace::aten {

using llvm::json::Object;

std::optional<TensorType> typeOfRecord(const Object &record) {
  llvm::StringRef name = record.getString("dtype").value_or("");
  name.consume_front("torch.");
  std::optional<ElementType> element = numerics::elementTypeFromNumpyName(name);
  if (!element)
    return std::nullopt;
  TensorType type{*element, {}};
  for (const llvm::json::Value &size : *record.getArray("shape"))
    type.shape.push_back(size.getAsInteger().value_or(0));
  return type;
}

static std::string joined(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}
static std::string array(llvm::ArrayRef<int64_t> values) {
  return values.empty() ? "array<i64>" : "array<i64: " + joined(values) + ">";
}

Builder::Builder(const TracedCall &call) : call_(call) {
  for (const llvm::json::Value &value : call.outputs) {
    const Object *record =
        isTensorRecord(value) ? value.getAsObject() : nullptr;
    std::optional<TensorType> type =
        record ? typeOfRecord(*record) : std::nullopt;
    outputs_.push_back(type.value_or(TensorType{}));
    if (type && (type->element.isComplex()))
      refuse("complex numbers");
    else if (record && !type)
      refuse("its result has a type without StableHLO form");
  }
  if (outputs_.empty())
    refuse("its outputs were not recorded");
}

const llvm::json::Value *Builder::argument(size_t i,
                                           llvm::StringRef name) const {
  if (i < call_.args.size())
    return &call_.args[i];
  return name.empty() ? nullptr : call_.kwargs.get(name);
}

bool Builder::isTensor(size_t i, llvm::StringRef name) const {
  const llvm::json::Value *value = argument(i, name);
  return value && isTensorRecord(*value);
}

Value Builder::parameter(const Object &record, const std::string &place) {
  auto [it, isNew] = byPlace_.try_emplace(place);
  if (!isNew)
    return it->second;
  std::optional<TensorType> type = typeOfRecord(record);
  if (!type || type->element.isComplex()) {
    refuse("an operand has the type " +
           record.getString("dtype").value_or("?").str());
    type = TensorType{f64(), {}};
  }
  it->second = {"%arg" + std::to_string(inputs_.size()), *type};
  inputs_.emplace_back(place, *type);
  return it->second;
}

Value Builder::recorded(size_t i) {
  if (!isTensor(i)) {
    refuse("argument " + std::to_string(i) + " is no tensor");
    return scalar(0);
  }
  return parameter(*argument(i)->getAsObject(), std::to_string(i));
}

static std::optional<double> numberOf(const llvm::json::Value &value) {
  if (std::optional<double> number = value.getAsNumber())
    return number;
  if (std::optional<bool> truth = value.getAsBoolean())
    return *truth ? 1 : 0;
  const Object *object = value.getAsObject();
  std::optional<llvm::StringRef> text =
      object ? object->getString("float") : std::nullopt;
  if (!text)
    return std::nullopt;
  return *text == "inf" ? INFINITY : *text == "-inf" ? -INFINITY : NAN;
}

Value Builder::tensor(size_t i, llvm::StringRef name) {
  const llvm::json::Value *value = argument(i, name);
  if (value && isTensorRecord(*value)) {
    Value x = parameter(*value->getAsObject(),
                        i < call_.args.size() ? std::to_string(i) : name.str());
    if (x.type.element.isBool())
      return x;
    return convert(x, x.isFloat() ? f64() : i64());
  }
  if (value && value->getAsBoolean())
    return convert(constant(*value->getAsBoolean() ? 1 : 0),
                   ElementType::boolean());
  if (std::optional<double> number = value ? numberOf(*value) : std::nullopt)
    return std::trunc(*number) == *number && std::fabs(*number) < 0x1p53 &&
                   !output().element.isFloat()
               ? constant(static_cast<int64_t>(*number))
               : scalar(*number);
  refuse("argument " + std::to_string(i) + " is no tensor and no number");
  return scalar(0);
}

std::optional<Value> Builder::optionalTensor(size_t i, llvm::StringRef name) {
  if (!isTensor(i, name))
    return std::nullopt;
  return tensor(i, name);
}

Value Builder::listed(size_t i, size_t item) {
  const llvm::json::Array *list =
      i < call_.args.size() ? call_.args[i].getAsArray() : nullptr;
  if (!list || item >= list->size() || !isTensorRecord((*list)[item])) {
    refuse("a list argument holds something that is no tensor");
    return scalar(0);
  }
  Value x = parameter(*(*list)[item].getAsObject(),
                      std::to_string(i) + "." + std::to_string(item));
  return x.type.element.isBool() ? x : convert(x, x.isFloat() ? f64() : i64());
}

std::vector<Value> Builder::tensors(size_t i) {
  std::vector<Value> result;
  const llvm::json::Array *list =
      i < call_.args.size() ? call_.args[i].getAsArray() : nullptr;
  for (size_t item = 0; list && item < list->size() && !refused(); ++item)
    result.push_back(listed(i, item));
  if (result.empty())
    refuse("it lacks its list of tensors");
  return result;
}

double Builder::number(size_t i, llvm::StringRef name, double otherwise) const {
  const llvm::json::Value *value = argument(i, name);
  return value ? numberOf(*value).value_or(otherwise) : otherwise;
}
int64_t Builder::integer(size_t i, llvm::StringRef name,
                         int64_t otherwise) const {
  const llvm::json::Value *value = argument(i, name);
  return value ? value->getAsInteger().value_or(otherwise) : otherwise;
}
bool Builder::boolean(size_t i, llvm::StringRef name, bool otherwise) const {
  return number(i, name, otherwise) != 0;
}
std::string Builder::text(size_t i, llvm::StringRef name,
                          llvm::StringRef otherwise) const {
  const llvm::json::Value *value = argument(i, name);
  return value ? value->getAsString().value_or(otherwise).str()
               : otherwise.str();
}

std::optional<Axes> Builder::integers(size_t i, llvm::StringRef name) const {
  const llvm::json::Value *value = argument(i, name);
  if (!value)
    return std::nullopt;
  if (std::optional<int64_t> one = value->getAsInteger())
    return Axes{*one};
  const llvm::json::Array *list = value->getAsArray();
  if (!list)
    return std::nullopt;
  Axes result;
  for (const llvm::json::Value &item : *list)
    result.push_back(item.getAsInteger().value_or(0));
  return result;
}

int64_t Builder::axis(size_t i, llvm::StringRef name, int64_t otherwise,
                      int64_t rank) {
  int64_t axis = integer(i, name, otherwise);
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis >= std::max<int64_t>(rank, 1)) {
    refuse("a dimension is out of range");
    return 0;
  }
  return axis;
}

Axes Builder::axes(size_t i, llvm::StringRef name, int64_t rank) {
  Axes result = integers(i, name).value_or(Axes());
  for (int64_t &axis : result) {
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank) {
      refuse("a dimension is out of range");
      return {};
    }
  }
  if (result.empty())
    for (int64_t axis = 0; axis < rank; ++axis)
      result.push_back(axis);
  return result;
}

const TensorType &Builder::output(size_t i) const {
  static const TensorType none{f64(), {}};
  return i < outputs_.size() ? outputs_[i] : none;
}

void Builder::result(Value value, size_t i) {
  if (refused() || i >= outputs_.size())
    return;
  const TensorType &type = outputs_[i];
  if (value.shape() != type.shape) {
    int64_t got = 1, expected = 1;
    for (int64_t size : value.shape())
      got *= size;
    for (int64_t size : type.shape)
      expected *= size;
    if (got != expected)
      return refuse("the recorded result has another shape than expected");
    value = reshape(value, type.shape);
  }
  results_.push_back(convert(value, type.element));
  resultOutputs_.push_back(i);
}

Value Builder::generic(llvm::StringRef op, llvm::ArrayRef<Value> operands,
                       TensorType type, const llvm::Twine &attributes,
                       const llvm::Twine &region) {
  Value value{next(), std::move(type)};
  std::string names, types, regionText = region.str(),
                            attributeText = attributes.str();
  for (const Value &operand : operands) {
    names += (names.empty() ? "" : ", ") + operand.name;
    types += (types.empty() ? "" : ", ") + toString(operand.type);
  }
  body_ += "  " + value.name + " = \"" +
           (op.contains('.') ? "" : "stablehlo.") + op.str() + "\"(" + names +
           ")";
  if (!regionText.empty())
    body_ += " ({" + regionText + "})";
  if (!attributeText.empty())
    body_ += " {" + attributeText + "}";
  body_ += " : (" + types + ") -> " + toString(value.type) + "\n";
  return value;
}

Value Builder::scalar(double value) {
  std::string bits =
      llvm::formatv("0x{0:X-16}", std::bit_cast<uint64_t>(value));
  return generic("constant", {}, {f64(), {}},
                 "value = dense<" + bits + "> : tensor<f64>");
}
Value Builder::constant(int64_t value) {
  return generic("constant", {}, {i64(), {}},
                 "value = dense<" + std::to_string(value) + "> : tensor<i64>");
}
Value Builder::constant(llvm::ArrayRef<int64_t> values) {
  TensorType type{i64(), {static_cast<int64_t>(values.size())}};
  return generic("constant", {}, type,
                 "value = dense<[" + joined(values) + "]> : " + toString(type));
}

Value Builder::convert(const Value &x, ElementType type) {
  return x.type.element == type ? x
                                : generic("convert", {x}, {type, x.shape()});
}
Value Builder::wide(const Value &x) { return convert(x, f64()); }

Value Builder::placed(const Value &x, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> dimensions) {
  return generic("broadcast_in_dim", {x}, {x.type.element, Shape(shape)},
                 "broadcast_dimensions = " + array(dimensions));
}

Value Builder::broadcast(const Value &x, llvm::ArrayRef<int64_t> shape) {
  if (llvm::ArrayRef<int64_t>(x.shape()) == shape)
    return x;
  int64_t offset = static_cast<int64_t>(shape.size()) - x.rank();
  Axes dimensions;
  for (int64_t i = 0; i < x.rank() && offset >= 0; ++i) {
    int64_t from = x.shape()[static_cast<size_t>(i)],
            to = shape[static_cast<size_t>(i + offset)];
    if (from != 1 && from != to)
      offset = -1;
    dimensions.push_back(i + offset);
  }
  if (offset < 0) {
    refuse("shapes that do not broadcast");
    return x;
  }
  return placed(x, shape, dimensions);
}

std::pair<Value, Value> Builder::promote(const Value &a, const Value &b) {
  ElementType type = a.isFloat() || b.isFloat() ? f64()
                     : a.type.element.isBool() && b.type.element.isBool()
                         ? ElementType::boolean()
                         : i64();
  return {convert(a, type), convert(b, type)};
}

static Shape broadcastShape(const Shape &a, const Shape &b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1,
            y = i < b.size() ? b[b.size() - 1 - i] : 1;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Value Builder::binary(llvm::StringRef op, const Value &a, const Value &b) {
  auto [x, y] = promote(a, b);
  Shape shape = broadcastShape(x.shape(), y.shape());
  x = broadcast(x, shape);
  y = broadcast(y, shape);
  return generic(op, {x, y}, x.type);
}

Value Builder::compare(llvm::StringRef direction, const Value &a,
                       const Value &b) {
  auto [x, y] = promote(a, b);
  Shape shape = broadcastShape(x.shape(), y.shape());
  x = broadcast(x, shape);
  y = broadcast(y, shape);
  return generic("compare", {x, y}, {ElementType::boolean(), shape},
                 "comparison_direction = #stablehlo<comparison_direction " +
                     direction + ">");
}

Value Builder::select(const Value &condition, const Value &yes,
                      const Value &no) {
  auto [x, y] = promote(yes, no);
  Shape shape =
      broadcastShape(broadcastShape(x.shape(), y.shape()), condition.shape());
  x = broadcast(x, shape);
  y = broadcast(y, shape);
  Value truth = convert(condition, ElementType::boolean());
  return generic("select", {broadcast(truth, shape), x, y}, x.type);
}

Value Builder::reshape(const Value &x, llvm::ArrayRef<int64_t> shape) {
  return llvm::ArrayRef<int64_t>(x.shape()) == shape
             ? x
             : generic("reshape", {x}, {x.type.element, Shape(shape)});
}

Value Builder::transpose(const Value &x, llvm::ArrayRef<int64_t> permutation) {
  TensorType type{x.type.element, {}};
  for (int64_t from : permutation)
    type.shape.push_back(x.shape()[static_cast<size_t>(from)]);
  return generic("transpose", {x}, std::move(type),
                 "permutation = " + array(permutation));
}

Value Builder::slice(const Value &x, int64_t axis, int64_t start, int64_t end,
                     int64_t step) {
  auto at = static_cast<size_t>(axis);
  Axes starts(x.shape().size(), 0), ends(x.shape().begin(), x.shape().end()),
      steps(x.shape().size(), 1);
  starts[at] = start;
  ends[at] = end;
  steps[at] = step;
  TensorType type = x.type;
  type.shape[at] = (std::max<int64_t>(end - start, 0) + step - 1) / step;
  return generic("slice", {x}, std::move(type),
                 "start_indices = " + array(starts) + ", limit_indices = " +
                     array(ends) + ", strides = " + array(steps));
}

Value Builder::concatenate(llvm::ArrayRef<Value> parts, int64_t axis) {
  TensorType type = parts[0].type;
  type.shape[static_cast<size_t>(axis)] = 0;
  for (const Value &part : parts)
    type.shape[static_cast<size_t>(axis)] +=
        part.shape()[static_cast<size_t>(axis)];
  return generic("concatenate", parts, std::move(type),
                 "dimension = " + std::to_string(axis) + " : i64");
}

Value Builder::pad(const Value &x, const Value &filler,
                   llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high) {
  TensorType type = x.type;
  for (size_t i = 0; i < low.size(); ++i)
    type.shape[i] += low[i] + high[i];
  return generic("pad", {x, filler}, std::move(type),
                 "edge_padding_low = " + array(low) +
                     ", edge_padding_high = " + array(high) +
                     ", interior_padding = " + array(Axes(low.size(), 0)));
}

Value Builder::iota(llvm::ArrayRef<int64_t> shape, int64_t axis) {
  return generic("iota", {}, {i64(), Shape(shape)},
                 "iota_dimension = " + std::to_string(axis) + " : i64");
}

Value Builder::reduce(llvm::StringRef op, const Value &x,
                      llvm::ArrayRef<int64_t> axes) {
  Value initial = scalar(0);
  if (op == "multiply")
    initial = scalar(1);
  else if (op == "maximum" && x.isFloat())
    initial = scalar(-INFINITY);
  else if (op == "minimum" && x.isFloat())
    initial = scalar(INFINITY);
  else if (op == "maximum")
    initial = constant(INT64_MIN);
  else if (op == "minimum")
    initial = constant(INT64_MAX);
  else if (op == "and")
    initial = constant(1);
  initial = convert(initial, x.type.element);
  TensorType type{x.type.element, {}};
  Shape kept = x.shape();
  for (int64_t i = 0; i < x.rank(); ++i)
    if (llvm::is_contained(axes, i))
      kept[static_cast<size_t>(i)] = 1;
    else
      type.shape.push_back(x.shape()[static_cast<size_t>(i)]);
  std::string element = toString(TensorType{x.type.element, {}});
  Value reduced = generic(
      "reduce", {x, initial}, std::move(type), "dimensions = " + array(axes),
      "\n  ^bb0(%a: " + element + ", %b: " + element +
          "):\n    %r = \"stablehlo." + op + "\"(%a, %b) : (" + element + ", " +
          element + ") -> " + element + "\n    \"stablehlo.return\"(%r) : (" +
          element + ") -> ()\n  ");
  return reshape(reduced, kept);
}

Value Builder::mean(const Value &x, llvm::ArrayRef<int64_t> axes) {
  double count = 1;
  for (int64_t axis : axes)
    count *= static_cast<double>(x.shape()[static_cast<size_t>(axis)]);
  return binary("divide", sum(wide(x), axes), scalar(count));
}

Value Builder::dot(const Value &a, const Value &b,
                   llvm::ArrayRef<int64_t> batchA,
                   llvm::ArrayRef<int64_t> batchB,
                   llvm::ArrayRef<int64_t> contractA,
                   llvm::ArrayRef<int64_t> contractB) {
  auto [x, y] = promote(a, b);
  TensorType type{x.type.element, {}};
  for (int64_t axis : batchA)
    type.shape.push_back(x.shape()[static_cast<size_t>(axis)]);
  for (int64_t i = 0; i < x.rank(); ++i)
    if (!llvm::is_contained(batchA, i) && !llvm::is_contained(contractA, i))
      type.shape.push_back(x.shape()[static_cast<size_t>(i)]);
  for (int64_t i = 0; i < y.rank(); ++i)
    if (!llvm::is_contained(batchB, i) && !llvm::is_contained(contractB, i))
      type.shape.push_back(y.shape()[static_cast<size_t>(i)]);
  return generic(
      "dot_general", {x, y}, std::move(type),
      "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [" +
          joined(batchA) + "], rhs_batching_dimensions = [" + joined(batchB) +
          "], lhs_contracting_dimensions = [" + joined(contractA) +
          "], rhs_contracting_dimensions = [" + joined(contractB) + "]>");
}

std::string Builder::module() const {
  std::string parameters, types, names;
  for (size_t i = 0; i < inputs_.size(); ++i)
    parameters += (i ? ", %arg" : "%arg") + std::to_string(i) + ": " +
                  toString(inputs_[i].second);
  for (const Value &value : results_) {
    types += (types.empty() ? "" : ", ") + toString(value.type);
    names += (names.empty() ? "" : ", ") + value.name;
  }
  return "func.func @main(" + parameters + ") -> (" + types + ") {\n" + body_ +
         "  return " + names + " : " + types + "\n}\n";
}

} // namespace assay::trace::aten
