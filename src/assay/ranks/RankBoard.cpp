// The file `state` holds flags of the whole run, then three bytes per item: its
// progress (0 free, 1 running, 2 finished, 3 running for the second time) and
// the rank that took it last. An item is locked by its first byte.
#include "assay/ranks/RankBoard.h"
#include "assay/support/Json.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace assay;
using namespace assay::ranks;

static constexpr int64_t kReportLock = 0, kMakeLock = 1, kReported = 2,
                         kMade = 3, kPresent = 16, kItems = 8192;
static constexpr int kMostRanks = 4096;
static constexpr uint8_t kFree = 0, kRunning = 1, kFinished = 2, kAgain = 3;

static int64_t placeOf(int64_t item) { return kItems + 3 * item; }

static std::optional<int> number(const char *name) {
  std::optional<std::string> text = llvm::sys::Process::GetEnv(name);
  int value = 0;
  if (!text || llvm::StringRef(*text).getAsInteger(10, value))
    return std::nullopt;
  return value;
}

std::optional<RankIdentity> RankIdentity::ofLauncher() {
  std::optional<int> rank = number("OMPI_COMM_WORLD_RANK"),
                     size = number("OMPI_COMM_WORLD_SIZE");
  if (!rank || !size || *size < 2 || *rank < 0 || *rank >= *size)
    return std::nullopt;
  RankIdentity identity;
  identity.rank = *rank;
  identity.size = *size;
  identity.onMachine = number("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(*size);
  identity.job = llvm::sys::Process::GetEnv("PMIX_NAMESPACE").value_or("");
  return identity;
}

/// Ranks on one machine meet in its folder for temporary files. Ranks on
/// several machines meet in the working directory, which they share.
static std::string folderOf(const RankIdentity &identity,
                            llvm::ArrayRef<const char *> words) {
  std::string all = identity.job + "\n" + std::to_string(identity.size);
  for (const char *word : words)
    all += std::string("\n") + word;
  llvm::SmallString<256> folder;
  if (identity.onMachine == identity.size)
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  else
    llvm::sys::fs::current_path(folder);
  llvm::sys::path::append(folder,
                          llvm::formatv("assay-ranks-{0}-{1}-{2:x-}", getuid(),
                                        identity.job, llvm::xxh3_64bits(all))
                              .str());
  return folder.str().str();
}

struct RankBoard::Lines {
  std::ifstream file;
  std::map<int64_t, llvm::json::Value> waiting;
  std::string begun; ///< a line without its newline so far
};

llvm::Expected<std::unique_ptr<RankBoard>>
RankBoard::open(RankIdentity identity, llvm::ArrayRef<const char *> words,
                llvm::StringRef resumeFile) {
  if (identity.size > kMostRanks)
    return makeError(ErrorCode::InvalidArgument,
                     "{0} ranks; at most {1} can share the work", identity.size,
                     kMostRanks);
  std::unique_ptr<RankBoard> board(new RankBoard(std::move(identity)));
  board->folder_ = folderOf(board->identity_, words);
  if (llvm::Error error = board->prepare(resumeFile))
    return addContext(std::move(error), "the ranks' folder " + board->folder_);
  return board;
}

static llvm::Error cannot(const char *what) {
  return makeError(ErrorCode::InvalidArgument, "cannot {0}: {1}", what,
                   std::strerror(errno));
}

llvm::Error RankBoard::prepare(llvm::StringRef resumeFile) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder_))
    return makeError(ErrorCode::InvalidArgument, "cannot be made: {0}",
                     code.message());
  state_ =
      ::open((folder_ + "/state").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (state_ < 0)
    return cannot("open its state");
  llvm::Expected<std::unique_ptr<RecordFile>> mine =
      RecordFile::open(answersOf(identity_.rank), RecordFile::Writers::Anybody);
  if (!mine)
    return mine.takeError();
  answers_ = std::move(*mine);
  if (!lock(kMakeLock, /*waits=*/true))
    return cannot("lock its state");
  std::string copy = folder_ + "/resume";
  std::error_code code;
  if (!resumeFile.empty() && !read(kMade) && llvm::sys::fs::exists(resumeFile))
    code = llvm::sys::fs::copy_file(resumeFile, copy);
  if (code)
    return makeError(ErrorCode::InvalidArgument, "cannot copy '{0}': {1}",
                     resumeFile, code.message());
  write(kMade, 1);
  write(kPresent + identity_.rank, 1);
  unlock(kMakeLock);
  if (llvm::sys::fs::exists(copy))
    resume_ = copy;
  return llvm::Error::success();
}

