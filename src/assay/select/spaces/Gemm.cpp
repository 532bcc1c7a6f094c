// Products on this processor: problems by types, layout and sizes, kernels by
// the names of their configurations, features by Features.def.
#include "assay/select/spaces/Gemm.h"
#include "assay/kernels/CostModel.h"
#include "assay/kernels/Kind.h"
#include "assay/kernels/TileSpeeds.h"
#include "assay/select/Collector.h"
#include "assay/select/GemmContest.h"
#include "assay/select/LearnedSelector.h"
#include "assay/select/Manifest.h"

#include <algorithm>
#include <mutex>
#include <set>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

namespace {
class Product final : public Problem {
public:
  Product(const GemmProblem &product, Layout layout)
      : product_(product), layout_(layout) {}
  const GemmProblem &product() const { return product_; }

  const LocalSpace &space() const override {
    return defaultSpace();
  }
  std::string dtype() const override { return toString(product_.types()); }
  std::string layout() const override { return toString(layout_); }
  std::string modelLayout() const override {
    return toString(product_.modelLayout());
  }
  int threads() const override { return product_.threads; }
  ProblemRef onThreads(int count) const override {
    GemmProblem other = product_;
    other.threads = count;
    return problemOf(other, layout_);
  }
  std::string title() const override { return toString(product_); }
  std::string key() const override { return dtype() + " " + groupKey(); }
  std::string groupKey() const override {
    return llvm::formatv("{0} {1}x{2}x{3} b{4} t{5}", layout(), product_.m,
                         product_.n, product_.k, product_.batch,
                         product_.threads)
        .str();
  }
  Shape sizes() const override {
    return {product_.m, product_.n, product_.k, product_.batch};
  }
  double flops() const override { return product_.flops(); }
  double bytes() const override { return product_.bytes(); }
  uint64_t hash() const override { return product_.hash(); }

private:
  GemmProblem product_;
  Layout layout_;
};

class GemmSpace final : public LocalSpace {
public:
  llvm::StringRef op() const override { return "gemm"; }
  llvm::ArrayRef<FeatureInfo> features() const override {
    return gemmFeatures();
  }
  bool answersTo(llvm::StringRef word) const override {
    return word == op() || word == ckGemmSpace().op();
  }
  bool has(llvm::StringRef dtype, llvm::StringRef layout) const override {
    return parseTypePair(dtype) && parseLayout(layout);
  }
  llvm::Error needColumns(const Rows &rows) const override {
    return need(rows, {"m", "n", "k"}, /*text=*/false);
  }
  llvm::Error checkProblem(const Rows &rows, size_t row) const override {
    return checkWhole(rows, row, {"m", "n", "k", "batch", "threads"});
  }
  llvm::ArrayRef<ProblemColumn> columns() const override {
    static constexpr ProblemColumn kColumns[] = {
        {"m"}, {"n"}, {"k"}, {"batch"}};
    return kColumns;
  }
  llvm::Expected<ProblemRef> parse(const ProblemWords &words) const override {
    std::optional<TypePair> types = parseTypePair(words.dtype);
    std::optional<Layout> layout = parseLayout(words.layout);
    if (!types || !layout)
      return makeError(ErrorCode::InvalidArgument,
                       "{0} has dtype '{1}' and layout '{2}'", words.place,
                       words.dtype, words.layout);
    return problemOf(
        GemmProblem::make(*types, *layout, words.number("m", 0),
                          words.number("n", 0), words.number("k", 0),
                          words.number("batch", 1), words.threads),
        *layout);
  }
  void write(const Problem &problem, TableWriter &out) const override {
    const GemmProblem &p = productOf(problem);
    out.integer("m", p.m), out.integer("n", p.n), out.integer("k", p.k);
    out.integer("batch", p.batch);
  }
  bool writeKernel(llvm::StringRef name, TableWriter *out) const override;
  llvm::Expected<std::vector<float>>
  row(const Problem &problem, llvm::StringRef kernel,
      const Machine &machine) const override {
    llvm::Expected<GemmConfig> config = parseConfig(kernel);
    if (!config)
      return config.takeError();
    const GemmProblem &product = productOf(problem);
    return GemmFeatures(product.types(), *parseLayout(problem.layout()),
                        machine)
        .row(product, *config);
  }
  llvm::StringRef defaultLayout() const override { return "rcr"; }
  llvm::Error check(llvm::StringRef dtype,
                    llvm::StringRef layout) const override {
    return parseKind(op(), dtype, layout).takeError();
  }
  llvm::Expected<std::unique_ptr<KernelSet>>
  open(llvm::StringRef dtype, llvm::StringRef layout,
       const SpaceContext &context) const override;
  std::string listHash(llvm::StringRef dtype, llvm::StringRef layout,
                       const Registry &registry) const override {
    return select::registryHash(
        registry.enumerate(*parseTypePair(dtype), *parseLayout(layout)));
  }
  llvm::StringRef ours() const override {
    return "kernels that this machine can run; `assay tune predict "
           "--candidates` ranks those of CK Tile, `assay tune evaluate` judges "
           "its picks on measured data";
  }
  llvm::StringRef plainBy() const override { return kAnalyticName; }
  llvm::StringRef plainName() const override { return "the analytic choice"; }
  llvm::StringRef noModel() const override {
    return "no model is installed for these types and this layout";
  }
  std::string whyNoModel(const Problem &problem,
                         const Machine &machine) const override;
  std::string outside(const Model &model,
                      const Problem &problem) const override {
    return outsideOfTraining(model, problem.sizes());
  }
  bool ratesShares() const override { return true; }
};

class GemmSet final : public KernelSet {
public:
  GemmSet(const GemmSpace &space, const KernelKind &kind,
          const SpaceContext &context)
      : KernelSet(space, toString(kind.types), toString(kind.layout), context),
        kind_(kind), configs_(registry().enumerate(kind.types, kind.layout)),
        features_(kind.types, kind.layout, machine()),
        analytic_(makeAnalyticSelector(registry())) {}

