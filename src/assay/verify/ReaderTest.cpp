#include "assay/verify/Reader.h"

#include "gtest/gtest.h"

using namespace assay;
using namespace assay::verify;

static std::vector<Problem> read(std::vector<const char *> words) {
  std::vector<Problem> problems;
  Reader reader({}, [&](Problem problem) {
    problems.push_back(std::move(problem));
    return llvm::Error::success();
  });
  llvm::Error error = reader.readArguments(words);
  EXPECT_FALSE(static_cast<bool>(error)) << takeError(std::move(error)).message;
  return problems;
}

static std::string readError(std::vector<const char *> words) {
  Reader reader({}, [](Problem) { return llvm::Error::success(); });
  return takeError(reader.readArguments(words)).message;
}

TEST(Reader, OutputIsDerivedFromInputKernelStrideAndPadding) {
  // o = (i - ((k-1)(d+1)+1) + 2p) / s + 1 = (224 - 7 + 6) / 2 + 1 = 112
  Problem p = read({"--conv", "ic3ih224oc64kh7sh2ph3"}).at(0);
  EXPECT_EQ(p.descriptor.oh, 112);
  EXPECT_EQ(p.descriptor.ow, 112);
  EXPECT_EQ(p.descriptor.mb, 2);
  EXPECT_EQ(p.descriptor.phR, (112 - 1) * 2 - 224 + 7 - 3);
}

TEST(Reader, PaddingIsDerivedFromTheOutput) {
  Problem p = read({"--conv", "ic16ih7oc16oh7kh3"}).at(0);
  EXPECT_EQ(p.descriptor.ph, 1);
  EXPECT_EQ(p.descriptor.pw, 1);
}

TEST(Reader, DilationCountsSkippedTaps) {
  Problem p = read({"--conv", "ic16ih15oc16kh3dh1ph0"}).at(0);
  EXPECT_EQ(p.descriptor.oh, 15 - 5 + 1);
}

TEST(Reader, DeconvolutionGrowsTheOutput) {
  // o = (i-1)s + k - 2p = (5-1)*2 + 3 - 2 = 9
  Problem p = read({"--deconv", "ic16ih5oc8kh3sh2ph1"}).at(0);
  EXPECT_EQ(p.descriptor.oh, 9);
  EXPECT_EQ(p.dims(Role::Wei), (Dims{8, 16, 3, 3}));
}

TEST(Reader, OneDimensionalDescriptorHasThreeDimensions) {
  Problem p = read({"--conv", "g2ic4oc6iw5ow5kw3pw1"}).at(0);
  EXPECT_EQ(p.dims(Role::Src), (Dims{2, 4, 5}));
  EXPECT_EQ(p.dims(Role::Wei), (Dims{2, 3, 2, 3}));
}

TEST(Reader, BatchesOfMatmulBroadcast) {
  Problem p = read({"--matmul", "3x1x4x5:1x7x5x6_n\"named\""}).at(0);
  EXPECT_EQ(p.dims(Role::Dst), (Dims{3, 7, 4, 6}));
  EXPECT_EQ(p.name, "\"named\"");
  EXPECT_EQ(p.repro, "--matmul 3x1x4x5:1x7x5x6_n\"named\"");
  // Text after a quoted name is part of it, as for a shell.
  for (const char *words :
       {"4x5:5x6_n\"na\"=src:x", "4x5:5x6_n\"na=src:x\"", "4x5:5x6_nna=src:x"})
    EXPECT_EQ(read({"--matmul", words}).at(0).repro,
              "--matmul 4x5:5x6_n\"na=src:x\"");
}

TEST(Reader, KnobsAreStickyAndExpandToAllCombinations) {
  std::vector<Problem> p =
      read({"--matmul", "--dt=f32,bf16", "--stag=ab,ba", "2x3:3x4",
            "--dt=", "5x3:3x4", "--reset", "1x1:1x1"});
  ASSERT_EQ(p.size(), 4u + 2u + 1u);
  EXPECT_EQ(p[3].repro, "--matmul --dt=bf16:bf16:bf16 --stag=ba 2x3:3x4");
  EXPECT_EQ(p[6].repro, "--matmul 1x1:1x1");
}

