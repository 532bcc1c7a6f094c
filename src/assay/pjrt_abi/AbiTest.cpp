// Compares the declarations of the PJRT C API here with a table of sizes and
// offsets that was generated from its header.
#include "assay/pjrt_abi/Abi.h"

#include "gtest/gtest.h"

namespace assay::pjrt {
namespace {

using BufferMemoryLayout = MemoryLayout;

TEST(Abi, StructuresHaveTheHeadersSizesAndOffsets) {
  int rows = 0;
#define ARGS_SIZE(NAME, BYTES)                                                 \
  EXPECT_EQ(sizeof(args::NAME), size_t(BYTES)) << #NAME;                       \
  ++rows;
#define ARGS_FIELD(NAME, FIELD, BYTES)                                         \
  EXPECT_EQ(offsetof(args::NAME, FIELD), size_t(BYTES)) << #NAME "." #FIELD;
#define OTHER_SIZE(NAME, BYTES) EXPECT_EQ(sizeof(NAME), size_t(BYTES)) << #NAME;
#define OTHER_FIELD(NAME, FIELD, BYTES)                                        \
  EXPECT_EQ(offsetof(NAME, FIELD), size_t(BYTES)) << #NAME "." #FIELD;
#define FUNCTION(NAME, BYTES)
#include "assay/pjrt_abi/Offsets.def"
#undef ARGS_SIZE
#undef ARGS_FIELD
#undef OTHER_SIZE
#undef OTHER_FIELD
#undef FUNCTION
  EXPECT_GT(rows, 100);
}

TEST(Abi, FunctionsStandInTheHeadersOrder) {
  size_t rows = 0;
#define ARGS_SIZE(NAME, BYTES)
#define ARGS_FIELD(NAME, FIELD, BYTES)
#define OTHER_SIZE(NAME, BYTES)
#define OTHER_FIELD(NAME, FIELD, BYTES)
#define FUNCTION(NAME, BYTES)                                                  \
  EXPECT_EQ(offsetof(Api, NAME), size_t(BYTES)) << #NAME;                      \
  ++rows;
#include "assay/pjrt_abi/Offsets.def"
#undef ARGS_SIZE
#undef ARGS_FIELD
#undef OTHER_SIZE
#undef OTHER_FIELD
#undef FUNCTION
  EXPECT_EQ(sizeof(Api), sizeof(size_t) + sizeof(void *) + sizeof(ApiVersion) +
                             rows * sizeof(void *));
}

} // namespace
} // namespace assay::pjrt
