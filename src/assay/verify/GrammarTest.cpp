// From words to problems and back: the effect of each knob, its printed form,
// and refusals. Expected words are written by hand from benchdnn's
// doc/knobs_*.md.
#include "assay/support/TestFolder.h"
#include "assay/verify/Driver.h"
#include "assay/verify/Options.h"
#include "assay/verify/TestProblem.h"

#include <fstream>

using namespace assay;
using namespace assay::verify;

static std::vector<Problem> problemsOf(llvm::StringRef text,
                                       std::string *error = nullptr) {
  std::vector<Problem> problems;
  Reader reader({}, [&](Problem problem) {
    problems.push_back(std::move(problem));
    return llvm::Error::success();
  });
  llvm::Error failure = withWordsOf(
      text, [&](auto arguments) { return reader.readArguments(arguments); });
  if (error)
    *error = failure ? takeError(std::move(failure)).message : "";
  else
    EXPECT_FALSE(bool(failure)) << takeError(std::move(failure)).message;
  return problems;
}

static std::vector<std::string> reprosOf(llvm::StringRef text) {
  std::vector<std::string> repros;
  for (const Problem &problem : problemsOf(text)) {
    EXPECT_EQ(problem.invalid, "") << text.str();
    repros.push_back(problem.repro);
  }
  return repros;
}

using Texts = std::vector<std::string>;

/// The words print as `repro`, and that prints as itself.
static void expectRepro(llvm::StringRef text, const std::string &repro) {
  EXPECT_EQ(reprosOf(text), Texts{repro}) << text.str();
  EXPECT_EQ(reprosOf(repro), Texts{repro});
}

/// The error of the words, or the reason why their one problem is invalid.
static std::string wrongIn(llvm::StringRef text) {
  std::string error;
  std::vector<Problem> problems = problemsOf(text, &error);
  if (!error.empty())
    return error;
  return problems.empty() ? "no problem" : problems.back().invalid;
}

static void expectWrong(llvm::StringRef text, llvm::StringRef why) {
  std::string wrong = wrongIn(text);
  EXPECT_NE(wrong.find(why.str()), std::string::npos)
      << text.str() << ": " << wrong;
}

static std::string attributeRepro(llvm::StringRef knob, llvm::StringRef value) {
  return ("--matmul --attr-" + knob + "=" + value + " 2x3:3x4").str();
}

TEST(Grammar, ScalesAndZeroPointsKeepWhatDiffersFromTheDefault) {
  for (auto [given, printed] :
       {std::pair("src:common:0.25+wei:per_oc", "src:common:0.25+wei:per_oc"),
        {"src:common", "src:common:1"},
        {"src0:common:2*", "src:common:2"},
        {"dst:0:0.5", "dst:0:0.5"},
        {"src:common:1e+3+dst:common:2.5e-1",
         "src:common:1000+dst:common:0.25"},
        {"src:COMMON:3", "src:common:3"},
        {"wei:per_oc:f16", "wei:per_oc:f16"},
        {"wei:2:f32", "wei:2"},
        {"wei:3:bf16:3x1", "wei:3:bf16:3x1"},
        {"wei:3:f32:3x1", "wei:3:f32:3x1"},
        {"src:common:0.1", "src:common:0.1"},
        {"src:common:1e-7", "src:common:9.9999999999999995e-08"}})
    expectRepro(attributeRepro("scales", given),
                attributeRepro("scales", printed));
  for (auto [given, printed] :
       {std::pair("src:common:2+dst:common:-1", "src:common:2+dst:common:-1"),
        {"src:common", "src:common:0"},
        {"wei:per_oc:s8", "wei:per_oc:s8"},
        {"src:common:-2147483647", "src:common:-2147483647"}})
    expectRepro(attributeRepro("zero-points", given),
                attributeRepro("zero-points", printed));
  for (auto [given, why] :
       {std::pair("src:common:-1", "is negative"),
        {"foo:common:1", "is unknown"},
        {"msrc:common:1", "is unknown"},
        {"src", "empty field"},
        {"src::1", "empty field"},
        {"src:per_cow", "policy 'per_cow'"},
        {"wei:4096", "too large"},
        {"src:common:nan", "is not a number"},
        {"src:common:1:f31", "data type 'f31'"},
        {"wei:3:f32:1xa", "is not an integer"},
        {"src:common:1:f32:1x1:7", "more fields"}})
    expectWrong(attributeRepro("scales", given), why);
  for (auto [given, why] : {std::pair("src:common:1.5", "32-bit integer"),
                            {"src:common:2147483648", "32-bit integer"}})
    expectWrong(attributeRepro("zero-points", given), why);
  EXPECT_EQ(problemOf(attributeRepro("scales", "wei:4095"))
                .attributes.scales[0]
                .mask.bits,
            4095);
}

