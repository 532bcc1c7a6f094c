// The C interface of matrix products as a host program uses it, on products
// whose sums are known.
#include "assay_dispatch.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace {
struct Dispatch : testing::Test {
  void SetUp() override {
    assay_dispatch_options_t options = {};
    options.struct_size = sizeof options;
    options.analytic = 1;
    ASSERT_EQ(
        assay_dispatcher_create(&options, &dispatcher, message, sizeof message),
        ASSAY_OK)
        << message;
  }
  void TearDown() override { assay_dispatcher_free(dispatcher); }

  assay_gemm_t dense(const char *types, const char *layout, int64_t m,
                     int64_t n, int64_t k) {
    assay_gemm_t gemm = {};
    EXPECT_EQ(assay_gemm_dense(types, layout, m, n, k, 1, &gemm, message,
                               sizeof message),
              ASSAY_OK)
        << message;
    return gemm;
  }
  const assay_kernel_t *choose(const assay_gemm_t &gemm) {
    const assay_kernel_t *kernel = nullptr;
    EXPECT_EQ(
        assay_dispatch(dispatcher, &gemm, &kernel, message, sizeof message),
        ASSAY_OK)
        << message;
    return kernel;
  }
  int refused(const assay_gemm_t &gemm) {
    const assay_kernel_t *kernel = nullptr;
    int code =
        assay_dispatch(dispatcher, &gemm, &kernel, message, sizeof message);
    EXPECT_EQ(kernel, nullptr);
    return code;
  }

  assay_dispatcher_t *dispatcher = nullptr;
  char message[256] = "";
};
} // namespace

TEST_F(Dispatch, ADenseProblemHasTheTypesAndStridesOfItsWords) {
  assay_gemm_t gemm = dense("u8s8", "ccr", 3, 5, 7);
  EXPECT_EQ(gemm.a_type, ASSAY_U8);
  EXPECT_EQ(gemm.b_type, ASSAY_S8);
  EXPECT_EQ(gemm.c_type, ASSAY_S32);
  EXPECT_EQ(gemm.m, 3);
  EXPECT_EQ(gemm.n, 5);
  EXPECT_EQ(gemm.k, 7);
  EXPECT_EQ(gemm.batch, 1);
  EXPECT_EQ(gemm.a.row, 1);
  EXPECT_EQ(gemm.a.column, 3);
  EXPECT_EQ(gemm.a.batch, 21);
  EXPECT_EQ(gemm.b.row, 1);
  EXPECT_EQ(gemm.b.column, 7);
  EXPECT_EQ(gemm.c.row, 5);
  EXPECT_EQ(gemm.c.column, 1);
  EXPECT_EQ(gemm.c.batch, 15);
  EXPECT_EQ(gemm.alpha, 1);
  EXPECT_EQ(gemm.beta, 0);
  EXPECT_EQ(gemm.threads, 1);
  EXPECT_EQ(gemm.bias, ASSAY_NO_BIAS);
  EXPECT_EQ(gemm.activation, ASSAY_NO_ACTIVATION);
  EXPECT_EQ(assay_gemm_dense("f32", "rcx", 1, 1, 1, 1, &gemm, message,
                             sizeof message),
            ASSAY_BAD_INPUT);
  EXPECT_NE(std::string(message).find("rcx"), std::string::npos);
}

// [1 2; 3 4] [5 6; 7 8] = [19 22; 43 50]
TEST_F(Dispatch, ScalingBiasAndActivationAreThoseOfTheProblem) {
  float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, bias[] = {-100, 1};
  assay_gemm_t gemm = dense("f32", "rrr", 2, 2, 2);
  auto run = [&] {
    std::vector<float> c = {1, 2, 3, 4};
    assay_kernel_run(choose(gemm), a, b, c.data(), bias);
    return c;
  };
  EXPECT_EQ(run(), std::vector<float>({19, 22, 43, 50}));
  gemm.alpha = 2;
  EXPECT_EQ(run(), std::vector<float>({38, 44, 86, 100}));
  gemm.beta = -1;
  EXPECT_EQ(run(), std::vector<float>({37, 42, 83, 96}));
  gemm.bias = ASSAY_BIAS_PER_ROW;
  EXPECT_EQ(run(), std::vector<float>({-63, -58, 84, 97}));
  gemm.bias = ASSAY_BIAS_PER_COLUMN;
  gemm.activation = ASSAY_RELU;
  EXPECT_EQ(run(), std::vector<float>({0, 43, 0, 97}));
}

