/// A dump that gets its name only when it is complete.
#pragma once

#include "assay/trace/DumpWriter.h"

namespace assay::trace {

class UnfinishedDump {
public:
  /// Creates PATH.unfinished. Errors: those of DumpWriter::create
  static llvm::Expected<UnfinishedDump> create(const std::string &path,
                                               DumpOptions options);
  /// Removes an unfinished file.
  ~UnfinishedDump();
  UnfinishedDump(UnfinishedDump &&) = default;
  UnfinishedDump &operator=(UnfinishedDump &&) = delete;

  DumpWriter &writer() { return *writer_; }
  /// Completes the file and gives it its name. Errors: those of writing
  llvm::Error finish();

private:
  UnfinishedDump() = default;
  std::string path_;
  std::unique_ptr<DumpWriter> writer_; ///< null: finished, or moved from
};

} // namespace assay::trace
