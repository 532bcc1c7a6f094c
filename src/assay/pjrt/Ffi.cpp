// A call is a frame of buffers and attributes. A handler's stage `instantiate`
// runs once per operation of a plan, the other stages in every call. Their
// state belongs to the handler. Only the handler knows how to delete it, so it
// is never freed here.
#include "Ffi.h"
#include "FfiTable.h"
#include "Layout.h"

#include "assay/dialect/StablehloAttrs.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <array>
#include <deque>
#include <memory>

namespace assay::pjrt {

using tensor::Tensor;
using Stages = std::array<ffi::Handler *, 4>;

/// XLA's number for an element type.
static int typeNumber(llvm::StringRef name) {
  static const std::map<llvm::StringRef, int> numbers = {
#define ASSAY_BUFFER_TYPE(code, spelling, number) {spelling, number},
#include "assay/pjrt_abi/BufferTypes.def"
  };
  auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

namespace {
/// Attributes in the interface's form; this object owns their text.
class Attributes {
public:
  llvm::Error add(mlir::DictionaryAttr dictionary, ffi::Attrs &out);

private:
  struct List {
    std::vector<ffi::AttrType> types;
    std::vector<ffi::ByteSpan *> names;
    std::vector<void *> values;
  };

  llvm::Error value(mlir::Attribute attribute, ffi::AttrType &type, void *&out);
  llvm::Error number(mlir::Attribute attribute, void *&out);
  llvm::Error array(mlir::Type element, llvm::ArrayRef<char> raw, void *&out);
  template <typename T> T *keep(std::deque<T> &where, T value) {
    where.push_back(std::move(value));
    return &where.back();
  }
  void *bytes(const void *from, size_t size) {
    return keep(bytes_, std::string(static_cast<const char *>(from), size))
        ->data();
  }

  std::deque<std::string> bytes_;
  std::deque<ffi::ByteSpan> spans_;
  std::deque<ffi::Scalar> scalars_;
  std::deque<ffi::Array> arrays_;
  std::deque<ffi::Attrs> dictionaries_;
  std::deque<List> lists_;
};
} // namespace

static std::string nameOf(mlir::Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

static llvm::Error cannotPass(mlir::Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return makeError(assay::ErrorCode::Unsupported,
                   "the attribute {0} has no form in XLA's FFI", text);
}

llvm::Error Attributes::number(mlir::Attribute attribute, void *&out) {
  llvm::APInt bits(1, 0);
  mlir::Type type;
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute)) {
    bits = integer.getValue();
    type = integer.getType();
  } else if (auto real = mlir::dyn_cast<mlir::FloatAttr>(attribute)) {
    bits = real.getValue().bitcastToAPInt();
    type = real.getType();
  }
  int code = type ? typeNumber(nameOf(type)) : 0;
  if (code == 0 || bits.getBitWidth() > 64)
    return cannotPass(attribute);
  uint64_t word = bits.getZExtValue();
  out = keep(scalars_, {code, bytes(&word, sizeof word)});
  return llvm::Error::success();
}

llvm::Error Attributes::array(mlir::Type element, llvm::ArrayRef<char> raw,
                              void *&out) {
  int code = typeNumber(nameOf(element));
  size_t width = (element.getIntOrFloatBitWidth() + 7) / 8;
  out = keep(arrays_,
             {code, raw.size() / width, bytes(raw.data(), raw.size())});
  return llvm::Error::success();
}

llvm::Error Attributes::value(mlir::Attribute attribute, ffi::AttrType &type,
                              void *&out) {
  if (auto text = mlir::dyn_cast<mlir::StringAttr>(attribute)) {
    type = ffi::kString;
    out = keep(spans_, {static_cast<const char *>(
                            bytes(text.data(), text.size())),
                        text.size()});
    return llvm::Error::success();
  }
  if (auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(attribute)) {
    type = ffi::kDictionary;
    ffi::Attrs *inner = keep(dictionaries_, ffi::Attrs{});
    out = inner;
    return add(dictionary, *inner);
  }
  type = ffi::kArray;
  if (auto list = mlir::dyn_cast<mlir::DenseArrayAttr>(attribute))
    return array(list.getElementType(), list.getRawData(), out);
  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (dense && dense.getElementType().isIntOrFloat() && !dense.isSplat() &&
      typeNumber(nameOf(dense.getElementType())) > 1)
    return array(dense.getElementType(), dense.getRawData(), out);
  type = ffi::kScalar;
  return number(attribute, out);
}

llvm::Error Attributes::add(mlir::DictionaryAttr dictionary, ffi::Attrs &out) {
  List &list = *keep(lists_, List{});
  for (mlir::NamedAttribute entry : dictionary) { // sorted by name
    llvm::StringRef name = entry.getName().getValue();
    list.names.push_back(
        keep(spans_, {static_cast<const char *>(bytes(name.data(), name.size())),
                      name.size()}));
    if (llvm::Error error =
            value(entry.getValue(), list.types.emplace_back(),
                  list.values.emplace_back()))
      return error;
  }
  out = {sizeof out,         nullptr,           int64_t(list.names.size()),
         list.types.data(),  list.names.data(), list.values.data()};
  return llvm::Error::success();
}

namespace {
/// Tensors in the interface's form.
class Buffers {
public:
  void add(const tensor::TensorType &type, const std::byte *data) {
    buffers_.push_back({sizeof(ffi::Buffer), nullptr,
                        typeNumber(numerics::toString(type.element)),
                        const_cast<std::byte *>(data),
                        static_cast<int64_t>(type.shape.size()),
                        const_cast<int64_t *>(type.shape.data())});
    types_.push_back(ffi::kBuffer);
    addresses_.push_back(&buffers_.back());
  }
  ffi::Args args() {
    return {sizeof(ffi::Args), nullptr, int64_t(types_.size()), types_.data(),
            addresses_.data()};
  }

private:
  std::deque<ffi::Buffer> buffers_;
  std::vector<int> types_;
  std::vector<void *> addresses_;
};

/// A registered function within one plan.
class Function {
public:
  Function(std::string target, Stages stages)
      : target_(std::move(target)), stages_(stages) {}

