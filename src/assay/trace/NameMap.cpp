// Reading and writing the map of names: JSON that a user can edit and pass
// back.
#include "assay/trace/NameMap.h"
#include "assay/support/AtomicFile.h"
#include "assay/support/Json.h"
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

/// A word, or a list of words.
static std::vector<std::string> readNames(const json::Value *value) {
  std::vector<std::string> names;
  if (std::optional<llvm::StringRef> name =
          value ? value->getAsString() : std::nullopt)
    names.push_back(name->str());
  else if (const json::Array *list = value ? value->getAsArray() : nullptr)
    for (const json::Value &item : *list)
      names.push_back(item.getAsString().value_or("").str());
  return names;
}

static bool readGroups(const json::Array *array,
                       std::vector<NameMap::Group> &out) {
  if (!array)
    return true;
  for (const json::Value &value : *array) {
    const json::Object *object = value.getAsObject();
    if (!object)
      return false;
    NameMap::Group group{readNames(object->get("target")),
                         readNames(object->get("bench")),
                         object->getInteger("blocks").value_or(1)};
    size_t least = std::min(group.target.size(), group.bench.size()),
           most = std::max(group.target.size(), group.bench.size());
    bool named = !llvm::is_contained(group.target, "") &&
                 !llvm::is_contained(group.bench, "");
    if (least != 1 || most < 2 || !named || group.blocks < 1)
      return false;
    out.push_back(std::move(group));
  }
  return true;
}

/// Reads a list that must have each number from 0 once.
static bool readSamples(const json::Array *array, std::vector<int64_t> &out) {
  if (!array)
    return true;
  std::vector<bool> seen(array->size());
  for (const json::Value &value : *array) {
    std::optional<int64_t> sample = value.getAsInteger();
    if (!sample || *sample < 0 ||
        *sample >= static_cast<int64_t>(array->size()) ||
        seen[static_cast<size_t>(*sample)])
      return false;
    seen[static_cast<size_t>(*sample)] = true;
    out.push_back(*sample);
  }
  return true;
}

/// Whether the object has only known parts: others would be ignored silently.
static bool hasOnlyParts(const json::Object &object) {
  return llvm::all_of(object, [](const auto &item) {
    llvm::StringRef name = item.first;
    json::Value::Kind kind = item.second.kind();
    return ((name == "prefixes" || name == "groups" || name == "samples") &&
            kind == json::Value::Array) ||
           ((name == "modules" || name == "tensors") &&
            kind == json::Value::Object);
  });
}

llvm::Expected<json::Value> readJsonFile(llvm::StringRef path) {
  llvm::Expected<std::shared_ptr<const tensor::MappedFile>> file =
      tensor::MappedFile::open(path);
  if (!file)
    return file.takeError();
  llvm::ArrayRef<uint8_t> bytes = (*file)->bytes();
  llvm::Expected<json::Value> value = parseJson(llvm::StringRef(
      reinterpret_cast<const char *>(bytes.data()), bytes.size()));
  if (!value)
    return makeError(ErrorCode::InvalidArgument, "'{0}' is not JSON: {1}", path,
                     llvm::toString(value.takeError()));
  return value;
}

llvm::Expected<NameMap> readNameMap(llvm::StringRef path) {
  llvm::Expected<json::Value> value = readJsonFile(path);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  NameMap result;
  if (!object || !hasOnlyParts(*object) ||
      !readPrefixes(object->getArray("prefixes"), result.prefixes) ||
      !readPairs(object->getObject("modules"), result.modules) ||
      !readPairs(object->getObject("tensors"), result.tensors) ||
      !readGroups(object->getArray("groups"), result.groups) ||
      !readSamples(object->getArray("samples"), result.samples))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is not a map of names; expected {{\"prefixes\": "
                     "[{{\"target\": .., \"bench\": ..}], \"modules\": "
                     "{{..}, \"tensors\": {{..}, \"groups\": [{{\"target\": "
                     "[..], \"bench\": ..}], \"samples\": [..]}",
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
  json::Object value{{"prefixes", std::move(prefixes)},
                     {"modules", pairsJson(map.modules)},
                     {"tensors", pairsJson(map.tensors)}};
  if (!map.samples.empty())
    value["samples"] = json::Array(map.samples);
  std::string text =
      llvm::formatv("{0:2}\n", json::Value(std::move(value))).str();
  return writeAtomically(path, text);
}

} // namespace assay::trace
