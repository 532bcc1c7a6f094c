// Several ranks and their board. The ranks are real processes, because a lock
// belongs to a process. A rank is killed while it holds an item; the tests
// check what the others see.
#include "assay/ranks/Sharing.h"
#include "assay/support/TestFolder.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace assay;
using namespace assay::ranks;
using Answer = RankBoard::Answer;

namespace {
struct Ranks : TestFolder {
  void SetUp() override {
    TestFolder::SetUp();
    const char *old = std::getenv("TMPDIR");
    temporary = old ? old : "";
    setenv("TMPDIR", folder.c_str(), 1); // where the ranks meet
  }
  void TearDown() override {
    temporary.empty() ? unsetenv("TMPDIR")
                      : setenv("TMPDIR", temporary.c_str(), 1);
    TestFolder::TearDown();
  }
  std::unique_ptr<RankBoard> open(int rank, llvm::StringRef resume = "") {
    static const char *const kWords[] = {"assay", "test"};
    RankIdentity identity;
    identity.rank = rank;
    identity.size = identity.onMachine = 4096;
    identity.job = "job";
    return llvm::cantFail(RankBoard::open(identity, kWords, resume));
  }
  /// Runs `work` as another rank: in a child process that then exits without
  /// further notice.
  template <typename F> void asRank(int rank, F work) {
    pid_t child = fork();
    if (child == 0) {
      work(*open(rank));
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  std::string temporary;
};
} // namespace

static llvm::json::Value number(int64_t value) { return value; }

TEST_F(Ranks, AnItemIsDoneOnce) {
  auto board = open(0);
  asRank(7, [](RankBoard &other) {
    int lostBy = 0;
    if (other.take(3, lostBy) == Answer::Mine)
      llvm::cantFail(other.finish(3, number(30)));
  });
  int lostBy = 0;
  EXPECT_FALSE(board->isFree(3));
  EXPECT_EQ(board->take(3, lostBy), Answer::Finished);
  EXPECT_EQ(llvm::cantFail(board->answerOf(3)), number(30));
  EXPECT_EQ(board->take(4, lostBy), Answer::Mine);
  EXPECT_EQ(lostBy, -1);
}

// Another rank finishes items while this one tries to take them: whatever the
// timing, no item is done twice. Tries as many as fit into 0.3 s.
TEST_F(Ranks, AnItemThatIsBeingFinishedIsNotTakenAgain) {
  void *shared = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto *places = static_cast<std::atomic<int64_t> *>(shared);
  std::atomic<int64_t> &held = places[0], &looked = places[1];
  held = looked = -1;
  pid_t child = fork();
  if (child == 0) {
    auto other = open(1);
    for (int64_t item = 0;; ++item) {
      int lostBy = 0;
      other->take(item, lostBy);
      held = item;
      while (looked < item) // until the first rank looks at it
        sched_yield();
      llvm::cantFail(other->finish(item, number(item)));
    }
  }
  auto board = open(0);
  int64_t again = 0;
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  for (int64_t item = 0; std::chrono::steady_clock::now() < end; ++item) {
    while (held < item)
      sched_yield();
    looked = item;
    int lostBy = -1;
    Answer answer = Answer::Running;
    while (answer == Answer::Running)
      answer = board->take(item, lostBy);
    again += answer != Answer::Finished || lostBy != -1;
  }
  ::kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ::munmap(shared, 4096);
  EXPECT_EQ(again, 0);
}

TEST_F(Ranks, WhoDiedIsSaidAndASecondDeathGivesTheItemUp) {
  auto die = [](RankBoard &other) {
    int lostBy = 0;
    other.take(5, lostBy);
  };
  asRank(300, die);
  int lostBy = -1;
  {
    auto board = open(2);
    EXPECT_EQ(board->take(5, lostBy), Answer::Mine);
    EXPECT_EQ(lostBy, 300);
  } // this rank abandons it as well
  asRank(4095, die);
  auto board = open(1);
  EXPECT_EQ(board->take(5, lostBy), Answer::GivenUp);
  EXPECT_EQ(lostBy, 4095);
}

TEST_F(Ranks, ALineThatAKilledRankDidNotFinishHidesNoOther) {
  asRank(2, [](RankBoard &) {});
  std::error_code code;
  std::string answers;
  for (llvm::sys::fs::recursive_directory_iterator it(folder, code), end;
       it != end && !code; it.increment(code))
    if (llvm::StringRef(it->path()).ends_with("done-2"))
      answers = it->path();
  ASSERT_FALSE(answers.empty());
  std::ofstream(answers, std::ios::app) << "{\"item\":0,\"ans";
  asRank(2, [](RankBoard &again) {
    int lostBy = 0;
    again.take(0, lostBy);
    llvm::cantFail(again.finish(0, number(11)));
  });
  auto board = open(0);
  EXPECT_EQ(llvm::cantFail(board->answerOf(0)), number(11));
}

TEST_F(Ranks, AllBeginWithWhatTheFirstFound) {
  std::string resume = path("resume.json");
  std::ofstream(resume) << "first";
  auto board = open(0, resume);
  std::ofstream(resume) << "written since";
  auto late = open(1, resume);
  std::string text;
  std::ifstream(late->resumeCopy()) >> text;
  EXPECT_EQ(text, "first");
}

TEST_F(Ranks, AnswersAreHandedOnInTheOrderOfTheList) {
  auto board = open(0);
  int ready[2], go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  pid_t child = fork();
  if (child == 0) { // holds item 8 until it gets a message
    auto other = open(1);
    int lostBy = 0;
    char byte = 'x';
    other->take(8, lostBy);
    if (write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1)
      llvm::cantFail(other->finish(8, number(80)));
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  std::vector<int64_t> order;
  Interrupt interrupt;
  Sharing sharing(
      *board, [](const HeldItem &item) { return number(item.number * 10); },
      [&](int64_t item, std::optional<llvm::json::Value> answer) {
        order.push_back(item);
        EXPECT_EQ(*answer, number(item * 10));
        return llvm::Error::success();
      },
      interrupt);
  ASSERT_TRUE(sharing.beginReport());
  llvm::cantFail(sharing.add(8));
  llvm::cantFail(sharing.add(2));
  EXPECT_TRUE(order.empty());
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  llvm::cantFail(sharing.finish());
  waitpid(child, nullptr, 0);
  EXPECT_EQ(order, std::vector<int64_t>({8, 2}));
}

TEST_F(Ranks, TheReportIsTakenOverAndBeginsAnew) {
  auto board = open(1);
  int ready[2], go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  pid_t child = fork();
  if (child == 0) { // dies while it holds the report and item 1
    auto first = open(0);
    int lostBy = 0;
    char byte = 'x';
    first->takeReport();
    first->take(1, lostBy);
    if (write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
      _exit(1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  std::vector<int64_t> order;
  Interrupt interrupt;
  Sharing sharing(
      *board, [](const HeldItem &item) { return number(item.number); },
      [&](int64_t item, std::optional<llvm::json::Value>) {
        order.push_back(item);
        return llvm::Error::success();
      },
      interrupt);
  EXPECT_FALSE(sharing.beginReport());
  llvm::cantFail(sharing.add(0));
  llvm::cantFail(sharing.add(1)); // stays open: another rank holds it
  EXPECT_EQ(order, std::vector<int64_t>({0}));
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(sharing.takesOver());
  EXPECT_TRUE(sharing.reports());
  llvm::cantFail(sharing.add(0));
  llvm::cantFail(sharing.add(1));
  llvm::cantFail(sharing.finish());
  EXPECT_EQ(order, std::vector<int64_t>({0, 0, 1}));
  sharing.close();
  EXPECT_TRUE(board->isReported());
}

TEST_F(Ranks, TheLauncherSaysWhoThisIs) {
  auto identity = [](const char *rank, const char *size) {
    setenv("OMPI_COMM_WORLD_RANK", rank, 1);
    setenv("OMPI_COMM_WORLD_SIZE", size, 1);
    std::optional<RankIdentity> found = RankIdentity::ofLauncher();
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("OMPI_COMM_WORLD_SIZE");
    return found;
  };
  ASSERT_TRUE(identity("2", "3"));
  EXPECT_EQ(identity("2", "3")->onMachine, 3);
  EXPECT_EQ(identity("2", "3")->job, "");
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
  setenv("PMIX_NAMESPACE", "run-7", 1);
  EXPECT_EQ(identity("2", "3")->onMachine, 2);
  EXPECT_EQ(identity("2", "3")->job, "run-7");
  unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  unsetenv("PMIX_NAMESPACE");
  EXPECT_EQ(identity("2", "3")->rank, 2);
  EXPECT_EQ(identity("0", "3")->size, 3);
  EXPECT_FALSE(identity("3", "3"));
  EXPECT_FALSE(identity("0", "1"));
  EXPECT_FALSE(identity("-1", "3"));
  EXPECT_FALSE(identity("one", "3"));
  EXPECT_FALSE(RankIdentity::ofLauncher());
}

TEST_F(Ranks, RanksOfOtherWordsOrJobsDoNotMeet) {
  auto openAs = [&](const char *word, const char *job, int size) {
    RankIdentity identity;
    identity.size = identity.onMachine = size;
    identity.job = job;
    const char *words[] = {"assay", word};
    return llvm::cantFail(RankBoard::open(identity, words, ""));
  };
  auto first = openAs("test", "job", 3);
  int lostBy = 0;
  EXPECT_EQ(first->take(1, lostBy), Answer::Mine);
  EXPECT_FALSE(openAs("test", "job", 3)->isFree(1));
  EXPECT_TRUE(openAs("verify", "job", 3)->isFree(1));
  EXPECT_TRUE(openAs("test", "other", 3)->isFree(1));
  EXPECT_TRUE(openAs("test", "job", 4)->isFree(1));
}

TEST_F(Ranks, AnAnswerIsReadFromTheRankThatGaveIt) {
  for (int rank : {3, 300, 4095}) // the number takes two bytes
    asRank(rank, [&](RankBoard &other) {
      int lostBy = 0;
      other.take(rank, lostBy);
      llvm::cantFail(other.finish(rank, number(rank)));
    });
  auto board = open(0);
  for (int rank : {4095, 3, 300})
    EXPECT_EQ(llvm::cantFail(board->answerOf(rank)), number(rank));
}

TEST_F(Ranks, TheFolderGoesWhenAllHaveComeAndTheReportIsOut) {
  auto openAs = [&](int rank) {
    static const char *const kWords[] = {"assay"};
    RankIdentity identity;
    identity.rank = rank;
    identity.size = identity.onMachine = 2;
    return llvm::cantFail(RankBoard::open(identity, kWords, "nowhere"));
  };
  auto isThere = [&] {
    std::error_code code;
    return llvm::sys::fs::directory_iterator(folder, code) !=
           llvm::sys::fs::directory_iterator();
  };
  auto first = openAs(0);
  EXPECT_EQ(first->resumeCopy(), "");
  ranks::closeReport(*first);
  EXPECT_TRUE(first->isReported());
  EXPECT_TRUE(isThere());
  auto second = openAs(1);
  EXPECT_TRUE(second->isReported());
  second->removeIfComplete();
  EXPECT_FALSE(isThere());
}

TEST_F(Ranks, SharedAnswersAreByTheirItems) {
  auto board = open(0);
  Interrupt interrupt;
  std::vector<int64_t> ran;
  Shared shared = llvm::cantFail(share(
      *board, {4, 0, 2},
      [&](const HeldItem &item) {
        ran.push_back(item.number);
        return number(item.number * 10);
      },
      interrupt));
  EXPECT_TRUE(shared.reports);
  EXPECT_FALSE(shared.stopped);
  EXPECT_EQ(ran, std::vector<int64_t>({4, 0, 2}));
  ASSERT_EQ(shared.answers.size(), 5u);
  EXPECT_EQ(*shared.answers[0], number(0));
  EXPECT_FALSE(shared.answers[1]);
  EXPECT_EQ(*shared.answers[4], number(40));
}

TEST_F(Ranks, ALimitStopsTheWorkAndIsSaid) {
  auto board = open(0);
  Interrupt interrupt;
  interrupt.setTimeLimit(-1);
  Shared shared = llvm::cantFail(share(
      *board, {0, 1, 2}, [](const HeldItem &) { return number(1); },
      interrupt));
  ASSERT_TRUE(shared.stopped);
  EXPECT_EQ(shared.stopped->code, ErrorCode::ResourceLimit);
  EXPECT_FALSE(shared.answers[2]);
}

TEST(RankBoard, TooManyRanksAreRefused) {
  RankIdentity identity;
  identity.size = 4097;
  auto board = RankBoard::open(identity, {}, "");
  ASSERT_FALSE(bool(board));
  EXPECT_EQ(takeError(board.takeError()).code, ErrorCode::InvalidArgument);
}

TEST(HeldItem, SaysWhatHappened) {
  RankIdentity by;
  by.rank = 2;
  EXPECT_EQ((HeldItem{1, -1, false}).history(by), "");
  EXPECT_EQ((HeldItem{1, 5, false}).history(by),
            "rank 5 died while running it; run again by rank 2");
  EXPECT_EQ((HeldItem{1, 5, true}).history(by),
            "rank 5 died while running it; given up by rank 2");
}
