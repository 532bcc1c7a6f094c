// A machine with a stack and a memo that cannot call arbitrary code: REDUCE,
// NEWOBJ and BUILD only know the functions and classes that describe tensors.
#include "assay/formats/Pickle.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"

#include <cstring>

namespace assay::formats {

using Kind = PickleValue::Kind;

namespace {

// A file may repeat values through the memo. So the number of values is limited
// here, and the depth where values are walked.
constexpr size_t kMostValues = 1 << 24;

class Machine {
public:
  Machine(llvm::ArrayRef<uint8_t> bytes, llvm::StringRef what)
      : bytes_(bytes), what_(what) {}
  llvm::Expected<PicklePtr> run();

private:
  llvm::Error step(uint8_t opcode);
  llvm::Error family(uint8_t opcode);
  llvm::Error number(uint8_t opcode);
  llvm::Error string(uint8_t opcode);
  llvm::Error collection(uint8_t opcode);
  llvm::Error memo(uint8_t opcode);
  llvm::Error global(uint8_t opcode);
  llvm::Error apply(uint8_t opcode);
  llvm::Error rebuildTensor(llvm::ArrayRef<PicklePtr> arguments,
                            PicklePtr &result);
  llvm::Error storage(const PickleValue &id);

  llvm::Error damaged(const llvm::Twine &why) const {
    return makeError(ErrorCode::InvalidArgument, "{0}: damaged pickle: {1}",
                     what_, why.str());
  }
  bool has(uint64_t count) const { return count <= bytes_.size() - at_; }
  uint64_t little(size_t width) {
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i)
      value |= uint64_t{bytes_[at_ + i]} << (8 * i);
    at_ += width;
    return value;
  }
  std::string line() {
    std::string text;
    while (at_ < bytes_.size() && bytes_[at_] != '\n')
      text += static_cast<char>(bytes_[at_++]);
    ++at_;
    return text;
  }
  void push(PickleValue value) {
    stack_.push_back(std::make_shared<PickleValue>(std::move(value)));
  }
  llvm::Expected<PicklePtr> pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back()))
      return damaged("the stack is empty");
    PicklePtr value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }
  llvm::Expected<std::vector<PicklePtr>> popToMark() {
    if (marks_.empty())
      return damaged("no mark");
    std::vector<PicklePtr> items(
        stack_.begin() + static_cast<ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }

  llvm::ArrayRef<uint8_t> bytes_;
  std::string what_;
  size_t at_ = 0;
  std::vector<PicklePtr> stack_;
  std::vector<size_t> marks_;
  std::vector<PicklePtr> memo_;
  size_t values_ = 0;
};

} // namespace

//===--- What is allowed -------------------------------------------------===//

/// The element type of torch.FloatStorage, torch.bfloat16, ...
static std::optional<numerics::ElementType> elementOf(llvm::StringRef name) {
  llvm::StringRef spelled =
      llvm::StringSwitch<llvm::StringRef>(name)
          .Cases({"FloatStorage", "float32"}, "f32")
          .Cases({"DoubleStorage", "float64"}, "f64")
          .Cases({"HalfStorage", "float16"}, "f16")
          .Cases({"BFloat16Storage", "bfloat16"}, "bf16")
          .Cases({"LongStorage", "int64"}, "i64")
          .Cases({"IntStorage", "int32"}, "i32")
          .Cases({"ShortStorage", "int16"}, "i16")
          .Cases({"CharStorage", "int8"}, "i8")
          .Cases({"ByteStorage", "uint8"}, "ui8")
          .Cases({"BoolStorage", "bool"}, "i1")
          .Case("uint16", "ui16")
          .Case("uint32", "ui32")
          .Case("uint64", "ui64")
          .Cases({"ComplexFloatStorage", "complex64"}, "complex<f32>")
          .Cases({"ComplexDoubleStorage", "complex128"}, "complex<f64>")
          .Default("");
  if (name.starts_with("float8_"))
    return numerics::elementTypeFromNumpyName(name);
  if (spelled.empty())
    return std::nullopt;
  return numerics::parseElementType(spelled);
}

