// Convolutions and their kernels as text: both spellings of a problem, names
// that can be parsed, and a list of kernels whose rule supports every problem.
#include "assay/kernels/conv/ConvConfig.h"
#include "gtest/gtest.h"

#include <set>

namespace assay::kernels {

static ConvProblem problemOf(const char *text,
                             ConvDirection direction = ConvDirection::Forward) {
  return llvm::cantFail(parseConvProblem(text, direction));
}

static std::string failure(llvm::Error error) {
  return llvm::toString(std::move(error));
}

static constexpr const char *kProblems[] = {
    "mb2ic64ih56oc64oh56kh3ph1",
    "mb1g32ic128ih56oc128oh28kh3sh2ph1",
    "mb1g96ic96ih112iw100oc96oh56ow50kh3sh2ph1",
    "mb1ic3ih224oc64oh112kh7sh2ph3",
    "mb4ic17ih9iw31oc5oh9ow33kh1kw3pw2",
    "mb1ic8id6ih10oc4od6oh10kh3ph1",
    "mb1ic8id6ih10oc4od6oh10kd1kh3pd0ph1",
    "mb3ic16ih30oc24oh28kh3kw2sw1dh0dw1ph0pw1",
    "mb1ic3ih224oc32oh112kh3sh2"};

TEST(ConvProblem, WordsReadBack) {
  for (const char *text : kProblems) {
    auto parsed = parseConvProblem(text, ConvDirection::BackwardData);
    if (!parsed) {
      ADD_FAILURE() << text << ": " << failure(parsed.takeError());
      continue;
    }
    auto again = parseConvProblem(parsed->words(), ConvDirection::BackwardData);
    ASSERT_TRUE(bool(again)) << parsed->words();
    EXPECT_TRUE(*again == *parsed) << text << " as " << parsed->words();
    EXPECT_EQ(again->hash(), parsed->hash());
  }
}

TEST(ConvProblem, NamedResultSaysThePaddingBehind) {
  // SAME padding with a stride of 2: one row, after the image.
  ConvProblem p = problemOf("mb1ic3ih224oc32oh112kh3sh2ph0");
  EXPECT_EQ(p.result[1], 112);
  EXPECT_EQ(p.result[2], 112);
  EXPECT_EQ(problemOf("mb1ic3ih224oc32kh3sh2ph0").result[1], 111);
}

TEST(ConvProblem, ReadsCommandLinesOfMiopen) {
  ConvProblem p =
      problemOf("./bin/MIOpenDriver conv -n 4 -c 64 -H 56 -W 28 -k 128 -y 3 -x "
                "3 -p 1 -q 1 -u 2 -v 2 -l 1 -j 1 -m conv -g 2 -F 1 -t 1");
  EXPECT_EQ(p.words(), "mb4g2ic64ih56iw28oc128oh28ow14kh3sh2ph1");
  EXPECT_EQ(p.dilation[1], 1);
  EXPECT_EQ(problemOf("conv --batchsize 1 --in_channels 8 --in_h 9 --in_w 9 "
                      "--out_channels 8 --fil_h 3 --fil_w 3 --dilation_h 2 "
                      "--dilation_w 2")
                .words(),
            "mb1ic8ih9oc8oh5kh3dh1");
}

TEST(ConvProblem, SizesThatDoNotFitAreNamed) {
  auto message = [](const char *text) {
    auto parsed = parseConvProblem(text, ConvDirection::Forward);
    return parsed ? std::string() : failure(parsed.takeError());
  };
  EXPECT_NE(message("mb1ic8ih2oc8kh5").find("oh comes to 0"),
            std::string::npos);
  EXPECT_NE(message("mb1ic9g2ih8oc8kh3").find("ic and oc are multiples of g"),
            std::string::npos);
  EXPECT_NE(message("mb1ic8ih8oc8oh90kh3").find("oh = 90 does not fit"),
            std::string::npos);
  EXPECT_NE(message("mb1ic8zz8").find("has 'zz8'"), std::string::npos);
  EXPECT_NE(message("mb0ic8ih8oc8").find("from 1 to 2147483647"),
            std::string::npos);
  EXPECT_NE(message("conv -n x -c 3").find("-n x, expected a number"),
            std::string::npos);
  EXPECT_NE(message("mb2147483647ic2147483647ih2147483647oc1")
                .find("it is too large"),
            std::string::npos);
}

TEST(ConvConfig, NamesParseBackAndAreDistinct) {
  Machine machine;
  machine.isa.vectorBytes = 64, machine.isa.vectorRegisters = 32;
  for (ConvDirection direction :
       {ConvDirection::Forward, ConvDirection::BackwardData,
        ConvDirection::BackwardWeights}) {
    EXPECT_EQ(parseConvDirection(toString(direction)), direction);
    std::set<std::string> names;
    for (const ConvConfig &config : convKernels(direction, machine)) {
      auto parsed = parseConvConfig(config.name());
      ASSERT_TRUE(bool(parsed)) << config.name();
      EXPECT_TRUE(*parsed == config) << config.name();
      EXPECT_TRUE(names.insert(config.name()).second) << config.name();
    }
    EXPECT_GT(names.size(), 30u);
  }
  EXPECT_FALSE(parseConvDirection("conv"));
  auto refusal = [](const char *name) {
    return failure(parseConvConfig(name).takeError());
  };
  EXPECT_EQ(refusal("window_v2"),
            "'window_v2' is not a convolution kernel: its algorithm is 'window'");
  EXPECT_EQ(refusal("rows_v2_wx"),
            "'rows_v2_wx' is not a convolution kernel: a field is 'wx'");
  EXPECT_EQ(refusal("columns_w1_z2"),
            "'columns_w1_z2' is not a convolution kernel: a field is 'z2'");
  EXPECT_EQ(refusal("windows_v2"),
            "'windows_v2' is not a convolution kernel: written out it is "
            "'windows_v2p0_w0_f0_t0'");
}

/// The problems above, and small ones near the limits of every algorithm.
static std::vector<std::string> problemsOfAllAlgorithms() {
  std::vector<std::string> texts(std::begin(kProblems), std::end(kProblems));
  for (const char *channels :
       {"ic1oc1", "ic3oc3", "ic3oc64", "ic7oc5", "ic8oc4", "ic64oc3",
        "ic64oc345", "g8ic8oc8", "g8ic16oc64", "g4ic256oc256"})
    for (const char *image : {"ih1", "ih3", "ih8", "ih7iw2"})
      for (const char *window : {"kh1", "kh3ph1", "kh1kw3ph0pw1"})
        for (const char *step : {"", "sh2"})
          texts.push_back(std::string("mb2") + channels + image + window +
                          step);
  return texts;
}

/// Machines with vectors of both lengths, and the processor that has its own
/// rule.
static std::vector<Machine> machinesOfAllRules() {
  std::vector<Machine> machines(4);
  for (auto [i, machine] : llvm::enumerate(machines)) {
    machine.isa.vectorBytes = i < 2 ? 64 : 32;
    machine.isa.vectorRegisters = i < 2 ? 32 : 16;
    machine.isa.cpu = i % 2 ? "znver4" : "";
    machine.caches.l2 = 1 << 20;
  }
  return machines;
}

TEST(ConvConfig, TheRuleIsInTheListAndTakesItsProblem) {
  std::vector<std::string> texts = problemsOfAllAlgorithms();
  for (const Machine &machine : machinesOfAllRules())
    for (ConvDirection direction :
         {ConvDirection::Forward, ConvDirection::BackwardData,
          ConvDirection::BackwardWeights}) {
      std::vector<ConvConfig> kernels = convKernels(direction, machine);
      for (const std::string &text : texts) {
        ConvProblem problem = problemOf(text.c_str(), direction);
        ConvConfig rule = ruleFor(problem, machine);
        EXPECT_TRUE(llvm::is_contained(kernels, rule)) << rule.name();
        auto refusal = supports(problem, rule, machine);
        EXPECT_FALSE(refusal) << toString(problem) << ": " << rule.name()
                              << ": " << refusal->text;
      }
    }
}

TEST(ConvConfig, TheRuleKnowsOneProcessor) {
  Machine machine;
  machine.isa.vectorBytes = 64, machine.isa.vectorRegisters = 32;
  machine.caches.l2 = 1 << 20;
  auto rule = [&](const char *text, ConvDirection direction) {
    return ruleFor(problemOf(text, direction), machine).name();
  };
  constexpr auto forward = ConvDirection::Forward,
                 data = ConvDirection::BackwardData,
                 weights = ConvDirection::BackwardWeights;
  const char *plain = "mb1ic64ih8oc64kh3ph1", *one = "mb1ic64ih8oc64";
  EXPECT_EQ(rule(plain, forward), "windows_v0p0_w0_f256_t0");
  EXPECT_EQ(rule(one, forward), "windows_v0p0_w128_f256_t0");
  EXPECT_EQ(rule(plain, data), "windows_v0p0_w128_f256_t0");
  EXPECT_EQ(rule(one, data), "windows_v0p0_w128_f256_t0");
  EXPECT_EQ(rule("mb1ic64ih3oc64kh3", forward), "rows_v0_w0"); // a short line
  EXPECT_EQ(rule(plain, weights), "columns_w512_c0");          // a short line
  EXPECT_EQ(rule("mb1ic64ih14oc64kh3ph1", weights), "groupcolumns");
  EXPECT_EQ(rule("mb1ic512ih14oc64kh3ph1", weights), "columns_w512_c0");
  EXPECT_EQ(rule("mb1g64ic64ih8oc64kh3ph1", data), "channels_v0p0_w128");
  EXPECT_EQ(rule("mb1g8ic64ih8oc64kh3ph1", forward), "channels_v0p0_w128");
  EXPECT_EQ(rule("mb1g4ic64ih8oc64kh3ph1", forward),
            "windows_v0p0_w0_f256_t0"); // groups that fill a vector
  EXPECT_EQ(rule("mb1g8ic64ih8oc64kh3ph1", weights), "channels_v0p0_w0");
  EXPECT_EQ(rule("mb1g4ic64ih8oc64kh3ph1", weights), "groupcolumns");
  EXPECT_EQ(rule("mb4g8ic144ih14oc80", weights), "columns_w0_c0");
  EXPECT_EQ(rule("mb4g8ic24ih14oc80", weights), "groupcolumns");
  EXPECT_EQ(rule("mb4g8ic144ih14oc72", weights), "groupcolumns");
  EXPECT_EQ(rule("mb4g8ic144ih14oc80kh3ph1", weights), "groupcolumns");
  machine.isa.cpu = "znver4";
  EXPECT_EQ(rule("mb1g64ic64ih8oc64kh3ph1", data), "channels_v0p0_w0");
  EXPECT_EQ(rule(plain, forward), "windows_v1p14_w2048_f256_t0");
  EXPECT_EQ(rule(one, forward), "windows_v1p14_w2048_f256_t0");
  EXPECT_EQ(rule(plain, data), "windows_v1p14_w0_f256_t0");
  EXPECT_EQ(rule(one, data), "rows_v0_w0");
  EXPECT_EQ(rule("mb1ic128ih8oc256", data), "windows_v1p14_w0_f256_t0");
  EXPECT_EQ(rule("mb1ic64ih8oc32", data), "windows_v1p14_w0_f256_t0");
  EXPECT_EQ(rule(plain, weights), "columns_w512_c0");
  EXPECT_EQ(rule(one, weights), "columns_w0_c0");
  machine.isa.vectorBytes = 32; // ASSAY_ISA=avx2 on the same processor
  machine.isa.vectorRegisters = 16;
  EXPECT_EQ(rule("mb1ic64ih14oc64kh3ph1", weights), "columns_w0_c0");
  EXPECT_EQ(rule(plain, forward), "windows_v0p0_w2048_f256_t0");
  EXPECT_EQ(rule(one, forward), "windows_v0p0_w128_f0_t0");
  EXPECT_EQ(rule("mb1ic64ih3oc64kh3", forward), "rows_v0_w0"); // a short line
  EXPECT_EQ(rule(plain, data), "windows_v0p0_w0_f0_t0");
  EXPECT_EQ(rule(one, data), "rows_v0_w0");
  EXPECT_EQ(rule(plain, weights), "columns_w0_c0");
  EXPECT_EQ(rule("mb1ic3ih8oc64kh3ph1", weights), "groupcolumns");
  EXPECT_EQ(rule("mb1g64ic64ih8oc64kh3ph1", forward), "channels_v0p0_w0");
  EXPECT_EQ(rule("mb1g24ic24ih8oc24kh3ph1", data), "channels_v0p0_w0");
  EXPECT_EQ(rule("mb1g16ic64ih8oc64kh3ph1", forward), "channels_v0p0_w0");
  EXPECT_EQ(rule("mb1g8ic64ih8oc64kh3ph1", forward),
            "windows_v0p0_w2048_f256_t0"); // groups that fill a vector
}

TEST(ConvConfig, RefusalsSayWhy) {
  Machine machine;
  auto why = [&](const char *problem, const char *kernel,
                 ConvDirection direction) {
    auto refusal = supports(problemOf(problem, direction),
                            llvm::cantFail(parseConvConfig(kernel)), machine);
    return refusal ? refusal->text : std::string();
  };
  constexpr auto forward = ConvDirection::Forward,
                 weights = ConvDirection::BackwardWeights;
  const char *plain = "mb1ic64ih8oc64kh3ph1", *thin = "mb1g8ic8ih8oc8kh3ph1";
  EXPECT_EQ(why(plain, "channels_v0p0_w0", forward),
            "groups of many channels, or one group");
  EXPECT_EQ(why(plain, "columns_w0_c0", forward),
            "columns make the gradient of a filter");
  EXPECT_EQ(why(plain, "windows_v0p0_w0_f0_t0", weights),
            "windows make no gradient of a filter");
  EXPECT_EQ(why(plain, "rows_v0_w0", weights),
            "rows make no gradient of a filter");
  EXPECT_EQ(why(plain, "windows_v0p0_w0_f0_t2", forward), "the rule does so");
  EXPECT_EQ(why("mb1ic64ih8oc64", "windows_v0p0_w0_f0_t1", forward),
            "a row of the window is not one run of few channels");
  EXPECT_EQ(why("mb1ic8ih8oc4kh3", "windows_v2p6_w0_f0_t0", forward),
            "the register block is wider than the channels");
  EXPECT_EQ(why(plain, "rows_v1_w0", ConvDirection::BackwardData),
            "the product's own tile is chosen as any product's");
  EXPECT_EQ(why("mb1ic64ih8oc64", "rows_v0_w512", forward),
            "nothing is gathered");
  EXPECT_EQ(why("mb1g4ic32ih8oc32kh3ph1", "groupcolumns", weights), "");
  EXPECT_EQ(why(thin, "groupcolumns", weights),
            "each channel would be a product of its own");
  EXPECT_EQ(why(thin, "columns_w0_c0", weights),
            "each channel would be a product of its own");
  EXPECT_EQ(why(thin, "rows_v0_w0", forward),
            "a group has fewer than 4 channels to compute");
  EXPECT_EQ(why("mb1ic3ih8oc64kh3ph1", "groupcolumns", weights), "");
  EXPECT_EQ(why(plain, "groupcolumns", weights), "");
  EXPECT_EQ(why("mb1ic512ih8oc64kh3ph1", "groupcolumns", weights),
            "groups of many channels, or one of many");
  EXPECT_EQ(supports(problemOf(plain, forward), {ConvAlgorithm::Planes}, machine)->text,
            "its problems are not described by sizes alone");
  EXPECT_EQ(why("mb1ic4ih8oc4", "rows_v0_w0", forward),
            "rows of windows are shorter than 8 elements");
}

} // namespace assay::kernels
