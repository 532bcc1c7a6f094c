// The C interface as a host program has it: types, results, codes, and options
// of a header that is older than the library.
#include "assay.h"

#include "gtest/gtest.h"

#include <cstring>
#include <string>

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
  // Behind its size: what a newer member would be read from.
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
