// `./dev bench select`: the choice among all f32 kernels of this machine by a
// model of 500 trees of 127 leaves, compared with LightGBM's C interface on the
// same model and the same rows: one row per call (as CK Tile's dispatcher
// does), one row per prepared call (SingleRowFast), all rows in one call on one
// thread and on two. The model is trained here, on the analytic cost with
// noise, so that the benchmark needs no data; --model FOLDER uses another one.
// Measures per problem and turn: LightGBM's times over all kernels, ours cold
// (directly after those have emptied the caches, on one thread) and warm, and
// whether both pick the same kernel; then a repeated problem. The limit is the
// time for reading the compiled forest once. LightGBM's times exclude the time
// to make the rows, ours include it.
#include "Samples.h"
#include "assay/kernels/ChoiceCache.h"
#include "assay/kernels/CostModel.h"
#include "assay/select/Collector.h"
#include "assay/select/LearnedSelector.h"
#include "assay/select/LightGbmApi.h"
#include "assay/select/LightGbmText.h"
#include "assay/select/spaces/Gemm.h"
#include "assay/support/Random.h"
#include "assay/support/Table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

static double nowNs() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static constexpr int kTrees = 500, kLeaves = 127;

static GemmProblem randomProblem(const CounterRandom &random, uint64_t i) {
  auto size = [&](uint64_t j) {
    double bits = 1 + 11 * random.uniform(4 * i + j);
    return std::max<int64_t>(1, static_cast<int64_t>(std::exp2(bits)));
  };
  return GemmProblem::make(
      {}, Layout::RCR, size(0), size(1), size(2), 1,
      1 + static_cast<int>(random.integer(4 * i + 3, 0, 1)));
}

/// A model of kTrees x kLeaves for the registry's kernels.
static llvm::Expected<Model> trainModel(Registry &registry, LightGbm &api,
                                        int problems, int perProblem) {
  llvm::ArrayRef<GemmConfig> configs = registry.enumerate({}, Layout::RCR);
  GemmFeatures features({}, Layout::RCR, registry.machine());
  CounterRandom random(11, 0), noise(11, 1);
  std::vector<float> rows, labels;
  for (int p = 0; p < problems; ++p) {
    GemmProblem problem = randomProblem(random, p);
    for (int i = 0; i < perProblem; ++i) {
      uint64_t at = uint64_t(p) * perProblem + i;
      const GemmConfig &config = configs[noise.integer(
          2 * at, 0, static_cast<int64_t>(configs.size()) - 1)];
      if (registry.supports(problem, config))
        continue;
      std::vector<float> row = features.row(problem, config);
      rows.insert(rows.end(), row.begin(), row.end());
      double ns = estimate(problem, config, registry.machine()).totalNs();
      labels.push_back(
          static_cast<float>(std::log1p(problem.flops() / ns * 1e3) +
                             0.05 * noise.normal(2 * at + 1)));
    }
  }
  std::vector<std::string> names = featureNames(gemmFeatures());
  std::string parameters =
      llvm::formatv("objective=regression num_leaves={0} learning_rate=0.05 "
                    "min_data_in_leaf=10 "
                    "feature_fraction=0.85 deterministic=true "
                    "force_row_wise=true verbosity=-1 "
                    "use_missing=false num_threads=1",
                    kLeaves);
  auto data = api.makeDataset(
      {rows, static_cast<int64_t>(names.size()), labels, {}, {}, names},
      parameters);
  if (!data)
    return data.takeError();
  auto booster = api.makeBooster(*data, parameters);
  if (!booster)
    return booster.takeError();
  for (int tree = 0; tree < kTrees; ++tree)
    if (llvm::Expected<bool> finished = (*booster)->update(); !finished)
      return finished.takeError();
  llvm::Expected<std::string> text = (*booster)->text();
  if (!text)
    return text.takeError();
  llvm::Expected<TreeModel> trees =
      parseLightGbm(*text, "the benchmark's model");
  if (!trees)
    return trees.takeError();
  Model model;
  model.folder = "(trained here)";
  model.spec.subject = {"gemm", "f32", machineClass(registry.machine())};
  model.spec.layout = "rcr";
  model.spec.schemaHash = schemaHash(gemmFeatures());
  model.spec.registryHash = registryHash(configs);
  model.spec.names = names;
  model.spec.threads = {1, 2};
  model.spec.targets[Target::Tflops] = {};
  model.trees[Target::Tflops] = std::move(*trees);
  return model;
}

namespace {
struct CaseResult {
  std::string problem;
  bench::Samples cold; ///< milliseconds; ours is the first run after the peers
  double warmMs = 1e9;
  bool equal = false;
};

/// LightGBM over all kernels, by each kind of call that its C interface has.
class Peers {
public:
  Peers(LightGbm::Booster &booster, llvm::ArrayRef<double> rows,
        size_t features)
      : booster_(booster), rows_(rows), features_(int64_t(features)),
        values_(rows.size() / features),
        fast_(llvm::cantFail(booster.fastRow(features_))) {}

