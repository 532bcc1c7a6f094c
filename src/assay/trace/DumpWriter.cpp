// The recorder's back end. add() and record() put a tensor into a queue bounded
// in bytes and return; a thread of low priority, or whoever waits for the
// queue, takes it out and either links it to an equal earlier one or allocates
// a dataset and writes the bytes, in this order: journal busy, metadata
// flushed, journal calm, data written, journal line. A kill between any two of
// these steps loses no finished tensor. After a failure (disk full) the
// unfinished dataset is taken out, the rest of the queue is dropped, and every
// later call reports the failure.
#include "assay/trace/DumpWriter.h"
#include "assay/tensor/Hdf5Journal.h"
#include "assay/tensor/Hdf5Reader.h"
#include "assay/trace/Summary.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace assay::trace {

using tensor::Hdf5Writer;
using tensor::JournalEntry;
using tensor::JournalWriter;
using tensor::Tensor;

namespace {
struct Item {
  std::string path;
  tensor::TensorType type;
  Tensor tensor;    // invalid: the content is in the file, under `hash`
  std::string hash; // empty: not computed yet
  Attributes attributes;
};
} // namespace

struct DumpWriter::State {
  std::string path;
  DumpOptions options;
  std::unique_ptr<JournalWriter> journal;
  std::unique_ptr<Hdf5Writer> file;
  llvm::StringMap<JournalEntry>
      firstOfHash; // written by the writing thread only
  DumpStatistics statistics;

  std::mutex lock; // guards everything below
  std::condition_variable room, work;
  std::deque<Item> queue;
  llvm::StringSet<> names;
  int64_t queuedBytes = 0, queued = 0, finished = 0;
  bool busy = false, stop = false, closed = false;
  std::optional<ErrorText> failure;
  std::thread thread;

  void run();
  llvm::Error write(Item &item);
  llvm::Error writeNew(const Item &item, const Tensor &dense,
                       JournalEntry &entry);
  llvm::Error tooLate(llvm::StringRef name) const {
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is closed; '{1}' comes too late", path, name);
  }
  llvm::Error unfinished(llvm::Error error, llvm::StringRef path) const;
  llvm::Error pending(std::unique_lock<std::mutex> &) const {
    return failure ? makeError(failure->code, "{0}", failure->message)
                   : llvm::Error::success();
  }
  bool hasRoom(int64_t bytes) const {
    return failure || queuedBytes == 0 ||
           queuedBytes + bytes <= options.queueBytes;
  }
  /// One step towards an empty queue: writes its front, or waits for the thread
  /// that is writing it.
  void help(std::unique_lock<std::mutex> &guard) {
    if (busy || queue.empty())
      room.wait(guard);
    else
      writeFront(guard);
  }
  llvm::Error admit(std::unique_lock<std::mutex> &guard, llvm::StringRef path,
                    int64_t bytes);
  int64_t enqueue(Item item);
  void writeFront(std::unique_lock<std::mutex> &guard);
};

/// A file left by a killed recorder is repaired and moved aside.
static llvm::Error keepKilled(const std::string &path) {
  llvm::Expected<std::optional<tensor::RepairResult>> repaired =
      tensor::repairFromJournal(path);
  if (!repaired) {
    ErrorText text = takeError(repaired.takeError());
    if (llvm::StringRef(text.message).contains("still being recorded"))
      text.message =
          "'" + path +
          "' is being recorded by another process; give another path";
    return makeError(text.code, "{0}", text.message);
  }
  if (!*repaired || (*repaired)->tensors == 0)
    return llvm::Error::success();
  std::string stem = llvm::StringRef(path).ends_with(".h5")
                         ? path.substr(0, path.size() - 3)
                         : path;
  for (int number = 1;; ++number) {
    std::string kept = stem + ".killed-" + std::to_string(number) + ".h5";
    if (llvm::sys::fs::exists(kept))
      continue;
    if (std::error_code error = llvm::sys::fs::rename(path, kept))
      return makeError(ErrorCode::InvalidArgument,
                       "cannot keep '{0}' as '{1}': {2}", path, kept,
                       error.message());
    return llvm::Error::success();
  }
}

DumpWriter::DumpWriter() : state_(std::make_unique<State>()) {}