TEST_F(Dispatch, AColumnMajorResultIsTheSameProduct) {
  // 2 x 3 by 3 x 2, so that exchanged operands would be noticed.
  float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, 1, 0, 3}, c[4] = {};
  float bias[] = {10, 20};
  assay_gemm_t gemm = dense("f32", "rrr", 2, 2, 3);
  gemm.c = {1, 2, 4};
  gemm.bias = ASSAY_BIAS_PER_ROW;
  assay_kernel_run(choose(gemm), a, b, c, bias);
  EXPECT_EQ(std::vector<float>(c, c + 4),
            std::vector<float>({5 + 10, 14 + 20, 11 + 10, 23 + 20}));
}

TEST_F(Dispatch, ARepeatedProblemHasTheSameKernelAndAnotherOneItsOwn) {
  assay_gemm_t gemm = dense("f32", "rcr", 8, 9, 10);
  const assay_kernel_t *first = choose(gemm);
  EXPECT_EQ(choose(gemm), first);
  EXPECT_STREQ(assay_kernel_chosen_by(first), "analytic");
  for (double alpha : {2.0, 3.0}) {
    gemm.alpha = alpha;
    EXPECT_NE(choose(gemm), first);
    std::vector<float> a(80, 1), b(90, 1), c(72);
    assay_kernel_run(choose(gemm), a.data(), b.data(), c.data(), nullptr);
    EXPECT_EQ(c, std::vector<float>(72, static_cast<float>(10 * alpha)));
  }
}

TEST_F(Dispatch, CandidatesAreAsManyAsAskedForAndTheBestIsChosen) {
  assay_gemm_t gemm = dense("f32", "rcr", 40, 50, 60);
  assay_candidate_t candidates[4] = {};
  candidates[3].score = 77;
  size_t found = 9;
  ASSERT_EQ(assay_dispatch_candidates(dispatcher, &gemm, candidates, 3, &found,
                                      message, sizeof message),
            ASSAY_OK)
      << message;
  EXPECT_EQ(found, 3u);
  EXPECT_EQ(candidates[3].score, 77);
  EXPECT_LT(candidates[0].score, 0); // minus nanoseconds
  EXPECT_GE(candidates[0].score, candidates[1].score);
  EXPECT_GE(candidates[1].score, candidates[2].score);

  const assay_kernel_t *named = nullptr;
  ASSERT_EQ(assay_dispatch_named(dispatcher, &gemm, candidates[2].name, &named,
                                 message, sizeof message),
            ASSAY_OK)
      << message;
  EXPECT_STREQ(assay_kernel_name(named), candidates[2].name);
  EXPECT_STREQ(assay_kernel_chosen_by(named), "name");
  EXPECT_STREQ(assay_kernel_name(choose(gemm)), candidates[0].name);
  EXPECT_EQ(assay_dispatch_named(dispatcher, &gemm, "tile_4", &named, message,
                                 sizeof message),
            ASSAY_BAD_INPUT);
  EXPECT_EQ(named, nullptr);
}

