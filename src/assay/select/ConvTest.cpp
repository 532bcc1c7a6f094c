// Convolutions of this machine from lists to models: the problems of a list,
// rows as they are stored, features for all kernels against features row by
// row, the pick of a model, and which chooser dispatch uses.
#include "assay/select/Collector.h"
#include "assay/select/ConvFeatures.h"
#include "assay/select/Journal.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/Ranking.h"
#include "assay/select/spaces/Conv.h"
#include "assay/support/Random.h"
#include "assay/support/TestFolder.h"

#include "llvm/Support/raw_ostream.h"

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

static ConvProblem problemOf(const char *text,
                             ConvDirection direction = ConvDirection::Forward) {
  return llvm::cantFail(kernels::parseConvProblem(text, direction));
}

struct ConvFiles : TestFolder {
  std::string write(llvm::StringRef name, llvm::StringRef text) const {
    std::error_code code;
    llvm::raw_fd_ostream os(path(name), code);
    os << text;
    return path(name);
  }
  std::vector<std::string> read(llvm::StringRef text,
                                ConvDirection direction) const {
    auto list = readConvolutions(write("list", text), direction, DataType::F32);
    if (!list)
      return {llvm::toString(list.takeError())};
    std::vector<std::string> words;
    for (const ConvProblem &problem : *list)
      words.push_back(problem.words());
    return words;
  }
  /// A model of random trees over the features, in its own folder.
  std::string makeModel(llvm::StringRef name, const Registry &registry,
                        ConvDirection direction, llvm::StringRef arch) const;
};

using Words = std::vector<std::string>;

TEST_F(ConvFiles, ListsComeInThreeForms) {
  constexpr auto forward = ConvDirection::Forward,
                 data = ConvDirection::BackwardData;
  EXPECT_EQ(read("network,problem\nnet,mb1ic8ih8oc8kh3ph1\n\n", forward),
            Words{"mb1ic8ih8oc8oh8kh3ph1"});
  EXPECT_EQ(read("category,N,C,K,G,Di,Hi,Wi,Z,Y,X,stride_d,stride_h,stride_w,"
                 "pad_d,pad_h,pad_w,dilation_d,dilation_h,dilation_w\n"
                 "small,2,8,16,2,1,9,7,1,3,3,1,2,2,0,1,1,1,1,1\n",
                 forward),
            Words{"mb2g2ic8ih9iw7oc16oh5ow4kh3sh2ph1"});
  const char *lines = "# layers\n"
                      "ic3ih224oc64oh112kh7sh2ph3n\"conv1\"   # the stem\n"
                      "MIOpenDriver conv -n 4 -c 8 -H 8 -W 8 -k 8 -y 1 -x 1 -F 2\n"
                      "convfp16 -n 1 -c 8 -H 8 -W 8 -k 8 -y 1 -x 1 -F 0\n";
  EXPECT_EQ(read(lines, forward),
            (Words{"mb2ic3ih224oc64oh112kh7sh2ph3", "mb1ic8ih8oc8oh8kh1"}));
  EXPECT_EQ(read(lines, data).size(), 3u);
}

TEST_F(ConvFiles, AListThatIsWrongNamesTheLine) {
  constexpr auto forward = ConvDirection::Forward;
  auto has = [](const Words &got, const char *text) {
    return got.size() == 1 && got[0].find(text) != std::string::npos;
  };
  EXPECT_TRUE(has(read("network,problem\na,mb1ic8ih8oc8\nb\n", forward),
                  "line 3: there is no problem"));
  EXPECT_TRUE(has(read("mb1ic8ih8oc8\nmb1icx\n", forward), "line 2: "));
  EXPECT_TRUE(has(read("# nothing\n", forward),
                  "lists no convolution of conv_fwd"));
  auto missing =
      readConvolutions(path("none"), ConvDirection::Forward, DataType::F32);
  EXPECT_NE(llvm::toString(missing.takeError()).find("cannot read"),
            std::string::npos);
}

static Measurement measured(const ConvProblem &problem, const char *kernel) {
  Measurement row;
  row.problem = select::problemOf(problem);
  row.kernel = kernel, row.anchor = "windows_v0p0_w0_f0_t0";
  row.ratio = 0.5, row.noise = 0.01, row.anchorNs = 1000;
  row.pairs = 9, row.round = 1, row.valid = true;
  return row;
}

