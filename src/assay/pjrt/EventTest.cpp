#include "assay/pjrt/Objects.h"

#include "gtest/gtest.h"

#include <thread>

namespace assay::pjrt {
namespace {

TEST(Completion, CallsBackOnceWhetherAskedBeforeOrAfter) {
  Completion completion;
  int before = 0, after = 0;
  completion.onDone([&](const std::optional<Error> &error) {
    before += error && error->message == "why" ? 1 : 100;
  });
  EXPECT_FALSE(completion.isDone());
  completion.set(Error{kInternal, "why"});
  completion.set(std::nullopt);
  completion.onDone(
      [&](const std::optional<Error> &error) { after += error ? 1 : 100; });
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 1);
}

TEST(Completion, WaitsForAnotherThread) {
  Completion completion;
  std::thread other([&] { completion.set(Error{kCancelled, "stopped"}); });
  std::optional<Error> error = completion.wait();
  other.join();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, kCancelled);
}

TEST(Completion, DoneIsDone) {
  EXPECT_TRUE(Completion::done()->isDone());
  EXPECT_FALSE(Completion::done()->wait());
}

} // namespace
} // namespace assay::pjrt