  /// The kernel of that number: the registry's list for the types and the
  /// layout, followed by the kernels that only a row-major B has. Dispatch
  /// accepts the latter where k is 1.
  const GemmConfig &config(int32_t kernel) const {
    auto at = static_cast<size_t>(kernel);
    return at < configs_.size() ? configs_[at] : all()[at];
  }

  std::string title() const override { return dtype() + " " + layout(); }
  std::string titleOf(const Problem &problem) const override {
    return toString(productOf(problem), kind_.layout);
  }
  size_t size() const override { return configs_.size(); }
  size_t sizeFor(const Problem &problem) const override {
    return listFor(problem).size();
  }
  std::string nameOf(int32_t kernel) const override {
    return config(kernel).name();
  }
  int32_t numberOf(llvm::StringRef name,
                   const Problem &problem) const override {
    llvm::Expected<GemmConfig> parsed = parseConfig(name);
    if (parsed)
      return numberOf(*parsed, problem);
    llvm::consumeError(parsed.takeError());
    return -1;
  }
  Part partOf(int32_t kernel) const override {
    Family family = config(kernel).family;
    return {static_cast<int>(family), std::string(toString(family)),
            std::string(describe(family))};
  }
  std::vector<int32_t> fieldsOf(int32_t kernel) const override;

  bool takes(const Problem &problem) const override {
    return &problem.space() == &space() && problem.dtype() == dtype() &&
           productOf(problem).isOf(kind_.layout);
  }
  std::optional<Refusal> supports(const Problem &problem,
                                  int32_t kernel) const override {
    return registry().supports(productOf(problem), config(kernel));
  }
  int32_t plain(const Problem &problem) const override {
    return numberOf(analytic_->choose(productOf(problem)), problem);
  }
  std::optional<int32_t> assumed(const Problem &problem) override;
  std::vector<ProblemRef> draw(double gflop, uint64_t seed,
                               uint32_t stream) const override {
    return gemmProblems(kind_.types, kind_.layout,
                        drawShapes(gflop, seed, stream), {1});
  }
  llvm::Expected<std::vector<ProblemRef>>
  read(llvm::StringRef path, const ShapeLimits &limits) const override {
    auto shapes = readShapes(path, limits);
    if (!shapes)
      return shapes.takeError();
    return gemmProblems(kind_.types, kind_.layout, *shapes, {1});
  }