TEST(ConvRecords, AMeasurementIsReadAsItWasWritten) {
  Measurement row =
      measured(problemOf("mb2g2ic8ih9iw7oc16kh3sh2ph1dh1",
                         ConvDirection::BackwardData),
               "windows_v2p7_w128_f256_t0");
  EXPECT_EQ(problemKey(row), toString(convolutionOf(*row.problem)));
  CollectSettings settings{"f32", "nhwc", "all", "class", "hash", 7, 5,
                           "conv_bwd_data"};
  Journal journal = llvm::cantFail(parseJournal(
      journalLine(settings) + "\n" + journalLine(row) + "\n", "j"));
  EXPECT_EQ(journal.settings, settings);
  ASSERT_EQ(journal.rows.size(), 1u);
  EXPECT_TRUE(convolutionOf(*journal.rows[0].problem) ==
              convolutionOf(*row.problem));
  EXPECT_EQ(journal.rows[0].kernel, row.kernel);
  CollectSettings forward = settings;
  forward.op = "conv_fwd";
  EXPECT_EQ(settings.differencesTo(forward),
            "--op conv_bwd_data (now conv_fwd)");
  // A journal without a valid operation or problem is damaged.
  std::string text = journalLine(settings) + "\n";
  size_t at = text.find("conv_bwd_data");
  EXPECT_FALSE(CollectSettings::fromJson(llvm::cantFail(
      llvm::json::parse(text.substr(0, at) + "conv_up" + text.substr(at + 13)))));
  auto damaged = parseJournal(
      text + "{\"threads\":1,\"problem\":\"mb1zz\"}\n", "j");
  EXPECT_NE(llvm::toString(damaged.takeError()).find("damaged at line 2"),
            std::string::npos);

  ColumnTable table = toTable({row}, {Provenance()}, 0);
  StoredRows stored = llvm::cantFail(fromTable(table));
  ASSERT_EQ(stored.rows.size(), 1u);
  EXPECT_TRUE(convolutionOf(*stored.rows[0].problem) ==
              convolutionOf(*row.problem));
  auto whole = [&](const char *name) { return table.find(name)->integers[0]; };
  EXPECT_EQ(whole("N"), 2);
  EXPECT_EQ(whole("G"), 2);
  EXPECT_EQ(whole("Wi"), 7);
  EXPECT_EQ(whole("stride_h"), 2);
  EXPECT_EQ(whole("dilation_w"), 2);
  EXPECT_EQ(whole("block_vectors"), 2);
  EXPECT_EQ(whole("work_kb"), 128);
  EXPECT_EQ(table.find("op_type")->texts[0], "conv_bwd_data");
  EXPECT_EQ(table.find("layout")->texts[0], "nhwc");
  EXPECT_DOUBLE_EQ(table.find("latency_ms")->numbers[0], 500e-6);
  EXPECT_DOUBLE_EQ(table.find("measured_tflops")->numbers[0],
                   row.problem->flops() / 500 * 1e-3);
  auto broken = [&](const char *column, const char *text) {
    ColumnTable other = table;
    for (Column &c : other.columns)
      if (c.name == column)
        c.texts[0] = text;
    return llvm::toString(fromTable(other).takeError());
  };
  EXPECT_NE(broken("dtype", "f3").find("row 0 has dtype 'f3'"),
            std::string::npos);
  EXPECT_NE(broken("problem", "mb1zz").find("row 0: --problem 'mb1zz'"),
            std::string::npos);
}

TEST(ConvRecords, RowsOfAnotherVersionAreLeftOut) {
  Measurement row = measured(problemOf("mb1ic8ih8oc8kh3ph1"), "winograd_v2");
  EXPECT_EQ(toTable({row}, {Provenance()}, 0).rows, 0);
}

TEST(ConvSamples, AreGroupedByProblem) {
  ConvProblem a = problemOf("mb1ic8ih8oc8kh3ph1"),
              b = problemOf("mb1ic8ih8oc8kh3sh2ph1");
  Provenance run;
  run.machineClass = "avx512_bf16 l1=32K l2=1024K l3=16384K";
  ColumnTable table = toTable({measured(a, "windows_v0p0_w0_f0_t0"),
                               measured(a, "rows_v0_w0"),
                               measured(b, "rows_v0_w0")},
                              {run}, 0);
  Samples samples = llvm::cantFail(makeSamples(table, "conv_fwd", "f32"));
  EXPECT_EQ(samples.subject.op, "conv_fwd");
  EXPECT_EQ(samples.subject.arch, "avx512 l1=32K l2=1024K l3=16384K");
  EXPECT_EQ(samples.features.size(), convFeatures().size());
  ASSERT_EQ(samples.groups.size(), 2u);
  std::set<std::string> keys{samples.groups[0].key, samples.groups[1].key};
  EXPECT_TRUE(keys.count(toString(a)));
  EXPECT_EQ(samples.count(), 3u);
  auto refuse = [&](const char *column, const char *text) {
    ColumnTable other = table;
    for (Column &c : other.columns)
      if (c.name == column)
        c.texts.assign(c.texts.size(), text);
    auto made = makeSamples(other, "", "");
    return made ? std::string() : llvm::toString(made.takeError());
  };
  EXPECT_NE(refuse("kernel_name", "winograd").find("not a convolution kernel"),
            std::string::npos);
  EXPECT_NE(refuse("dtype", "f3").find("dtype 'f3'"),
            std::string::npos);
}

