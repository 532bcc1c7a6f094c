// Convolutions on this processor, with a space for each direction: problems in
// benchdnn's syntax, kernels by the names of their configurations, features by
// ConvFeatures.def.
#include "assay/select/spaces/Conv.h"
#include "assay/select/Collector.h"
#include "assay/select/ConvFeatures.h"

#include <mutex>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

namespace {
class Convolution final : public Problem {
public:
  explicit Convolution(const ConvProblem &problem) : problem_(problem) {}
  const ConvProblem &problem() const { return problem_; }

  const LocalSpace &space() const override {
    return *findLocal(toString(problem_.direction));
  }
  std::string dtype() const override { return toString(problem_.type); }
  std::string layout() const override { return kConvLayout; }
  int threads() const override { return problem_.threads; }
  ProblemRef onThreads(int count) const override {
    ConvProblem other = problem_;
    other.threads = count;
    return problemOf(other);
  }
  std::string title() const override { return toString(problem_); }
  Shape sizes() const override {
    return {problem_.batch * problem_.positions(), problem_.groupOut(),
            problem_.groupIn() * problem_.taps(), problem_.groups};
  }
  double flops() const override { return problem_.flops(); }
  double bytes() const override { return problem_.bytes(); }
  uint64_t hash() const override { return problem_.hash(); }

private:
  ConvProblem problem_;
};

class ConvSpace final : public LocalSpace {
public:
  explicit ConvSpace(ConvDirection direction) : direction_(direction) {}
  llvm::StringRef op() const override { return toString(direction_); }
  llvm::ArrayRef<FeatureInfo> features() const override {
    return convFeatures();
  }
  bool has(llvm::StringRef dtype, llvm::StringRef layout) const override {
    return parseDataType(dtype) && layout == kConvLayout;
  }
  llvm::Error needColumns(const Rows &rows) const override {
    if (llvm::Error error = need(rows, {"problem"}, /*text=*/true))
      return error;
    return need(rows, {"threads"}, /*text=*/false);
  }
  llvm::Error checkProblem(const Rows &rows, size_t row) const override {
    return checkWhole(rows, row, {"threads"});
  }
  llvm::ArrayRef<ProblemColumn> columns() const override {
    static constexpr ProblemColumn kColumns[] = {{"problem", /*isText=*/true}};
    return kColumns;
  }
  llvm::Expected<ProblemRef> parse(const ProblemWords &words) const override {
    std::optional<DataType> type = parseDataType(words.dtype);
    if (!type)
      return makeError(ErrorCode::InvalidArgument, "{0} has dtype '{1}'",
                       words.place, words.dtype);
    auto problem = kernels::parseConvProblem(words.text("problem"), direction_,
                                             *type, words.threads);
    if (!problem)
      return words.place.empty()
                 ? problem.takeError()
                 : addContext(problem.takeError(), words.place);
    return problemOf(*problem);
  }
  void write(const Problem &problem, TableWriter &out) const override;
  bool writeKernel(llvm::StringRef name, TableWriter *out) const override;
  llvm::Expected<std::vector<float>>
  row(const Problem &problem, llvm::StringRef kernel,
      const Machine &machine) const override {
    llvm::Expected<ConvConfig> config = parseConvConfig(kernel);
    if (!config)
      return config.takeError();
    return ConvFeatures(machine).row(convolutionOf(problem), *config);
  }
  llvm::StringRef defaultLayout() const override { return kConvLayout; }
  llvm::Error check(llvm::StringRef dtype,
                    llvm::StringRef layout) const override {
    if (dtype != toString(DataType::F32))
      return makeError(
          ErrorCode::Unsupported,
          "--dtype '{0}': kernels of convolutions are listed for f32", dtype);
    if (layout != kConvLayout)
      return makeError(ErrorCode::InvalidArgument,
                       "--layout '{0}': convolutions are of nhwc", layout);
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<KernelSet>>
  open(llvm::StringRef dtype, llvm::StringRef layout,
       const SpaceContext &context) const override;
  std::string listHash(llvm::StringRef, llvm::StringRef,
                       const Registry &registry) const override {
    return select::registryHash(convKernels(direction_, registry.machine()));
  }
  llvm::StringRef ours() const override {
    return "this machine's convolutions";
  }
  llvm::StringRef plainBy() const override { return kRuleName; }
  llvm::StringRef noModel() const override {
    return "no model is installed for this direction and type";
  }
  std::string whyNoModel(const Problem &problem,
                         const Machine &machine) const override {
    if (problem.flops() < kLeastModelFlops)
      return "the problem is too small for a model to matter";
    return ruleFor(convolutionOf(problem), machine).algorithm ==
                   ConvAlgorithm::Channels
               ? "each channel for itself or in small groups: the block that its "
                 "cost says is best"
               : "";
  }
  ConvDirection direction() const { return direction_; }

private:
  ConvDirection direction_;
};

class ConvSet final : public KernelSet {
public:
  ConvSet(const ConvSpace &space, DataType type, const SpaceContext &context)
      : KernelSet(space, toString(type), kConvLayout, context),
        direction_(space.direction()), type_(type),
        configs_(convKernels(direction_, machine())), features_(machine()) {}
  const ConvConfig &config(int32_t kernel) const {
    return configs_[static_cast<size_t>(kernel)];
  }

