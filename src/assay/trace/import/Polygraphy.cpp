// Polygraphy's JSON marks each object with its class. Results are
// {"lst": [[RUNNER, [{"outputs": {NAME: TENSOR, …}}, …]], …]}, inputs are
// [{NAME: TENSOR, …}, …]; a TENSOR is {"array": BASE64}, perhaps inside
// {"values": …}. Objects lose their order in the parser; the text has it.
// Source: Polygraphy 0.53, polygraphy/json, comparator/struct.
#include "assay/formats/Npy.h"
#include "assay/support/Json.h"
#include "assay/tensor/MappedFile.h"
#include "assay/trace/import/Recording.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

namespace assay::trace {

namespace json = llvm::json;

/// The base64 text of a tensor; nullopt: the value is not a tensor.
static std::optional<std::string> imageOf(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return std::nullopt;
  if (const json::Value *inner = object->get("values"))
    return imageOf(*inner);
  std::optional<llvm::StringRef> array = object->getString("array");
  return array ? std::optional<std::string>(array->str()) : std::nullopt;
}

static llvm::Expected<tensor::Tensor> readImage(const std::string &image,
                                                const std::string &what) {
  std::vector<char> bytes;
  if (llvm::Error error = llvm::decodeBase64(image, bytes))
    return makeError(ErrorCode::DataLoss, "{0}: {1}", what,
                     llvm::toString(std::move(error)));
  llvm::ArrayRef<uint8_t> view(reinterpret_cast<const uint8_t *>(bytes.data()),
                               bytes.size());
  llvm::Expected<formats::StoredTensor> stored = formats::parseNpy(view, what);
  if (!stored)
    return stored.takeError();
  return formats::finishStored(*stored, std::nullopt, what);
}

/// The tensors of one iteration, in the order of the text.
static void addTensors(const json::Object &tensors, int64_t step,
                       llvm::StringRef text, ImportRecording &recording) {
  std::vector<std::pair<size_t, const json::Object::value_type *>> ordered;
  for (const json::Object::value_type &item : tensors)
    ordered.push_back(
        {text.find(("\"" + llvm::StringRef(item.first) + "\"").str()), &item});
  std::sort(ordered.begin(), ordered.end(), [](const auto &a, const auto &b) {
    return std::pair(a.first, llvm::StringRef(a.second->first)) <
           std::pair(b.first, llvm::StringRef(b.second->first));
  });
  for (const auto &[at, item] : ordered) {
    std::string name = llvm::StringRef(item->first).str();
    std::optional<std::string> image = imageOf(item->second);
    recording.entries.push_back(
        {step,
         {placedName(name).second,
          [image, name]() -> llvm::Expected<tensor::Tensor> {
            if (!image)
              return makeError(ErrorCode::Unsupported, "it is not an array");
            return readImage(*image, "'" + name + "'");
          }}});
  }
}

static llvm::Expected<std::vector<ImportRecording>>
listRunners(const json::Array &runners, llvm::StringRef text) {
  std::vector<ImportRecording> recordings;
  for (const json::Value &value : runners) {
    const json::Array *runner = value.getAsArray();
    const json::Array *iterations =
        runner && runner->size() == 2 ? (*runner)[1].getAsArray() : nullptr;
    if (!iterations)
      return makeError(ErrorCode::InvalidArgument,
                       "a runner of \"lst\" has no iterations");
    ImportRecording recording;
    recording.file = (*runner)[0].getAsString().value_or("runner").str();
    std::replace(recording.file.begin(), recording.file.end(), '/', '_');
    recording.file += ".h5";
    for (size_t i = 0; i < iterations->size(); ++i) {
      const json::Object *iteration = (*iterations)[i].getAsObject();
      const json::Object *outputs =
          iteration ? iteration->getObject("outputs") : nullptr;
      if (!outputs)
        return makeError(ErrorCode::InvalidArgument,
                         "iteration {0} of '{1}' has no \"outputs\"", i,
                         recording.file);
      addTensors(*outputs, static_cast<int64_t>(i), text, recording);
    }
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

llvm::Expected<std::vector<ImportRecording>>
listPolygraphy(llvm::StringRef path) {
  llvm::Expected<std::shared_ptr<const tensor::MappedFile>> file =
      tensor::MappedFile::open(path);
  if (!file)
    return file.takeError();
  llvm::ArrayRef<uint8_t> bytes = (*file)->bytes();
  llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
  llvm::Expected<json::Value> value = parseJson(text);
  auto fail = [&](llvm::Error error) {
    return addContext(std::move(error), "'" + path + "'");
  };
  if (!value)
    return fail(makeError(ErrorCode::InvalidArgument, "not JSON: {0}",
                          llvm::toString(value.takeError())));
  if (const json::Object *object = value->getAsObject())
    if (const json::Array *runners = object->getArray("lst")) {
      llvm::Expected<std::vector<ImportRecording>> recordings =
          listRunners(*runners, text);
      return recordings ? std::move(recordings) : fail(recordings.takeError());
    }
  ImportRecording inputs;
  if (const json::Array *iterations = value->getAsArray())
    for (size_t i = 0; i < iterations->size(); ++i)
      if (const json::Object *tensors = (*iterations)[i].getAsObject())
        addTensors(*tensors, static_cast<int64_t>(i), text, inputs);
  if (inputs.entries.empty())
    return fail(makeError(ErrorCode::InvalidArgument,
                          "expected Polygraphy's results ({{\"lst\": ..}) or "
                          "inputs ([{{..}, ..])"));
  return std::vector<ImportRecording>{std::move(inputs)};
}

} // namespace assay::trace
