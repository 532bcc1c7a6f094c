// The heading, then one record "KEY ANSWER" per trial, complete before the next
// trial starts.
#include "assay/judge/reduce/Journal.h"

using namespace assay;
using namespace assay::judge;

llvm::Expected<Journal> Journal::open(llvm::StringRef path,
                                      llvm::StringRef heading, bool resume) {
  llvm::Expected<std::unique_ptr<RecordFile>> file =
      RecordFile::open(path, RecordFile::Writers::One);
  if (!file)
    return file.takeError();
  Journal journal;
  journal.file_ = std::move(*file);
  if (!resume)
    if (llvm::Error error = journal.file_->clear())
      return error;
  auto [first, answers] = journal.file_->found().split('\n');
  if (!journal.file_->isEmpty() && first != heading)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is the journal of another reduction; leave out "
                     "--resume to begin again",
                     path);
  forEachRecord(answers, [&](llvm::StringRef line, int64_t) {
    auto [key, answer] = line.split(' ');
    int value = 0;
    if (!answer.getAsInteger(10, value))
      journal.answers_[key] = value;
    return true;
  });
  journal.takenOver_ = static_cast<int64_t>(journal.answers_.size());
  if (journal.file_->isEmpty())
    if (llvm::Error error = journal.file_->append(heading))
      return error;
  return journal;
}

std::optional<int> Journal::find(llvm::StringRef key) const {
  auto found = answers_.find(key);
  return found == answers_.end() ? std::nullopt
                                 : std::optional<int>(found->second);
}

void Journal::add(llvm::StringRef key, int answer) {
  answers_[key] = answer;
  if (file_)
    llvm::consumeError(file_->append(key.str() + " " + std::to_string(answer)));
}

void Journal::remove() {
  if (!file_)
    return;
  file_->remove();
  file_.reset();
}