TEST(ConvFeaturesTest, AllKernelsAtOnceEqualRowByRow) {
  Machine machine = Machine::detect();
  ConvFeatures features(machine);
  for (ConvDirection direction :
       {ConvDirection::Forward, ConvDirection::BackwardData,
        ConvDirection::BackwardWeights})
    for (const char *text :
         {"mb2ic9ih11oc33kh3ph1", "mb1g20ic20ih15oc20kh5sh2ph2"}) {
      ConvProblem problem = problemOf(text, direction);
      auto configs = convKernels(direction, machine);
      ForestGrid grid = features.grid(configs);
      EXPECT_EQ(grid.tiles, static_cast<int64_t>(configs.size()));
      ForestQuery query;
      features.fill(problem, configs, grid.tiles + 3, query);
      for (size_t k = 0; k < configs.size(); ++k) {
        std::vector<float> row = features.row(problem, configs[k]);
        for (size_t f = 0; f < row.size(); ++f) {
          Axis axis = convFeatures()[f].axis;
          float value = axis == Axis::Problem ? query.problem[f]
                        : axis == Axis::Mixed ? query.mixed[f][k]
                                              : grid.constant[f][k];
          EXPECT_EQ(value, row[f]) << convFeatures()[f].name;
          EXPECT_TRUE(std::isfinite(row[f])) << convFeatures()[f].name;
        }
      }
    }
}

std::string ConvFiles::makeModel(llvm::StringRef name,
                                 const Registry &registry,
                                 ConvDirection direction,
                                 llvm::StringRef arch) const {
  const Machine &machine = registry.machine();
  auto configs = convKernels(direction, machine);
  FeatureSpec spec;
  spec.subject = {toString(direction), "f32", arch.str()};
  spec.layout = kConvLayout;
  spec.threads = {1};
  spec.schemaHash = schemaHash(convFeatures());
  spec.registryHash = registryHash(configs);
  spec.names = featureNames(convFeatures());
  spec.categorical = {"road"};
  spec.targets[Target::Efficiency] = {};
  TreeModel trees;
  trees.featureNames = spec.names;
  trees.featureInfos.assign(spec.names.size(), "none");
  ConvFeatures features(machine);
  CounterRandom random(9, 1);
  for (uint64_t t = 0; t < 20; ++t) {
    // One split each, at a value that some kernel has on some problem.
    Split split;
    do
      split.feature = static_cast<int32_t>(
          random.integer(t * 7 + 1, 0, int64_t(spec.names.size()) - 1));
    while (++t < 4000 && spec.names[size_t(split.feature)] == "road");
    size_t kernel = static_cast<size_t>(
        random.integer(t * 7 + 2, 0, int64_t(configs.size()) - 1));
    split.threshold = features.row(problemOf("mb1ic24ih14oc40kh3ph1", direction),
                                   configs[kernel])[size_t(split.feature)];
    split.missing = Missing::NaN;
    split.left = ~0, split.right = ~1;
    Tree tree;
    tree.splits = {split};
    tree.leaves = {{random.normal(t * 3), 1, 1}, {random.normal(t * 3 + 1), 1, 1}};
    trees.trees.push_back(std::move(tree));
  }
  std::string folder = path(name);
  llvm::sys::fs::create_directories(folder);
  llvm::cantFail(
      writeLightGbm(trees, inside(folder, "model_efficiency.lgbm.gz")));
  llvm::cantFail(
      writeJsonFile(inside(folder, "feature_spec.json"), toJson(spec)));
  llvm::cantFail(writeJsonFile(inside(folder, "train_manifest.json"),
                               llvm::json::Object{}));
  return folder;
}

