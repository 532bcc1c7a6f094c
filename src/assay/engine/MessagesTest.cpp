// Messages are written and read back; damaged ones (cut anywhere, or with
// counts that exceed the bytes that follow) are refused.
#include "assay/engine/Messages.h"
#include "assay/engine/assay_plugin.h"

#include "gtest/gtest.h"

#include <cstring>
#include <limits>

using namespace assay::engine;

static ProblemDescription someProblem() {
  ProblemDescription problem;
  problem.driver = "matmul";
  problem.json = "{\"m\":2}";
  problem.program = std::string("ML\0R", 4);
  problem.entry = "main";
  problem.arguments = {1, 0};
  problem.threads = 3;
  problem.tensors = {{"src", "f32", {2, 3}, {3, 1}, false},
                     {"dst", "bf16", {}, {}, true}};
  return problem;
}

TEST(Messages, ACreateMessageComesBackWhole) {
  ProblemDescription given = someProblem();
  std::optional<ProblemDescription> read = readCreate(createMessage(given));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->driver, given.driver);
  EXPECT_EQ(read->json, given.json);
  EXPECT_EQ(read->program, given.program);
  EXPECT_EQ(read->entry, given.entry);
  EXPECT_EQ(read->arguments, given.arguments);
  EXPECT_EQ(read->threads, 3);
  ASSERT_EQ(read->tensors.size(), 2u);
  EXPECT_EQ(read->tensors[0].dims, given.tensors[0].dims);
  EXPECT_EQ(read->tensors[0].strides, given.tensors[0].strides);
  EXPECT_FALSE(read->tensors[0].isOutput);
  EXPECT_EQ(read->tensors[1].type, "bf16");
  EXPECT_TRUE(read->tensors[1].isOutput);
}

TEST(Messages, ACutOrLongerCreateMessageIsRefused) {
  std::string whole = createMessage(someProblem());
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(readCreate(whole.substr(0, size))) << size;
  EXPECT_FALSE(readCreate(whole + "x"));
}

TEST(Messages, CountsWithoutTheirBytesAreRefused) {
  std::string whole = createMessage(someProblem());
  for (int64_t count : {int64_t(-1), std::numeric_limits<int64_t>::max()})
    for (size_t at = 0; at + sizeof count <= whole.size(); ++at) {
      std::string damaged = whole;
      std::memcpy(damaged.data() + at, &count, sizeof count);
      if (std::optional<ProblemDescription> read = readCreate(damaged)) {
        EXPECT_EQ(createMessage(*read).size(), whole.size());
      }
    }
}

static std::string resultMessage(ResultHeader result, const std::string &rest) {
  MessageHeader header{MessageKind::Result,
                       static_cast<uint32_t>(sizeof result + rest.size())};
  std::string message(reinterpret_cast<const char *>(&header), sizeof header);
  message.append(reinterpret_cast<const char *>(&result), sizeof result);
  return message + rest;
}

TEST(Messages, AResultHasSamplesAndReason) {
  double samples[] = {0.5, 0.25};
  std::string rest(reinterpret_cast<const char *>(samples), sizeof samples);
  std::optional<WorkerResult> read =
      readResult(resultMessage({1, 2, 3, 64, 0.75}, rest + "why"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, WorkerResult::Kind::Unsupported);
  EXPECT_EQ(read->reason, "why");
  EXPECT_EQ(read->samples, std::vector<double>({0.5, 0.25}));
  EXPECT_EQ(read->alignment, 64);
  EXPECT_EQ(read->seconds, 0.75);
}

TEST(Messages, TheTextOfASuccessIsTheReport) {
  std::optional<WorkerResult> read =
      readResult(resultMessage({0, 0, 3, 1, 0}, "jit"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->report, "jit");
  EXPECT_EQ(read->reason, "");
}

TEST(Messages, TextOfAnEngineIsMadeUtf8) {
  std::optional<WorkerResult> read =
      readResult(resultMessage({3, 0, 3, 1, 0}, "a\xfcz"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->reason, "a\xef\xbf\xbdz");
}

TEST(Messages, EveryCodeOfThePluginInterfaceIsKnown) {
  using Kind = WorkerResult::Kind;
  for (auto [code, kind] : {std::pair(ASSAY_PLUGIN_OK, Kind::Ok),
                            {ASSAY_PLUGIN_UNSUPPORTED, Kind::Unsupported},
                            {ASSAY_PLUGIN_INVALID, Kind::Invalid},
                            {ASSAY_PLUGIN_FAILED, Kind::Failed},
                            {ASSAY_PLUGIN_NOT_HERE, Kind::NotHere},
                            {ASSAY_PLUGIN_NO_MEMORY, Kind::NoMemory}}) {
    std::optional<WorkerResult> read =
        readResult(resultMessage({code, 0, 3, 1, 0}, "why"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, kind) << code;
  }
}

TEST(Messages, AnUnknownCodeIsAFailure) {
  std::optional<WorkerResult> read =
      readResult(resultMessage({7, 0, 0, 1, 0}, ""));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, WorkerResult::Kind::Failed);
  EXPECT_EQ(read->reason, "the engine returned the undefined code 7");
}

TEST(Messages, AReasonThatTheWorkerFindsNamesItsSubject) {
  std::optional<WorkerResult> read =
      readResult(resultMessage({kChildReturned, 0, 0, 1, 0}, ""), "the kernel");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, WorkerResult::Kind::Failed);
  EXPECT_EQ(read->reason, "the kernel forked, and its child process returned "
                          "from the call too");
}

TEST(Messages, AResultThatClaimsMoreThanItHasIsRefused) {
  EXPECT_FALSE(readResult(resultMessage({0, 1, 0, 1, 0}, "1234567")));
  EXPECT_FALSE(readResult(resultMessage({0, ~0u, 0, 1, 0}, "")));
  EXPECT_FALSE(readResult(resultMessage({0, 0, 4, 1, 0}, "why")));
  EXPECT_FALSE(readResult("not a message"));
  std::string other = resultMessage({0, 0, 0, 1, 0}, "");
  other[0] = static_cast<char>(MessageKind::Run);
  EXPECT_FALSE(readResult(other));
}
