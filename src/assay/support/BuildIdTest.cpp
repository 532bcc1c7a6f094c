#include "assay/support/BuildId.h"

#include <gtest/gtest.h>

using namespace assay;

TEST(BuildId, IsHexadecimalAndStays) {
  const std::string &id = buildId();
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  EXPECT_EQ(id, buildId());
#if defined(__linux__)
  EXPECT_GE(id.size(), 16u) << "the linker writes one (--build-id)";
#endif
}
