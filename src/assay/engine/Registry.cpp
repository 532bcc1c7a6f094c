// Engines.def as a table, and the search for an engine's module: beside the
// program, in lib/ next to it, and where the build puts it.
#include "assay/engine/Registry.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace assay;
using namespace assay::engine;

static constexpr EngineRow kEngines[] = {
#define ASSAY_ENGINE(name, module, trusted, description)                       \
  {name, module, trusted, description},
#include "assay/engine/Engines.def"
#undef ASSAY_ENGINE
};

llvm::ArrayRef<EngineRow> engine::engineTable() { return kEngines; }

static llvm::Expected<std::string> findModule(llvm::StringRef module) {
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  llvm::StringRef folder = llvm::sys::path::parent_path(program);
  for (llvm::StringRef tail : {"", "../lib", "../lib/assay"}) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, tail, module);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return makeError(ErrorCode::NotFound,
                   "module '{0}' is not beside the program '{1}' nor in ../lib",
                   module, program);
}

llvm::Expected<std::string> engine::resolveEngine(llvm::StringRef name) {
  if (name.consume_front("plugin:")) {
    if (!llvm::sys::fs::exists(name))
      return makeError(ErrorCode::NotFound, "--engine: no plugin at '{0}'",
                       name);
    llvm::SmallString<256> path(name);
    llvm::sys::fs::make_absolute(path);
    return path.str().str();
  }
  std::string known;
  for (const EngineRow &row : kEngines) {
    if (name == row.name)
      return *row.module ? findModule(row.module)
                         : llvm::Expected<std::string>("builtin:" + name.str());
    known += std::string(row.name) + ", ";
  }
  return makeError(ErrorCode::NotFound,
                   "no engine named '{0}'; there are {1}plugin:PATH", name,
                   known);
}

std::string engine::whyUnavailable(llvm::StringRef name) {
  llvm::Expected<std::string> path = resolveEngine(name);
  return path ? std::string() : takeError(path.takeError()).message;
}