  /// Runs each once and records its milliseconds.
  void turn(bench::Samples &samples) {
    auto timed = [&](const char *name, llvm::function_ref<void()> body) {
      std::fill(values_.begin(), values_.end(), std::nan(""));
      double start = nowNs();
      body();
      samples.peers[name].push_back((nowNs() - start) * 1e-6);
      if (results_.empty())
        results_ = values_;
      wrong_ |= results_ != values_;
    };
    timed("single-row", [&] {
      for (size_t i = 0; i < values_.size(); ++i)
        llvm::cantFail(booster_.predictRow(row(i), features_, &values_[i]));
    });
    timed("SingleRowFast", [&] {
      for (size_t i = 0; i < values_.size(); ++i)
        llvm::cantFail(fast_->predict(row(i), &values_[i]));
    });
    for (int threads : {1, 2})
      timed(threads == 1 ? "batch" : "batch, 2 threads", [&] {
        llvm::cantFail(booster_.predict(rows_.data(), int64_t(values_.size()),
                                        features_, values_.data(), threads));
      });
  }

  llvm::ArrayRef<double> values() const { return results_; }
  bool agree() const { return !wrong_; }

private:
  const double *row(size_t i) const {
    return rows_.data() + i * static_cast<size_t>(features_);
  }
  LightGbm::Booster &booster_;
  llvm::ArrayRef<double> rows_;
  int64_t features_;
  std::vector<double> values_, results_;
  std::unique_ptr<LightGbm::Booster::FastRow> fast_;
  bool wrong_ = false;
};
} // namespace

static CaseResult runCase(KernelModel &model, LightGbm::Booster &booster,
                          Registry &registry, const GemmProblem &problem) {
  size_t features = gemmFeatures().size();
  ProblemRef asked = problemOf(problem, Layout::RCR);
  std::vector<double> rows;
  for (size_t i = 0; i < model.kernels().size(); ++i)
    for (float value : model.row(*asked, static_cast<int32_t>(i)))
      rows.push_back(value);
  CaseResult result;
  result.problem = toString(problem);
  Peers peers(booster, rows, features);
  std::optional<RankedKernel> pick;
  for (int turn = 0; turn < 5; ++turn) {
    peers.turn(result.cold);
    double start = nowNs();
    pick = model.best(*problemOf(problem, Layout::RCR));
    result.cold.ours.push_back((nowNs() - start) * 1e-6);
    for (int i = 0; i < 12; ++i) {
      start = nowNs();
      pick = model.best(*problemOf(problem, Layout::RCR));
      result.warmMs = std::min(result.warmMs, (nowNs() - start) * 1e-6);
    }
  }
  llvm::ArrayRef<double> values = peers.values();
  int32_t theirs = -1;
  for (size_t i = 0; i < values.size(); ++i)
    if ((theirs < 0 || values[i] > values[theirs]) &&
        !registry.supports(problem, gemmConfigOf(model.kernels(),
                                                 static_cast<int32_t>(i))))
      theirs = static_cast<int32_t>(i);
  result.equal = pick && pick->kernel == theirs && peers.agree();
  return result;
}

/// The time of a cached choice, alternating between several problems.
static double repeatNs(llvm::ArrayRef<GemmProblem> problems,
                       KernelModel &model) {
  ChoiceCache<GemmConfig> cache;
  for (const GemmProblem &problem : problems)
    if (std::optional<RankedKernel> best =
            model.best(*problemOf(problem, Layout::RCR)))
      cache.insert(problem, gemmConfigOf(model.kernels(), best->kernel));
  constexpr int kRounds = 20000;
  double best = 1e9;
  size_t found = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    double start = nowNs();
    for (int round = 0; round < kRounds; ++round)
      for (const GemmProblem &problem : problems)
        found += cache.find(problem) != nullptr;
    best = std::min(best, (nowNs() - start) /
                              (kRounds * static_cast<double>(problems.size())));
  }
  return found ? best : 0;
}

/// Bytes per nanosecond that one thread reads from memory.
static double readBandwidth() {
  std::vector<uint64_t> memory(size_t(1) << 25, 1);
  double best = 0;
  uint64_t sum = 0;
  for (int round = 0; round < 3; ++round) {
    double start = nowNs();
    for (size_t i = 0; i < memory.size(); ++i)
      sum += memory[i];
    best = std::max(best, memory.size() * 8.0 / (nowNs() - start));
  }
  return sum ? best : 1;
}

static int fail(llvm::Error error) {
  llvm::errs() << "bench select: " << takeError(std::move(error)).message
               << "\n";
  return 2;
}

namespace {
struct Options {
  std::string json, folder;
  bool quick = false;
};

/// All cases, for the table and for the summary.
struct Cases {
  void add(const CaseResult &result);

