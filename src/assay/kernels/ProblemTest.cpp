// Problems as data: their counts, the layout of their strides, and which ones
// are refused.
#include "assay/kernels/Kind.h"
#include "assay/kernels/Selector.h"
#include "gtest/gtest.h"

#include <set>
#include <tuple>

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

/// The positions of the elements of an operand.
static std::vector<int64_t> placesOf(const Strides &s, int64_t rows,
                                     int64_t columns) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      places.push_back(i * s.row + j * s.column);
  return places;
}

TEST(GemmProblem, IsOfEachLayoutThatPutsItsElementsInTheSamePlaces) {
  constexpr Layout kAll[] = {Layout::RCR, Layout::RRR, Layout::CRR,
                             Layout::CCR};
  for (int64_t m : {1, 4})
    for (int64_t n : {1, 5})
      for (int64_t k : {1, 6})
        for (Layout asked : kAll) {
          GemmProblem problem = GemmProblem::make({}, asked, m, n, k);
          for (Layout other : kAll) {
            GemmProblem there = GemmProblem::make({}, other, m, n, k);
            bool same = placesOf(problem.aStrides, m, k) ==
                            placesOf(there.aStrides, m, k) &&
                        placesOf(problem.bStrides, k, n) ==
                            placesOf(there.bStrides, k, n);
            EXPECT_EQ(problem.isOf(other), same)
                << toString(problem, asked) << " as " << toString(other);
          }
          EXPECT_EQ(problem.modelLayout() == Layout::RCR,
                    problem.isOf(Layout::RCR));
        }
  GemmProblem gaps = GemmProblem::make({}, Layout::RCR, 4, 5, 6);
  gaps.aStrides = {12, 2, 48};
  for (Layout layout : kAll)
    EXPECT_FALSE(gaps.isOf(layout));
  EXPECT_EQ(gaps.modelLayout(), Layout::RCR);
}

TEST(GemmProblem, EveryLayoutIsReadBackFromItsStrides) {
  for (Layout layout : {Layout::RCR, Layout::RRR, Layout::CRR, Layout::CCR}) {
    EXPECT_EQ(GemmProblem::make({}, layout, 4, 5, 6).layout(), layout);
    EXPECT_EQ(parseLayout(toString(layout)), layout);
  }
}

/// The code of the refusal; nullopt where the problem is accepted.
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

TEST(GemmProblem, TensorsOfTheseElementTypesHaveKernels) {
  auto typeOf = [](const char *name) {
    return dataTypeOf(*numerics::parseElementType(name));
  };
  using enum DataType;
  EXPECT_EQ(typeOf("f32"), F32);
  EXPECT_EQ(typeOf("f64"), F64);
  EXPECT_EQ(typeOf("bf16"), BF16);
  EXPECT_EQ(typeOf("f16"), F16);
  EXPECT_EQ(typeOf("i8"), S8);
  EXPECT_EQ(typeOf("ui8"), U8);
  EXPECT_EQ(typeOf("i32"), S32);
  for (const char *none :
       {"ui32", "i16", "i4", "i1", "i64", "f8E4M3FN", "tf32", "complex<f32>"})
    EXPECT_EQ(typeOf(none), std::nullopt) << none;
}

TEST(GemmProblem, WordsOfTypesAreReadBack) {
  for (const char *text :
       {"f32", "f64", "bf16", "f16", "s8", "u8", "u8s8", "s8u8", "s32"}) {
    std::optional<TypePair> types = parseTypePair(text);
    ASSERT_TRUE(types) << text;
    EXPECT_EQ(toString(*types), text);
  }
  EXPECT_EQ(parseTypePair("s8s8"), (TypePair{DataType::S8, DataType::S8}));
  for (const char *text : {"", "f8", "u8s32", "s8f32", "f32f32", "u8s8x"})
    EXPECT_FALSE(parseTypePair(text)) << text;
  EXPECT_FALSE(parseLayout("rcc"));
  EXPECT_FALSE(parseLayout(""));
  GemmProblem problem = GemmProblem::make({DataType::U8, DataType::S8},
                                          Layout::CCR, 3, 5, 7, 2, 4);
  EXPECT_EQ(toString(problem), "u8s8 ccr 3x5x7 b2 t4");
  problem.aStrides = {2, 6, 0};
  EXPECT_EQ(toString(problem), "u8s8 strided 3x5x7 b2 t4");
}

