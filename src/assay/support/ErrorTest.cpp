#include "assay/support/Error.h"
#include "assay/support/ExitCode.h"
#include "gtest/gtest.h"

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