// An empty sum is 0; with no rows, columns or entries nothing is written.
TEST_F(Dispatch, EmptyProductsAreProducts) {
  for (const char *layout : {"rcr", "rrr", "crr", "ccr"})
    for (auto [m, n, k, batch] :
         {std::tuple<int64_t, int64_t, int64_t, int64_t>(0, 3, 2, 1),
          {2, 0, 2, 1},
          {2, 3, 0, 1},
          {2, 3, 2, 0},
          {0, 0, 0, 1},
          {0, 0, 0, 0}})
      for (double beta : {0.0, 2.0})
        for (auto bias : {ASSAY_NO_BIAS, ASSAY_BIAS_PER_COLUMN}) {
          SCOPED_TRACE(std::string(layout) + " " + std::to_string(m) + "x" +
                       std::to_string(n) + "x" + std::to_string(k) + " b" +
                       std::to_string(batch));
          assay_gemm_t gemm = {};
          ASSERT_EQ(assay_gemm_dense("f32", layout, m, n, k, batch, &gemm,
                                     message, sizeof message),
                    ASSAY_OK)
              << message;
          gemm.beta = beta;
          gemm.bias = bias;
          gemm.activation = ASSAY_RELU;
          const assay_kernel_t *kernel = choose(gemm);
          ASSERT_NE(kernel, nullptr);
          float a[6] = {1, 1, 1, 1, 1, 1}, b[6] = {1, 1, 1, 1, 1, 1},
                biases[3] = {1, 2, -9};
          std::vector<float> c = {5, 5, 5, 5, 5, 5, 77};
          assay_kernel_run(kernel, a, b, c.data(), biases);
          std::vector<float> expected = {5, 5, 5, 5, 5, 5, 77};
          for (int64_t i = 0; i < m * n * batch; ++i) {
            double value = beta * 5;
            value += bias == ASSAY_NO_BIAS ? 0 : double(biases[i % n]);
            expected[i] = static_cast<float>(value > 0 ? value : 0);
          }
          EXPECT_EQ(c, expected);
          assay_candidate_t candidates[2] = {};
          size_t found = 0;
          EXPECT_EQ(assay_dispatch_candidates(dispatcher, &gemm, candidates, 2,
                                              &found, message, sizeof message),
                    ASSAY_OK)
              << message;
        }
}

TEST_F(Dispatch, InvalidProblemsAreRefused) {
  assay_gemm_t good = dense("f32", "rcr", 2, 2, 2), gemm = good;
  auto set = [&](auto &field, int value) {
    int code = ASSAY_OK;
    std::memcpy(&field, &value, sizeof field);
    code = refused(gemm);
    gemm = good;
    return code;
  };
  EXPECT_EQ(set(gemm.a_type, 7), ASSAY_BAD_INPUT);
  EXPECT_EQ(set(gemm.b_type, -1), ASSAY_BAD_INPUT);
  EXPECT_EQ(set(gemm.c_type, 7), ASSAY_BAD_INPUT);
  EXPECT_EQ(set(gemm.bias, 3), ASSAY_BAD_INPUT);
  EXPECT_EQ(set(gemm.activation, 6), ASSAY_BAD_INPUT);
  EXPECT_EQ(set(gemm.activation, -1), ASSAY_BAD_INPUT);
  EXPECT_NE(std::string(message).find("activation"), std::string::npos);
  EXPECT_EQ(set(gemm.threads, 0), ASSAY_BAD_INPUT);
  EXPECT_EQ(set(gemm.threads, 1025), ASSAY_BAD_INPUT);
  EXPECT_EQ(std::string(message), "1025 threads; 1 to 1024 are possible");
  EXPECT_EQ(set(gemm.b_type, ASSAY_F64), ASSAY_BAD_INPUT);
  gemm.m = -1;
  EXPECT_EQ(refused(gemm), ASSAY_BAD_INPUT);
}

TEST(Dispatcher, AFolderWithoutAModelIsRefusedUnlessNoneIsAskedFor) {
  assay_dispatch_options_t options = {};
  options.struct_size = sizeof options;
  options.model_dir = "/nonexistent/model";
  assay_dispatcher_t *dispatcher = nullptr;
  char message[256] = "";
  EXPECT_EQ(
      assay_dispatcher_create(&options, &dispatcher, message, sizeof message),
      ASSAY_BAD_INPUT);
  EXPECT_EQ(dispatcher, nullptr);
  options.analytic = 1;
  ASSERT_EQ(
      assay_dispatcher_create(&options, &dispatcher, message, sizeof message),
      ASSAY_OK)
      << message;
  assay_dispatcher_free(dispatcher);
}
