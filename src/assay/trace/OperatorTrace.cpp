// Reads dump.json, the list of traced operator calls, and checks each entry's
// form, so that later extraction needs no further checks of structure.
#include "assay/trace/OperatorTrace.h"
#include "assay/support/Json.h"
#include "llvm/Support/MemoryBuffer.h"

namespace assay::trace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

bool isTensorRecord(const Value &value) {
  const Object *object = value.getAsObject();
  return object && object->getArray("shape") && object->getString("dtype");
}

static llvm::Error checkTensor(const Object &record, llvm::StringRef where) {
  for (const Value &size : *record.getArray("shape"))
    if (std::optional<int64_t> number = size.getAsInteger();
        !number || *number < 0)
      return makeError(ErrorCode::InvalidArgument,
                       "{0}: a dimension is not a whole number of at least 0",
                       where);
  if (const Array *stride = record.getArray("stride");
      stride && stride->size() != record.getArray("shape")->size())
    return makeError(ErrorCode::InvalidArgument,
                     "{0}: {1} strides for {2} dimensions", where,
                     stride->size(), record.getArray("shape")->size());
  return llvm::Error::success();
}

/// Checks all tensor records below a value; nesting is bounded by the JSON
/// parser's own depth.
static llvm::Error checkValue(const Value &value, llvm::StringRef where) {
  if (isTensorRecord(value))
    return checkTensor(*value.getAsObject(), where);
  if (const Array *array = value.getAsArray())
    for (const Value &item : *array)
      if (llvm::Error error = checkValue(item, where))
        return error;
  if (const Object *object = value.getAsObject())
    for (const auto &item : *object)
      if (llvm::Error error = checkValue(item.second, where))
        return error;
  return llvm::Error::success();
}

static llvm::Expected<TracedCall> readCall(Value &entry,
                                           llvm::StringRef where) {
  Object *object = entry.getAsObject();
  if (!object)
    return makeError(ErrorCode::InvalidArgument, "{0} is not an object", where);
  TracedCall call;
  std::optional<llvm::StringRef> name = object->getString("name"),
                                 opName = object->getString("op_name");
  if (!name || !opName || name->empty() || opName->empty())
    return makeError(ErrorCode::InvalidArgument,
                     "{0} lacks 'name' or 'op_name'", where);
  call.name = name->str();
  call.opName = opName->str();
  for (char c : call.name + call.opName)
    if (!isalnum(static_cast<unsigned char>(c)) &&
        !llvm::StringRef("._-:").contains(c))
      return makeError(ErrorCode::InvalidArgument,
                       "{0}: '{1}' or '{2}' is not a name of an operator call",
                       where, call.name, call.opName);
  if (Array *args = object->getArray("args"))
    call.args = std::move(*args);
  else
    return makeError(ErrorCode::InvalidArgument, "{0} lacks the list 'args'",
                     where);
  if (Object *kwargs = object->getObject("kwargs"))
    call.kwargs = std::move(*kwargs);
  if (Array *outputs = object->getArray("outputs"))
    call.outputs = std::move(*outputs);
  if (const Array *stack = object->getArray("stack"); stack && !stack->empty())
    call.source = stack->back().getAsString().value_or("").str();
  call.count = object->getInteger("count").value_or(1);
  if (Object *scalars = object->getObject("scalars"))
    call.scalars = std::move(*scalars);
  for (const Value &argument : call.args)
    if (llvm::Error error = checkValue(argument, where))
      return error;
  for (const auto &argument : call.kwargs)
    if (llvm::Error error = checkValue(argument.second, where))
      return error;
  return call;
}

llvm::Expected<std::vector<TracedCall>>
readOperatorTrace(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      llvm::MemoryBuffer::getFile(path);
  if (!text)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     text.getError().message());
  llvm::Expected<Value> json = parseJson((*text)->getBuffer());
  if (!json)
    return makeError(ErrorCode::InvalidArgument, "'{0}' is not JSON: {1}", path,
                     llvm::toString(json.takeError()));
  Array *entries = json->getAsArray();
  if (!entries)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' holds no list of operator calls", path);
  std::vector<TracedCall> calls;
  for (size_t i = 0; i < entries->size(); ++i) {
    std::string where = llvm::formatv("'{0}': entry {1}", path, i).str();
    llvm::Expected<TracedCall> call = readCall((*entries)[i], where);
    if (!call)
      return call.takeError();
    calls.push_back(std::move(*call));
  }
  return calls;
}

} // namespace assay::trace