TEST(Reader, BiasMaskOnlyMultipliesProblemsWithABias) {
  EXPECT_EQ(
      read({"--matmul", "--bia-dt=undef,f32", "--bia_mask=2,3", "2x3:3x4"})
          .size(),
      3u);
}

TEST(Reader, MatchSkipsOneProblemAndGoesOn) {
  // benchdnn stops at the first item that does not match.
  std::vector<Problem> p = read(
      {"--conv", "--dt=f32,bf16", "--match=.*bf16.*", "ic16ih8oc16oh8kh3ph1"});
  ASSERT_EQ(p.size(), 1u);
  EXPECT_EQ(p[0].types[0], types::BF16);
}

TEST(Reader, EveryReproLineReadsBackAsItself) {
  const char *const lines[][4] = {
      {"--conv", "--dt=u8:s8:s8",
       "--attr-post-ops=sum:0.5:3+add:f32:per_oc+relu:0.25",
       "g2mb3ic8iw9oc4ow9kw3pw1"},
      {"--deconv", "--dir=BWD_WB",
       "--attr-scales=src:common:0.25+wei:per_oc+dst:common:2",
       "ic3id4oc8od6kd3"},
      {"--ip", "--dir=BWD_D", "--stag=axb", "mb7ic3ih4iw5oc9n\"x\""},
      {"--matmul", "--strides=8x1:16x1:",
       "--attr-zero-points=src:common:2+dst:common:-1", "2x3:3x4"}};
  for (auto &line : lines) {
    Problem first = read({line[0], line[1], line[2], line[3]}).at(0);
    llvm::SmallVector<llvm::StringRef, 8> words;
    llvm::StringRef(first.repro).split(words, ' ');
    std::vector<std::string> copies(words.begin(), words.end());
    std::vector<const char *> again;
    for (const std::string &word : copies)
      again.push_back(word.c_str());
    EXPECT_EQ(read(again).at(0).repro, first.repro);
  }
}

TEST(Reader, LackingKnobOnTheCommandLineIsAnErrorThatNamesIt) {
  EXPECT_NE(readError({"--matmul", "--attr-dropout=0.5", "2x3:3x4"})
                .find("--attr-dropout"),
            std::string::npos);
}

TEST(Reader, RequestsAreAcceptedAndStayInTheRepro) {
  std::vector<Problem> problems =
      read({"--matmul", "--cpu-isa-hints=prefer_ymm",
            "--attr-scratchpad=library,user", "--attr-acc-mode=relaxed",
            "--allow-enum-tags-only=false", "2x3:3x4"});
  ASSERT_EQ(problems.size(), 2u);
  for (const Problem &problem : problems) {
    EXPECT_EQ(problem.unimplemented, "");
    EXPECT_NE(problem.repro.find("--cpu-isa-hints=prefer_ymm"),
              std::string::npos);
  }
  EXPECT_EQ(problems[0].repro.find("scratchpad"), std::string::npos);
  EXPECT_NE(problems[1].repro.find("--attr-scratchpad=user"),
            std::string::npos);
  EXPECT_EQ(problems[1].requests.at("attr-acc-mode"), "relaxed");
  EXPECT_EQ(problems[0].requests.count("attr-scratchpad"), 0u);
}

TEST(Reader, AByteOrderMarkBeforeABatchFileIsNotAWord) {
  std::vector<BatchWord> words = batchWords("\xef\xbb\xbf--matmul 4x5:5x6");
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0].text, "--matmul");
}

TEST(Reader, SingleQuotesInABatchFileAreThoseOfAShell) {
  std::vector<std::string> words;
  for (const BatchWord &word :
       batchWords("'4x5:5x6_n\"a b\"' --skip-impl='ref,jit' it\\'s don't"))
    words.push_back(word.text);
  EXPECT_EQ(words,
            (std::vector<std::string>{"4x5:5x6_n\"a b\"", "--skip-impl=ref,jit",
                                      "it's", "don't"}));
}

TEST(Reader, MisspeltDriversAndKnobsOfADriverGetASuggestion) {
  EXPECT_NE(readError({"--matmull", "2x3:3x4"}).find("did you mean '--matmul'"),
            std::string::npos);
  EXPECT_NE(readError({"--softmax", "--axiss=1", "2x3"})
                .find("did you mean '--axis'"),
            std::string::npos);
}