TEST(Grammar, PostOpsKeepWhatDiffersFromTheDefault) {
  for (auto [given, printed] :
       {std::pair("sum", "sum"),
        {"sum:1", "sum"},
        {"sum:0.5", "sum:0.5"},
        {"sum:1:3", "sum:1:3"},
        {"sum:1:0:s8", "sum:1:0:s8"},
        {"eltwise_relu", "relu"},
        {"RELU:0.5", "relu:0.5"},
        {"clip:0:6", "clip:0:6"},
        {"linear:2:-1:1", "linear:2:-1"},
        {"srelu:2", "soft_relu:2"},
        {"tanh:0:0", "tanh"},
        {"binary_add:f32", "add:f32"},
        {"mul:bf16:per_oc", "mul:bf16:per_oc"},
        {"sub:f32:3:ab", "sub:f32:3:ab"},
        {"prelu:per_oc", "prelu:per_oc"},
        {"relu+sum:2+add:f32:common", "relu+sum:2+add:f32:common"},
        {"linear:1e+1+relu", "linear:10+relu"}})
    expectRepro(attributeRepro("post-ops", given),
                attributeRepro("post-ops", printed));
  expectWrong(attributeRepro("post-ops", "rel"), "post-op 'rel'");
  expectWrong(attributeRepro("post-ops", "add"), "needs the data type");
  expectWrong(attributeRepro("post-ops", "sum:1:1.5"), "is not an integer");
  std::string many = "relu";
  for (int i = 1; i < 32; ++i)
    many += "+relu";
  EXPECT_EQ(
      problemOf(attributeRepro("post-ops", many)).attributes.postOps.size(),
      32u);
  expectWrong(attributeRepro("post-ops", many + "+relu"), "33 post-ops");
  EXPECT_EQ(problemOf(attributeRepro("post-ops", "sum+sum")).unimplemented,
            "more than one sum post-op");
  EXPECT_EQ(problemOf(attributeRepro("post-ops", "relu_dst")).unimplemented,
            "post-op relu_dst");
  EXPECT_EQ(problemOf(attributeRepro("post-ops", "relu_use_dst_for_bwd"))
                .unimplemented,
            "post-op relu_dst");
  EXPECT_EQ(problemOf(attributeRepro("scales", "src:mx")).unimplemented,
            "--attr-scales policy mx");
}

