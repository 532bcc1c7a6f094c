// Decodes the arguments of a recorded call (JSON) and sets the types of its
// program's results to the recorded ones.
#include "assay/trace/aten/Builder.h"
#include "assay/numerics/Ulp.h"

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

static bool hasF64(const llvm::json::Value &value) {
  if (const llvm::json::Array *list = value.getAsArray())
    return llvm::any_of(*list, hasF64);
  std::optional<TensorType> type =
      isTensorRecord(value) ? typeOfRecord(*value.getAsObject()) : std::nullopt;
  return type && isF64(type->element);
}

static ElementType realOf(const TracedCall &call) {
  bool f64 =
      llvm::any_of(call.args, hasF64) || llvm::any_of(call.outputs, hasF64);
  for (const auto &argument : call.kwargs)
    f64 |= hasF64(argument.second);
  return realFor(f64);
}

Builder::Builder(const TracedCall &call) : Emitter(realOf(call)), call_(call) {
  for (const llvm::json::Value &value : call.outputs) {
    const Object *record =
        isTensorRecord(value) ? value.getAsObject() : nullptr;
    std::optional<TensorType> type =
        record ? typeOfRecord(*record) : std::nullopt;
    outputs_.push_back(type);
    if (record && !type)
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
  if (!type) {
    refuse("an operand has the type " +
           record.getString("dtype").value_or("?").str());
    type = TensorType{real(), {}};
  }
  program_.inputs.push_back(place);
  it->second = ir().argument(*type, place);
  return it->second;
}

Value Builder::recorded(size_t i) {
  if (!isTensor(i)) {
    refuse("argument " + std::to_string(i) + " is not a tensor");
    return scalar(0);
  }
  return parameter(*argument(i)->getAsObject(), std::to_string(i));
}

static std::optional<double> numberOf(const llvm::json::Value &value);

/// The parts of a complex number: {"complex": [real, imaginary]}.
static std::optional<std::pair<double, double>>
partsOf(const llvm::json::Value &value) {
  const Object *object = value.getAsObject();
  const llvm::json::Array *parts =
      object ? object->getArray("complex") : nullptr;
  if (!parts || parts->size() != 2)
    return std::nullopt;
  return std::make_pair(numberOf((*parts)[0]).value_or(NAN),
                        numberOf((*parts)[1]).value_or(NAN));
}

static std::optional<double> numberOf(const llvm::json::Value &value) {
  if (std::optional<double> number = value.getAsNumber())
    return number;
  if (std::optional<bool> truth = value.getAsBoolean())
    return *truth ? 1 : 0;
  if (auto parts = partsOf(value))
    return parts->second == 0 ? std::optional(parts->first) : std::nullopt;
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
    return widened(parameter(*value->getAsObject(), i < call_.args.size()
                                                        ? std::to_string(i)
                                                        : name.str()));
  }
  if (value && value->getAsBoolean())
    return ir().constant(*value->getAsBoolean(), {ElementType::boolean(), {}});
  if (auto parts = value ? partsOf(*value) : std::nullopt)
    return ir().binary("complex", scalar(parts->first), scalar(parts->second));
  if (std::optional<double> number = value ? numberOf(*value) : std::nullopt)
    return std::trunc(*number) == *number && std::fabs(*number) < 0x1p53 &&
                   !output().element.isFloat()
               ? constant(static_cast<int64_t>(*number))
               : scalar(*number);
  refuse("argument " + std::to_string(i) + " is neither a tensor nor a number");
  return scalar(0);
}

Value Builder::operand(size_t i) {
  Value x = tensor(i);
  const llvm::json::Value *value = argument(i, "");
  std::optional<double> number =
      value && !isTensorRecord(*value) ? numberOf(*value) : std::nullopt;
  ElementType type = output().element;
  if (!number || !type.isFloat() || !std::isfinite(*number))
    return x;
  bool isExact = std::fmod(*number, numerics::ulpOf(*number, type.format)) == 0;
  return isExact ? x : rounded(x);
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
    refuse("a list argument holds something that is not a tensor");
    return scalar(0);
  }
  return widened(parameter(*(*list)[item].getAsObject(),
                           std::to_string(i) + "." + std::to_string(item)));
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

double Builder::number(size_t i, llvm::StringRef name, double otherwise) {
  const llvm::json::Value *value = argument(i, name);
  if (value && partsOf(*value) && !numberOf(*value))
    refuse("a complex number as its argument");
  return value ? numberOf(*value).value_or(otherwise) : otherwise;
}
int64_t Builder::integer(size_t i, llvm::StringRef name,
                         int64_t otherwise) const {
  const llvm::json::Value *value = argument(i, name);
  return value ? value->getAsInteger().value_or(otherwise) : otherwise;
}
bool Builder::boolean(size_t i, llvm::StringRef name, bool otherwise) {
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

Axes Builder::spread(std::optional<Axes> given, size_t count,
                     int64_t otherwise) {
  Axes values = given.value_or(Axes());
  if (values.empty())
    values.push_back(otherwise);
  values.resize(count, values.back());
  return values;
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
  static const TensorType none{realFor(true), {}};
  return i < outputs_.size() && outputs_[i] ? *outputs_[i] : none;
}

const TensorType &Builder::firstOutput() const {
  size_t i = 0;
  while (i < outputs_.size() && !outputs_[i])
    ++i;
  return output(i);
}

void Builder::result(Value value, size_t i) {
  if (refused() || i >= outputs_.size() || !outputs_[i])
    return;
  const TensorType &type = *outputs_[i];
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
  program_.outputs.push_back(i);
}

llvm::Expected<AtenProgram> Builder::finish() {
  if (!refused() && results_.empty())
    refuse("none of its results has a form");
  if (refused())
    return makeError(ErrorCode::Unsupported, "{0}: {1}", call_.opName,
                     refusal());
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      ir().finish(results_, call_.opName);
  if (!program)
    return program.takeError();
  program_.program = std::move(*program);
  return std::move(program_);
}

} // namespace assay::trace::aten