static bool isAllowed(llvm::StringRef module, llvm::StringRef name) {
  static const llvm::StringSet<> kAllowed = {"torch._utils _rebuild_tensor_v2",
                                             "torch._utils _rebuild_tensor",
                                             "torch._utils _rebuild_tensor_v3",
                                             "torch._utils _rebuild_parameter",
                                             "torch.storage UntypedStorage",
                                             "torch.storage TypedStorage",
                                             "collections OrderedDict",
                                             "torch Size",
                                             "torch device",
                                             "torch.nn.parameter Parameter",
                                             "torch.serialization _get_layout"};
  return kAllowed.contains((module + " " + name).str()) ||
         (module == "torch" && elementOf(name));
}

//===--- Opcodes ---------------------------------------------------------===//

llvm::Error Machine::number(uint8_t opcode) {
  PickleValue value;
  value.kind = Kind::Number;
  size_t width = opcode == 'K' || opcode == 0x8a ? 1
                 : opcode == 'M'                 ? 2
                 : opcode == 'J'                 ? 4
                 : opcode == 'G'                 ? 8
                                                 : 0;
  if (!has(width))
    return damaged("it ends inside a number");
  if (opcode == 'G') { // big-endian
    uint64_t bits = llvm::byteswap(little(8));
    std::memcpy(&value.number, &bits, 8);
  } else if (opcode == 'J') {
    value.number = static_cast<int32_t>(little(4));
  } else if (opcode == 0x8a) {
    size_t length = little(1);
    if (length > 8 || !has(length))
      return damaged("an integer of more than 64 bits");
    uint64_t bits = little(length);
    if (length > 0 && length < 8 && (bits >> (8 * length - 1)))
      bits |= ~uint64_t{0} << (8 * length);
    value.number = static_cast<double>(static_cast<int64_t>(bits));
  } else if (opcode == 0x88 || opcode == 0x89) {
    value.number = opcode == 0x88;
  } else {
    value.number = static_cast<double>(little(width));
  }
  push(std::move(value));
  return llvm::Error::success();
}

llvm::Error Machine::string(uint8_t opcode) {
  size_t width = opcode == 0x8c || opcode == 'C' || opcode == 'U' ? 1
                 : opcode == 0x8d || opcode == 0x8e               ? 8
                                                                  : 4;
  if (!has(width))
    return damaged("it ends inside a text");
  uint64_t length = little(width);
  if (!has(length))
    return damaged("a text is longer than the file");
  PickleValue value;
  value.kind = Kind::Text;
  value.text.assign(reinterpret_cast<const char *>(bytes_.data() + at_),
                    length);
  at_ += length;
  push(std::move(value));
  return llvm::Error::success();
}

llvm::Error Machine::collection(uint8_t opcode) {
  PickleValue value;
  value.kind = opcode == '}' ? Kind::Map : Kind::Sequence;
  if (opcode == '}' || opcode == ']' || opcode == ')' || opcode == 0x8f) {
    push(std::move(value));
    return llvm::Error::success();
  }
  if (opcode >= 0x85 && opcode <= 0x87) { // tuples of one, two, three
    for (int i = opcode - 0x84; i > 0; --i) {
      llvm::Expected<PicklePtr> item = pop();
      if (!item)
        return item.takeError();
      value.items.insert(value.items.begin(), std::move(*item));
    }
    push(std::move(value));
    return llvm::Error::success();
  }
  std::vector<PicklePtr> items;
  if (opcode == 'a' || opcode == 's') { // one item, one pair
    for (int i = opcode == 'a' ? 1 : 2; i > 0; --i) {
      llvm::Expected<PicklePtr> item = pop();
      if (!item)
        return item.takeError();
      items.insert(items.begin(), std::move(*item));
    }
  } else {
    llvm::Expected<std::vector<PicklePtr>> popped = popToMark();
    if (!popped)
      return popped.takeError();
    items = std::move(*popped);
  }
  if (opcode == 't') {
    value.items = std::move(items);
    push(std::move(value));
    return llvm::Error::success();
  }
  bool isMap = opcode == 's' || opcode == 'u';
  if (stack_.empty() || (isMap && items.size() % 2))
    return damaged("items without a collection");
  if (isMap && stack_.back()->kind == Kind::Object)
    stack_.back()->kind = Kind::Map; // an OrderedDict
  llvm::append_range(stack_.back()->items, items);
  return llvm::Error::success();
}