TEST(Reader, UnknownKnobGetsASuggestion) {
  EXPECT_NE(readError({"--matmul", "--attr-post-op=relu"})
                .find("did you mean '--attr-post-ops'"),
            std::string::npos);
}

TEST(Reader, ContradictionsAreInvalidAndNameTheKnob) {
  EXPECT_NE(read({"--matmul", "--stag=ba", "--strides=8x1::", "2x3:3x4"})
                .at(0)
                .invalid.find("--strides"),
            std::string::npos);
  EXPECT_NE(
      read({"--matmul", "--stag=abc", "2x3:3x4"}).at(0).invalid.find("--stag"),
      std::string::npos);
  EXPECT_NE(read({"--conv", "ic16ih8oc16kh0"}).at(0).invalid.find("'kh'"),
            std::string::npos);
  EXPECT_NE(read({"--conv", "ic16ih8oc0kh3"}).at(0).invalid.find("'oc'"),
            std::string::npos);
  EXPECT_NE(read({"--matmul", "2x99999999999999:3x4"})
                .at(0)
                .invalid.find("too large"),
            std::string::npos);
}

TEST(Reader, BatchWordsAreGluedAndCommentsDropped) {
  std::vector<std::string> words;
  std::vector<int64_t> lines;
  for (const BatchWord &word :
       batchWords("--dt=f32 # rest\n--attr-post-ops=, \\\n  relu, \\\n  "
                  "tanh\\\n2x2:2x2 #x\n a\\ b")) {
    words.push_back(word.text);
    lines.push_back(word.line);
  }
  EXPECT_EQ(words, (std::vector<std::string>{
                       "--dt=f32", "--attr-post-ops=,relu,tanh2x2:2x2", "ab"}));
  EXPECT_EQ(lines, (std::vector<int64_t>{1, 2, 6}));
}

TEST(Tags, MetaTagsAndNamesAreThePermutationTheyStandFor) {
  auto permutation = [](const char *tag, int rank) {
    return **tagPermutation(tag, rank);
  };
  EXPECT_EQ(permutation("axb", 4), (llvm::SmallVector<int, 6>{0, 2, 3, 1}));
  EXPECT_EQ(permutation("nhwc", 4), (llvm::SmallVector<int, 6>{0, 2, 3, 1}));
  EXPECT_EQ(permutation("hwio", 4), (llvm::SmallVector<int, 6>{2, 3, 1, 0}));
  EXPECT_EQ(permutation("xba", 2), (llvm::SmallVector<int, 6>{1, 0}));
  EXPECT_EQ(permutation("bx", 3), (llvm::SmallVector<int, 6>{1, 0, 2}));
  EXPECT_FALSE(tagPermutation("aBx16b", 4)->has_value());
  EXPECT_FALSE(
      static_cast<bool>(tagPermutation("nchx", 4).takeError() ? false : true));
}

TEST(Tags, InnerBlocksAreSaidByTheLettersOfTheDimensions) {
  auto blocked = [](const char *tag, int rank) {
    llvm::Expected<std::string> text = blockedTag(tag, rank);
    return text ? *text : takeError(text.takeError()).message;
  };
  EXPECT_EQ(blocked("aBcd16b", 4), "aBcd16b");
  EXPECT_EQ(blocked("aBx16b", 4), "aBcd16b");
  EXPECT_EQ(blocked("aBx16b", 2), "aB16b");
  EXPECT_EQ(blocked("nChw16c", 4), "aBcd16b");
  EXPECT_EQ(blocked("nCdhw8c", 5), "aBcde8b");
  EXPECT_EQ(blocked("OIhw16i16o", 4), "ABcd16b16a");
  EXPECT_EQ(blocked("gOIhw16i16o", 5), "aBCde16c16b");
  EXPECT_EQ(blocked("BA16a64b", 2), "BA16a64b");
  for (auto [tag, rank] : {std::pair("aBcd16b", 3),
                           {"aBcd16b", 5},
                           {"aBd16b", 3},
                           {"aBd16b", 4},
                           {"nChw16c", 3},
                           {"aQ16q", 2}})
    EXPECT_EQ(blocked(tag, rank), "memory format tag '" + std::string(tag) +
                                      "' does not name each of " +
                                      std::to_string(rank) +
                                      " dimensions once");
}