  Table table = Table({{"problem"},
                       {"single-row ms", Table::Align::Right},
                       {"fast", Table::Align::Right},
                       {"batch", Table::Align::Right},
                       {"cold ms", Table::Align::Right},
                       {"warm", Table::Align::Right},
                       {"of the best", Table::Align::Right},
                       {"pick"}});
  llvm::json::Array json;
  std::map<std::string, std::vector<double>> ratios; ///< by peer
  double slowest = 0;
  size_t equal = 0;
};
} // namespace

static Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--json") && i + 1 < argc)
      options.json = argv[++i];
    else if (!std::strcmp(argv[i], "--model") && i + 1 < argc)
      options.folder = argv[++i];
    else if (!std::strcmp(argv[i], "--quick"))
      options.quick = true;
  }
  return options;
}

void Cases::add(const CaseResult &r) {
  std::string best = r.cold.bestPeer();
  for (auto &[name, times] : r.cold.peers)
    ratios[name].push_back(r.cold.against(name).median);
  ratios["best peer"].push_back(r.cold.against(best).median);
  slowest = std::max(slowest, r.cold.least());
  equal += r.equal;
  auto ms = [&](const char *name) {
    return llvm::formatv("{0:f1}", r.cold.leastOf(name)).str();
  };
  table.addRow({r.problem, ms("single-row"), ms("SingleRowFast"),
                ms("batch, 2 threads"), llvm::formatv("{0:f3}", r.cold.least()),
                llvm::formatv("{0:f3}", r.warmMs),
                bench::toString(r.cold.against(best)),
                r.equal ? "equal" : "DIFFERENT"});
  json.push_back(llvm::json::Object{{"problem", r.problem},
                                    {"ms", r.cold.json()},
                                    {"warm_ms", r.warmMs},
                                    {"equal", r.equal}});
}

static void printModel(const TreeModel &trees) {
  size_t leaves = 0;
  for (const Tree &tree : trees.trees)
    leaves = std::max(leaves, tree.leaves.size());
  llvm::outs() << "model: " << trees.trees.size() << " trees of up to "
               << leaves << " leaves\n";
}

static void printSummary(const Cases &cases, double repeat, size_t nodes) {
  double limitMs = 8.0 * static_cast<double>(nodes) / readBandwidth() * 1e-6;
  llvm::outs() << llvm::formatv("\nnew problem: at most {0:f3} ms; repeated "
                                "problem: {1:f0} ns; same pick in {2} of {3}\n",
                                cases.slowest, repeat, cases.equal,
                                cases.json.size());
  for (auto &[name, ratios] : cases.ratios)
    llvm::outs() << llvm::formatv(
        "bench select: {0}, {1:f0}% of limit\n",
        bench::closingWords(name == "best peer" ? name : "LightGBM " + name,
                            ratios),
        100 * limitMs / cases.slowest);
}

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  auto api = LightGbm::load();
  if (!api)
    return fail(api.takeError());
  Registry registry;
  llvm::outs() << "kernels: " << registry.enumerate({}, Layout::RCR).size()
               << " (f32 rcr); preparing the model ...\n";
  llvm::Expected<Model> model =
      options.folder.empty()
          ? trainModel(registry, **api, options.quick ? 60 : 150, 240)
          : loadModel(options.folder);
  if (!model)
    return fail(model.takeError());
  const TreeModel &trees =
      model->trees.at(model->rankingTarget().value_or(Target::Tflops));
  auto booster = (*api)->fromText(printLightGbm(trees));
  if (!booster)
    return fail(booster.takeError());
  printModel(trees);
  auto kernelModel = KernelModel::create(std::move(*model), registry);
  if (!kernelModel)
    return fail(kernelModel.takeError());
  Forest::Size size = (*kernelModel)->forest().size();
  llvm::outs() << llvm::formatv(
      "forest: {0} nodes, {1} masks, {2} predicates, {3} trait sets; {4}\n\n",
      size.nodes, size.masks, size.predicates, size.sets,
      bestForestKernels().name);
  CounterRandom random(77, 0);
  std::vector<GemmProblem> problems;
  for (int i = 0; i < (options.quick ? 4 : 16); ++i)
    problems.push_back(randomProblem(random, i));
  Cases cases;
  for (const GemmProblem &problem : problems)
    cases.add(runCase(**kernelModel, **booster, registry, problem));
  cases.table.print(llvm::outs());
  double repeat = repeatNs(problems, **kernelModel);
  printSummary(cases, repeat, size.nodes);
  bool allEqual = cases.equal == problems.size();
  if (!options.json.empty()) {
    llvm::json::Object all = bench::head("select", registry.machine());
    all["repeat_ns"] = repeat;
    all["cases"] = std::move(cases.json);
    bench::write(options.json, std::move(all));
  }
  return allEqual ? 0 : 1;
}