  const ForestGrid &grid() const override { return tiles().grid; }
  void fill(const Problem &problem, int64_t paddedTiles,
            ForestQuery &query) const override {
    fillQuery(features_, tiles(), productOf(problem), paddedTiles, query);
  }
  std::vector<float> row(const Problem &problem,
                         int32_t kernel) const override {
    return features_.row(productOf(problem), config(kernel));
  }
  ProblemRef asTrained(const Problem &problem,
                       llvm::ArrayRef<int64_t> threads) const override;
  bool offers(const Problem &problem, int32_t kernel,
              bool covered) const override;

  llvm::Expected<std::unique_ptr<Contest>>
  contest(const ProblemRef &problem, ThreadPool &pool, uint64_t seed) override {
    return std::make_unique<GemmContest>(registry(), pool, productOf(*problem),
                                         kind_.layout, listFor(*problem), seed);
  }

private:
  /// All kernels that config() knows; made at the first problem that needs
  /// them.
  llvm::ArrayRef<GemmConfig> all() const;
  llvm::ArrayRef<GemmConfig> listFor(const Problem &problem) const {
    return productOf(problem).k == 1 ? all() : configs_;
  }
  int32_t numberOf(const GemmConfig &config, const Problem &problem) const {
    llvm::ArrayRef<GemmConfig> list = listFor(problem);
    auto found = llvm::find(list, config);
    return found == list.end() ? -1
                               : static_cast<int32_t>(found - list.begin());
  }
  const GemmGrid &tiles() const {
    std::call_once(gridMade_, [&] { grid_ = makeGrid(features_, configs_); });
    return grid_;
  }

  KernelKind kind_;
  llvm::ArrayRef<GemmConfig> configs_;
  GemmFeatures features_;
  std::unique_ptr<Selector> analytic_;
  mutable std::once_flag gridMade_, allMade_;
  mutable GemmGrid grid_;
  mutable std::vector<GemmConfig> all_;
  /// Knows no measured speeds, because they are found by the processor's name,
  /// which it lacks.
  std::unique_ptr<Registry> nameless_;
  std::unique_ptr<Selector> assumed_;
};
} // namespace

const GemmConfig &select::gemmConfigOf(const KernelSet &set, int32_t kernel) {
  return static_cast<const GemmSet &>(set).config(kernel);
}

llvm::Expected<std::unique_ptr<KernelSet>>
GemmSpace::open(llvm::StringRef dtype, llvm::StringRef layout,
                const SpaceContext &context) const {
  llvm::Expected<KernelKind> kind = parseKind(op(), dtype, layout);
  if (!kind)
    return kind.takeError();
  return std::make_unique<GemmSet>(*this, *kind, context);
}

std::string GemmSpace::whyNoModel(const Problem &problem,
                                  const Machine &) const {
  // No model is trained on larger problems (`assay tune auto` goes to 1 GFLOP),
  // and the analytic choice is near the machine's limit there.
  constexpr double kMostFlops = 1e9;
  if (problem.flops() < kLeastModelFlops)
    return "the problem is too small for a model to matter";
  if (problem.flops() > kMostFlops)
    return "the problem is larger than those that models are trained on";
  return productOf(problem).layout() ? ""
                                     : "the strides are of no plain layout";
}

llvm::ArrayRef<GemmConfig> GemmSet::all() const {
  std::call_once(allMade_, [&] {
    all_ = configs_.vec();
    std::set<std::string> known;
    for (const GemmConfig &config : configs_)
      known.insert(config.name());
    for (const GemmConfig &config :
         registry().enumerate(kind_.types, Layout::RRR))
      if (known.insert(config.name()).second)
        all_.push_back(config);
  });
  return all_;
}

std::vector<int32_t> GemmSet::fieldsOf(int32_t kernel) const {
  const GemmConfig &c = config(kernel);
  return {int32_t(c.family),
          c.mr,
          c.nr,
          c.kr,
          c.mc,
          c.nc,
          c.kc,
          int32_t(c.packA) * 2 + int32_t(c.packB),
          int32_t(c.order),
          int32_t(c.pipeline) * 64 + c.prefetch,
          c.splitK,
          c.gridM * 64 + c.gridN,
          int32_t(c.edge) * 2 + int32_t(c.epilogue)};
}

