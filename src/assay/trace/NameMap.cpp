// Reading and writing the map of names: JSON that a user can edit and hand
// back.
#include "assay/trace/NameMap.h"
#include "assay/support/Json.h"
#include "assay/tensor/AtomicFile.h"
#include "assay/tensor/MappedFile.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

namespace json = llvm::json;

static bool readPairs(const json::Object *object,
                      llvm::StringMap<std::optional<std::string>> &out) {
  if (!object)
    return true;
  for (const auto &[key, value] : *object) {
    std::optional<llvm::StringRef> text = value.getAsString();
    if (!text && value.kind() != json::Value::Null)
      return false;
    out[key.str()] =
        text ? std::optional<std::string>(text->str()) : std::nullopt;
  }
  return true;
}

static bool readPrefixes(const json::Array *array,
                         std::vector<NameMap::Prefix> &out) {
  if (!array)
    return true;
  for (const json::Value &value : *array) {
    const json::Object *object = value.getAsObject();
    std::optional<llvm::StringRef> target =
        object ? object->getString("target") : std::nullopt;
    std::optional<llvm::StringRef> bench =
        object ? object->getString("bench") : std::nullopt;
    if (!target || !bench)
      return false;
    out.push_back({target->str(), bench->str()});
  }
  return true;
}

/// A part of another name or kind would be passed over in silence.
static bool hasOnlyParts(const json::Object &object) {
  return llvm::all_of(object, [](const auto &item) {
    llvm::StringRef name = item.first;
    json::Value::Kind kind = item.second.kind();
    return (name == "prefixes" && kind == json::Value::Array) ||
           ((name == "modules" || name == "tensors") &&
            kind == json::Value::Object);
  });
}

llvm::Expected<NameMap> readNameMap(llvm::StringRef path) {
  llvm::Expected<std::shared_ptr<const tensor::MappedFile>> file =
      tensor::MappedFile::open(path);
  if (!file)
    return file.takeError();
  llvm::ArrayRef<uint8_t> bytes = (*file)->bytes();
  llvm::Expected<json::Value> value = parseJson(llvm::StringRef(
      reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  if (!value)
    return makeError(ErrorCode::InvalidArgument, "'{0}' is no JSON: {1}", path,
                     llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  NameMap result;
  if (!object || !hasOnlyParts(*object) || !readPrefixes(object->getArray("prefixes"), result.prefixes) ||
      !readPairs(object->getObject("modules"), result.modules) ||
      !readPairs(object->getObject("tensors"), result.tensors))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is no map of names; expected {{\"prefixes\": "
                     "[{{\"target\": .., \"bench\": ..}], \"modules\": "
                     "{{..}, \"tensors\": {{..}}",
                     path);
  return result;
}

static json::Object
pairsJson(const llvm::StringMap<std::optional<std::string>> &pairs) {
  json::Object result;
  for (const auto &entry : pairs)
    result[json::fixUTF8(entry.getKey())] =
        entry.second ? json::Value(json::fixUTF8(*entry.second))
                     : json::Value(nullptr);
  return result;
}

llvm::Error writeNameMap(llvm::StringRef path, const NameMap &map) {
  json::Array prefixes;
  for (const NameMap::Prefix &prefix : map.prefixes)
    prefixes.push_back(json::Object{{"target", json::fixUTF8(prefix.target)},
                                    {"bench", json::fixUTF8(prefix.bench)}});
  json::Value value = json::Object{{"prefixes", std::move(prefixes)},
                                   {"modules", pairsJson(map.modules)},
                                   {"tensors", pairsJson(map.tensors)}};
  std::string text = llvm::formatv("{0:2}\n", value).str();
  return tensor::writeAtomically(path, text);
}

} // namespace assay::trace
