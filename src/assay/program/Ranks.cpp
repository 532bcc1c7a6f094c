// The board is a file in the folder that every rank maps: one slot of fixed
// size per rank. The senders count the sent messages, which detects a deadlock:
// when every rank has looked for its messages after the last one was sent and
// found none, no message will ever come.
#include "assay/program/Ranks.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace assay::program {

namespace {
enum State : int { Absent, Running, Failed, Dead, Left };
} // namespace

/// The state that a rank reports. Texts are written before the flag that tells
/// others to read them.
struct Ranks::Slot {
  std::atomic<int> state;
  std::atomic<int> pid;
  std::atomic<int> signal;
  std::atomic<int> code; ///< code of the failure
  std::atomic<int> isReported;
  std::atomic<uint64_t> sent;
  std::atomic<uint64_t> waitsAt; ///< 1 + messages sent when the rank found none
  char doing[1024], waits[3072], message[3072];
};

static int64_t nowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <size_t N> static void put(char (&to)[N], llvm::StringRef text) {
  text = text.take_front(N - 1);
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
}

llvm::Expected<std::unique_ptr<Ranks>> Ranks::open(const Options &options) {
  std::unique_ptr<Ranks> ranks(new Ranks(options));
  if (llvm::Error error = ranks->prepare())
    return addContext(std::move(error), "the folder where the ranks meet");
  return ranks;
}

llvm::Error Ranks::prepare() {
  llvm::SmallString<256> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  llvm::sys::path::append(folder,
                          llvm::formatv("assay-processes-{0}-{1:x-}", getuid(),
                                        llvm::xxh3_64bits(options_.meeting))
                              .str());
  folder_ = folder.str().str();
  if (std::error_code code = llvm::sys::fs::create_directories(folder_))
    return makeError(ErrorCode::InvalidArgument, "'{0}' cannot be made: {1}",
                     folder_, code.message());
  std::string path = folder_ + "/board";
  size_t bytes = sizeof(Slot) * static_cast<size_t>(options_.size);
  int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0)
    return makeError(ErrorCode::InvalidArgument, "'{0}' cannot be written: {1}",
                     path, std::strerror(errno));
  board_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (board_ == MAP_FAILED) {
    board_ = nullptr;
    return makeError(ErrorCode::InvalidArgument, "'{0}' cannot be mapped: {1}",
                     path, std::strerror(errno));
  }
  quietSinceMs_ = nowMs();
  return llvm::Error::success();
}

Ranks::~Ranks() {
  if (board_)
    munmap(board_, sizeof(Slot) * static_cast<size_t>(options_.size));
}

Ranks::Slot &Ranks::slot(int rank) const {
  return static_cast<Slot *>(board_)[rank];
}

std::string Ranks::pathOf(int to, const std::string &key) const {
  return llvm::formatv("{0}/{1:x-}-{2}-{3}", folder_, llvm::xxh3_64bits(key),
                       epoch_, to)
      .str();
}

llvm::Error Ranks::send(int to, const std::string &key, llvm::StringRef bytes) {
  std::string path = pathOf(to, key), part = path + ".part";
  std::error_code code;
  {
    llvm::raw_fd_ostream os(part, code);
    if (!code) {
      os << bytes;
      os.close();
      code = os.error();
      os.clear_error();
    }
  }
  if (!code)
    code = llvm::sys::fs::rename(part, path);
  if (code)
    return makeError(ErrorCode::DataLoss, "a message in '{0}': {1}", path,
                     code.message());
  slot(rank()).sent.fetch_add(1);
  return llvm::Error::success();
}

llvm::Expected<std::optional<std::string>>
Ranks::receive(const std::string &key) {
  std::string path = pathOf(rank(), key);
  if (access(path.c_str(), R_OK) != 0)
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return makeError(ErrorCode::DataLoss, "a message in '{0}': {1}", path,
                     file.getError().message());
  unlink(path.c_str());
  return (*file)->getBuffer().str();
}

uint64_t Ranks::sent() const {
  uint64_t total = 0;
  for (int rank = 0; rank < size(); ++rank)
    total += slot(rank).sent.load();
  return total;
}

