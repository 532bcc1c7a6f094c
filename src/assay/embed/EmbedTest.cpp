// The C interface as a host program uses it: types, results, codes, and options
// of a header that is older than the library.
#include "assay.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>
#include <vector>

static constexpr const char *kConvert =
    R"(func.func @main(%a: tensor<2x3xf32>) -> tensor<6xi8> {
  %0 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %1 = stablehlo.reshape %0 : (tensor<2x3xi8>) -> tensor<6xi8>
  return %1 : tensor<6xi8>
})";

TEST(Embed, AnArgumentAndAResultHaveTheirOwnTypes) {
  assay_program_t *program = nullptr;
  char message[256] = "";
  ASSERT_EQ(
      assay_program_parse(kConvert, nullptr, &program, message, sizeof message),
      ASSAY_OK)
      << message;
  ASSERT_EQ(assay_program_input_count(program), 1u);
  ASSERT_EQ(assay_program_output_count(program), 1u);
  assay_type_t in = assay_program_input(program, 0),
               out = assay_program_output(program, 0);
  EXPECT_STREQ(in.dtype, "f32");
  EXPECT_EQ(in.rank, 2);
  EXPECT_EQ(in.shape[1], 3);
  EXPECT_EQ(in.size_bytes, 24u);
  EXPECT_STREQ(out.dtype, "i8");
  EXPECT_EQ(out.rank, 1);
  EXPECT_EQ(out.size_bytes, 6u);
  float values[6] = {1, -2, 3, 4, -5, 6};
  int8_t got[6] = {};
  const void *arguments[] = {values};
  void *results[] = {got};
  ASSERT_EQ(
      assay_program_run(program, arguments, results, message, sizeof message),
      ASSAY_OK)
      << message;
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(got[i], static_cast<int8_t>(values[i]));
  assay_program_free(program);
}

TEST(Embed, OptionsOfAnOlderHeaderEndWhereTheirSizeSays) {
  // The bytes after struct_size, where newer members would be, must not be
  // read.
  assay_options_t options;
  std::memset(&options, 0xff, sizeof options);
  options.struct_size = offsetof(assay_options_t, max_memory);
  options.threads = 1;
  assay_program_t *program = nullptr;
  char message[256] = "";
  ASSERT_EQ(assay_program_parse(kConvert, &options, &program, message,
                                sizeof message),
            ASSAY_OK)
      << message;
  assay_program_free(program);
}

TEST(Embed, AnUnknownAlgorithmIsRefused) {
  assay_options_t options = {};
  options.struct_size = sizeof options;
  options.alg = "auto";
  assay_program_t *program = nullptr;
  char message[256] = "";
  ASSERT_EQ(assay_program_parse(kConvert, &options, &program, message,
                                sizeof message),
            ASSAY_OK)
      << message;
  assay_program_free(program);
  options.alg = "fft";
  EXPECT_EQ(assay_program_parse(kConvert, &options, &program, message,
                                sizeof message),
            ASSAY_BAD_INPUT);
  EXPECT_STREQ(message,
               "algorithm 'fft' is unknown; expected direct, wino or auto");
}

TEST(Embed, CodesAreThoseOfTheHeader) {
  assay_program_t *program = nullptr;
  char message[64] = "";
  EXPECT_EQ(assay_program_load("/nonexistent/a.mlir", nullptr, &program,
                               message, sizeof message),
            ASSAY_BAD_INPUT);
  EXPECT_EQ(program, nullptr);
  EXPECT_EQ(std::string(message).rfind("cannot", 0), 0u) << message;
  EXPECT_EQ(
      assay_program_parse("func.func @main(", nullptr, &program, nullptr, 0),
      ASSAY_BAD_INPUT);
  const char *failing = R"(func.func @main() -> tensor<i32> {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    check.expect_eq_const %0, dense<2> : tensor<i32>
    return %0 : tensor<i32>
  })";
  ASSERT_EQ(
      assay_program_parse(failing, nullptr, &program, message, sizeof message),
      ASSAY_OK)
      << message;
  int32_t got = 0;
  void *results[] = {&got};
  EXPECT_EQ(
      assay_program_run(program, nullptr, results, message, sizeof message),
      ASSAY_CHECK_FAILED);
  EXPECT_EQ(message[sizeof message - 1], '\0');
  assay_program_free(program);
}

TEST(Embed, AnEngineOfAWorkerProcessIsRefused) {
  assay_options_t options = {};
  options.struct_size = sizeof options;
  options.engine = "onednn";
  assay_program_t *program = nullptr;
  char message[256] = "";
  EXPECT_EQ(assay_program_parse(kConvert, &options, &program, message,
                                sizeof message),
            ASSAY_BAD_INPUT);
  EXPECT_NE(std::string(message).find("runs in a worker process"),
            std::string::npos)
      << message;
}