TEST(KernelKind, WordsAreCheckedOneByOne) {
  auto kind = parseKind("gemm", "u8s8", "crr");
  ASSERT_TRUE(bool(kind));
  EXPECT_EQ(kind->types, (TypePair{DataType::U8, DataType::S8}));
  EXPECT_EQ(kind->layout, Layout::CRR);
  for (auto [op, dtype, layout, code] :
       {std::tuple("conv", "f32", "rcr", ErrorCode::Unsupported),
        {"gemm", "f31", "rcr", ErrorCode::InvalidArgument},
        {"gemm", "f32", "rc", ErrorCode::InvalidArgument}}) {
    auto wrong = parseKind(op, dtype, layout);
    ASSERT_FALSE(bool(wrong));
    EXPECT_EQ(takeError(wrong.takeError()).code, code);
  }
}

TEST(NormalForm, AColumnMajorResultTurnsTheProblem) {
  GemmProblem problem =
      GemmProblem::make({DataType::U8, DataType::S8}, Layout::RRR, 3, 5, 7, 2);
  problem.cStrides = {1, 3, 15};
  problem.bias = Bias::PerRow;
  NormalGemm normal = normalForm(problem);
  EXPECT_TRUE(normal.turned);
  const GemmProblem &p = normal.problem;
  EXPECT_EQ(p.types(), (TypePair{DataType::S8, DataType::U8}));
  EXPECT_EQ(p.m, 5);
  EXPECT_EQ(p.n, 3);
  EXPECT_EQ(p.k, 7);
  EXPECT_EQ(p.aStrides, (Strides{1, 5, 35})); // B's columns are its rows
  EXPECT_EQ(p.bStrides, (Strides{1, 7, 21}));
  EXPECT_EQ(p.cStrides, (Strides{3, 1, 15}));
  EXPECT_EQ(p.bias, Bias::PerColumn);
  problem.bias = Bias::PerColumn;
  EXPECT_EQ(normalForm(problem).problem.bias, Bias::PerRow);
  problem.bias = Bias::None;
  EXPECT_EQ(normalForm(problem).problem.bias, Bias::None);
  problem.scale = Scale::PerColumn; // there is no scale per row
  EXPECT_FALSE(normalForm(problem).turned);
  EXPECT_EQ(normalForm(problem).problem, problem);
  problem.scale = Scale::None;
  problem.cStrides = {2, 7, 0};
  EXPECT_FALSE(normalForm(problem).turned);
}

TEST(GemmProblem, EveryFieldIsInItsHash) {
  const GemmProblem plain = GemmProblem::make({}, Layout::RRR, 6, 5, 4, 3, 2);
  std::set<uint64_t> hashes{plain.hash()};
  auto differs = [&](auto change) {
    GemmProblem changed = plain;
    change(changed);
    EXPECT_TRUE(hashes.insert(changed.hash()).second) << hashes.size();
  };
  differs([](GemmProblem &p) { p.a = DataType::F64; });
  differs([](GemmProblem &p) { p.b = DataType::F64; });
  differs([](GemmProblem &p) { p.acc = DataType::F64; });
  differs([](GemmProblem &p) { p.c = DataType::F64; });
  differs([](GemmProblem &p) { p.bias = Bias::PerRow; });
  differs([](GemmProblem &p) { p.scale = Scale::PerColumn; });
  differs([](GemmProblem &p) { p.activation = Activation::Tanh; });
  for (int64_t GemmProblem::*size :
       {&GemmProblem::m, &GemmProblem::n, &GemmProblem::k, &GemmProblem::batch})
    differs([=](GemmProblem &p) { p.*size = 99; });
  differs([](GemmProblem &p) { p.threads = 99; });
  for (Strides GemmProblem::*strides :
       {&GemmProblem::aStrides, &GemmProblem::bStrides, &GemmProblem::cStrides})
    for (int64_t Strides::*stride :
         {&Strides::row, &Strides::column, &Strides::batch})
      differs([=](GemmProblem &p) { p.*strides.*stride = 99; });
  differs([](GemmProblem &p) { p.alpha = 99; });
  differs([](GemmProblem &p) { p.beta = 99; });
  EXPECT_EQ(hashes.size(), 24u);
}
