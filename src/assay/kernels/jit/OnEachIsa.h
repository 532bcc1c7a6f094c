/// Tests that run once for each instruction set.
#pragma once

#include "assay/kernels/Machine.h"
#include "gtest/gtest.h"

#include <cstdlib>

namespace assay::kernels {

/// Kernels for one instruction set. A set that this processor lacks is skipped,
/// with its name.
struct OnEachIsa : testing::TestWithParam<const char *> {
  void SetUp() override {
    setenv("ASSAY_ISA", GetParam(), 1);
    isa = Machine::detect().isa;
    unsetenv("ASSAY_ISA");
    if (isa.name != GetParam())
      GTEST_SKIP() << "this processor has no " << GetParam() << "; it has "
                   << isa.name;
  }
  Isa isa;
};

inline auto everyIsa() {
  return testing::Values("baseline", "avx2", "avx512", "avx512_vnni",
                         "avx512_bf16", "amx");
}

inline std::string isaName(const testing::TestParamInfo<const char *> &info) {
  return info.param;
}

} // namespace assay::kernels
