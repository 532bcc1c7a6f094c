/// The settings that the modules of a dump were made with: numbers and words such as an
/// epsilon, read from the file that the recorder writes beside it.
#pragma once

#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace assay::trace {

class ModuleSettings {
public:
  /// Reads STEM_modules.json beside STEM.h5: {"blocks.0.norm1": {"eps": 1e-6,
  /// "training": true}}. Without such a file there are no settings.
  static ModuleSettings beside(llvm::StringRef dumpPath);

  /// Null: unknown.
  const llvm::json::Object *of(llvm::StringRef module) const {
    return modules_.getObject(module);
  }
  /// The line of the model that called a module first: "model.py:12 forward".
  /// Empty: unknown.
  llvm::StringRef calledAt(llvm::StringRef module) const;
  /// How a module's settings differ from the bench's, as text ("made with
  /// eps=0.001, the bench with 1e-05"), among those that both sides have.
  /// Empty: they do not differ, or one side is unknown.
  std::string differenceFrom(llvm::StringRef module,
                             const ModuleSettings &bench,
                             llvm::StringRef benchModule) const;

private:
  llvm::json::Object modules_;
};

} // namespace assay::trace