llvm::Expected<std::unique_ptr<DumpWriter>>
DumpWriter::create(llvm::StringRef path, DumpOptions options) {
  std::unique_ptr<DumpWriter> result(new DumpWriter());
  State &state = *result->state_;
  state.path = path.str();
  state.options = std::move(options);
  if (!state.options.pool)
    state.options.pool = std::make_shared<CopyPool>();
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (!folder.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return makeError(ErrorCode::InvalidArgument,
                       "cannot make folder '{0}': {1}", folder,
                       error.message());
  if (llvm::Error error = keepKilled(state.path))
    return error;
  llvm::Expected<std::unique_ptr<JournalWriter>> journal =
      JournalWriter::create(path, state.options.attributes);
  if (!journal)
    return journal.takeError();
  state.journal = std::move(*journal);
  llvm::Expected<std::unique_ptr<Hdf5Writer>> file =
      Hdf5Writer::create(path, state.options.attributes);
  if (!file) {
    state.journal->remove();
    return file.takeError();
  }
  state.file = std::move(*file);
  if (llvm::Error error = state.journal->setBusy(false))
    return error;
  state.thread = std::thread([&state] { state.run(); });
  return result;
}

DumpWriter::~DumpWriter() {
  if (state_->thread.joinable())
    llvm::consumeError(close().takeError());
}

const std::string &DumpWriter::path() const { return state_->path; }

/// Waits for room and takes the path; the lock is held.
llvm::Error DumpWriter::State::admit(std::unique_lock<std::mutex> &guard,
                                     llvm::StringRef name, int64_t bytes) {
  if (!name.starts_with("/") || name.ends_with("/") || name.contains("//"))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is no dataset path; expected /STEP/NAME", name);
  if (closed)
    return tooLate(name);
  while (!hasRoom(bytes))
    help(guard);
  if (llvm::Error error = pending(guard))
    return error;
  if (!names.insert(name).second)
    return makeError(ErrorCode::InvalidArgument, "'{0}' already holds '{1}'",
                     path, name);
  return llvm::Error::success();
}

int64_t DumpWriter::State::enqueue(Item item) {
  queuedBytes += item.tensor.heldBytes();
  queue.push_back(std::move(item));
  work.notify_one();
  return ++queued;
}

llvm::Error DumpWriter::add(llvm::StringRef path, Tensor tensor,
                            Attributes attributes) {
  std::unique_lock<std::mutex> guard(state_->lock);
  if (llvm::Error error = state_->admit(guard, path, tensor.heldBytes()))
    return error;
  tensor::TensorType type = tensor.type();
  state_->enqueue({path.str(), std::move(type), std::move(tensor), "",
                   std::move(attributes)});
  return llvm::Error::success();
}

llvm::Expected<int64_t> DumpWriter::record(llvm::StringRef path,
                                           const tensor::TensorType &type,
                                           const void *bytes,
                                           Attributes attributes, bool lent,
                                           bool likelyNew) {
  llvm::Expected<int64_t> count = tensor::elementCount(type.shape);
  if (!count)
    return count.takeError();
  int64_t size = *count * type.element.storageBytes();
  std::unique_lock<std::mutex> guard(state_->lock);
  if (llvm::Error error = state_->admit(guard, path, size))
    return error;
  guard.unlock(); // the copy may take its time
  CopyPool &pool = *state_->options.pool;
  llvm::Expected<Copied> content =
      lent ? pool.lend(type, bytes, size)
           : pool.take(type, bytes, size, likelyNew);
  guard.lock();
  if (!content || state_->closed) {
    state_->names.erase(path);
    return content ? state_->tooLate(path) : content.takeError();
  }
  if (content->tensor.valid() &&
      !pool.setKnown(CopyPool::key(content->hash, type)))
    content->tensor = Tensor(); // another thread was faster
  return state_->enqueue({path.str(), type, std::move(content->tensor),
                          std::move(content->hash), std::move(attributes)});
}

int64_t DumpWriter::finished() const {
  std::lock_guard<std::mutex> guard(state_->lock);
  return state_->finished;
}

llvm::Error DumpWriter::flush() {
  std::unique_lock<std::mutex> guard(state_->lock);
  while (!state_->queue.empty() || state_->busy)
    state_->help(guard);
  return state_->pending(guard);
}

llvm::Expected<DumpStatistics> DumpWriter::close() {
  State &state = *state_;
  llvm::Error error = flush();
  bool first;
  {
    std::lock_guard<std::mutex> guard(state.lock);
    first = !std::exchange(state.closed, true);
    state.stop = true;
    state.work.notify_one();
  }
  if (state.thread.joinable())
    state.thread.join();
  if (!first)
    return error ? llvm::Expected<DumpStatistics>(std::move(error))
                 : state.statistics;
  llvm::consumeError(state.journal->setBusy(true));
  llvm::Error closing = state.file->close();
  if (!closing) // else the journal stays: the next command repairs the file
                // from it
    state.journal->remove();
  if (error) {
    llvm::consumeError(std::move(closing));
    return error;
  }
  if (closing)
    return closing;
  if (state.options.summary)
    if (llvm::Error failed = writeSummaryBeside(state.path))
      return failed;
  return state.statistics;
}

void DumpWriter::State::run() {
  // Of this thread alone, on Linux; a refusal leaves it as it was.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 19);
  std::unique_lock<std::mutex> guard(lock);
  while (true) {
    work.wait(guard, [&] { return stop || (!queue.empty() && !busy); });
    if (queue.empty())
      return;
    if (busy)
      room.wait(guard);
    else
      writeFront(guard);
  }
}

/// The lock is free while the item is written; `busy` keeps others away.
void DumpWriter::State::writeFront(std::unique_lock<std::mutex> &guard) {
  Item item = std::move(queue.front());
  queue.pop_front();
  busy = true;
  bool skip = failure.has_value();
  guard.unlock();
  int64_t bytes = item.tensor.heldBytes();
  std::optional<ErrorText> failed;
  if (!skip)
    if (llvm::Error error = write(item))
      failed = takeError(std::move(error));
  item.tensor = Tensor(); // its memory goes before the next one may come
  guard.lock();
  busy = false;
  ++finished;
  queuedBytes -= bytes;
  if (failed)
    failure = std::move(failed);
  room.notify_all();
  if (!queue.empty())
    work.notify_one();
}

llvm::Error DumpWriter::State::write(Item &item) {
  Tensor dense;
  if (item.tensor.valid()) {
    llvm::Expected<Tensor> expanded = item.tensor.dense();
    if (!expanded)
      return expanded.takeError();
    dense = std::move(*expanded);
    if (item.hash.empty())
      item.hash =
          tensor::hashBytes({reinterpret_cast<const uint8_t *>(dense.bytes()),
                             static_cast<size_t>(dense.denseBytes())});
  }
  JournalEntry entry{item.path, item.type, -1, item.hash, item.attributes};
  std::string key = CopyPool::key(item.hash, item.type);
  auto first = firstOfHash.find(key);
  if (first == firstOfHash.end()) {
    if (!dense.valid())
      return makeError(ErrorCode::Internal,
                       "'{0}' is equal to a tensor that is not in the file",
                       item.path);
    if (llvm::Error error = writeNew(item, dense, entry))
      return error;
    firstOfHash[key] = entry;
    statistics.bytesWritten += dense.denseBytes();
  } else {
    entry.offset = first->second.offset;
    if (llvm::Error error = journal->setBusy(true))
      return error;
    if (llvm::Error error = file->link(item.path, first->second.path))
      return error;
    if (llvm::Error error = journal->setBusy(false))
      return error;
    ++statistics.storedOnce;
    statistics.bytesSaved +=
        llvm::cantFail(tensor::elementCount(item.type.shape)) *
        item.type.element.storageBytes();
  }
  ++statistics.tensors;
  return journal->append(entry);
}

llvm::Error DumpWriter::State::unfinished(llvm::Error error,
                                          llvm::StringRef path) const {
  ErrorText text = takeError(std::move(error));
  return makeError(text.code,
                   "{0} (at tensor '{1}'; the {2} before it are complete)",
                   text.message, path, statistics.tensors);
}

llvm::Error DumpWriter::State::writeNew(const Item &item, const Tensor &dense,
                                        JournalEntry &entry) {
  Attributes attributes = item.attributes;
  attributes.insert(attributes.begin(),
                    {{"dtype", numerics::numpyName(entry.type.element)},
                     {"hash", entry.hash}});
  if (llvm::Error error = journal->setBusy(true))
    return error;
  llvm::Expected<int64_t> offset =
      file->allocate(item.path, entry.type, attributes);
  if (!offset) {
    file->remove(item.path);
    return unfinished(offset.takeError(), item.path);
  }
  if (llvm::Error error = journal->setBusy(false))
    return error;
  entry.offset = *offset;
  if (*offset < 0)
    return llvm::Error::success();
  llvm::ArrayRef<uint8_t> bytes(
      reinterpret_cast<const uint8_t *>(dense.bytes()),
      static_cast<size_t>(dense.denseBytes()));
  llvm::Error error = file->writeData(bytes, *offset);
  if (!error)
    return error;
  llvm::consumeError(journal->setBusy(true));
  file->remove(item.path);
  llvm::consumeError(journal->setBusy(false));
  return unfinished(std::move(error), item.path);
}

} // namespace assay::trace