static constexpr const char *kTwo = R"(
  func.func @main(%a: tensor<256xf32>) -> tensor<256xf32> {
    %0 = stablehlo.add %a, %a : tensor<256xf32>
    return %0 : tensor<256xf32>
  }
  func.func @other(%a: tensor<complex<f32>>, %b: tensor<3xf8E4M3FN>)
      -> (tensor<3xf8E4M3FN>, tensor<i1>) {
    %0 = stablehlo.constant dense<true> : tensor<i1>
    return %b, %0 : tensor<3xf8E4M3FN>, tensor<i1>
  })";

TEST(Embed, TheFunctionThatIsNamedRunsWithItsOwnTypes) {
  assay_options_t options = {};
  options.struct_size = sizeof options;
  options.threads = 1;
  options.entry = "other";
  assay_program_t *program = nullptr;
  char message[256] = "";
  ASSERT_EQ(
      assay_program_parse(kTwo, &options, &program, message, sizeof message),
      ASSAY_OK)
      << message;
  EXPECT_EQ(assay_program_input_count(program), 2u);
  EXPECT_STREQ(assay_program_input(program, 0).dtype, "complex<f32>");
  EXPECT_EQ(assay_program_input(program, 0).rank, 0);
  EXPECT_EQ(assay_program_input(program, 0).size_bytes, 8u);
  EXPECT_STREQ(assay_program_input(program, 1).dtype, "f8E4M3FN");
  EXPECT_EQ(assay_program_input(program, 1).size_bytes, 3u);
  EXPECT_STREQ(assay_program_output(program, 1).dtype, "i1");
  EXPECT_EQ(assay_program_output(program, 1).size_bytes, 1u);
  float number[2] = {1, 2};
  uint8_t eighths[3] = {0x38, 0xff, 0x80}, got[3] = {}, truth = 7;
  const void *arguments[] = {number, eighths};
  void *results[] = {got, &truth};
  ASSERT_EQ(
      assay_program_run(program, arguments, results, message, sizeof message),
      ASSAY_OK)
      << message;
  EXPECT_EQ(std::memcmp(got, eighths, 3), 0);
  EXPECT_EQ(truth, 1);
  assay_program_free(program);

  options.entry = "third";
  EXPECT_EQ(
      assay_program_parse(kTwo, &options, &program, message, sizeof message),
      ASSAY_BAD_INPUT);
  EXPECT_EQ(program, nullptr);
}

TEST(Embed, TheMemoryLimitHoldsOnBothEngines) {
  assay_options_t options = {};
  options.struct_size = sizeof options;
  options.threads = 1;
  assay_program_t *program = nullptr;
  char message[256] = "";
  for (const char *engine : {"reference", "native"})
    for (int64_t memory : {int64_t{0}, int64_t{100}}) {
      options.engine = engine;
      options.max_memory = memory;
      ASSERT_EQ(assay_program_parse(kTwo, &options, &program, message,
                                    sizeof message),
                ASSAY_OK)
          << message;
      std::vector<float> values(256, 1.5f), sums(256);
      const void *arguments[] = {values.data()};
      void *results[] = {sums.data()};
      EXPECT_EQ(assay_program_run(program, arguments, results, message,
                                  sizeof message),
                memory ? ASSAY_BAD_INPUT : ASSAY_OK)
          << engine << message;
      if (!memory) {
        EXPECT_EQ(sums, std::vector<float>(256, 3));
      }
      assay_program_free(program);
    }
}

TEST(Embed, ProgramsWithoutStaticShapesAreRefused) {
  const char *dynamic =
      "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  return %a : tensor<?xf32>\n"
      "}";
  assay_program_t *program = nullptr;
  char message[256] = "";
  EXPECT_EQ(
      assay_program_parse(dynamic, nullptr, &program, message, sizeof message),
      ASSAY_BAD_INPUT);
  EXPECT_NE(std::string(message).find("`?` dimensions; here shapes are static"),
            std::string::npos)
      << message;
}

TEST(Embed, ProgramsWithRegionsRun) {
  static constexpr const char *kCount =
      R"(func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%i = %zero) : tensor<i32>
   cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r : tensor<i32>
})";
  assay_program_t *program = nullptr;
  char message[256] = "";
  ASSERT_EQ(
      assay_program_parse(kCount, nullptr, &program, message, sizeof message),
      ASSAY_OK)
      << message;
  int32_t steps = 7, counted = 0;
  const void *arguments[] = {&steps};
  void *results[] = {&counted};
  EXPECT_EQ(
      assay_program_run(program, arguments, results, message, sizeof message),
      ASSAY_OK)
      << message;
  EXPECT_EQ(counted, 7);
  assay_program_free(program);
}
