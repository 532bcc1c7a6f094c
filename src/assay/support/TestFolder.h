/// A separate folder for each test that writes files (GoogleTest fixtures).
#pragma once

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <string>

namespace assay {

/// The folder is made before the test and removed with its content afterwards.
struct TestFolder : testing::Test {
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("assay-test", made));
    folder = made.str().str();
  }
  void TearDown() override {
    // LLVM's remove_directories does not remove pipes.
    std::error_code failed;
    std::filesystem::remove_all(folder, failed);
    EXPECT_FALSE(failed) << folder << ": " << failed.message();
  }
  std::string path(llvm::StringRef name) const {
    return folder + "/" + name.str();
  }

  std::string folder;
};

} // namespace assay