  llvm::Error call(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                   llvm::MutableArrayRef<Tensor *> results);

private:
  /// Calls the function with tensors in the layouts that the operation
  /// requests.
  llvm::Error callAsLaid(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                         llvm::MutableArrayRef<Tensor *> results);
  llvm::Error run(ffi::CallFrame &frame, ffi::Stage stage);

  std::string target_;
  Stages stages_;
  std::mutex mutex_;
  std::map<mlir::Operation *, std::map<ffi::Stage, void *>> states_;
};
} // namespace

static llvm::Error failed(llvm::StringRef target,
                          std::unique_ptr<ffi::Error> error) {
  if (!error)
    return llvm::Error::success();
  return makeError(assay::ErrorCode::Mismatch, "the function {0} failed: {1}",
                   target, error->message);
}

llvm::Error Function::run(ffi::CallFrame &frame, ffi::Stage stage) {
  ffi::Handler *handler = stages_[stage];
  if (!handler)
    return llvm::Error::success();
  frame.stage = stage;
  frame.future = nullptr;
  std::unique_ptr<ffi::Error> error(handler(&frame));
  std::unique_ptr<ffi::Future> future(frame.future);
  if (!error && future) {
    std::unique_lock<std::mutex> lock(future->mutex);
    future->changed.wait(lock, [&] { return future->done; });
    error = std::move(future->error);
  }
  return failed(target_, std::move(error));
}

/// The operand whose memory a result shares; -1 if there is none.
static int64_t aliasOf(mlir::Operation *op, size_t result) {
  if (auto list = op->getAttrOfType<mlir::ArrayAttr>("output_operand_aliases"))
    for (mlir::Attribute each : list) {
      auto alias = mlir::dyn_cast<stablehlo::OutputOperandAliasAttr>(each);
      if (!alias)
        continue;
      llvm::ArrayRef<int64_t> path = alias.getOutputTupleIndices();
      if ((path.empty() ? 0 : path[0]) == static_cast<int64_t>(result))
        return alias.getOperandIndex();
    }
  return -1;
}

/// The layout that the operation requests for operand or result `i`.
static Layout askedLayout(mlir::Operation *op, llvm::StringRef name, size_t i,
                          const Tensor &tensor) {
  size_t rank = tensor.shape().size();
  Layout layout = rowMajor(rank);
  auto list = op->getAttrOfType<mlir::ArrayAttr>(name);
  auto asked = list && i < list.size()
                   ? mlir::dyn_cast<mlir::DenseIntElementsAttr>(list[i])
                   : nullptr;
  if (asked && asked.getNumElements() == static_cast<int64_t>(rank))
    for (auto [at, value] : llvm::enumerate(asked.getValues<llvm::APInt>()))
      layout[at] = value.getSExtValue();
  return layout;
}

llvm::Error Function::call(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                           llvm::MutableArrayRef<Tensor *> results) {
  std::vector<Tensor> given, made;
  std::vector<Tensor *> out;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (llvm::Error error =
            reordered(operand, rowMajor(operand.shape().size()),
                      askedLayout(op, "operand_layouts", i, operand), nullptr)
                .moveInto(given.emplace_back()))
      return error;
  made.reserve(results.size());
  std::vector<Layout> layouts;
  for (auto [i, result] : llvm::enumerate(results)) {
    layouts.push_back(askedLayout(op, "result_layouts", i, *result));
    out.push_back(result);
    if (isRowMajor(layouts.back()))
      continue;
    if (llvm::Error error = Tensor::allocate(result->type())
                                .moveInto(made.emplace_back()))
      return error;
    out.back() = &made.back();
  }
  if (llvm::Error error = callAsLaid(op, given, out))
    return error;
  for (auto [layout, result, laid] : llvm::zip(layouts, results, out))
    if (laid != result)
      copyBytes(result->mutableBytes(), *laid, layout,
                rowMajor(layout.size()));
  return llvm::Error::success();
}

llvm::Error
Function::callAsLaid(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                     llvm::MutableArrayRef<Tensor *> results) {
  Buffers given, made;
  std::vector<const std::byte *> data;
  for (const Tensor &operand : operands)
    data.push_back(operand.bytes());
  for (size_t i = 0; i < results.size(); ++i) {
    std::byte *out = results[i]->mutableBytes();
    int64_t alias = aliasOf(op, i);
    if (alias >= 0 && alias < static_cast<int64_t>(operands.size())) {
      const Tensor &operand = operands[static_cast<size_t>(alias)];
      std::memcpy(out, operand.bytes(),
                  static_cast<size_t>(std::min(operand.denseBytes(),
                                               results[i]->denseBytes())));
      data[static_cast<size_t>(alias)] = out;
    }
    made.add(results[i]->type(), out);
  }
  for (size_t i = 0; i < operands.size(); ++i)
    given.add(operands[i].type(), data[i]);
  ffi::CallFrame frame = {};
  frame.struct_size = ffi::kCallFrameSize;
  frame.api = &ffi::table();
  frame.args = given.args();
  frame.rets = made.args();
  Attributes attributes;
  mlir::DictionaryAttr configuration;
  for (llvm::StringRef name : {"backend_config", "mhlo.backend_config"})
    if (auto found = op->getAttrOfType<mlir::DictionaryAttr>(name))
      configuration = found;
  if (llvm::Error error = attributes.add(
          configuration ? configuration
                        : mlir::DictionaryAttr::get(op->getContext()),
          frame.attrs))
    return error;
  std::unique_lock<std::mutex> lock(mutex_);
  auto [place, isNew] = states_.try_emplace(op);
  lock.unlock();
  ffi::ExecutionContext context{&place->second};
  frame.ctx = &context;
  if (isNew)
    if (llvm::Error error = run(frame, ffi::kInstantiate))
      return error;
  for (ffi::Stage stage : {ffi::kPrepare, ffi::kInitialize, ffi::kExecute})
    if (llvm::Error error = run(frame, stage))
      return error;
  return llvm::Error::success();
}

//===--- The registry ----------------------------------------------------===//

static std::mutex registryMutex;
static std::map<std::string, Stages> &registry() {
  static auto *all = new std::map<std::string, Stages>();
  return *all;
}

void addForeignFunctions(program::CustomFunctions &functions) {
  std::lock_guard<std::mutex> lock(registryMutex);
  for (const auto &[target, stages] : registry()) {
    auto function = std::make_shared<Function>(target, stages);
    functions[target] = [function](mlir::Operation *op,
                                   llvm::ArrayRef<Tensor> operands,
                                   llvm::MutableArrayRef<Tensor *> results) {
      return function->call(op, operands, results);
    };
  }
}

/// Asks a handler which version it was built for; returns why it cannot be
/// called.
static std::string whyNot(ffi::Handler *handler) {
  ffi::Metadata metadata = {};
  metadata.struct_size = ffi::kMetadataSize;
  metadata.api_version.struct_size = sizeof metadata.api_version;
  ffi::MetadataExtension extension = {
      {sizeof extension, ffi::MetadataExtension::kType, nullptr}, &metadata};
  ffi::CallFrame frame = {};
  frame.struct_size = ffi::kCallFrameSize;
  frame.extension_start = &extension.base;
  frame.api = &ffi::table();
  frame.stage = ffi::kExecute;
  std::unique_ptr<ffi::Error> error(handler(&frame));
  if (error)
    return error->message;
  if (metadata.api_version.major_version != ffi::kMajor ||
      metadata.api_version.minor_version > ffi::kMinor)
    return llvm::formatv("it was built for version {0}.{1} of XLA's FFI, here "
                         "is {2}.{3}",
                         metadata.api_version.major_version,
                         metadata.api_version.minor_version, ffi::kMajor,
                         ffi::kMinor);
  return "";
}

} // namespace assay::pjrt

extern "C" const char *assay_pjrt_register_ffi(const char *target,
                                               void *const stages[4]) {
  using namespace assay;
  static thread_local std::string said;
  pjrt::Stages handlers;
  for (size_t i = 0; i < handlers.size(); ++i)
    handlers[i] = reinterpret_cast<ffi::Handler *>(stages[i]);
  if (!handlers[ffi::kExecute])
    return "it has no handler for the stage execute";
  said = pjrt::whyNot(handlers[ffi::kExecute]);
  if (!said.empty())
    return said.c_str();
  std::lock_guard<std::mutex> lock(pjrt::registryMutex);
  pjrt::registry()[target] = handlers;
  return nullptr;
}