bool Ranks::isDead(int rank) const {
  const Slot &other = slot(rank);
  int pid = other.pid.load();
  return other.state.load() == Dead ||
         (other.state.load() == Running && pid > 0 && kill(pid, 0) != 0 &&
          errno == ESRCH);
}

bool Ranks::isDeadlock(uint64_t sent) const {
  for (int rank = 0; rank < size(); ++rank)
    if (slot(rank).state.load() != Left &&
        slot(rank).waitsAt.load() != sent + 1)
      return false;
  return this->sent() == sent;
}

llvm::Error Ranks::wait(uint64_t sent, const std::string &what) {
  Slot &own = slot(rank());
  put(own.waits, what);
  own.waitsAt.store(sent + 1);
  if (sent != seenSent_) {
    seenSent_ = sent;
    quietSinceMs_ = nowMs();
  }
  int64_t quietMs = nowMs() - quietSinceMs_;
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::clamp<int64_t>(quietMs * 50, 20, 2000)));
  for (int other = 0; other < size(); ++other) {
    const Slot &theirs = slot(other);
    if (theirs.state.load() == Failed && other != rank())
      return makeError(static_cast<ErrorCode>(theirs.code.load()),
                       "rank {0}: {1}", other, theirs.message);
    if (isDead(other)) {
      int signal = theirs.signal.load();
      return makeError(ErrorCode::Mismatch,
                       "rank {0} has died{1}; its last operation: {2}", other,
                       signal ? llvm::formatv(" of signal {0} ({1})", signal,
                                              strsignal(signal))
                                    .str()
                              : std::string(),
                       theirs.doing[0] ? theirs.doing : "none");
    }
  }
  if (isDeadlock(sent)) {
    std::string who;
    for (int other = 0; other < size(); ++other)
      who += slot(other).waits;
    return makeError(ErrorCode::Mismatch,
                     "the processes wait for each other without end:{0}", who);
  }
  if (options_.timeoutSeconds > 0 &&
      static_cast<double>(quietMs) > options_.timeoutSeconds * 1000) {
    std::string who;
    for (int other = 0; other < size(); ++other)
      if (slot(other).waitsAt.load() != sent + 1)
        who += llvm::formatv(
                   "\n  rank {0} {1}", other,
                   slot(other).state.load() == Absent
                       ? "has not come"
                       : (llvm::Twine("is at ") + slot(other).doing).str())
                   .str();
    return makeError(ErrorCode::Mismatch,
                     "no news for {0} s (--timeout), and this waits:{1}{2}",
                     options_.timeoutSeconds, what, who);
  }
  return llvm::Error::success();
}

void Ranks::say(const std::string &doing) {
  Slot &own = slot(rank());
  put(own.doing, doing);
  own.waitsAt.store(0);
  own.pid.store(getpid());
  own.state.store(Running);
}

void Ranks::fail(ErrorCode code, const std::string &message) {
  slot(rank()).code.store(static_cast<int>(code));
  put(slot(rank()).message, message);
  slot(rank()).state.store(Failed);
}

void Ranks::died(int signal) {
  slot(rank()).signal.store(signal);
  slot(rank()).state.store(Dead);
}

bool Ranks::reports() const {
  for (int other = 0; other < rank(); ++other)
    if (!isDead(other))
      return false;
  return true;
}

void Ranks::reported() { slot(rank()).isReported.store(1); }

void Ranks::leave() {
  slot(rank()).state.store(Left);
  // The last rank removes the board and the untaken messages: a rank that is
  // slower than the reporting one may still send some.
  for (int other = 0; other < size(); ++other)
    if (slot(other).state.load() != Left && !isDead(other))
      return;
  llvm::sys::fs::remove_directories(folder_);
}

void Ranks::awaitReport() const {
  for (int64_t until = nowMs() + 5000; nowMs() < until;) {
    for (int other = 0; other < size(); ++other)
      if (slot(other).isReported.load())
        return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

} // namespace assay::program
