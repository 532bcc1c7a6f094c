// The recorder's back end. add() and record() put a tensor into a queue bounded
// in bytes and return; a thread of low priority, or a thread that waits for the
// queue, removes a batch from it and writes it in this order: journal busy,
// datasets made (or linked to an equal earlier one), metadata flushed, journal
// calm, data written, journal lines. A kill between any two of these steps
// loses no finished tensor. There is one flush for many tensors, because it
// reads all metadata of the file. When the disk is nearly full, each tensor is
// a separate batch, so that all that fit are kept. After a failure the
// unfinished datasets are removed, the rest of the queue is dropped, and every
// later call reports the failure.
#include "assay/trace/DumpWriter.h"
#include "assay/formats/Hdf5Journal.h"
#include "assay/formats/Hdf5Reader.h"
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
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace assay::trace {

using formats::Hdf5Writer;
using formats::JournalEntry;
using formats::JournalWriter;
using tensor::Tensor;

// Batches of the low-priority thread are small: threads that wait for it should
// not wait long.
static constexpr size_t kBatchItems = 128;
static constexpr size_t kHelpedItems = 1024;
static constexpr int64_t kBatchBytes = 16 << 20;

namespace {
struct Item {
  std::string path;
  tensor::TensorType type;
  Tensor tensor;    // invalid: the content is in the file, under `hash`
  std::string hash; // empty: not computed yet
  Attributes attributes;
};

/// An item whose dataset is made and whose data are not written yet.
struct Entered {
  JournalEntry entry;
  Tensor data; // invalid: a link
};
} // namespace

struct DumpWriter::State {
  std::string path;
  DumpOptions options;
  std::unique_ptr<JournalWriter> journal;
  std::unique_ptr<Hdf5Writer> file;
  // Written by the writing thread, one at a time:
  llvm::StringMap<std::pair<std::string, int64_t>>
      firstOfHash; // path and offset of a content
  std::vector<formats::Hdf5Dataset> written;
  DumpStatistics statistics;

  std::mutex lock; // guards everything below
  std::condition_variable room, work;
  std::deque<Item> queue;
  llvm::StringSet<> names;
  int64_t queuedBytes = 0, queued = 0, finished = 0;
  bool busy = false, stop = false, closed = false;
  std::optional<ErrorText> failure;
  std::unique_lock<std::mutex> forking; // holds `lock` while forking
  std::thread thread;
  const pid_t process = ::getpid();

  void run();
  std::vector<Item> takeBatch(size_t limit);
  bool hasPlentyOfDisk() const;
  llvm::Error write(std::vector<Item> batch);
  llvm::Expected<Entered> enter(Item item);
  llvm::Error writeData(std::vector<Entered> &entered);
  void takeOut(llvm::ArrayRef<Entered> entered);
  llvm::Error finish(const Entered &entered);
  llvm::Error tooLate(llvm::StringRef name) const {
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is closed; '{1}' comes too late", path, name);
  }
  llvm::Error inChild(llvm::StringRef name) const;
  llvm::Error closeFile();
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
      writeFront(guard, kHelpedItems);
  }
  llvm::Error admit(std::unique_lock<std::mutex> &guard, llvm::StringRef path,
                    int64_t bytes);
  int64_t enqueue(Item item);
  void writeFront(std::unique_lock<std::mutex> &guard, size_t limit);
};

/// Repairs a file that a killed recorder left, and moves it aside.
static llvm::Error keepKilled(const std::string &path) {
  llvm::Expected<std::optional<formats::RepairResult>> repaired =
      formats::repairFromJournal(
          path, "'" + path +
                    "' is being recorded already, by this process or another; "
                    "give another path");
  if (!repaired)
    return repaired.takeError();
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
  if (state_ && state_->process != ::getpid())
    leaveToParent();
  if (state_ && state_->thread.joinable())
    llvm::consumeError(close().takeError());
}

const std::string &DumpWriter::path() const { return state_->path; }