TEST(Grammar, KnobsOfAProblemArePrintedWhereTheyDiffer) {
  for (auto [given, printed] :
       {std::pair("--matmul --dt=f32 2x3:3x4", "--matmul 2x3:3x4"),
        {"--matmul --dt=bf16 2x3:3x4", "--matmul --dt=bf16:bf16:bf16 2x3:3x4"},
        {"--matmul --dt=u8:s8:f32 2x3:3x4",
         "--matmul --dt=u8:s8:f32 2x3:3x4"},
        {"--conv --dir=bwd_d ic2ih3oc4kh3ph1",
         "--conv --dir=BWD_D ic2ih3oc4oh3kh3ph1"},
        {"--conv --mb=5 mb7ic2ih3oc4kh3ph1", "--conv mb5ic2ih3oc4oh3kh3ph1"},
        {"--conv --mb=0 mb7ic2ih3oc4kh3ph1", "--conv mb7ic2ih3oc4oh3kh3ph1"},
        {"--conv --alg=WINO ic2ih3oc4kh3ph1",
         "--conv --alg=wino ic2ih3oc4oh3kh3ph1"},
        {"--conv --alg=convolution_auto ic2ih3oc4kh3ph1",
         "--conv --alg=auto ic2ih3oc4oh3kh3ph1"},
        {"--matmul --bia-dt=f32 2x3:3x4", "--matmul --bia-dt=f32 2x3:3x4"},
        {"--matmul --bia_dt=f32 --bia_mask=1 2x3:3x4",
         "--matmul --bia-dt=f32 --bia_mask=1 2x3:3x4"},
        {"--matmul --strides=8x1::9x1 2x3:3x4",
         "--matmul --strides=8x1::9x1 2x3:3x4"},
        {"--matmul --stag=ba --wtag=any --dtag=ab 2x3:3x4",
         "--matmul --stag=ba --dtag=ab 2x3:3x4"},
        {"--matmul --attr-rounding-mode=dst:stochastic 2x3:3x4",
         "--matmul --attr-rounding-mode=dst:stochastic 2x3:3x4"},
        {"--eltwise --alg=eltwise_tanh 2x3", "--eltwise --alg=tanh 2x3"},
        {"--eltwise --alg=linear --alpha=0.50 --beta=2.0 2x3",
         "--eltwise --alg=linear --alpha=0.5 --beta=2 2x3"},
        {"--eltwise --alg=tanh --alpha=3 --mb=6 2x3",
         "--eltwise --alg=tanh 6x3"}})
    expectRepro(given, printed);
  for (auto [given, why] :
       {std::pair("--matmul --dt=f32:bf16 2x3:3x4", "2 data types"),
        {"--matmul --dt=f31 2x3:3x4", "data type 'f31'"},
        {"--conv --dir=FWD 2x3:3x4", "direction 'FWD'"},
        {"--conv --alg=fast 2x3:3x4", "algorithm 'fast'"},
        {"--conv --mb=-1 ic2ih3oc4kh3", "is not a number from 0"},
        {"--conv --mb=1099511627777 ic2ih3oc4kh3", "is not a number from 0"},
        {"--matmul --bia-dt=f32 --bia_mask=4 2x3:3x4", "names a dimension"},
        {"--matmul --bia-dt=f32 --bia_mask=4096 2x3:3x4", "too large"},
        {"--matmul --strides=8x1:8x1 2x3:3x4", "2 tensors"},
        {"--matmul --strides=8x1x1:: 2x3:3x4",
         "gives 3 numbers for a tensor of 2 dimensions"},
        {"--matmul --stag=ba --strides=8x1:: 2x3:3x4", "both --strides"},
        {"--matmul --wtag=abc 2x3:3x4", "--wtag"},
        {"--matmul --attr-rounding-mode=dst:nearest 2x3:3x4",
         "is not a rounding mode"},
        {"--matmul --dt 2x3:3x4", "needs a value"},
        {"--softmax --axis 1 2x3", "'--axis' needs a value: --axis=1"},
        {"--softmax --dt=bf16 2x3", "--dt does not apply to driver softmax"},
        {"2x3:3x4", "comes before a driver"},
        {"--matmul 2x3:3x4 --dt=bf16", "comes after the last problem"}})
    expectWrong(given, why);
  EXPECT_EQ(problemOf("--conv --attr-rounding-mode=dst:stochastic --dir=BWD_D "
                      "ic2ih3oc4kh3ph1")
                .unimplemented,
            "--attr-rounding-mode=dst:stochastic");
}

TEST(Grammar, TheLastListIsTheFastest) {
  EXPECT_EQ(
      reprosOf("--matmul --dt=f32,bf16 --stag=any,ba --bia-dt=undef,f32 "
               "--bia_mask=2,3 2x3:3x4"),
      (Texts{"--matmul 2x3:3x4", "--matmul --stag=ba 2x3:3x4",
             "--matmul --bia-dt=f32 2x3:3x4",
             "--matmul --bia-dt=f32 --bia_mask=3 2x3:3x4",
             "--matmul --stag=ba --bia-dt=f32 2x3:3x4",
             "--matmul --stag=ba --bia-dt=f32 --bia_mask=3 2x3:3x4",
             "--matmul --dt=bf16:bf16:bf16 2x3:3x4",
             "--matmul --dt=bf16:bf16:bf16 --stag=ba 2x3:3x4",
             "--matmul --dt=bf16:bf16:bf16 --bia-dt=f32 2x3:3x4",
             "--matmul --dt=bf16:bf16:bf16 --bia-dt=f32 --bia_mask=3 2x3:3x4",
             "--matmul --dt=bf16:bf16:bf16 --stag=ba --bia-dt=f32 2x3:3x4",
             "--matmul --dt=bf16:bf16:bf16 --stag=ba --bia-dt=f32 --bia_mask=3 "
             "2x3:3x4"}));
  EXPECT_EQ(reprosOf("--eltwise --alg=relu,tanh --dt=f32,bf16 2x3"),
            reprosOf("--eltwise --dt=f32,bf16 --alg=relu,tanh 2x3"));
}

