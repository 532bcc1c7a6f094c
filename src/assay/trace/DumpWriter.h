/// Records tensors into a dump: an HDF5 file in the layout of docs/dumps.md,
/// written by its own thread.
#pragma once

#include "assay/trace/CopyPool.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::trace {

using Attributes = std::vector<std::pair<std::string, std::string>>;

struct DumpOptions {
  int64_t queueBytes =
      int64_t{1}
      << 30; ///< add() waits while this much is queued (back-pressure)
  Attributes attributes;          ///< of the file: rank, device, versions, ...
  std::shared_ptr<CopyPool> pool; ///< null: one of the writer's own
  bool summary = true; ///< close() writes FILE_summary.csv beside FILE.h5
};

struct DumpStatistics {
  int64_t tensors = 0; ///< datasets in the file
  int64_t storedOnce =
      0; ///< datasets that are hard links to an equal earlier tensor
  int64_t bytesWritten = 0; ///< of data
  int64_t bytesSaved = 0;   ///< not written, because of equal tensors
};

/// One file. Equal tensors (XXH3-128 of the bytes, type and shape) are stored
/// once. Finished tensors survive a kill: see formats/Hdf5Writer.h and
/// Hdf5Journal.h. The writing thread runs at the lowest priority, so that it
/// uses only time that the model leaves idle; a thread that waits (close(),
/// flush(), a full queue) helps to write. Threads: add() and record() may be
/// called from any thread, one at a time or many. Processes: the file is
/// written by the process that made it; a forked child calls leaveToParent() at
/// once.
class DumpWriter {
public:
  /// Creates the file at `path` (its folder is made). A complete file there is
  /// replaced; one that a killed recorder left is repaired and kept as
  /// NAME.killed-N.h5.
  /// Errors: InvalidArgument with path and reason (permission, another recorder
  /// on the same file)
  static llvm::Expected<std::unique_ptr<DumpWriter>>
  create(llvm::StringRef path, DumpOptions options = {});
  /// Like close(), but ignores errors.
  ~DumpWriter();
  DumpWriter(const DumpWriter &) = delete;

  /// Queues a tensor under a dataset path, for example DumpName::dataset(). The
  /// tensor's buffer is shared, not copied: it must not change any more.
  /// Errors:  InvalidArgument when the file already has the path; any error
  /// that the writing thread met before
  llvm::Error add(llvm::StringRef path, tensor::Tensor tensor,
                  Attributes attributes = {});

  /// Queues the elements at `bytes` as they are now: they are hashed, and
  /// copied unless the file has that content or the pool holds it. Waits for
  /// room in the queue first, so that a recorder never holds more than
  /// queueBytes beyond the model's own tensors. With `lent` they are not
  /// copied: they must stay unchanged until finished() reaches the number
  /// returned. Errors: as add()
  llvm::Expected<int64_t> record(llvm::StringRef path,
                                 const tensor::TensorType &type,
                                 const void *bytes, Attributes attributes = {},
                                 bool lent = false, bool likelyNew = false);
  /// How many of the queued tensors are finished, in their order.
  int64_t finished() const;

  /// Waits until everything queued is in the file. Errors: those of the writing
  /// thread.
  llvm::Error flush();
  /// Finishes the file, removes the journal and writes the summary. Errors: as
  /// flush(); finished tensors stay readable.
  llvm::Expected<DumpStatistics> close();

  /// The number of complete tensors in the file after a call has reported a
  /// failure: those that a reader finds.
  int64_t kept() const;

  /// To be called before this process forks: waits until no thread is writing;
  /// none begins before afterFork(), which the parent calls in the same thread.
  void beforeFork();
  void afterFork();
  /// In a forked child, after beforeFork(): abandons the writer without
  /// touching the file. The child has no writing thread, so the state is left
  /// as it is.
  void leaveToParent();

  const std::string &path() const;

private:
  DumpWriter();
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::trace
