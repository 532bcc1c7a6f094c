// The settings of modules: JSON beside the dump, one object per module.
#include "assay/trace/ModuleSettings.h"
#include "assay/support/Json.h"
#include "assay/trace/Operators.h"
#include "llvm/Support/MemoryBuffer.h"

namespace assay::trace {

ModuleSettings ModuleSettings::beside(llvm::StringRef dumpPath) {
  ModuleSettings result;
  llvm::StringRef stem = dumpPath;
  stem.consume_back(".h5");
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      llvm::MemoryBuffer::getFile(stem.str() + "_modules.json");
  if (!text)
    return result;
  llvm::Expected<llvm::json::Value> json = parseJson((*text)->getBuffer());
  if (!json) {
    llvm::consumeError(json.takeError());
    return result;
  }
  if (llvm::json::Object *modules = json->getAsObject())
    result.modules_ = std::move(*modules);
  return result;
}

/// This key is stored with the settings but is not a setting.
static constexpr llvm::StringLiteral kCalledAt = "called at";

llvm::StringRef ModuleSettings::calledAt(llvm::StringRef module) const {
  const llvm::json::Object *settings = of(module);
  return settings ? settings->getString(kCalledAt).value_or("") : "";
}

std::string ModuleSettings::differenceFrom(llvm::StringRef module,
                                           const ModuleSettings &bench,
                                           llvm::StringRef benchModule) const {
  const llvm::json::Object *mine = of(module), *theirs = bench.of(benchModule);
  if (!mine || !theirs)
    return "";
  ArgumentDifference found("made with");
  for (const auto &[name, value] : *mine)
    if (const llvm::json::Value *other = theirs->get(name);
        other && llvm::StringRef(name) != kCalledAt)
      found.note(name.str(), &value, other);
  return found.text();
}

} // namespace assay::trace