TEST(Grammar, ResetAndADriverBeginAnew) {
  EXPECT_EQ(reprosOf("--matmul --dt=bf16 --seed=3 2x3:3x4 --reset 2x3:3x4"),
            (Texts{"--seed=3 --matmul --dt=bf16:bf16:bf16 2x3:3x4",
                   "--seed=3 --matmul 2x3:3x4"}));
  EXPECT_EQ(reprosOf("--matmul --dt=bf16 2x3:3x4 --matmul 2x3:3x4"),
            (Texts{"--matmul --dt=bf16:bf16:bf16 2x3:3x4",
                   "--matmul 2x3:3x4"}));
  // A knob in front of a driver applies to it.
  EXPECT_EQ(reprosOf("--dt=bf16 --matmul 2x3:3x4"),
            Texts{"--matmul --dt=bf16:bf16:bf16 2x3:3x4"});
}

TEST(Grammar, KnobsOfARunArePrintedInFrontOfTheDriver) {
  for (auto [given, printed] :
       {std::pair("--mode=C", ""),
        {"--mode=cp", "--mode=CP "},
        {"--mode=B", "--mode=B "},
        {"--mode=S", "--mode=P --fix-times-per-prb=1 "},
        {"--mode=F", "--mode=P --max-ms-per-prb=10 "},
        {"--mode=B --mode=C", ""},
        {"--engine=cpu", "--engine=native "},
        {"--engine=onednn", "--engine=onednn "},
        {"--fast-ref=false", "--fast-ref=off "},
        {"--fast-ref=auto", ""},
        {"--trust=cpu,reference", "--trust=native,reference "},
        {"--rule=benchdnn", "--rule=benchdnn "},
        {"--fill=exact,normal", "--fill=exact,normal "},
        {"--fill=exact,normal,range,special", ""},
        {"--no-special", "--no-special "},
        {"--no-special --special", ""},
        {"--fill=normal,heavy", "--fill=normal,heavy "},
        {"--input=src=x.npy --input=wei=w.npy",
         "--input=src=x.npy --input=wei=w.npy "},
        {"--input=src=x.npy --input=", ""},
        {"--cold-cache=wei", "--cold-cache=wei "},
        {"--cold-cache=all", "--cold-cache=all "},
        {"--perf-template=", ""},
        {"--perf-template=%time%", "--perf-template=%time% "},
        {"--max-ms-per-prb=1.5", "--max-ms-per-prb=1.5 "},
        {"--timeout=0.5", "--timeout=0.5 "},
        {"--seed=7", "--seed=7 "},
        {"--property=deterministic", "--property=deterministic "},
        {"--threads=2 --jobs=3 --canonical=false", ""}})
    EXPECT_EQ(problemOf(given + std::string(" --matmul 2x3:3x4")).repro,
              printed + std::string("--matmul 2x3:3x4"))
        << given;
  for (const char *given :
       {"--mode=X", "--engine=", "--fast-ref=on", "--trust=none",
        "--rule=ulp", "--fill=exact,odd", "--input=src", "--input==x.npy",
        "--cold-cache=src", "--max-ms-per-prb=0", "--max-ms-per-prb=3600001",
        "--fix-times-per-prb=1000001", "--fix-times-per-prb=-1",
        "--timeout=0.005", "--timeout=86401", "--canonical=maybe", "--jobs=0",
        "--jobs=257", "--resume=", "--shard=3/3", "--shard=0/0", "--shard=1",
        "--seed=-1", "--threads=4097", "--max-memory=much", "--max-seconds=-1",
        "--junit=", "-v", "--verbose=x"})
    EXPECT_NE(wrongIn(given + std::string(" --matmul 2x3:3x4")), "") << given;
}

