// When a rank ends with a code that is not zero, a launcher first asks all
// ranks to end and kills them a second later. Therefore ranks ignore requests
// to end, and no rank ends before the report is written.
#include "RunRanks.h"
#include "Ranks.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace assay;
using namespace assay::tools;

static std::string meetingOf(const ranks::RankIdentity &identity,
                             llvm::ArrayRef<const char *> words) {
  std::string text = identity.job + "\n" + std::to_string(identity.size);
  for (const char *word : words)
    text += std::string("\n") + word;
  return text;
}

llvm::Error RunRanks::join(llvm::ArrayRef<const char *> words,
                           double timeoutSeconds,
                           std::unique_ptr<RunRanks> &ranks,
                           std::optional<int> &watched) {
  std::optional<ranks::RankIdentity> identity =
      ranks::RankIdentity::ofLauncher();
  if (!identity)
    return llvm::Error::success();
  if (identity->onMachine != identity->size)
    return makeError(ErrorCode::Unsupported,
                     "the processes of a program run on one machine; {0} of "
                     "{1} ranks are on this one",
                     identity->onMachine, identity->size);
  llvm::Expected<std::unique_ptr<program::Ranks>> opened =
      program::Ranks::open({identity->rank, identity->size,
                            meetingOf(*identity, words), timeoutSeconds});
  if (!opened)
    return opened.takeError();
  std::signal(SIGTERM, SIG_IGN);
  watched = superviseRank("run", *identity, [&](int signal) {
    (*opened)->died(signal);
    (*opened)->awaitReport();
  });
  if (watched)
    return llvm::Error::success();
  std::signal(SIGTERM, SIG_IGN);
  ranks.reset(new RunRanks(std::move(*opened)));
  ranks->ranks_->say("the beginning");
  if (identity->rank > 0)
    ranks->mute();
  return llvm::Error::success();
}

void RunRanks::mute() {
  int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nothing < 0)
    return;
  output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  errors_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  close(nothing);
}

void RunRanks::unmute() {
  llvm::outs().flush();
  if (output_ >= 0)
    dup2(output_, STDOUT_FILENO);
  if (errors_ >= 0)
    dup2(errors_, STDERR_FILENO);
}

void RunRanks::fail(ErrorCode code, const std::string &message) {
  ranks_->fail(code, message);
  if (ranks_->rank() > 0 && ranks_->reports())
    unmute();
}

void RunRanks::finish() {
  llvm::outs().flush();
  if (ranks_->reports())
    ranks_->reported();
  ranks_->leave();
  ranks_->awaitReport();
}
