// Without libcuda, the GPUs of the kernel module's list are found.
#include "assay/select/Doctor.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace assay::select;

TEST(Gpus, AreListedByLibcudaOrByTheKernelModule) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("assay-gpus", folder));
  llvm::SmallString<128> card(folder);
  llvm::sys::path::append(card, "0000:01:00.0");
  ASSERT_FALSE(llvm::sys::fs::create_directory(card));
  {
    std::error_code code;
    llvm::raw_fd_ostream file((card + "/information").str(), code);
    file << "Model: \t\t NVIDIA Test Card\nIRQ:   \t\t 35\n";
  }
  std::vector<Finding> found = findGpus(folder);
  llvm::sys::fs::remove_directories(folder);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].group, "GPU");
  if (found[0].name == "nvidia")
    EXPECT_EQ(
        found[0].value.rfind("NVIDIA Test Card (no program can use it: ", 0),
        0u)
        << found[0].value;
  else
    EXPECT_EQ(found[0].name, "cuda:0");
}

TEST(Gpus, NoneIsSaidWithTheReason) {
  std::vector<Finding> found = findGpus("/nowhere/at/all");
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found[0].name == "none" || found[0].name == "cuda:0");
  EXPECT_FALSE(found[0].value.empty());
}