TEST(Grammar, DefaultDataAreThoseThatTheRuleJudges) {
  auto fills = [](const char *words) {
    std::string text;
    for (FillKind kind : fillsOf(
             *problemOf(words + std::string(" --matmul 2x3:3x4")).options))
      text += std::string(text.empty() ? "" : " ") + nameOf(kind);
    return text;
  };
  EXPECT_EQ(fills("--mode=C"), "exact normal range special");
  EXPECT_EQ(fills("--no-special"), "exact normal range");
  EXPECT_EQ(fills("--rule=benchdnn"), "exact normal");
  EXPECT_EQ(fills("--no-special --fill=special"), "special");
}

TEST(Grammar, OptionsOfARunReachItsProblems) {
  Problem p = problemOf("--shard=2/3 --max-memory=2G --jobs=256 "
                        "--max-seconds=7 --threads=4096 --json=a.json "
                        "--junit=b.xml --resume=c --matmul 2x3:3x4 -v2");
  const RunOptions &o = *p.options;
  EXPECT_EQ(o.shardIndex, 2);
  EXPECT_EQ(o.shardCount, 3);
  EXPECT_EQ(o.maxMemoryBytes, int64_t{2} << 30);
  EXPECT_EQ(o.jobs, 256);
  EXPECT_EQ(o.threads, 4096);
  EXPECT_EQ(o.maxSeconds, 7);
  EXPECT_EQ(o.jsonFile, "a.json");
  EXPECT_EQ(o.junitFile, "b.xml");
  EXPECT_EQ(o.resumeFile, "c");
  EXPECT_EQ(o.verbosity, 2); // after the last problem it applies to all
  EXPECT_EQ(problemOf("--matmul 2x3:3x4 --timeout=5").options->timeoutSeconds,
            5);
  EXPECT_EQ(problemOf("--mode=B --matmul 2x3:3x4").options->properties,
            Texts{"deterministic"});
  EXPECT_TRUE(problemOf("--mode=B --mode=C --matmul 2x3:3x4")
                  .options->properties.empty());
  // Driver op runs on native unless an engine is named.
  EXPECT_EQ(problemOf("--op none.mlir").options->engine, "native");
  EXPECT_EQ(problemOf("--engine=onednn --op none.mlir").options->engine,
            "onednn");
  // Knobs between two problems apply to the second.
  std::vector<Problem> two =
      problemsOf("--matmul 2x3:3x4 --seed=9 --matmul 2x3:3x4");
  EXPECT_EQ(two[0].options->seed, 1u);
  EXPECT_EQ(two[1].options->seed, 9u);
}

TEST(Grammar, TagsArePermutationsOfTheRank) {
  auto order = [](const char *tag, int rank) {
    return **tagPermutation(tag, rank);
  };
  using Order = llvm::SmallVector<int, 6>;
  EXPECT_EQ(order("xba", 4), (Order{2, 3, 1, 0}));
  EXPECT_EQ(order("axb", 1), (Order{0}));
  EXPECT_EQ(order("axb", 2), (Order{0, 1}));
  EXPECT_EQ(order("goihw", 5), (Order{0, 1, 2, 3, 4}));
  EXPECT_EQ(order("hwigo", 5), (Order{3, 4, 2, 0, 1}));
  EXPECT_EQ(order("tnc", 3), (Order{0, 1, 2}));
  EXPECT_EQ(order("ntc", 3), (Order{1, 0, 2}));
  EXPECT_EQ(order("nc", 2), (Order{0, 1}));
  EXPECT_EQ(order("ndhwc", 5), (Order{0, 2, 3, 4, 1}));
  for (auto [tag, rank] : {std::pair("abcd", 3), {"ab", 3}, {"aab", 3},
                           {"axa", 3}, {"nhcw2", 4}, {"a-b", 2}}) {
    auto wrong = tagPermutation(tag, rank);
    EXPECT_FALSE(bool(wrong)) << tag;
    llvm::consumeError(wrong.takeError());
  }
  EXPECT_FALSE(tagPermutation("undef", 3)->has_value());
}

