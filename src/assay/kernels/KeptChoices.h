/// The configuration that a selector chose for a problem, stored on disk:
/// choosing takes a millisecond, and a program has dozens of problems.
#pragma once

#include "assay/kernels/Config.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>
#include <string>

namespace assay::kernels {

/// A text file with one line per problem. A process that adds a choice appends
/// a line; a line that does not parse is ignored. Threads: any.
class KeptChoices {
public:
  /// `identity` contains everything besides the problem that choices depend on:
  /// the selector, the processor, the build. Each identity has its own file.
  /// With an empty folder or identity nothing is stored.
  KeptChoices(const std::string &folder, const std::string &identity);

  /// The configuration that was added for the problem, in this process or in an
  /// earlier one.
  std::optional<GemmConfig> find(const GemmProblem &problem);
  /// Stores a choice. A file that cannot be written is not an error: the choice
  /// is made again next time.
  void add(const GemmProblem &problem, const GemmConfig &config);

  const std::string &path() const { return path_; }

private:
  void read();

  std::string path_, identity_;
  std::mutex mutex_; ///< guards the members below
  bool isRead_ = false;
  llvm::StringMap<std::string> names_; ///< of configurations, by problem
};

} // namespace assay::kernels
