// Loads a function, and calls it: tensors become views of their memory; a
// non-zero code becomes an error with the function's own text.
#include "assay/engine/CustomLibrary.h"
#include "assay/support/Error.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <dlfcn.h>

namespace assay::engine {

using tensor::Tensor;

static llvm::json::Value toJson(mlir::Attribute attribute);

template <typename Values> static llvm::json::Array listOf(Values &&values) {
  llvm::json::Array list;
  for (auto &&value : values)
    list.push_back(value);
  return list;
}

static llvm::json::Value numberOf(mlir::IntegerAttr integer) {
  if (integer.getType().isInteger(1))
    return !integer.getValue().isZero();
  if (integer.getType().isUnsignedInteger())
    return integer.getValue().getZExtValue();
  return integer.getValue().getSExtValue();
}

static llvm::json::Value toJson(mlir::Attribute attribute) {
  if (auto text = mlir::dyn_cast<mlir::StringAttr>(attribute))
    return llvm::json::fixUTF8(text.getValue());
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    if (integer.getValue().getBitWidth() <= 64)
      return numberOf(integer);
  if (auto real = mlir::dyn_cast<mlir::FloatAttr>(attribute))
    if (real.getValue().isFinite())
      return real.getValueAsDouble();
  if (auto list = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(attribute))
    return listOf(list.asArrayRef());
  if (auto list = mlir::dyn_cast<mlir::DenseI32ArrayAttr>(attribute))
    return listOf(list.asArrayRef());
  if (auto list = mlir::dyn_cast<mlir::DenseF64ArrayAttr>(attribute))
    return listOf(list.asArrayRef());
  if (auto list = mlir::dyn_cast<mlir::ArrayAttr>(attribute)) {
    llvm::json::Array values;
    for (mlir::Attribute each : list)
      values.push_back(toJson(each));
    return values;
  }
  if (auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(attribute)) {
    llvm::json::Object object;
    for (mlir::NamedAttribute entry : dictionary)
      object[entry.getName().getValue()] = toJson(entry.getValue());
    return object;
  }
  if (mlir::isa<mlir::UnitAttr>(attribute))
    return true;
  std::string text; // attributes that JSON cannot express are written as MLIR
                    // prints them
  llvm::raw_string_ostream(text) << attribute;
  return llvm::json::fixUTF8(text);
}

std::string configurationOf(mlir::Operation *op) {
  llvm::json::Object object;
  for (llvm::StringRef name :
       {"backend_config", "mhlo.attributes", "mhlo.backend_config"}) {
    mlir::Attribute attribute = op->getAttr(name);
    if (auto dictionary =
            mlir::dyn_cast_or_null<mlir::DictionaryAttr>(attribute))
      for (mlir::NamedAttribute entry : dictionary)
        object[entry.getName().getValue()] = toJson(entry.getValue());
    else if (auto text = mlir::dyn_cast_or_null<mlir::StringAttr>(attribute))
      if (!text.getValue().empty())
        object[name] = llvm::json::fixUTF8(text.getValue());
  }
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

/// The function's view of a tensor; `type` keeps its text alive.
static assay_custom_call_tensor_t viewOf(const Tensor &tensor,
                                         const std::string &type) {
  return {type.c_str(), tensor.rank(), tensor.shape().data(),
          const_cast<std::byte *>(tensor.bytes())};
}

static llvm::Error call(assay_custom_call_function_t function,
                        const std::string &target, mlir::Operation *op,
                        llvm::ArrayRef<Tensor> operands,
                        llvm::MutableArrayRef<Tensor *> results) {
  std::vector<std::string> types;
  for (const Tensor &operand : operands)
    types.push_back(numerics::toString(operand.elementType()));
  for (const Tensor *result : results)
    types.push_back(numerics::toString(result->elementType()));
  std::vector<assay_custom_call_tensor_t> views;
  for (size_t i = 0; i < operands.size(); ++i)
    views.push_back(viewOf(operands[i], types[i]));
  for (size_t i = 0; i < results.size(); ++i)
    views.push_back(viewOf(*results[i], types[operands.size() + i]));
  std::string configuration = configurationOf(op);
  char message[512] = "";
  assay_custom_call_t arguments = {};
  arguments.struct_size = sizeof arguments;
  arguments.abi_version = ASSAY_CUSTOM_CALL_ABI_VERSION;
  arguments.target = target.c_str();
  arguments.attributes = configuration.c_str();
  arguments.operand_count = static_cast<int64_t>(operands.size());
  arguments.result_count = static_cast<int64_t>(results.size());
  arguments.operands = views.data();
  arguments.results = views.data() + operands.size();
  arguments.message = message;
  arguments.message_size = sizeof message;
  int answer = function(&arguments);
  if (answer == 0)
    return llvm::Error::success();
  message[sizeof message - 1] = '\0';
  return makeError(ErrorCode::Mismatch, "the function returned {0}{1}{2}",
                   answer, message[0] ? ": " : " and said nothing",
                   llvm::json::fixUTF8(message));
}

program::CustomFunction customFunction(assay_custom_call_function_t function,
                                       llvm::StringRef target) {
  return [function, name = target.str()](
             mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
             llvm::MutableArrayRef<Tensor *> results) {
    return call(function, name, op, operands, results);
  };
}

llvm::Error addCustomFunction(llvm::StringRef text,
                              program::CustomFunctions &functions) {
  auto [target, place] = text.split('=');
  if (target.empty() || place.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "--custom-call {0}: expected "
                     "TARGET=LIBRARY.so:FUNCTION",
                     text);
  auto [path, name] = place.rsplit(':');
  std::string symbol = (name.empty() ? target : name).str();
  void *library = dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError(ErrorCode::NotFound, "cannot load '{0}': {1}", path,
                     dlerror());
  auto function = reinterpret_cast<assay_custom_call_function_t>(
      dlsym(library, symbol.c_str()));
  if (!function)
    return makeError(ErrorCode::NotFound, "'{0}' has no function {1}", path,
                     symbol);
  functions[target.str()] = customFunction(function, target);
  return llvm::Error::success();
}

} // namespace assay::engine