TEST_F(ConvFiles, AModelRanksAsItsTreesSay) {
  Registry registry;
  constexpr auto direction = ConvDirection::Forward;
  std::string here = classFor(machineClass(registry.machine()), {});
  std::string folder = makeModel("m", registry, direction, here);
  auto model = llvm::cantFail(openModel(folder, registry));
  EXPECT_EQ(model->note(), "");
  ProblemRef problem = select::problemOf(problemOf("mb1ic24ih14oc40kh3ph1"));
  std::vector<RankedKernel> ranked = model->rank(*problem, 1000);
  ASSERT_GT(ranked.size(), 20u);
  for (size_t i = 0; i < ranked.size(); ++i) {
    EXPECT_FALSE(model->kernels().supports(*problem, ranked[i].kernel));
    EXPECT_NEAR(ranked[i].score,
                model->model().score(Target::Efficiency,
                                     model->row(*problem, ranked[i].kernel)),
                1e-4);
    if (i > 0) {
      EXPECT_LE(ranked[i].score, ranked[i - 1].score);
    }
  }
  EXPECT_EQ(model->best(*problem)->kernel, ranked[0].kernel);
  RankingReport report =
      llvm::cantFail(rankByModel(registry, folder, *problem, 3));
  EXPECT_EQ(report.rows.size(), 3u);
  EXPECT_EQ(report.rows[0].kernel, model->kernels().nameOf(ranked[0].kernel));
  auto other = rankByModel(registry, folder,
                           *select::problemOf(problemOf(
                               "mb1ic24ih14oc40kh3ph1",
                               ConvDirection::BackwardData)),
                           3);
  EXPECT_NE(llvm::toString(other.takeError()).find("is for conv_fwd f32, expected"),
            std::string::npos);
}

TEST_F(ConvFiles, DispatchAsksAModelOfThisMachineAlone) {
  Registry registry;
  ConvProblem problem = problemOf("mb1ic24ih14oc40kh3ph1"),
              small = problemOf("mb1ic8ih4oc8kh1");
  std::string here = classFor(machineClass(registry.machine()), {});
  auto choose = [&](const ConvProblem &p) {
    return ConvSelector(registry, {folder}).choose(p);
  };
  ConvChoice none = choose(problem);
  EXPECT_EQ(none.by, "the engine's rule");
  EXPECT_EQ(none.why, "no model is installed for this direction and type");
  EXPECT_TRUE(none.config == ruleFor(problem, registry.machine()));
  std::string foreign = makeModel("a", registry, ConvDirection::Forward,
                                  "avx2 l1=1K l2=2K l3=4K");
  ConvChoice passed = choose(problem);
  EXPECT_EQ(passed.by, "the engine's rule");
  EXPECT_NE(passed.why.find("another machine"), std::string::npos);
  EXPECT_NE(passed.why.find("`assay tune check` measures whether it serves"),
            std::string::npos);
  EXPECT_EQ(ConvSelector(registry, {folder}, /*anyMachine=*/true)
                .choose(problem)
                .by,
            "model '" + foreign + "'");
  std::string own = makeModel("b", registry, ConvDirection::Forward, here);
  ConvChoice chosen = choose(problem);
  EXPECT_EQ(chosen.by, "model '" + own + "'");
  auto model = llvm::cantFail(openModel(own, registry));
  int32_t best = model->rank(*select::problemOf(problem), 1)[0].kernel;
  EXPECT_TRUE(chosen.config == convConfigOf(model->kernels(), best));
  ASSERT_EQ(chosen.passedOver.size(), 1u);
  EXPECT_EQ(choose(small).why, "the problem is too small for a model to matter");
  ConvProblem depthwise = problemOf("mb1g64ic64ih28oc64kh3ph1");
  EXPECT_EQ(choose(depthwise).by, "the engine's rule");
  EXPECT_EQ(choose(depthwise).why,
            "each channel for itself or in small groups: the block that its cost "
            "says is best");
  ConvProblem backward = problem;
  backward.direction = ConvDirection::BackwardData;
  EXPECT_EQ(choose(backward).by, "the engine's rule");
}

TEST_F(ConvFiles, AModelOfSomethingElseIsRefused) {
  Registry registry;
  std::string folder = makeModel("m", registry, ConvDirection::Forward, "x");
  auto refusal = [&](const char *key, llvm::json::Value value) {
    auto spec = llvm::cantFail(readJsonFile(inside(folder, "feature_spec.json")));
    spec[key] = std::move(value);
    llvm::cantFail(writeJsonFile(inside(folder, "feature_spec.json"),
                                 std::move(spec)));
    auto model = openModel(folder, registry);
    return model ? std::string() : llvm::toString(model.takeError());
  };
  EXPECT_EQ(refusal("arch", "y"), "");
  EXPECT_NE(refusal("layout", "nchw").find("is not of this machine's"),
            std::string::npos);
  EXPECT_EQ(refusal("layout", kConvLayout), "");
  EXPECT_NE(refusal("feature_encoding_version", "0").find("another schema"),
            std::string::npos);
}