  std::string title() const override { return op() + " " + dtype(); }
  size_t size() const override { return configs_.size(); }
  std::string nameOf(int32_t kernel) const override {
    return config(kernel).name();
  }
  Part partOf(int32_t kernel) const override {
    ConvAlgorithm algorithm = config(kernel).algorithm;
    return {static_cast<int>(algorithm), toString(algorithm),
            describe(algorithm)};
  }
  std::vector<int32_t> fieldsOf(int32_t kernel) const override {
    const ConvConfig &c = config(kernel);
    return {int32_t(c.algorithm), c.vectors, c.positions, c.workKb,
            c.filterKb,           c.columns, c.together};
  }
  bool isShort() const override { return true; }

  std::optional<Refusal> supports(const Problem &problem,
                                  int32_t kernel) const override {
    return kernels::supports(convolutionOf(problem), config(kernel),
                             machine());
  }
  int32_t plain(const Problem &problem) const override {
    auto found =
        llvm::find(configs_, ruleFor(convolutionOf(problem), machine()));
    return found == configs_.end()
               ? -1
               : static_cast<int32_t>(found - configs_.begin());
  }
  std::vector<ProblemRef> draw(double gflop, uint64_t seed,
                               uint32_t stream) const override {
    return problemsOf(drawConvolutions(gflop, direction_, type_, seed, stream));
  }
  llvm::Expected<std::vector<ProblemRef>>
  read(llvm::StringRef path, const ShapeLimits &limits) const override {
    auto problems = readConvolutions(path, direction_, type_, limits);
    if (!problems)
      return problems.takeError();
    return problemsOf(*problems);
  }

  const ForestGrid &grid() const override {
    std::call_once(gridMade_, [&] { grid_ = features_.grid(configs_); });
    return grid_;
  }
  void fill(const Problem &problem, int64_t paddedTiles,
            ForestQuery &query) const override {
    features_.fill(convolutionOf(problem), configs_, paddedTiles, query);
  }
  std::vector<float> row(const Problem &problem,
                         int32_t kernel) const override {
    return features_.row(convolutionOf(problem), config(kernel));
  }
  /// With several threads, each of them computes a part of the same problem.
  ProblemRef asTrained(const Problem &problem,
                       llvm::ArrayRef<int64_t> threads) const override {
    return llvm::is_contained(threads, problem.threads()) ? nullptr
                                                          : problem.onThreads(1);
  }