llvm::Error Machine::memo(uint8_t opcode) {
  size_t width = opcode == 'q' || opcode == 'h'   ? 1
                 : opcode == 'r' || opcode == 'j' ? 4
                                                  : 0;
  if (!has(width))
    return damaged("it ends inside a memo");
  size_t index = width ? little(width) : memo_.size();
  if (opcode == 'h' || opcode == 'j') {
    if (index >= memo_.size() || !memo_[index])
      return damaged("a memo that was not set");
    stack_.push_back(memo_[index]);
    return llvm::Error::success();
  }
  if (stack_.empty() || index > bytes_.size())
    return damaged("a memo of nothing");
  if (index >= memo_.size())
    memo_.resize(index + 1);
  memo_[index] = stack_.back();
  return llvm::Error::success();
}

llvm::Error Machine::global(uint8_t opcode) {
  std::string module, name;
  if (opcode == 'c') {
    module = line();
    name = line();
  } else {
    llvm::Expected<PicklePtr> second = pop();
    if (!second)
      return second.takeError();
    llvm::Expected<PicklePtr> first = pop();
    if (!first)
      return first.takeError();
    module = (*first)->text;
    name = (*second)->text;
  }
  if (!isAllowed(module, name))
    return makeError(ErrorCode::InvalidArgument,
                     "{0} refers to '{1}.{2}', which describes no tensor; "
                     "nothing of it was run. Save tensors alone, as "
                     "torch.save(model.state_dict(), ...)",
                     what_, module, name);
  PickleValue value;
  value.kind = Kind::Global;
  value.text = name;
  push(std::move(value));
  return llvm::Error::success();
}

// The id is ('storage', torch.FloatStorage, '0', 'cpu', 12).
llvm::Error Machine::storage(const PickleValue &id) {
  if (id.items.size() < 5 || id.items[0]->text != "storage" ||
      id.items[1]->kind != Kind::Global || id.items[2]->kind != Kind::Text)
    return damaged("a persistent id that is not a storage");
  PickleValue value;
  value.kind = Kind::Storage;
  value.tensor.storage = id.items[2]->text;
  std::optional<numerics::ElementType> element = elementOf(id.items[1]->text);
  // For UntypedStorage the tensor says the type.
  value.tensor.element =
      element ? *element : *numerics::parseElementType("ui8");
  push(std::move(value));
  return llvm::Error::success();
}

static std::optional<Shape> integersOf(const PickleValue &value) {
  Shape result;
  for (const PicklePtr &item : value.items) {
    if (item->kind != Kind::Number || !(std::abs(item->number) < 0x1p52))
      return std::nullopt;
    result.push_back(static_cast<int64_t>(item->number));
  }
  return result;
}

// Arguments: (storage, offset, size, stride, requires_grad, hooks[, dtype of
// v3])
llvm::Error Machine::rebuildTensor(llvm::ArrayRef<PicklePtr> arguments,
                                   PicklePtr &result) {
  if (arguments.size() < 4 || arguments[0]->kind != Kind::Storage ||
      arguments[1]->kind != Kind::Number)
    return damaged("a tensor without a storage");
  std::optional<Shape> shape = integersOf(*arguments[2]),
                       strides = integersOf(*arguments[3]);
  if (!shape || !strides || shape->size() != strides->size() ||
      !(arguments[1]->number >= 0 && arguments[1]->number < 0x1p52))
    return damaged("a tensor's sizes or strides");
  result = std::make_shared<PickleValue>();
  result->kind = Kind::Tensor;
  result->tensor = arguments[0]->tensor;
  result->tensor.offset = static_cast<int64_t>(arguments[1]->number);
  result->tensor.shape = std::move(*shape);
  result->tensor.strides = std::move(*strides);
  if (arguments.size() > 6 && arguments[6]->kind == Kind::Global)
    if (std::optional<numerics::ElementType> element =
            elementOf(arguments[6]->text))
      result->tensor.element = *element;
  return llvm::Error::success();
}