TEST(Grammar, OperationsCountTapsInsideTheInput) {
  // Output 0 of 5 with padding 1 sees 2 taps of 3, as does output 4: 13 pairs.
  EXPECT_EQ(problemOf("--conv g2ic4oc6iw5ow5kw3pw1").operations(),
            2.0 * 2 * 6 * 2 * 13);
  // Stride 2: outputs at -1, 1, 3: 2 + 3 + 2 taps.
  EXPECT_EQ(problemOf("--conv mb1ic1oc1iw5kw3sw2pw1").operations(), 2.0 * 7);
  EXPECT_EQ(problemOf("--conv mb1ic1oc1iw7kw3dw1pw0").operations(), 2.0 * 9);
  EXPECT_EQ(problemOf("--conv mb1ic1oc1ih5kh3ph1").operations(), 2.0 * 13 * 13);
  EXPECT_EQ(problemOf("--matmul 7x2x3:7x3x4").operations(),
            2.0 * 7 * 2 * 3 * 4);
  EXPECT_EQ(problemOf("--matmul 1x2x3:7x3x4").operations(),
            2.0 * 7 * 2 * 3 * 4);
}

TEST(Grammar, DescriptorsAreDerivedAndPrintedShort) {
  for (auto [given, printed] :
       {std::pair("mb1ic3ih8iw6oc4kh3kw1", "mb1ic3ih8iw6oc4oh6ow6kh3kw1ph0pw0"),
        {"ic2id4oc2kd3pd1", "ic2id4oc2od4kd3pd1"},
        {"ic2id4ih5iw5oc2kd3kh3kw3",
         "ic2id4ih5iw5oc2od2oh3ow3kd3kh3kw3pd0ph0pw0"},
        {"ic2ih9oc2kh3dh1sh2ph2", "ic2ih9oc2oh5kh3sh2ph2dh1"},
        {"g1ic2_iw9_oc2_kw3n\"a b\"", "g1ic2iw9oc2ow7kw3pw0"}})
    EXPECT_EQ(descriptorText(problemOf(std::string("--conv '") + given + "'")),
              printed);
  EXPECT_EQ(problemOf("--conv 'ic2iw9oc2kw3n\"a b\"'").repro,
            "--conv 'ic2iw9oc2ow7kw3pw0n\"a b\"'");
  for (auto [given, why] :
       {std::pair("ic2ih9oc2", "'kh' is missing"),
        {"ih9oc2kh3", "'ic' is missing"},
        {"ic3g2ih9oc2kh3", "does not divide"},
        {"ic2ih9oc2kh3sh0", "'sh'"},
        {"ic2ih2oc2kh5", "must be positive"},
        {"ic2id4iw5oc2kd3kw3", "give both 'h' and 'w'"},
        {"ic2oc2", "no spatial size"},
        {"ic2ih9oc2kh3q1", "'q1' is not one of its letters"},
        {"ic2ih9oc2khh", "'kh' needs a number"},
        {"ic1099511627777ih9oc2kh3", "too large"}})
    expectWrong(std::string("--conv ") + given, why);
  for (auto [given, why] :
       {std::pair("2x3x4:3x4x5", "batch sizes 2 and 3 of dimension 0"),
        {"2x3:4x5", "the reduced sizes differ: 3 in the source, 4"},
        {"2x3", "expected two tensors"},
        {"2x3:3x4:4x5", "got 3"},
        {"3:3", "2 to 12 dimensions"},
        {"2x-3:3x4", "is not a size"},
        {"1099511627777x3:3x4", "too large"}})
    expectWrong(std::string("--matmul ") + given, why);
  EXPECT_EQ(problemOf("--matmul 0x3:3x4").dims(Role::Dst), (Dims{0, 4}));
  EXPECT_EQ(problemOf("--matmul 0x2x3:1x3x4").dims(Role::Dst), (Dims{0, 2, 4}));
}

namespace {
using Batch = TestFolder;
}