  llvm::Expected<std::unique_ptr<Contest>>
  contest(const ProblemRef &problem, ThreadPool &pool, uint64_t seed) override {
    if (!run_ && context().runner)
      run_ = context().runner(op(), dtype());
    if (!run_)
      return makeError(ErrorCode::Unsupported,
                       "nothing runs {0} here: the native engine does",
                       problem->title());
    return run_(problem, pool, seed);
  }

private:
  ConvDirection direction_;
  DataType type_;
  std::vector<ConvConfig> configs_;
  ConvFeatures features_;
  mutable std::once_flag gridMade_;
  mutable ForestGrid grid_;
  ContestMaker run_;
};
} // namespace

const ConvConfig &select::convConfigOf(const KernelSet &set, int32_t kernel) {
  return static_cast<const ConvSet &>(set).config(kernel);
}

llvm::Expected<std::unique_ptr<KernelSet>>
ConvSpace::open(llvm::StringRef dtype, llvm::StringRef layout,
                const SpaceContext &context) const {
  if (llvm::Error error = check(dtype, layout))
    return error;
  return std::make_unique<ConvSet>(*this, DataType::F32, context);
}

ConvChoice ConvSelector::choose(const ConvProblem &problem) {
  if (problem.type != DataType::F32) // kernels are listed for f32 alone
    return {ruleFor(problem, registry_.machine()), kRuleName, "", {}};
  ModelAnswer answer = dispatch_.ask(*problemOf(problem));
  return {answer.kernel < 0 ? ruleFor(problem, registry_.machine())
                            : convConfigOf(*answer.kernels, answer.kernel),
          std::move(answer.by), std::move(answer.why),
          std::move(answer.passedOver)};
}

const KernelSpace &select::convForwardSpace() {
  static const ConvSpace space(ConvDirection::Forward);
  return space;
}
const KernelSpace &select::convDataSpace() {
  static const ConvSpace space(ConvDirection::BackwardData);
  return space;
}
const KernelSpace &select::convWeightsSpace() {
  static const ConvSpace space(ConvDirection::BackwardWeights);
  return space;
}

ProblemRef select::problemOf(const ConvProblem &convolution) {
  return std::make_shared<Convolution>(convolution);
}

std::vector<ProblemRef>
select::problemsOf(llvm::ArrayRef<ConvProblem> convolutions) {
  std::vector<ProblemRef> problems;
  for (const ConvProblem &one : convolutions)
    problems.push_back(problemOf(one));
  return problems;
}

const ConvProblem &select::convolutionOf(const Problem &problem) {
  return static_cast<const Convolution &>(problem).problem();
}

/// Writes the sizes under the names of CK Tile's data sets of convolutions.
void ConvSpace::write(const Problem &problem, TableWriter &out) const {
  const ConvProblem &p = convolutionOf(problem);
  out.text("problem", p.words());
  out.integer("N", p.batch);
  out.integer("C", p.channels);
  out.integer("K", p.outChannels);
  out.integer("G", p.groups);
  static constexpr struct {
    const char *names[3];
    ConvProblem::Sides ConvProblem::*sides;
  } kSides[] = {
      {{"Di", "Hi", "Wi"}, &ConvProblem::image},
      {{"Do", "Ho", "Wo"}, &ConvProblem::result},
      {{"Z", "Y", "X"}, &ConvProblem::filter},
      {{"stride_d", "stride_h", "stride_w"}, &ConvProblem::stride},
      {{"pad_d", "pad_h", "pad_w"}, &ConvProblem::low},
      {{"dilation_d", "dilation_h", "dilation_w"}, &ConvProblem::dilation}};
  for (const auto &entry : kSides)
    for (size_t d = 0; d < 3; ++d)
      out.integer(entry.names[d], (p.*entry.sides)[d]);
}

bool ConvSpace::writeKernel(llvm::StringRef name, TableWriter *out) const {
  llvm::Expected<ConvConfig> c = parseConvConfig(name);
  if (!c) {
    llvm::consumeError(c.takeError());
    return false;
  }
  if (!out)
    return true;
  out->text("road", toString(c->algorithm));
  out->integer("block_vectors", c->vectors);
  out->integer("block_positions", c->positions);
  out->integer("work_kb", c->workKb);
  out->integer("filter_kb", c->filterKb);
  out->integer("gathered_columns", c->columns);
  out->integer("together", c->together);
  return true;
}
