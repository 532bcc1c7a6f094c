// The sdy dialect in bytecode: attributes are encoded as numbers and lists and
// become the text that the dialect keeps (Sdy.cpp). An attribute nested in
// another one is also an attribute in the file; those that only occur nested
// (axes, dimensions, factors) have text without a name. Attributes are written
// as text, which every bytecode reader accepts. Source: Shardy, dialect/sdy/ir
// (attrs.td, bytecode.td: the codes).
#include "assay/dialect/SdyBytecode.h"
#include "assay/dialect/BytecodeFields.h"

namespace assay::sdy {

using namespace mlir;
using bytecode::Reader;

namespace {

/// The attributes in the order of their codes.
enum Code : uint64_t {
  kManualAxes,
  kMeshAxis,
  kMesh,
  kSubAxis,
  kAxis,
  kDimension,
  kSharding,
  kPerValue,
  kDimMapping,
  kTensorMapping,
  kRule,
  kAxisList,
  kAxisLists,
  kAllToAll,
  kAllToAllList,
  kUnreducedSharding,
  kUnreducedPerValue,
  kReducedSharding
};

/// Reads the fields of one attribute and makes its text.
class Text {
public:
  explicit Text(Reader &reader) : fields_{reader} {}
  bool ok() const { return fields_.ok; }

  std::string quoted() {
    StringRef text;
    fields_.ok = fields_.ok && succeeded(fields_.reader.readString(text));
    return ("\"" + text + "\"").str();
  }
  int64_t integer() { return fields_.integer(); }
  std::string number() { return std::to_string(integer()); }
  bool flag() {
    bool value = false;
    fields_.ok = fields_.ok && succeeded(fields_.reader.readBool(value));
    return value;
  }
  /// "p2", or an empty text.
  std::string priority() {
    uint64_t value = 0;
    bool there = false;
    fields_.ok = fields_.ok &&
                 succeeded(fields_.reader.readVarIntWithFlag(value, there));
    return there ? "p" + std::to_string(value) : "";
  }
  /// An attribute of this dialect without the prefix `name`, a string, or a
  /// symbol.
  std::string attribute(StringRef name = "") {
    Attribute value;
    fields_.ok = fields_.ok && succeeded(fields_.reader.readAttribute(value));
    return textOf(value, name);
  }
  std::string optionalAttribute() {
    Attribute value;
    fields_.ok =
        fields_.ok && succeeded(fields_.reader.readOptionalAttribute(value));
    return value ? textOf(value, "") : "";
  }
  /// The attributes of a list, separated by commas.
  std::string attributes(StringRef name = "") {
    uint64_t count = 0;
    fields_.ok = fields_.ok && succeeded(fields_.reader.readVarInt(count));
    std::string text;
    for (uint64_t i = 0; i < count && fields_.ok; ++i)
      text += (i ? ", " : "") + attribute(name);
    return text;
  }
  SmallVector<int64_t> numbers() { return fields_.list(); }

private:
  std::string textOf(Attribute value, StringRef name) {
    if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(value))
      return ("@" + symbol.getValue()).str();
    if (auto string = dyn_cast_or_null<StringAttr>(value))
      return ("\"" + string.getValue() + "\"").str();
    auto part = dyn_cast_or_null<SdyTextAttr>(value);
    fields_.ok = fields_.ok && part;
    if (!part)
      return "";
    StringRef text = part.getText();
    text.consume_front(name);
    return text.str();
  }

  bytecode::Fields fields_;
};

} // namespace

