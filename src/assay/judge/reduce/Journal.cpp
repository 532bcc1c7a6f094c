// One line "KEY ANSWER" per trial, appended and complete before the next trial
// starts. A kill leaves at most one line unfinished, which is dropped.
#include "assay/judge/reduce/Journal.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

using namespace assay;
using namespace assay::judge;

Journal::Journal(Journal &&other) noexcept { *this = std::move(other); }

Journal &Journal::operator=(Journal &&other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(takenOver_, other.takenOver_);
  std::swap(answers_, other.answers_);
  return *this;
}

Journal::~Journal() {
  if (file_ >= 0)
    ::close(file_);
}

/// The whole lines of a file; empty where there is none.
static std::string wholeLines(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(path);
  if (!file)
    return {};
  llvm::StringRef text = (*file)->getBuffer();
  return text.substr(0, text.rfind('\n') + 1).str();
}

static void writeAll(int file, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(file, text.data(), text.size());
    if (written <= 0)
      return; // the disk is full: the next --resume asks once more
    text = text.drop_front(static_cast<size_t>(written));
  }
}

llvm::Expected<Journal> Journal::open(llvm::StringRef path,
                                      llvm::StringRef heading, bool resume) {
  Journal journal;
  journal.path_ = path.str();
  std::string old = resume ? wholeLines(path) : std::string();
  auto [first, rest] = llvm::StringRef(old).split('\n');
  if (!old.empty() && first != heading)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is the journal of another reduction; leave out "
                     "--resume to begin anew",
                     path);
  llvm::SmallVector<llvm::StringRef> lines;
  rest.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    auto [key, answer] = line.split(' ');
    int value = 0;
    if (!answer.getAsInteger(10, value))
      journal.answers_[key] = value;
  }
  journal.takenOver_ = static_cast<int64_t>(journal.answers_.size());
  journal.file_ = ::open(journal.path_.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (journal.file_ < 0)
    return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}",
                     path, std::generic_category().message(errno));
  writeAll(journal.file_, old.empty() ? heading.str() + "\n" : old);
  return journal;
}

std::optional<int> Journal::find(llvm::StringRef key) const {
  auto found = answers_.find(key);
  return found == answers_.end() ? std::nullopt
                                 : std::optional<int>(found->second);
}

void Journal::add(llvm::StringRef key, int answer) {
  answers_[key] = answer;
  if (file_ >= 0)
    writeAll(file_, key.str() + " " + std::to_string(answer) + "\n");
}

void Journal::remove() {
  if (file_ < 0)
    return;
  ::close(file_);
  file_ = -1;
  llvm::sys::fs::remove(path_);
}
