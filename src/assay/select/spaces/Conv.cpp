// Convolutions of this processor, a space for each direction: problems in
// benchdnn's words, kernels by the names of their configurations, features by
// ConvFeatures.def.
#include "assay/select/spaces/Conv.h"
#include "assay/select/ConvFeatures.h"

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
      return addContext(problem.takeError(), words.place);
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

private:
  ConvDirection direction_;
};
} // namespace

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

/// Sizes as CK Tile's data sets of convolutions name them.
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