static std::string joined(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

/// The names of factors: i, j ... z, z_1, z_2 ...
static std::string factor(int64_t index) {
  constexpr int64_t kLetters = 'z' - 'i';
  return index >= 0 && index <= kLetters
             ? std::string(1, static_cast<char>('i' + index))
             : "z_" + std::to_string(index - kLetters);
}

static std::string factors(StringRef kind, ArrayRef<int64_t> indices) {
  if (indices.empty())
    return "";
  std::string text;
  for (int64_t index : indices)
    text += (text.empty() ? "" : ", ") + factor(index);
  return (" " + kind + "={" + text + "}").str();
}

static std::string dimension(Text &in) {
  std::string axes = in.attributes();
  if (!in.flag())
    axes += axes.empty() ? "?" : ", ?";
  return "{" + axes + "}" + in.priority();
}

static std::string sharding(Text &in, uint64_t code) {
  std::string text = "sharding<" + in.attribute();
  text += ", [" + in.attributes() + "]";
  if (std::string axes = in.attributes(); !axes.empty())
    text += ", replicated={" + axes + "}";
  if (code == kSharding)
    return text + ">";
  std::string axes = in.attributes();
  constexpr StringRef kReductions[] = {"", "max", "min"};
  int64_t reduction = code == kReducedSharding ? in.integer() : 0;
  StringRef name = kReductions[reduction < 0 || reduction > 2 ? 0 : reduction];
  if (!axes.empty())
    text += (", unreduced=" + name + "{" + axes + "}").str();
  return text + ">";
}

static std::string rule(Text &in) {
  SmallVector<int64_t> sizes = in.numbers();
  std::string operands = in.attributes(), results = in.attributes(), named;
  for (size_t i = 0; i < sizes.size(); ++i)
    named += (i ? ", " : "") + factor(static_cast<int64_t>(i)) + "=" +
             std::to_string(sizes[i]);
  std::string text = "op_sharding_rule<(" + operands + ")->(" + results + ")";
  if (!named.empty())
    text += " {" + named + "}";
  for (StringRef kind :
       {"reduction", "need_replication", "permutation", "blocked_propagation"})
    text += factors(kind, in.numbers());
  return text + (in.flag() ? ", custom>" : ">");
}

static std::string mesh(Text &in) {
  std::string text = "mesh<[" + in.attributes() + "]";
  if (SmallVector<int64_t> devices = in.numbers(); !devices.empty())
    text += ", device_ids=[" + joined(devices) + "]";
  return text + ">";
}

static std::string dimMapping(Text &in) {
  std::string text;
  for (int64_t index : in.numbers())
    text += factor(index);
  return text;
}

static std::string axis(Text &in) {
  std::string name = in.quoted(), part = in.optionalAttribute();
  return part.empty() ? name : name + ":" + part;
}

/// The text of the attribute with this code; nullopt for an unknown code.
static std::optional<std::string> textOf(uint64_t code, Text &in) {
  switch (code) {
  case kManualAxes:
    return "manual_axes{" + in.attributes() + "}";
  case kMeshAxis: {
    std::string name = in.quoted();
    return name + "=" + in.number();
  }
  case kMesh:
    return mesh(in);
  case kSubAxis: {
    std::string before = in.number();
    return "(" + before + ")" + in.number();
  }
  case kAxis:
    return axis(in);
  case kDimension:
    return dimension(in);
  case kSharding:
  case kUnreducedSharding:
  case kReducedSharding:
    return sharding(in, code);
  case kPerValue:
  case kUnreducedPerValue:
    return "sharding_per_value<[" + in.attributes("sharding") + "]>";
  case kDimMapping:
    return dimMapping(in);
  case kTensorMapping:
    return "[" + in.attributes() + "]";
  case kRule:
    return rule(in);
  case kAxisList:
    return "{" + in.attributes() + "}";
  case kAxisLists:
    return "list_of_axis_ref_lists<[" + in.attributes() + "]>";
  case kAllToAll: {
    std::string axes = in.attributes(), from = in.number();
    return "{" + axes + "}: " + from + "->" + in.number();
  }
  case kAllToAllList:
    return "all_to_all_param_list<[" + in.attributes() + "]>";
  default:
    return std::nullopt;
  }
}

namespace {
class Interface : public BytecodeDialectInterface {
public:
  explicit Interface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(Reader &reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code)))
      return {};
    Text in(reader);
    std::optional<std::string> text = textOf(code, in);
    if (!text)
      return reader.emitError("an sdy attribute has the unknown code ") << code,
             Attribute();
    return in.ok() ? SdyTextAttr::get(getContext(), *text) : Attribute();
  }
  std::unique_ptr<DialectVersion> readVersion(Reader &reader) const override {
    return bytecode::readAnyVersion(reader);
  }
};
} // namespace

void addBytecode(SdyDialect &dialect) { dialect.addInterfaces<Interface>(); }

} // namespace assay::sdy