std::optional<int32_t> GemmSet::assumed(const Problem &problem) {
  if (!measuredSpeeds(machine()))
    return std::nullopt;
  if (!assumed_) {
    Registry::Options options;
    options.machine = machine();
    options.machine.processor.clear();
    nameless_ = std::make_unique<Registry>(options);
    assumed_ = makeAnalyticSelector(*nameless_);
  }
  return numberOf(assumed_->choose(productOf(problem)), problem);
}

/// The share of one thread when the longer side of C is divided. The division
/// uses only as many threads as get work of some microseconds, which pays for
/// waking them.
ProblemRef GemmSet::asTrained(const Problem &asked,
                              llvm::ArrayRef<int64_t> trained) const {
  if (llvm::is_contained(trained, asked.threads()) ||
      !llvm::is_contained(trained, int64_t{1}))
    return nullptr;
  constexpr double kFlopsPerThread = 1.5e6;
  GemmProblem problem = productOf(asked);
  auto threads = std::clamp<int64_t>(
      static_cast<int64_t>(problem.flops() / kFlopsPerThread), 1,
      problem.threads);
  int64_t &side = problem.n >= problem.m ? problem.n : problem.m;
  side = std::max<int64_t>(1, (side + threads - 1) / threads);
  problem.threads = 1;
  return problemOf(problem, kind_.layout);
}

bool GemmSet::offers(const Problem &problem, int32_t kernel,
                     bool covered) const {
  // Thread grids and parts of k have no meaning for the share of one thread.
  const GemmConfig &c = config(kernel);
  if (!covered && (c.gridM != 0 || c.gridN != 0 ||
                   (c.splitK > 1 && c.family != Family::Gemv)))
    return false;
  return !supports(problem, kernel);
}

const KernelSpace &select::gemmSpace() {
  static const GemmSpace space;
  return space;
}

ProblemRef select::problemOf(const GemmProblem &product, Layout layout) {
  return std::make_shared<Product>(product, layout);
}

const GemmProblem &select::productOf(const Problem &problem) {
  return static_cast<const Product &>(problem).product();
}

std::vector<ProblemRef> select::gemmProblems(TypePair types, Layout layout,
                                             llvm::ArrayRef<Shape> shapes,
                                             llvm::ArrayRef<int> threads) {
  std::vector<ProblemRef> problems;
  for (const Shape &shape : shapes)
    for (int count : threads)
      problems.push_back(
          problemOf(GemmProblem::make(types, layout, shape.m, shape.n, shape.k,
                                      shape.batch, count),
                    layout));
  return problems;
}

bool GemmSpace::writeKernel(llvm::StringRef name, TableWriter *out) const {
  llvm::Expected<GemmConfig> parsed = parseConfig(name);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  if (!out)
    return true;
  const GemmConfig &c = *parsed;
  out->text("family", toString(c.family));
  out->integer("tile_m", c.mr);
  out->integer("tile_n", c.nr);
  out->integer("tile_k", c.kr);
  out->integer("block_m", c.mc);
  out->integer("block_n", c.nc);
  out->integer("block_k", c.kc);
  out->truth("pack_a", c.packA == Packing::Pack);
  out->truth("pack_b", c.packB == Packing::Pack);
  out->text("scheduler", c.order == LoopOrder::NKM ? "nkm" : "mkn");
  out->text("pipeline", c.pipeline == Pipeline::Plain       ? "plain"
                        : c.pipeline == Pipeline::Pipelined ? "pipelined"
                                                            : "prefetch");
  out->integer("prefetch", c.prefetch);
  out->integer("split_k", c.splitK);
  out->integer("grid_m", c.gridM);
  out->integer("grid_n", c.gridN);
  out->truth("pad", c.edge == Edge::Padded);
  out->text("epilogue",
            c.epilogue == EpilogueMode::Fused ? "fused" : "separate");
  return true;
}