llvm::Error Machine::apply(uint8_t opcode) {
  llvm::Expected<PicklePtr> arguments = pop();
  if (!arguments)
    return arguments.takeError();
  if (opcode == 'Q')
    return storage(**arguments);
  if (opcode == 'b') // state of a tensor's attributes or of an OrderedDict
    return stack_.empty() ? damaged("state of nothing")
                          : llvm::Error::success();
  llvm::Expected<PicklePtr> function = pop();
  if (!function)
    return function.takeError();
  if ((*function)->kind != Kind::Global)
    return damaged("a call of what is not a function");
  llvm::StringRef name = (*function)->text;
  PicklePtr result = std::make_shared<PickleValue>();
  result->kind = Kind::Object;
  const std::vector<PicklePtr> &given = (*arguments)->items;
  if (name.starts_with("_rebuild_tensor")) {
    if (llvm::Error error = rebuildTensor(given, result))
      return error;
  } else if (name == "_rebuild_parameter" || name == "Parameter") {
    if (given.empty())
      return damaged("a parameter without a tensor");
    result = given[0];
  } else if (name == "OrderedDict") {
    result->kind = Kind::Map;
  } else if (name == "Size") {
    result->kind = Kind::Sequence;
    if (!given.empty())
      result->items = given[0]->items;
  }
  stack_.push_back(std::move(result));
  return llvm::Error::success();
}

llvm::Error Machine::step(uint8_t opcode) {
  switch (opcode) {
  case 0x80: // protocol
    at_ += 1;
    return llvm::Error::success();
  case 0x95: // frame
    at_ += 8;
    return llvm::Error::success();
  case '(':
    marks_.push_back(stack_.size());
    return llvm::Error::success();
  case 'N':
    push({});
    return llvm::Error::success();
  case '0':
    return pop().takeError();
  case '1':
    return popToMark().takeError();
  case '2':
    if (stack_.empty())
      return damaged("a copy of nothing");
    stack_.push_back(stack_.back());
    return llvm::Error::success();
  default:
    return family(opcode);
  }
}

/// Opcodes that form families, each handled by its own function.
llvm::Error Machine::family(uint8_t opcode) {
  switch (opcode) {
  case 'K':
  case 'M':
  case 'J':
  case 'G':
  case 0x88:
  case 0x89:
  case 0x8a:
    return number(opcode);
  case 'X':
  case 'T':
  case 'U':
  case 'B':
  case 'C':
  case 0x8c:
  case 0x8d:
  case 0x8e:
    return string(opcode);
  case '}':
  case ']':
  case ')':
  case 0x8f:
  case 0x85:
  case 0x86:
  case 0x87:
  case 'a':
  case 's':
  case 'e':
  case 'u':
  case 't':
  case 0x90:
    return collection(opcode);
  case 'q':
  case 'r':
  case 'h':
  case 'j':
  case 0x94:
    return memo(opcode);
  case 'c':
  case 0x93:
    return global(opcode);
  case 'Q':
  case 'R':
  case 'b':
  case 0x81:
    return apply(opcode);
  }
  return makeError(ErrorCode::Unsupported, "{0}: pickle opcode {1}", what_,
                   llvm::format_hex(opcode, 4));
}

llvm::Expected<PicklePtr> Machine::run() {
  while (at_ < bytes_.size()) {
    uint8_t opcode = bytes_[at_++];
    if (opcode == '.')
      return pop();
    if (++values_ > kMostValues)
      return damaged("more than 16 million values");
    if (llvm::Error error = step(opcode))
      return error;
  }
  return damaged("no end");
}

llvm::Expected<PicklePtr> readPickle(llvm::ArrayRef<uint8_t> bytes,
                                     llvm::StringRef what) {
  return Machine(bytes, what).run();
}

} // namespace assay::formats
