// Configurations: names parse back, lists are long enough and free of
// duplicates, wrong names are refused.
#include "assay/kernels/Registry.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <set>

using namespace assay;
using namespace assay::kernels;

static Registry::Options memoryOnly() {
  Registry::Options options;
  options.diskCache = false;
  return options;
}

TEST(KernelConfig, EveryNameOfTheRegistryParsesBack) {
  Registry registry(memoryOnly());
  for (TypePair types : {TypePair{DataType::F32, DataType::F32},
                         TypePair{DataType::U8, DataType::S8}})
    for (Layout layout : {Layout::RCR, Layout::RRR, Layout::CRR, Layout::CCR}) {
      std::set<std::string> names;
      for (const GemmConfig &config : registry.enumerate(types, layout)) {
        auto parsed = parseConfig(config.name());
        ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
        EXPECT_EQ(*parsed, config) << config.name();
        EXPECT_TRUE(names.insert(config.name()).second) << config.name();
      }
    }
}

TEST(KernelConfig, EachTypeAndLayoutHasAtLeast4608Configurations) {
  for (const char *isa : {"baseline", "avx2", "avx512"}) {
    setenv("ASSAY_ISA", isa, 1);
    Registry registry(memoryOnly());
    for (const char *types :
         {"f32", "f64", "bf16", "f16", "s8", "u8", "u8s8", "s8u8"})
      for (Layout layout : {Layout::RCR, Layout::RRR, Layout::CRR, Layout::CCR})
        EXPECT_GE(registry.enumerate(*parseTypePair(types), layout).size(),
                  4608u)
            << isa << " " << types << " " << toString(layout);
  }
  unsetenv("ASSAY_ISA");
}

TEST(KernelConfig, WrongNamesAreRefusedWithTheField) {
  std::string good =
      "tile_14x32x4_112x3072x384_pp_nkm_plain_sk1_t0x0_exact_fused";
  ASSERT_TRUE(bool(parseConfig(good)));
  for (const char *bad :
       {"", "tile",
        "brick_14x32x4_112x3072x384_pp_nkm_plain_sk1_t0x0_exact_fused",
        "tile_14x32_112x3072x384_pp_nkm_plain_sk1_t0x0_exact_fused",
        "tile_14x32x4_112x3072x384_px_nkm_plain_sk1_t0x0_exact_fused",
        "tile_14x32x4_112x3072x384_pp_nkm_pf_sk1_t0x0_exact_fused",
        "tile_14x32x4_112x3072x384_pp_nkm_plain_sk0_t0x0_exact_fused",
        "tile_14x-2x4_112x3072x384_pp_nkm_plain_sk1_t0x0_exact_fused",
        "tile_14x32x4_112x3072x384_pp_nkm_pf0_sk1_t0x0_exact_fused",
        "tile_14x32x4_112x3072x384_pp_nkm_plain_sk1_0x0_exact_fused",
        "tile_14x32x4_112x3072x384_ppp_nkm_plain_sk1_t0x0_exact_fused",
        "tile_14x32x4_112x3072x384_pp_nmk_plain_sk1_t0x0_exact_fused",
        "tile_14x32x4_112x3072x384_pp_nkm_plain_sk1_t0x0_exact_fused_",
        "tile_14x32x4_112x3072x384x_pp_nkm_plain_sk1_t0x0_exact_fused"}) {
    auto parsed = parseConfig(bad);
    EXPECT_FALSE(bool(parsed)) << bad;
    EXPECT_EQ(takeError(parsed.takeError()).code, ErrorCode::InvalidArgument);
  }
}

TEST(KernelConfig, EachFieldIsNamedWhereItIsWrong) {
  const llvm::SmallVector<llvm::StringRef> good = {
      "tile", "14x32x4", "112x3072x384", "pp",    "nkm",
      "plain", "sk1",    "t0x0",         "exact", "fused"};
  for (size_t field = 0; field < good.size(); ++field) {
    llvm::SmallVector<llvm::StringRef> words = good;
    words[field] = "odd";
    std::string name = llvm::join(words, "_");
    auto parsed = parseConfig(name);
    ASSERT_FALSE(bool(parsed)) << name;
    EXPECT_EQ(takeError(parsed.takeError()).message,
              "kernel name '" + name + "': field " +
                  std::to_string(field + 1) + " 'odd' is not valid");
  }
}