TEST_F(Batch, FilesAreFoundNestedAndTheirErrorsHaveALine) {
  auto write = [&](const char *name, const char *text) {
    std::ofstream(path(name)) << text;
  };
  auto batch = [&](const char *name) {
    return "--matmul --batch=" + path(name);
  };
  write("inner", "--dt=bf16\n3x3:3x3\n");
  write("outer", "1x1:1x1\n--batch=inner\n2x2:2x2");
  // Knobs of the inner file also apply to the words after it.
  EXPECT_EQ(reprosOf(batch("outer")),
            (Texts{"--matmul 1x1:1x1", "--matmul --dt=bf16:bf16:bf16 3x3:3x3",
                   "--matmul --dt=bf16:bf16:bf16 2x2:2x2"}));
  write("wrong", "# a comment\n1x1:1x1\n\n--dtt=f32\n");
  write("calls", "\n--batch=wrong\n");
  EXPECT_EQ(wrongIn(batch("calls")).rfind(path("wrong") + ":4: ", 0), 0u)
      << wrongIn(batch("calls"));
  write("self", "--batch=self\n");
  expectWrong(batch("self"), "includes itself");
  expectWrong("--matmul --batch=nowhere", "neither here nor in the input");
  // A knob that Assay lacks is an error only on the command line.
  write("lacking", "--attr-dropout=0.5 --mem-check=false 1x1:1x1 "
                   "--attr-dropout= --mem-check=true 1x1:1x1 "
                   "--mem-check=false --reset 1x1:1x1");
  std::vector<Problem> problems = problemsOf(batch("lacking"));
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].unimplemented, "--attr-dropout=0.5");
  EXPECT_EQ(problems[0].repro,
            "--matmul --attr-dropout=0.5 --mem-check=false 1x1:1x1");
  EXPECT_EQ(problems[1].unimplemented, "");
  EXPECT_EQ(problems[1].repro, "--matmul 1x1:1x1");
  EXPECT_EQ(problems[2].unimplemented, "--mem-check=false");
  // The driver's own folder is searched too.
  ASSERT_FALSE(llvm::sys::fs::create_directory(path("matmul")));
  write("matmul/shapes", "5x5:5x5");
  write("all", "--batch=shapes");
  EXPECT_EQ(reprosOf(batch("all")), Texts{"--matmul 5x5:5x5"});
}

TEST(Grammar, NumbersMatchByARegularExpression) {
  EXPECT_EQ(reprosOf("--matmul --match='2x.:' 2x3:3x4 3x3:3x4 --match= "
                     "5x5:5x5"),
            (Texts{"--matmul 2x3:3x4", "--matmul 5x5:5x5"}));
  expectWrong("--matmul --match='[' 2x3:3x4", "is not a regular expression");
}

TEST(Grammar, FiltersOfImplementationsReplaceEachOther) {
  Problem p = problemOf("--matmul --impl=ref --skip-impl=jit 2x3:3x4");
  EXPECT_EQ(p.requests.count("impl"), 0u);
  EXPECT_EQ(p.requests.at("skip-impl"), "jit");
  p = problemOf("--matmul --skip-impl=jit --impl=ref,brg 2x3:3x4");
  EXPECT_EQ(p.requests.count("skip-impl"), 0u);
  EXPECT_EQ(p.requests.at("impl"), "ref,brg");
  EXPECT_EQ(reprosOf("--matmul --attr-fpmath=bf16:true,tf32:0,strict 2x3:3x4"),
            (Texts{"--matmul --attr-fpmath=bf16:true 2x3:3x4",
                   "--matmul --attr-fpmath=tf32 2x3:3x4",
                   "--matmul 2x3:3x4"}));
  for (const char *wrong :
       {"--attr-fpmath=f8", "--attr-fpmath=bf16:maybe", "--attr-acc-mode=f64",
        "--impl=a b", "--runtime_dims_masks=4096:0", "--attr-scratchpad=own",
        "--encoding=cso::", "--encoding=csr+2::", "--grouped=2:1:3",
        "--grouped=0:2:3", "--cpu-isa-hints=wide", "--check-ref-impl=yes"})
    EXPECT_NE(wrongIn(std::string("--matmul '") + wrong + "' 2x3:3x4"), "")
        << wrong;
}
