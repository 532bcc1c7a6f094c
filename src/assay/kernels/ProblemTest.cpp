// Problems as data: what they count, which layout their strides amount to, and
// what is refused.
#include "assay/kernels/Problem.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::kernels;

TEST(GemmProblem, BytesAndOperationsCountEveryEntryOfABatch) {
  GemmProblem problem = GemmProblem::make({DataType::BF16, DataType::BF16},
                                          Layout::RCR, 3, 5, 7, 4);
  EXPECT_EQ(problem.bytes(), 4 * (3 * 7 * 2 + 7 * 5 * 2 + 3 * 5 * 4));
  EXPECT_EQ(problem.flops(), 2 * 3 * 5 * 7 * 4);
}

TEST(GemmProblem, ASingleRowOrColumnFitsWhateverItsStride) {
  GemmProblem vector = GemmProblem::make({}, Layout::RRR, 6, 1, 4);
  vector.cStrides = {9, 7, 0};
  vector.bStrides = {1, 5, 0};
  EXPECT_EQ(vector.layout(), Layout::RCR);
  GemmProblem wide = GemmProblem::make({}, Layout::RRR, 6, 2, 4);
  EXPECT_EQ(wide.layout(), Layout::RRR);
  wide.cStrides = {9, 7, 0};
  EXPECT_EQ(wide.layout(), std::nullopt);
}

TEST(GemmProblem, EveryLayoutIsReadBackFromItsStrides) {
  for (Layout layout : {Layout::RCR, Layout::RRR, Layout::CRR, Layout::CCR}) {
    EXPECT_EQ(GemmProblem::make({}, layout, 4, 5, 6).layout(), layout);
    EXPECT_EQ(parseLayout(toString(layout)), layout);
  }
}

/// The code of the refusal; nullopt where the problem is taken.
static std::optional<ErrorCode> refusalOf(const GemmProblem &problem) {
  std::optional<Refusal> refusal = validate(problem);
  return refusal ? std::optional(refusal->code) : std::nullopt;
}

TEST(GemmProblem, WhatCannotBeAddressedIsRefused) {
  auto sized = [](int64_t m, int64_t n, int64_t k, int64_t batch) {
    GemmProblem problem = GemmProblem::make({}, Layout::RCR, 1, 1, 1);
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.batch = batch;
    return refusalOf(problem);
  };
  constexpr int64_t k20 = 1 << 20;
  EXPECT_EQ(sized(k20, 1, k20, 1), std::nullopt);
  EXPECT_EQ(sized(k20, 1, k20, 1 << 19), ErrorCode::ResourceLimit);
  EXPECT_EQ(sized(k20, k20, 1, 1 << 19), ErrorCode::ResourceLimit);
  EXPECT_EQ(sized(1, k20, k20, 1 << 19), ErrorCode::ResourceLimit);
  EXPECT_EQ(sized(k20 << 20, 1, k20, 1), ErrorCode::ResourceLimit);
  EXPECT_EQ(sized(k20 << 20, 1, k20, 0), ErrorCode::ResourceLimit);
  EXPECT_EQ(sized(3, 4, 5, -1), ErrorCode::InvalidArgument);
  GemmProblem idle = GemmProblem::make({}, Layout::RCR, 1, 1, 1, 1, 0);
  EXPECT_EQ(refusalOf(idle), ErrorCode::InvalidArgument);
}

TEST(GemmProblem, TypesWithoutKernelsAreRefused) {
  auto typed = [](DataType a, DataType b, DataType acc, DataType c) {
    GemmProblem problem = GemmProblem::make({a, b}, Layout::RCR, 2, 2, 2);
    problem.acc = acc;
    problem.c = c;
    return refusalOf(problem);
  };
  using enum DataType;
  EXPECT_EQ(typed(F32, F32, F32, F32), std::nullopt);
  EXPECT_EQ(typed(U8, S8, S32, U8), std::nullopt);
  EXPECT_EQ(typed(S8, U8, S32, F32), std::nullopt);
  EXPECT_EQ(typed(BF16, BF16, F32, F16), std::nullopt);
  for (auto refused : {typed(S32, S32, S32, S32), typed(F32, BF16, F32, F32),
                       typed(S8, F32, S32, S32), typed(BF16, BF16, F64, F64),
                       typed(F64, F64, F64, F32), typed(F32, F32, F32, F64),
                       typed(F32, F32, F32, S8), typed(S8, S8, S32, BF16)})
    EXPECT_EQ(refused, ErrorCode::Unsupported);
}