/// Waits for room and reserves the path; the caller holds the lock.
llvm::Error DumpWriter::State::admit(std::unique_lock<std::mutex> &guard,
                                     llvm::StringRef name, int64_t bytes) {
  if (!name.starts_with("/") || name.ends_with("/") || name.contains("//"))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is not a dataset path; expected /STEP/NAME", name);
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

/// The error in a forked child, which must not even lock: the thread that held
/// the lock does not exist in it.
llvm::Error DumpWriter::State::inChild(llvm::StringRef name) const {
  if (process == ::getpid())
    return llvm::Error::success();
  return makeError(ErrorCode::Unsupported,
                   "'{0}' is recorded by the process that made it; '{1}' comes "
                   "from a child of it",
                   path, name);
}

llvm::Error DumpWriter::add(llvm::StringRef path, Tensor tensor,
                            Attributes attributes) {
  if (llvm::Error error = state_->inChild(path))
    return error;
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
  if (llvm::Error error = state_->inChild(path))
    return error;
  int64_t size = *count * type.element.storageBytes();
  std::unique_lock<std::mutex> guard(state_->lock);
  if (llvm::Error error = state_->admit(guard, path, size))
    return error;
  guard.unlock(); // the copy is made without the lock
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

/// The order in which a reader lists the datasets: depth first, each group by
/// the creation of its members.
static std::vector<formats::Hdf5Dataset>
inOrderOfFile(std::vector<formats::Hdf5Dataset> datasets) {
  llvm::StringMap<size_t> seen; // group -> the first dataset below it
  std::vector<std::pair<llvm::SmallVector<size_t, 4>, size_t>> keys;
  for (size_t i = 0; i < datasets.size(); ++i) {
    llvm::StringRef path = datasets[i].path;
    llvm::SmallVector<size_t, 4> key;
    for (size_t at = path.find('/', 1); at != llvm::StringRef::npos;
         at = path.find('/', at + 1))
      key.push_back(seen.try_emplace(path.take_front(at), i).first->second);
    key.push_back(i);
    keys.emplace_back(std::move(key), i);
  }
  llvm::stable_sort(keys, [](const auto &a, const auto &b) {
    return std::lexicographical_compare(a.first.begin(), a.first.end(),
                                        b.first.begin(), b.first.end());
  });
  std::vector<formats::Hdf5Dataset> result;
  for (const auto &[key, i] : keys)
    result.push_back(std::move(datasets[i]));
  return result;
}

int64_t DumpWriter::kept() const {
  std::lock_guard<std::mutex> guard(state_->lock);
  return state_->statistics.tensors;
}

void DumpWriter::beforeFork() {
  std::unique_lock<std::mutex> guard(state_->lock);
  state_->room.wait(guard, [&] { return !state_->busy; });
  state_->forking = std::move(guard);
}

void DumpWriter::afterFork() {
  // The member is empty before the lock is free: another fork may follow.
  std::unique_lock<std::mutex> guard = std::move(state_->forking);
}

void DumpWriter::leaveToParent() {
  state_->file->leaveToParent();
  state_->journal->leaveToParent();
  // Not destroyed: its thread cannot be joined, its locks may be held.
  static_cast<void>(state_.release());
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
  if (llvm::Error closing = state.closeFile()) {
    if (!error)
      return closing;
    llvm::consumeError(std::move(closing));
  }
  if (error)
    return error;
  if (state.options.summary)
    if (llvm::Error failed =
            writeSummaryBeside(state.path, inOrderOfFile(state.written)))
      return failed;
  return state.statistics;
}

/// Holds off forks meanwhile: a child would get a half-changed state of the
/// library.
llvm::Error DumpWriter::State::closeFile() {
  std::lock_guard<std::mutex> guard(lock);
  llvm::consumeError(journal->setBusy(true));
  llvm::Error error = file->close();
  if (!error) // else the journal stays: the next command repairs the file
    journal->remove();
  return error;
}

void DumpWriter::State::run() {
  // Lowers the priority of this thread alone (Linux); if that is refused, it
  // stays as it was.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 19);
  std::unique_lock<std::mutex> guard(lock);
  while (true) {
    work.wait(guard, [&] { return stop || (!queue.empty() && !busy); });
    if (queue.empty())
      return;
    if (busy)
      room.wait(guard);
    else
      writeFront(guard, kBatchItems);
  }
}

/// Whether the disk certainly has room for a whole batch and its metadata.
bool DumpWriter::State::hasPlentyOfDisk() const {
  constexpr uint64_t kPlenty = 4 * kBatchBytes;
  struct statvfs disk;
  struct rlimit limit;
  struct stat file;
  if (::statvfs(path.c_str(), &disk) < 0 || ::stat(path.c_str(), &file) < 0 ||
      ::getrlimit(RLIMIT_FSIZE, &limit) < 0)
    return false;
  return uint64_t{disk.f_bavail} * disk.f_frsize >= kPlenty &&
         (limit.rlim_cur == RLIM_INFINITY ||
          limit.rlim_cur >= static_cast<uint64_t>(file.st_size) + kPlenty);
}

/// Removes the front of the queue: many small tensors or one large; the caller
/// holds the lock.
std::vector<Item> DumpWriter::State::takeBatch(size_t limit) {
  std::vector<Item> batch;
  int64_t bytes = 0;
  if (queue.size() > 1 && !hasPlentyOfDisk())
    limit = 1;
  do {
    bytes += queue.front().tensor.heldBytes();
    batch.push_back(std::move(queue.front()));
    queue.pop_front();
  } while (!queue.empty() && batch.size() < limit &&
           bytes + queue.front().tensor.heldBytes() <= kBatchBytes);
  return batch;
}

/// Releases the lock while the items are written; `busy` keeps other threads
/// away.
void DumpWriter::State::writeFront(std::unique_lock<std::mutex> &guard,
                                   size_t limit) {
  std::vector<Item> batch = takeBatch(limit);
  auto count = static_cast<int64_t>(batch.size());
  busy = true;
  bool skip = failure.has_value();
  guard.unlock();
  int64_t bytes = 0;
  for (const Item &item : batch)
    bytes += item.tensor.heldBytes();
  std::optional<ErrorText> failed;
  if (!skip)
    if (llvm::Error error = write(std::move(batch)))
      failed = takeError(std::move(error));
  batch.clear(); // its memory is freed before the next one may be added
  guard.lock();
  busy = false;
  finished += count;
  queuedBytes -= bytes;
  if (failed)
    failure = std::move(failed);
  room.notify_all();
  if (!queue.empty())
    work.notify_one();
}

llvm::Error DumpWriter::State::write(std::vector<Item> batch) {
  if (llvm::Error error = journal->setBusy(true))
    return error;
  std::vector<Entered> entered;
  std::string failedAt;
  llvm::Error error = llvm::Error::success();
  for (Item &item : batch) {
    std::string path = item.path;
    llvm::Expected<Entered> made = enter(std::move(item));
    if (!made) {
      failedAt = std::move(path);
      error = llvm::joinErrors(std::move(error), made.takeError());
      break;
    }
    entered.push_back(std::move(*made));
  }
  if (llvm::Error flushing = file->flush()) {
    takeOut(entered); // the journal stays busy: the metadata may be damaged
    if (failedAt.empty())
      failedAt = entered.front().entry.path;
    entered.clear();
    error = error ? (llvm::consumeError(std::move(flushing)), std::move(error))
                  : std::move(flushing);
  } else if (llvm::Error calm = journal->setBusy(false)) {
    takeOut(entered);
    return llvm::joinErrors(std::move(error), std::move(calm));
  }
  if (llvm::Error writing = writeData(entered))
    return llvm::joinErrors(std::move(writing), std::move(error));
  if (!error)
    return error;
  return unfinished(std::move(error), failedAt);
}

llvm::Error DumpWriter::State::unfinished(llvm::Error error,
                                          llvm::StringRef path) const {
  ErrorText text = takeError(std::move(error));
  return makeError(text.code,
                   "{0} (at tensor '{1}'; the {2} before it are complete)",
                   text.message, path, statistics.tensors);
}

/// Makes the item's dataset, or links it to an equal one.
llvm::Expected<Entered> DumpWriter::State::enter(Item item) {
  Tensor dense;
  if (item.tensor.valid()) {
    llvm::Expected<Tensor> expanded = item.tensor.dense();
    if (!expanded)
      return expanded.takeError();
    dense = std::move(*expanded);
    if (item.hash.empty())
      item.hash =
          formats::hashBytes({reinterpret_cast<const uint8_t *>(dense.bytes()),
                             static_cast<size_t>(dense.denseBytes())});
  }
  std::string key = CopyPool::key(item.hash, item.type);
  JournalEntry entry{std::move(item.path), std::move(item.type), -1,
                     std::move(item.hash), std::move(item.attributes)};
  auto first = firstOfHash.find(key);
  if (first != firstOfHash.end()) {
    entry.offset = first->second.second;
    if (llvm::Error error = file->link(entry.path, first->second.first))
      return error;
    return Entered{std::move(entry), Tensor()};
  }
  if (!dense.valid())
    return makeError(ErrorCode::Internal,
                     "'{0}' is equal to a tensor that is not in the file",
                     entry.path);
  Attributes attributes = entry.attributes;
  attributes.insert(attributes.begin(),
                    {{"dtype", numerics::numpyName(entry.type.element)},
                     {"hash", entry.hash}});
  llvm::Expected<int64_t> offset =
      file->allocate(entry.path, entry.type, attributes);
  if (!offset) {
    file->remove(entry.path);
    return offset.takeError();
  }
  entry.offset = *offset;
  firstOfHash[key] = {entry.path, *offset};
  return Entered{std::move(entry), std::move(dense)};
}

/// Writes the data and the journal's lines. A dataset that cannot be written is
/// removed from the file again, and so are all after it.
llvm::Error DumpWriter::State::writeData(std::vector<Entered> &entered) {
  for (size_t i = 0; i < entered.size(); ++i) {
    const Tensor &data = entered[i].data;
    llvm::Error error = llvm::Error::success();
    if (data.valid() && entered[i].entry.offset >= 0)
      error = file->writeData({reinterpret_cast<const uint8_t *>(data.bytes()),
                               static_cast<size_t>(data.denseBytes())},
                              entered[i].entry.offset);
    if (!error)
      error = finish(entered[i]);
    if (error) {
      llvm::consumeError(journal->setBusy(true));
      takeOut(llvm::ArrayRef(entered).drop_front(i));
      llvm::consumeError(journal->setBusy(false));
      return unfinished(std::move(error), entered[i].entry.path);
    }
    entered[i].data = Tensor();
  }
  return llvm::Error::success();
}

void DumpWriter::State::takeOut(llvm::ArrayRef<Entered> entered) {
  for (const Entered &item : llvm::reverse(entered))
    file->remove(item.entry.path);
}

/// Writes the tensor's line into the journal and counts it.
llvm::Error DumpWriter::State::finish(const Entered &entered) {
  const JournalEntry &entry = entered.entry;
  if (llvm::Error error = journal->append(entry))
    return error;
  int64_t size = llvm::cantFail(tensor::elementCount(entry.type.shape)) *
                 entry.type.element.storageBytes();
  ++statistics.tensors;
  (entered.data.valid() ? statistics.bytesWritten : statistics.bytesSaved) +=
      size;
  statistics.storedOnce += !entered.data.valid();
  formats::Hdf5Dataset dataset;
  dataset.path = entry.path;
  dataset.type = entry.type;
  dataset.offset = entry.offset;
  dataset.sizeBytes = size;
  // Empty tensors have no offset in the file; equal ones have equal hashes.
  dataset.object = entry.offset >= 0 ? static_cast<uint64_t>(entry.offset)
                                     : ~uint64_t{written.size()};
  dataset.hash = entry.hash;
  written.push_back(std::move(dataset));
  return llvm::Error::success();
}

} // namespace assay::trace
