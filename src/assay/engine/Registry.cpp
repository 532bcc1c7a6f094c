// Engines.def as a table, and the search for an engine's module: beside the
// program, in lib/ next to it, and where the build puts it.
#include "assay/engine/Registry.h"
#include "assay/engine/OwnFiles.h"
#include "assay/engine/PythonWorker.h"
#include "assay/support/Nearest.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace assay;
using namespace assay::engine;

static constexpr EngineRow kEngines[] = {
#define ASSAY_ENGINE(name, argument, make, module, trusted, description)       \
  {name, argument, module, trusted, description},
#include "assay/engine/Engines.def"
#undef ASSAY_ENGINE
};

llvm::ArrayRef<EngineRow> engine::engineTable() { return kEngines; }

std::string EngineRow::spelling() const {
  return *argument ? std::string(name) + ":" + argument : name;
}

std::string engine::engineSpellings(llvm::StringRef separator) {
  std::string all;
  for (const EngineRow &row : kEngines)
    all += (all.empty() ? "" : separator.str()) + row.spelling();
  return all;
}

llvm::Expected<EngineName> engine::parseEngineName(llvm::StringRef name) {
  auto [first, argument] = name.split(':');
  for (size_t i = 0; i < std::size(kEngines); ++i)
    if (first == kEngines[i].name &&
        (*kEngines[i].argument != 0) == !argument.empty())
      return EngineName{i, argument.str()};
  std::vector<llvm::StringRef> names;
  for (const EngineRow &row : kEngines)
    names.push_back(row.name);
  llvm::StringRef near = nearestName(first, names);
  if (!near.empty() && near != first)
    return makeError(ErrorCode::NotFound,
                     "no engine named '{0}' (did you mean '{1}{2}'?); there "
                     "are {3}",
                     name, near, name.drop_front(first.size()),
                     engineSpellings());
  if (name.ends_with(".so"))
    return makeError(ErrorCode::NotFound,
                     "no engine named '{0}'; a library of kernels is "
                     "plugin:{0}, a device's plugin pjrt:{0}",
                     name);
  return makeError(ErrorCode::NotFound, "no engine named '{0}'; there are {1}",
                   name, engineSpellings());
}

std::optional<std::string> engine::pjrtPlugin(llvm::StringRef name) {
  if (!name.consume_front("pjrt:") || name.empty())
    return std::nullopt;
  return name.str();
}

bool engine::takesPrograms(llvm::StringRef name) {
  if (pjrtPlugin(name))
    return true;
  for (const EngineRow &row : kEngines)
    if (name == row.name)
      return !*row.module && !*row.argument;
  return false;
}

/// The absolute path of a shared library. Other files are refused here, before
/// a worker starts and whatever it should run.
static llvm::Expected<std::string> findLibrary(const char *kind,
                                               llvm::StringRef file) {
  if (!llvm::sys::fs::exists(file))
    return makeError(ErrorCode::NotFound, "--engine: no file '{0}'", file);
  llvm::file_magic magic;
  if (llvm::identify_magic(file, magic) ||
      magic != llvm::file_magic::elf_shared_object)
    return makeError(ErrorCode::InvalidArgument,
                     "--engine: '{1}' is not a shared library; {0}:PATH names "
                     "one (docs/{2})",
                     kind, file,
                     llvm::StringRef(kind) == "pjrt" ? "jax.md" : "plugins.md");
  llvm::SmallString<256> path(file);
  llvm::sys::fs::make_absolute(path);
  return path.str().str();
}

llvm::Expected<std::string> engine::resolveEngine(llvm::StringRef name) {
  llvm::Expected<EngineName> parsed = parseEngineName(name);
  if (!parsed)
    return parsed.takeError();
  const EngineRow &row = kEngines[parsed->row];
  if (*row.module)
    return ownModule(row.module);
  if (parsed->argument.empty())
    return "builtin:" + name.str();
  if (isPythonModule(name)) {
    llvm::Expected<std::pair<std::string, std::string>> place =
        splitPythonModule(parsed->argument);
    if (!place)
      return place.takeError();
    if (llvm::Error error = findInterpreter().takeError())
      return error;
    return "python:" + place->first + ":" + place->second;
  }
  if (std::optional<std::string> plugin = pjrtPlugin(name)) {
    auto [file, options] = llvm::StringRef(*plugin).split(',');
    llvm::Expected<std::string> path = findLibrary(row.name, file);
    if (!path)
      return path;
    return ("builtin:pjrt:" + *path + (options.empty() ? "" : ",") + options)
        .str();
  }
  return findLibrary(row.name, parsed->argument);
}

std::string engine::whyUnavailable(llvm::StringRef name) {
  llvm::Expected<std::string> path = resolveEngine(name);
  return path ? std::string() : takeError(path.takeError()).message;
}
