#include "assay/support/Error.h"
#include "assay/support/ExitCode.h"
#include "gtest/gtest.h"

#include <tuple>

using namespace assay;

TEST(Error, CarriesCodeAndFormattedText) {
  ErrorText text = takeError(
      makeError(ErrorCode::NotFound, "no function named '{0}'", "main"));
  EXPECT_EQ(text.code, ErrorCode::NotFound);
  EXPECT_EQ(text.message, "no function named 'main'");
}

TEST(Error, ContextKeepsTheCode) {
  ErrorText text = takeError(
      addContext(makeError(ErrorCode::DataLoss, "file ends early"), "'a.npz'"));
  EXPECT_EQ(text.code, ErrorCode::DataLoss);
  EXPECT_EQ(text.message, "'a.npz': file ends early");
}

TEST(ExitCode, WorstFollowsTheContract) {
  EXPECT_EQ(worst(ExitCode::Ok, ExitCode::NothingChecked),
            ExitCode::NothingChecked);
  EXPECT_EQ(worst(ExitCode::CheckFailed, ExitCode::NothingChecked),
            ExitCode::CheckFailed);
  EXPECT_EQ(worst(ExitCode::CheckFailed, ExitCode::BadInput),
            ExitCode::BadInput);
  EXPECT_EQ(worst(ExitCode::Internal, ExitCode::BadInput), ExitCode::Internal);
  EXPECT_EQ(exitCodeFor(ErrorCode::Mismatch), ExitCode::CheckFailed);
  EXPECT_EQ(exitCodeFor(ErrorCode::ResourceLimit), ExitCode::BadInput);
  EXPECT_EQ(exitCodeFor(ErrorCode::Cancelled), ExitCode::Interrupted);
}

TEST(Error, ForeignErrorsAreInternalAndKeepTheirText) {
  ErrorText text = takeError(
      llvm::createStringError(llvm::inconvertibleErrorCode(), "odd %d", 7));
  EXPECT_EQ(text.code, ErrorCode::Internal);
  EXPECT_EQ(text.message, "odd 7");
  EXPECT_FALSE(bool(addContext(llvm::Error::success(), "nothing")));
}

TEST(ExitCode, EveryErrorHasItsOwn) {
  for (auto [code, status, name] :
       {std::tuple(ErrorCode::InvalidArgument, 2, "invalid argument"),
        {ErrorCode::NotFound, 2, "not found"},
        {ErrorCode::Unsupported, 2, "unsupported"},
        {ErrorCode::DataLoss, 2, "data loss"},
        {ErrorCode::Mismatch, 1, "mismatch"},
        {ErrorCode::ResourceLimit, 2, "resource limit"},
        {ErrorCode::Cancelled, 130, "cancelled"},
        {ErrorCode::Internal, 70, "internal error"}}) {
    EXPECT_EQ(static_cast<int>(exitCodeFor(code)), status) << name;
    EXPECT_STREQ(errorCodeName(code), name);
  }
}

TEST(ExitCode, TheWorseOfTwoCountsWhicheverComesFirst) {
  constexpr ExitCode kUpwards[] = {
      ExitCode::Ok,       ExitCode::NothingChecked, ExitCode::CheckFailed,
      ExitCode::BadInput, ExitCode::Internal,       ExitCode::Interrupted};
  for (size_t low = 0; low < std::size(kUpwards); ++low)
    for (size_t high = low; high < std::size(kUpwards); ++high) {
      EXPECT_EQ(worst(kUpwards[low], kUpwards[high]), kUpwards[high]);
      EXPECT_EQ(worst(kUpwards[high], kUpwards[low]), kUpwards[high]);
    }
}
