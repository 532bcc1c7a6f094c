// The two texts that an isolated engine and its worker exchange, as JSON.
#include "assay/engine/Isolate.h"
#include "assay/support/Json.h"
#include "llvm/Support/JSON.h"

namespace assay::engine {

using llvm::json::Object;
using llvm::json::Value;

static std::string textOf(Object object) {
  return llvm::formatv("{0}", Value(std::move(object))).str();
}

static std::string string(const Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

static llvm::Expected<Object> parseObject(llvm::StringRef text) {
  llvm::Expected<Value> value = parseJson(text);
  if (!value)
    return makeError(ErrorCode::InvalidArgument, "not JSON: {0}",
                     llvm::toString(value.takeError()));
  if (Object *object = value->getAsObject())
    return std::move(*object);
  return makeError(ErrorCode::InvalidArgument, "not a JSON object");
}

std::string ProgramSettings::toJson() const {
  return textOf(Object{{"file", llvm::json::fixUTF8(file)},
                       {"probe_directory", llvm::json::fixUTF8(probeDirectory)},
                       {"accumulate_per_step", accumulatePerStep},
                       {"alg", algorithm},
                       {"folds_scales", foldsScales},
                       {"fast_reference", fastReference},
                       {"max_frames", maxFrames},
                       {"max_memory", maxMemoryBytes},
                       {"random_stream", static_cast<int64_t>(randomStream)}});
}

llvm::Expected<ProgramSettings>
ProgramSettings::fromJson(llvm::StringRef text) {
  llvm::Expected<Object> object = parseObject(text);
  if (!object)
    return object.takeError();
  ProgramSettings settings;
  settings.file = string(*object, "file");
  settings.probeDirectory = string(*object, "probe_directory");
  settings.accumulatePerStep =
      object->getBoolean("accumulate_per_step").value_or(false);
  if (std::string word = string(*object, "alg"); !word.empty())
    settings.algorithm = word;
  settings.foldsScales = object->getBoolean("folds_scales").value_or(true);
  settings.fastReference = object->getBoolean("fast_reference").value_or(false);
  settings.maxFrames = object->getInteger("max_frames").value_or(0);
  settings.maxMemoryBytes = object->getInteger("max_memory").value_or(0);
  settings.randomStream =
      static_cast<uint64_t>(object->getInteger("random_stream").value_or(0));
  return settings;
}

std::string RunReport::toJson() const {
  llvm::json::Array list;
  for (const program::CheckResult &check : checks)
    list.push_back(Object{{"passed", check.passed},
                          {"location", llvm::json::fixUTF8(check.location)},
                          {"message", llvm::json::fixUTF8(check.message)}});
  Object object{{"checks", std::move(list)},
                {"printed", llvm::json::fixUTF8(printed)},
                {"engine_steps", engineSteps},
                {"peak_bytes", peakBytes}};
  if (error) {
    object["error"] = llvm::json::fixUTF8(error->message);
    object["error_code"] = static_cast<int64_t>(error->code);
  }
  return textOf(std::move(object));
}

llvm::Expected<RunReport> RunReport::fromJson(llvm::StringRef text) {
  llvm::Expected<Object> object = parseObject(text);
  if (!object)
    return object.takeError();
  RunReport report;
  if (const llvm::json::Array *list = object->getArray("checks"))
    for (const Value &value : *list)
      if (const Object *check = value.getAsObject())
        report.checks.push_back({check->getBoolean("passed").value_or(false),
                                 string(*check, "location"),
                                 string(*check, "message")});
  report.printed = string(*object, "printed");
  report.engineSteps = object->getInteger("engine_steps").value_or(0);
  report.peakBytes = object->getInteger("peak_bytes").value_or(0);
  if (auto message = object->getString("error"))
    report.error = ErrorText{
        static_cast<ErrorCode>(object->getInteger("error_code").value_or(0)),
        message->str()};
  return report;
}

} // namespace assay::engine
