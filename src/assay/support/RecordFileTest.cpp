// Records survive kills, torn lines, full disks and second writers.
#include "assay/support/RecordFile.h"
#include "assay/support/TestFolder.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace assay;
using Writers = RecordFile::Writers;

namespace {
struct RecordFileTest : TestFolder {
  std::unique_ptr<RecordFile> open(Writers writers = Writers::One) {
    auto file = RecordFile::open(path("records"), writers);
    EXPECT_TRUE(bool(file)) << llvm::toString(file.takeError());
    return file ? std::move(*file) : nullptr;
  }
  std::string text() const {
    std::ifstream file(path("records"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(llvm::StringRef text) const {
    std::ofstream(path("records")) << text.str();
  }
};
} // namespace

static std::string messageOf(llvm::Error error) {
  return takeError(std::move(error)).message;
}

TEST_F(RecordFileTest, RecordsComeBackInOrder) {
  {
    auto file = open();
    EXPECT_TRUE(file->isEmpty());
    EXPECT_FALSE(bool(file->append("one")));
    EXPECT_FALSE(bool(file->append("two")));
    EXPECT_FALSE(file->isEmpty());
  }
  auto file = open();
  EXPECT_EQ(file->found(), "one\ntwo\n");
  EXPECT_FALSE(bool(file->append("three")));
  EXPECT_EQ(text(), "one\ntwo\nthree\n");
}

TEST_F(RecordFileTest, TornRecordIsCutOffAndTheNextBeginsALine) {
  write("one\ntw");
  auto file = open();
  EXPECT_EQ(file->found(), "one\n");
  EXPECT_FALSE(bool(file->append("three")));
  EXPECT_EQ(text(), "one\nthree\n");
}

TEST_F(RecordFileTest, FileOfNothingButATornRecordIsEmpty) {
  write("on");
  auto file = open();
  EXPECT_TRUE(file->isEmpty());
  EXPECT_FALSE(bool(file->append("two")));
  EXPECT_EQ(text(), "two\n");
}

TEST_F(RecordFileTest, WhereOthersWriteATornRecordIsEndedNotCut) {
  write("one\ntw");
  auto first = open(Writers::Anybody), second = open(Writers::Anybody);
  EXPECT_FALSE(bool(first->append("three")));
  EXPECT_FALSE(bool(second->append("four")));
  // Both writers saw the torn record, so the second newline makes an empty
  // line.
  EXPECT_EQ(text(), "one\ntw\nthree\n\nfour\n");
}

TEST_F(RecordFileTest, SecondWriterIsRefusedWithTheCallersWords) {
  auto first = open();
  auto second = RecordFile::open(path("records"), Writers::One, "wait for it");
  ASSERT_FALSE(bool(second));
  EXPECT_EQ(messageOf(second.takeError()), "wait for it");
  auto third = RecordFile::open(path("records"), Writers::Group);
  ASSERT_FALSE(bool(third));
  EXPECT_EQ(messageOf(third.takeError()),
            "'" + path("records") + "' is in use by another process");
  first.reset();
  auto one = open(Writers::Group), two = open(Writers::Group);
  EXPECT_TRUE(one && two);
}

TEST_F(RecordFileTest, OverwrittenBytesLeaveTheEndWhereItIs) {
  auto file = open();
  EXPECT_FALSE(bool(file->append("state busy")));
  EXPECT_FALSE(bool(file->overwrite(6, "calm")));
  EXPECT_FALSE(bool(file->append("two")));
  EXPECT_EQ(text(), "state calm\ntwo\n");
}

TEST_F(RecordFileTest, ClearedFileBeginsAnew) {
  write("old\n");
  auto file = open();
  EXPECT_FALSE(bool(file->clear()));
  EXPECT_TRUE(file->found().empty() && file->isEmpty());
  EXPECT_FALSE(bool(file->append("new")));
  EXPECT_EQ(text(), "new\n");
}

TEST_F(RecordFileTest, EmptyFileIsRemovedOnlyWhereNobodyHasIt) {
  auto one = open(Writers::Group), two = open(Writers::Group);
  one->removeIfEmpty();
  EXPECT_EQ(::access(path("records").c_str(), F_OK), 0);
  two.reset();
  one->removeIfEmpty();
  EXPECT_NE(::access(path("records").c_str(), F_OK), 0);
}

TEST_F(RecordFileTest, MissingFolderIsMadeOrSaidWithThePath) {
  EXPECT_TRUE(bool(RecordFile::open(path("no/records"), Writers::One)));
  auto file = RecordFile::open("/proc/nowhere/records", Writers::One);
  ASSERT_FALSE(bool(file));
  EXPECT_EQ(messageOf(file.takeError()),
            "cannot write '/proc/nowhere/records': no such file or directory");
}

TEST_F(RecordFileTest, FullDiskTakesTheRecordBack) {
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  auto file = open();
  EXPECT_FALSE(bool(file->append("one")));
  struct rlimit small{10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  llvm::Error error = file->append("a record of more than ten bytes");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_TRUE(bool(error));
  ErrorText said = takeError(std::move(error));
  EXPECT_EQ(said.code, ErrorCode::ResourceLimit);
  EXPECT_EQ(said.message,
            "cannot write '" + path("records") + "': file too large");
  EXPECT_FALSE(bool(file->append("two")));
  EXPECT_EQ(text(), "one\ntwo\n");
}

TEST_F(RecordFileTest, ReadersSeeCompleteRecordsOnly) {
  auto none = readRecords(path("records"));
  ASSERT_TRUE(bool(none));
  EXPECT_TRUE(none->empty());
  write("one\n\ntw");
  auto some = readRecords(path("records"));
  ASSERT_TRUE(bool(some));
  std::vector<std::string> lines;
  forEachRecord(*some, [&](llvm::StringRef line, int64_t number) {
    EXPECT_EQ(number, static_cast<int64_t>(lines.size()) + 1);
    lines.push_back(line.str());
    return true;
  });
  EXPECT_EQ(lines, (std::vector<std::string>{"one", ""}));
}

/// Appends records of growing length until the process is killed; writes the
/// number of complete records to `told`.
[[noreturn]] static void appendForever(const std::string &path, int told) {
  auto file = RecordFile::open(path, Writers::One);
  if (!file)
    _exit(1);
  for (int n = 0;; ++n) {
    std::string record =
        std::to_string(n) + ":" + std::string(n * 97 % 30000, 'x');
    if ((*file)->append(record))
      _exit(1);
    if (::write(told, &n, sizeof n) != sizeof n)
      _exit(1);
  }
}

TEST_F(RecordFileTest, HundredKillsLoseNoRecordThatWasComplete) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    std::string at = path("kill" + std::to_string(round));
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    pid_t child = ::fork();
    if (child == 0)
      appendForever(at, pipe[1]);
    ::close(pipe[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    int last = -1;
    for (int n; ::read(pipe[0], &n, sizeof n) == sizeof n;)
      last = n;
    ::close(pipe[0]);
    auto file = RecordFile::open(at, Writers::One);
    ASSERT_TRUE(bool(file));
    int records = 0;
    forEachRecord((*file)->found(), [&](llvm::StringRef line, int64_t) {
      std::string whole = std::to_string(records) + ":" +
                          std::string(records * 97 % 30000, 'x');
      EXPECT_EQ(line, whole) << "record " << records;
      ++records;
      return true;
    });
    EXPECT_GE(records, last + 1) << "round " << round;
    EXPECT_LE(records, last + 2) << "round " << round;
  }
}
