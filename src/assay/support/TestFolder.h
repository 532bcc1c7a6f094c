/// A folder of its own for each test that writes files (GoogleTest fixtures).
#pragma once

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <string>

namespace assay {

/// Made before the test and removed with all that lies in it.
struct TestFolder : testing::Test {
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("assay-test", made));
    folder = made.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }
  std::string path(llvm::StringRef name) const {
    return folder + "/" + name.str();
  }

  std::string folder;
};

} // namespace assay