RankBoard::RankBoard(RankIdentity identity) : identity_(std::move(identity)) {}

RankBoard::~RankBoard() {
  if (state_ >= 0)
    ::close(state_);
}

std::string RankBoard::answersOf(int rank) const {
  return folder_ + "/done-" + std::to_string(rank);
}

bool RankBoard::lock(int64_t at, bool waits) {
  struct flock request{};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  request.l_start = at;
  request.l_len = 1;
  return fcntl(state_, waits ? F_SETLKW : F_SETLK, &request) == 0;
}

void RankBoard::unlock(int64_t at) {
  struct flock request{};
  request.l_type = F_UNLCK;
  request.l_whence = SEEK_SET;
  request.l_start = at;
  request.l_len = 1;
  fcntl(state_, F_SETLK, &request);
}

uint8_t RankBoard::read(int64_t at) const {
  uint8_t value = 0; // past the end of the file: nothing has happened yet
  return pread(state_, &value, 1, at) == 1 ? value : 0;
}

void RankBoard::write(int64_t at, uint8_t value) {
  // If the mark cannot be written (full disk), the item stays "running", and
  // another process does it again once this one ends.
  [[maybe_unused]] ssize_t written = pwrite(state_, &value, 1, at);
}

bool RankBoard::isFree(int64_t item) const {
  return read(placeOf(item)) == kFree;
}

RankBoard::Answer RankBoard::take(int64_t item, int &lostBy) {
  int64_t at = placeOf(item);
  lostBy = -1;
  if (read(at) == kFinished)
    return Answer::Finished;
  if (!lock(at, /*waits=*/false))
    return Answer::Running;
  uint8_t before = read(at);
  if (before == kFinished) {
    unlock(at);
    return Answer::Finished;
  }
  if (before != kFree)
    lostBy = read(at + 1) | read(at + 2) << 8;
  write(at + 1, static_cast<uint8_t>(identity_.rank));
  write(at + 2, static_cast<uint8_t>(identity_.rank >> 8));
  write(at, before == kFree ? kRunning : kAgain);
  return before == kAgain ? Answer::GivenUp : Answer::Mine;
}

llvm::Error RankBoard::finish(int64_t item, llvm::json::Value answer) {
  std::string text =
      llvm::formatv("{0}", llvm::json::Value(llvm::json::Object{
                               {"item", item}, {"answer", std::move(answer)}}))
          .str();
  if (llvm::Error error = answers_->append(text))
    return error;
  write(placeOf(item), kFinished);
  unlock(placeOf(item));
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Value> RankBoard::answerOf(int64_t item) {
  int rank = read(placeOf(item) + 1) | read(placeOf(item) + 2) << 8;
  std::unique_ptr<Lines> &lines = lines_[rank];
  if (!lines) {
    lines = std::make_unique<Lines>();
    lines->file.open(answersOf(rank));
  }
  // The answer was written before the mark, but another machine may see it
  // later.
  for (int tries = 0; tries < 600; ++tries) {
    if (auto found = lines->waiting.find(item); found != lines->waiting.end()) {
      llvm::json::Value answer = std::move(found->second);
      lines->waiting.erase(found);
      return answer;
    }
    std::string text;
    while (std::getline(lines->file, text)) {
      lines->begun += text;
      if (lines->file.eof())
        break; // its newline is not there yet
      llvm::Expected<llvm::json::Value> value = parseJson(lines->begun);
      lines->begun.clear();
      if (!value) { // a line that a killed process did not finish
        llvm::consumeError(value.takeError());
        continue;
      }
      if (llvm::json::Object *object = value->getAsObject())
        if (llvm::json::Value *answer = object->get("answer"))
          lines->waiting.insert_or_assign(
              object->getInteger("item").value_or(-1), std::move(*answer));
    }
    lines->file.clear();
    if (!lines->waiting.count(item))
      std::this_thread::sleep_for(std::chrono::milliseconds(tries ? 100 : 0));
  }
  return makeError(ErrorCode::DataLoss,
                   "{0}: rank {1} says that item {2} is finished, and its "
                   "answer is not there",
                   folder_, rank, item);
}

bool RankBoard::takeReport() { return lock(kReportLock, /*waits=*/false); }
bool RankBoard::isReported() const { return read(kReported) != 0; }
void RankBoard::setReported() { write(kReported, 1); }

void RankBoard::removeIfComplete() {
  for (int rank = 0; rank < identity_.size; ++rank)
    if (!read(kPresent + rank))
      return;
  llvm::sys::fs::remove_directories(folder_);
}
