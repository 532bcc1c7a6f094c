/// Which configuration a selector chose for a problem, kept on disk: choosing
/// takes a millisecond, and a program has dozens of problems.
#pragma once

#include "assay/kernels/Config.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>
#include <string>

namespace assay::kernels {

/// A text file with a line for each problem. A process that adds one appends a line;
/// a line that does not parse is as if it were not there. Threads: any.
class KeptChoices {
public:
  /// `identity` holds everything that choices depend on besides the problem:
  /// the selector, the processor, the build. Each identity has its own file.
  /// An empty folder or identity keeps nothing.
  KeptChoices(const std::string &folder, const std::string &identity);

  /// The configuration that was added for the problem, in this process or in an
  /// earlier one.
  std::optional<GemmConfig> find(const GemmProblem &problem);
  /// Keeps a choice. A file that cannot be written is not an error: the choice is
  /// made again next time.
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
