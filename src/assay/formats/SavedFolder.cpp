// Reads the .meta of a method and finds the files that it names.
// Source: torch_xla/stablehlo.py of pytorch/xla.
#include "assay/formats/SavedFolder.h"
#include "assay/support/Json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace assay::formats {

static constexpr llvm::StringLiteral
    kForm("expected what StableHLOGraphModule.save() of torch_xla writes: "
          "functions/NAME.meta and .bytecode, data/, constants/");

static std::string pathOf(llvm::StringRef folder, llvm::StringRef part,
                          const llvm::Twine &name) {
  return (folder + "/" + part + "/" + name).str();
}

/// The methods of a folder, sorted.
static std::vector<std::string> methodsOf(llvm::StringRef folder) {
  std::vector<std::string> methods;
  std::error_code code;
  llvm::sys::fs::directory_iterator at(folder + "/functions", code), end;
  for (; !code && at != end; at.increment(code))
    if (llvm::sys::path::extension(at->path()) == ".meta")
      methods.push_back(llvm::sys::path::stem(at->path()).str());
  llvm::sort(methods);
  return methods;
}

static llvm::Expected<std::string> chooseMethod(llvm::StringRef folder,
                                                llvm::StringRef wanted) {
  std::vector<std::string> methods = methodsOf(folder);
  if (methods.empty())
    return makeError(ErrorCode::NotFound,
                     "'{0}' is a folder without a program: {1}", folder, kForm);
  if (wanted.empty() && methods.size() == 1)
    return methods.front();
  std::string name = wanted.empty() ? "forward" : wanted.str();
  if (llvm::is_contained(methods, name))
    return name;
  return makeError(ErrorCode::NotFound,
                   "'{0}' has no method '{1}'; it has {2} (--entry)", folder,
                   name, llvm::join(methods, ", "));
}

/// The path of a file of the folder that the .meta names.
static llvm::Expected<std::string>
fileOf(llvm::StringRef folder, llvm::StringRef part, llvm::StringRef name) {
  if (name.empty() || name.contains('/') || name == ".." || name == ".")
    return makeError(ErrorCode::InvalidArgument, "'{0}' is not a name of a file",
                     name);
  std::string path = pathOf(folder, part, name);
  if (llvm::sys::fs::exists(path))
    return path;
  return makeError(ErrorCode::NotFound, "'{0}' is missing", path);
}

static llvm::Expected<SavedFolder::Source>
readSource(llvm::StringRef folder, const llvm::json::Value &value) {
  const llvm::json::Object *location = value.getAsObject();
  auto kind = location ? location->getString("type_") : std::nullopt;
  SavedFolder::Source source;
  if (kind == "parameter") {
    llvm::Error error =
        fileOf(folder, "data", location->getString("name").value_or(""))
            .moveInto(source.file);
    return error ? llvm::Expected<SavedFolder::Source>(std::move(error))
                 : source;
  }
  source.position =
      location ? location->getInteger("position").value_or(-1) : -1;
  constexpr int64_t kMost = 1 << 20;
  if ((kind != "input_arg" && kind != "constant") || source.position < 0 ||
      source.position >= kMost)
    return makeError(ErrorCode::InvalidArgument,
                     "{0} is not a location of an argument", value);
  if (kind == "constant")
    if (llvm::Error error =
            fileOf(folder, "constants", std::to_string(source.position))
                .moveInto(source.file))
      return error;
  return source;
}

/// Reads the sources of the arguments, and the inputs that the program ignores.
static llvm::Error readMeta(const llvm::json::Value &meta,
                            SavedFolder &result) {
  const llvm::json::Object *object = meta.getAsObject();
  const llvm::json::Array *used =
      object ? object->getArray("input_locations") : nullptr;
  if (!used)
    return makeError(ErrorCode::InvalidArgument, "no list 'input_locations'");
  for (const llvm::json::Value &one : *used) {
    llvm::Expected<SavedFolder::Source> source = readSource(result.folder, one);
    if (!source)
      return source.takeError();
    if (source->file.empty())
      result.inputs = std::max(result.inputs, source->position + 1);
    result.arguments.push_back(std::move(*source));
  }
  // [[location, signature], ...]
  if (const llvm::json::Array *unused = object->getArray("unused_inputs"))
    for (const llvm::json::Value &one : *unused) {
      const llvm::json::Array *pair = one.getAsArray();
      if (!pair || pair->empty())
        return makeError(ErrorCode::InvalidArgument, "{0} is not an unused input",
                         one);
      llvm::Expected<SavedFolder::Source> source =
          readSource(result.folder, pair->front());
      if (!source)
        return source.takeError();
      result.inputs = std::max(result.inputs, source->position + 1);
    }
  return llvm::Error::success();
}

llvm::Expected<SavedFolder> SavedFolder::open(llvm::StringRef folder,
                                              llvm::StringRef method) {
  SavedFolder result;
  result.folder = folder.rtrim('/').str();
  llvm::Expected<std::string> name = chooseMethod(result.folder, method);
  if (!name)
    return name.takeError();
  for (llvm::StringRef extension : {".mlir", ".bytecode"})
    if (std::string path =
            pathOf(result.folder, "functions", *name + extension);
        llvm::sys::fs::exists(path))
      result.program = path;
  if (result.program.empty())
    return makeError(ErrorCode::NotFound,
                     "'{0}' has no program '{1}.bytecode' or '{1}.mlir' in "
                     "functions/",
                     folder, *name);
  std::string path = pathOf(result.folder, "functions", *name + ".meta");
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     file.getError().message());
  llvm::Expected<llvm::json::Value> meta = parseJson((*file)->getBuffer());
  if (!meta)
    return makeError(ErrorCode::InvalidArgument, "{0}: {1}", path,
                     takeError(meta.takeError()).message);
  if (llvm::Error error = readMeta(*meta, result))
    return addContext(std::move(error), path);
  return result;
}

llvm::Expected<std::vector<std::string>>
SavedFolder::bind(llvm::ArrayRef<std::string> specs) const {
  llvm::StringRef only;
  if (specs.size() == 1)
    only = specs.front();
  bool isRandom = only == "random" || only.starts_with("random:"),
       isArchive = only.ends_with(".npz");
  if (!isRandom && !isArchive && static_cast<int64_t>(specs.size()) != inputs)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' takes {1} inputs besides its weights, {2} were "
                     "given (--input, one each)",
                     folder, inputs, specs.size());
  std::vector<std::string> bound;
  for (const Source &source : arguments)
    if (!source.file.empty())
      bound.push_back(source.file);
    else if (isArchive)
      bound.push_back((only + ":in" + llvm::Twine(source.position)).str());
    else
      bound.push_back(isRandom ? only.str() : specs[source.position]);
  return bound;
}

} // namespace assay::formats
