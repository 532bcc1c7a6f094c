// Products and convolutions as what is chosen between. Each knows its own models
// and its own selectors; whoever judges sees numbers of a list and problems.
#include "assay/select/Choices.h"
#include "assay/kernels/CostModel.h"
#include "assay/select/Search.h"

#include <algorithm>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

ModelKind Choices::kind() {
  return ModelKind(source().op(), source().dtype(), source().layout());
}

std::vector<ProblemRef> Choices::drawAsked(double gflop, uint64_t seed,
                                            uint32_t stream) const {
  std::vector<ProblemRef> problems = draw(gflop, seed, stream);
  llvm::erase_if(problems, [](const ProblemRef &problem) {
    return problem->flops() < kLeastModelFlops;
  });
  return problems;
}

llvm::StringRef Choices::plainBy() {
  return isConvOp(source().op()) ? kRuleName : kAnalyticName;
}

std::string select::plainName(llvm::StringRef op) {
  return isConvOp(op) ? kRuleName : "the analytic choice";
}

static std::vector<int32_t> numbersOf(llvm::ArrayRef<RankedKernel> ranked) {
  std::vector<int32_t> numbers;
  for (const RankedKernel &kernel : ranked)
    numbers.push_back(kernel.kernel);
  return numbers;
}

//===--- Products ---------------------------------------------------------===//

namespace {
class GemmPickingModel final : public PickingModel {
public:
  explicit GemmPickingModel(std::unique_ptr<KernelModel> model)
      : model_(std::move(model)) {}
  const Model &model() const override { return model_->model(); }
  std::string foreign() const override { return model_->foreign(); }
  std::string note() const override { return model_->note(); }
  std::vector<int32_t> best(const ProblemRef &problem,
                            size_t count) override {
    if (count > 1)
      return numbersOf(model_->rank(productOf(*problem), count));
    std::optional<RankedKernel> one = model_->best(productOf(*problem));
    return one && count ? std::vector{one->kernel} : std::vector<int32_t>();
  }

private:
  std::unique_ptr<KernelModel> model_;
};
} // namespace

GemmChoices::GemmChoices(Registry &registry, const KernelKind &kind)
    : registry_(registry), kind_(kind),
      source_(registry, kind.types, kind.layout),
      analytic_(makeAnalyticSelector(registry)) {}

std::vector<int32_t> GemmChoices::supported(const ProblemRef &problem) {
  return supportedKernels(registry_, productOf(*problem),
                          source_.kernelsFor(productOf(*problem).k));
}

int32_t GemmChoices::plain(const ProblemRef &problem) {
  return source_.numberOf(analytic_->choose(productOf(*problem)), productOf(*problem).k);
}

llvm::Expected<std::unique_ptr<PickingModel>>
GemmChoices::open(llvm::StringRef folder) {
  auto model = openModel(folder, registry_);
  if (!model)
    return model.takeError();
  if (!((*model)->types() == kind_.types) || (*model)->layout() != kind_.layout)
    return makeError(ErrorCode::InvalidArgument,
                     "the models are of different types or layouts");
  return std::make_unique<GemmPickingModel>(std::move(*model));
}

std::function<Pick(const ProblemRef &)>
GemmChoices::dispatch(std::vector<std::string> folders) {
  auto selector =
      std::make_shared<LearnedSelector>(registry_, std::move(folders));
  return [this, selector](const ProblemRef &problem) {
    Explanation choice = selector->explain(productOf(*problem));
    return Pick{source_.numberOf(choice.config, productOf(*problem).k), choice.by};
  };
}

std::vector<ProblemRef> GemmChoices::draw(double gflop, uint64_t seed,
                                           uint32_t stream) const {
  return gemmProblems(kind_.types, kind_.layout,
                      drawShapes(gflop, seed, stream), {1});
}

llvm::Expected<std::vector<ProblemRef>>
GemmChoices::read(llvm::StringRef path, const ShapeLimits &limits) const {
  auto shapes = readShapes(path, limits);
  if (!shapes)
    return shapes.takeError();
  return gemmProblems(kind_.types, kind_.layout, *shapes, {1});
}

//===--- Convolutions ------------------------------------------------------===//

namespace {
class ConvPickingModel final : public PickingModel {
public:
  explicit ConvPickingModel(std::unique_ptr<ConvModel> model)
      : model_(std::move(model)) {}
  const Model &model() const override { return model_->model(); }
  std::string foreign() const override { return model_->foreign(); }
  std::string note() const override { return model_->note(); }
  std::vector<int32_t> best(const ProblemRef &problem,
                            size_t count) override {
    return numbersOf(model_->rank(model_->askedAs(convolutionOf(*problem)), count));
  }

private:
  std::unique_ptr<ConvModel> model_;
};
} // namespace

ConvChoices::ConvChoices(std::unique_ptr<KernelSource> source,
                         const Registry &registry)
    : source_(std::move(source)), registry_(registry),
      direction_(*parseConvDirection(source_->op())),
      type_(*parseDataType(source_->dtype())),
      configs_(convKernels(direction_, source_->machine())) {}

int32_t ConvChoices::numberOf(const ConvConfig &config) const {
  auto found = llvm::find(configs_, config);
  return found == configs_.end()
             ? -1
             : static_cast<int32_t>(found - configs_.begin());
}

std::vector<int32_t> ConvChoices::supported(const ProblemRef &problem) {
  std::vector<int32_t> numbers;
  for (size_t i = 0; i < configs_.size(); ++i)
    if (!supports(convolutionOf(*problem), configs_[i], source_->machine()))
      numbers.push_back(static_cast<int32_t>(i));
  return numbers;
}

int32_t ConvChoices::plain(const ProblemRef &problem) {
  return numberOf(ruleFor(convolutionOf(*problem), source_->machine()));
}

llvm::Expected<std::unique_ptr<PickingModel>>
ConvChoices::open(llvm::StringRef folder) {
  auto model = ConvModel::open(folder, registry_);
  if (!model)
    return model.takeError();
  if ((*model)->direction() != direction_ || (*model)->type() != type_)
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' is of {1} {2}, not of {3} {4}", folder,
                     toString((*model)->direction()),
                     toString((*model)->type()), toString(direction_),
                     toString(type_));
  return std::make_unique<ConvPickingModel>(std::move(*model));
}

std::function<Pick(const ProblemRef &)>
ConvChoices::dispatch(std::vector<std::string> folders) {
  auto selector =
      std::make_shared<ConvSelector>(registry_, std::move(folders));
  return [this, selector](const ProblemRef &problem) {
    ConvChoice choice = selector->choose(convolutionOf(*problem));
    return Pick{numberOf(choice.config), choice.by};
  };
}

std::vector<ProblemRef> ConvChoices::draw(double gflop, uint64_t seed,
                                           uint32_t stream) const {
  return problemsOf(
      drawConvolutions(gflop, direction_, type_, seed, stream));
}

llvm::Expected<std::vector<ProblemRef>>
ConvChoices::read(llvm::StringRef path, const ShapeLimits &limits) const {
  auto problems = readConvolutions(path, direction_, type_, limits);
  if (!problems)
    return problems.takeError();
  return problemsOf(*problems);
}
