// The reports about convolutions. A direction has some two hundred kernels, so a
// search ranks or times all that the budget allows.
#include "assay/select/ConvReports.h"
#include "assay/select/Choices.h"
#include "assay/select/Manifest.h"
#include "assay/support/UserFolder.h"

#include <algorithm>
#include <chrono>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

llvm::Expected<std::optional<ConvDirection>>
select::convDirectionOf(const std::string &modelDir) {
  llvm::Expected<Model> model = loadDescription(modelDir);
  if (!model)
    return model.takeError();
  return parseConvDirection(model->spec.subject.op);
}

static llvm::Error checkProblem(const ConvModel &model,
                                const ConvProblem &problem) {
  if (model.direction() == problem.direction && model.type() == problem.type)
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument,
                   "the model '{0}' is of {1} {2}, asked for is {3}",
                   model.model().folder, toString(model.direction()),
                   toString(model.type()), toString(problem));
}

static RankingReport::Row rowOf(const ConvModel &model,
                                const ConvProblem &problem,
                                const RankedKernel &ranked) {
  return predictedRow(
      model.model(),
      model.configs()[static_cast<size_t>(ranked.kernel)].name(), ranked.score,
      model.row(problem, ranked.kernel), problem.flops(), problem.bytes());
}

static llvm::Error checkAsked(const ConvModel &model,
                              const ConvProblem &problem) {
  if (auto refusal = validate(problem))
    return makeError(refusal->code, "{0}", refusal->text);
  return checkProblem(model, problem);
}

llvm::Expected<RankingReport>
select::rankConvBy(llvm::Expected<ConvModel *> model,
                   const ConvProblem &problem, size_t top) {
  if (!model)
    return model.takeError();
  if (llvm::Error error = checkAsked(**model, problem))
    return error;
  auto start = std::chrono::steady_clock::now();
  std::vector<RankedKernel> ranked = (*model)->rank(problem, top);
  RankingReport report;
  report.rankUs = std::chrono::duration<double, std::micro>(
                      std::chrono::steady_clock::now() - start)
                      .count();
  if (ranked.empty())
    return makeError(ErrorCode::Unsupported, "no kernel supports {0}",
                     toString(problem));
  report.problem = toString(problem);
  report.flops = problem.flops(), report.bytes = problem.bytes();
  report.note = (*model)->note();
  report.kernels = (*model)->configs().size();
  for (const RankedKernel &kernel : ranked)
    report.rows.push_back(rowOf(**model, problem, kernel));
  return report;
}

llvm::Expected<RankingReport::Row>
select::predictConvFor(llvm::Expected<ConvModel *> model,
                       const ConvProblem &problem, llvm::StringRef kernel) {
  if (!model)
    return model.takeError();
  if (llvm::Error error = checkAsked(**model, problem))
    return error;
  llvm::ArrayRef<ConvConfig> configs = (*model)->configs();
  auto found = llvm::find_if(configs, [&](const ConvConfig &config) {
    return config.name() == kernel;
  });
  if (found == configs.end())
    return makeError(ErrorCode::NotFound, "no kernel is called '{0}'", kernel);
  std::vector<RankedKernel> ranked = (*model)->rank(problem, configs.size());
  for (const RankedKernel &one : ranked)
    if (configs.begin() + one.kernel == found)
      return rowOf(**model, problem, one);
  return makeError(ErrorCode::Unsupported, "{0} cannot compute {1}", kernel,
                   toString(problem));
}

llvm::Expected<ConvModel *> ConvModelCache::of(const ConvProblem &problem) {
  std::lock_guard<std::mutex> lock(mutex_);
  ModelKind kind(problem.direction, problem.type);
  std::unique_ptr<ConvModel> &model = models_[kind.op + " " + kind.dtype];
  if (model)
    return model.get();
  std::vector<std::string> folders{folder_};
  if (folder_.empty()) {
    folders.clear();
    for (const FoundModel &found : surveyModels(registry_, modelFolders(), kind,
                                                /*anyMachine=*/true))
      folders.push_back(found.folder);
  }
  std::string tried;
  for (const std::string &folder : folders) {
    auto opened = ConvModel::open(folder, registry_);
    if (opened) {
      model = std::move(*opened);
      return model.get();
    }
    if (!folder_.empty())
      return opened.takeError();
    tried += "; " + takeError(opened.takeError()).message;
  }
  return makeError(ErrorCode::NotFound,
                   "no model of {0} {1} {2} is installed{3}; `assay tune auto` "
                   "makes one",
                   kind.op, kind.dtype, kind.layout, tried);
}

llvm::Expected<RankingReport>
select::rankConvByModel(const Registry &registry, const std::string &modelDir,
                        const ConvProblem &problem, size_t top) {
  auto model = ConvModel::open(modelDir, registry);
  if (!model)
    return model.takeError();
  return rankConvBy(model->get(), problem, top);
}

/// Numbers of a contest's kernels by name.
static std::map<std::string, int32_t> numbersOf(const Contest &contest) {
  std::map<std::string, int32_t> numbers;
  for (int32_t kernel : contest.candidates())
    numbers[contest.name(kernel)] = kernel;
  return numbers;
}

llvm::Expected<RankingReport>
select::searchConv(KernelSource &source, const Registry &registry,
                   const std::string &modelDir, const ConvProblem &problem,
                   const SearchOptions &options, int mostPairs,
                   const Interrupt &interrupt) {
  auto model = ConvModel::open(modelDir, registry);
  if (!model)
    return model.takeError();
  bool timed = mostPairs > 0;
  size_t looks = timed ? static_cast<size_t>(options.budget) : options.top;
  llvm::Expected<RankingReport> report =
      rankConvBy(model->get(), problem, looks);
  if (!report)
    return report;
  report->rankUs = 0;
  if (!timed) {
    report->note += (report->note.empty() ? "" : "; ") +
                    std::string("all kernels were ranked, no strategy finds a "
                                "better one");
    return report;
  }
  ThreadPool pool(problem.threads);
  auto contest = source.contest(problemOf(problem), pool, options.seed);
  if (!contest)
    return contest.takeError();
  std::map<std::string, int32_t> numbers = numbersOf(**contest);
  std::vector<int32_t> kernels;
  for (const RankingReport::Row &row : report->rows)
    if (auto found = numbers.find(row.kernel); found != numbers.end())
      kernels.push_back(found->second);
  auto times = timeContenders(**contest, kernels, mostPairs, interrupt);
  if (!times)
    return times.takeError();
  for (RankingReport::Row &row : report->rows)
    for (const TimedContender &kernel : *times)
      if ((*contest)->name(kernel.kernel) == row.kernel)
        row.ns = kernel.ns;
  std::erase_if(report->rows, [](const auto &row) { return row.ns == 0; });
  llvm::stable_sort(report->rows,
                    [](const auto &a, const auto &b) { return a.ns < b.ns; });
  if (report->rows.size() > options.top)
    report->rows.resize(options.top);
  return report;
}

llvm::Expected<ValidateReport>
select::validateConv(KernelSource &source, const Registry &registry,
                     const std::string &modelDir,
                     llvm::ArrayRef<ConvProblem> problems,
                     const RaceList &list, const Interrupt &interrupt,
                     bool quiet) {
  std::unique_ptr<ConvModel> model;
  if (!modelDir.empty()) {
    if (llvm::Error error =
            ConvModel::open(modelDir, registry, /*rankingOnly=*/true)
                .moveInto(model))
      return error;
    if (!problems.empty())
      if (llvm::Error error = checkProblem(*model, problems.front()))
        return error;
  }
  ConvSelector dispatch(registry,
                        modelDir.empty() ? std::vector<std::string>()
                                         : std::vector{modelDir},
                        /*anyMachine=*/!modelDir.empty());
  std::vector<ProblemRef> rows = problemsOf(problems);
  std::vector<ConvConfig> configs =
      convKernels(*parseConvDirection(source.op()), source.machine());
  auto numberOf = [&](const ConvConfig &config) {
    auto found = llvm::find(configs, config);
    return found == configs.end()
               ? int32_t(-1)
               : static_cast<int32_t>(found - configs.begin());
  };
  auto picker = [&](const ProblemRef &row) {
    const ConvProblem &problem = convolutionOf(*row);
    return PickedProblem{row,
                         {numberOf(dispatch.choose(problem).config),
                          numberOf(ruleFor(problem, source.machine())),
                          std::nullopt}};
  };
  llvm::Expected<ValidateReport> report =
      validatePicks(source, rows, picker, list,
                    model ? &model->model() : nullptr, interrupt, quiet);
  if (report && model)
    report->note = model->note();
  return report;
}

//===--- Explanations -----------------------------------------------------===//

/// Times all kernels that support the problem.
static llvm::Error measureAll(ConvChoiceReport &report, KernelSource &source,
                              size_t top, const Interrupt &interrupt) {
  ThreadPool pool(report.problem.threads);
  auto contest = source.contest(problemOf(report.problem), pool, 0);
  if (!contest)
    return contest.takeError();
  auto times =
      timeContenders(**contest, (*contest)->candidates(), 25, interrupt);
  if (!times)
    return times.takeError();
  llvm::stable_sort(*times, [](const auto &a, const auto &b) {
    return a.ratio < b.ratio;
  });
  // The anchor's time is measured with each; one of them serves for all, so that
  // times are in the order of the ratios.
  double anchorNs = times->front().ns / times->front().ratio;
  for (const TimedContender &kernel : *times) {
    std::string name = (*contest)->name(kernel.kernel);
    double ns = kernel.ratio * anchorNs;
    if (name == report.choice.config.name())
      report.choiceUs = ns * 1e-3;
    if (report.rows.size() < top)
      report.rows.push_back({name, ns * 1e-3, report.problem.flops() / ns});
  }
  return llvm::Error::success();
}

llvm::Expected<ConvChoiceReport>
select::explainConv(const Registry &registry, KernelSource *source,
                    const ConvProblem &problem, size_t top,
                    const Interrupt &interrupt) {
  if (auto refusal = validate(problem))
    return makeError(refusal->code, "{0}", refusal->text);
  ConvChoiceReport report;
  report.problem = problem;
  report.processor = registry.machine().processor;
  report.isa = registry.machine().isa.name;
  report.choice = ConvSelector(registry).choose(problem);
  for (const ConvConfig &config :
       convKernels(problem.direction, registry.machine()))
    if (auto refusal = supports(problem, config, registry.machine()))
      ++report.refusals[refusal->text];
    else
      ++report.supported;
  if (source)
    if (llvm::Error error = measureAll(report, *source, top, interrupt))
      return error;
  return report;
}

llvm::json::Value ConvChoiceReport::toJson() const {
  llvm::json::Array kernels, passed;
  for (const Row &row : rows)
    kernels.push_back(llvm::json::Object{{"kernel", row.kernel},
                                         {"measured_us", row.us},
                                         {"gflops", row.gflops}});
  for (const PassedModel &model : choice.passedOver)
    passed.push_back(
        llvm::json::Object{{"model", model.folder}, {"why", model.why}});
  llvm::json::Object reasons;
  for (const auto &[reason, count] : refusals)
    reasons[reason] = count;
  return llvm::json::Object{
      {"problem", toString(problem)},
      {"isa", isa},
      {"choice", choice.config.name()},
      {"by", choice.by},
      {"why", choice.why},
      {"passed_over", std::move(passed)},
      {"supported", supported},
      {"refusals", std::move(reasons)},
      {"choice_us",
       choiceUs > 0 ? llvm::json::Value(choiceUs) : llvm::json::Value(nullptr)},
      {"kernels", std::move(kernels)}};
}

void ConvChoiceReport::print(llvm::raw_ostream &os, bool details) const {
  os << toString(problem) << " on " << processor << " (" << isa << ")\n"
     << "choice: " << choice.config.name() << ", by " << choice.by
     << (choice.why.empty() ? "" : ": " + choice.why) << "\n";
  for (const PassedModel &model : choice.passedOver)
    os << "  not asked: '" << model.folder << "': " << model.why << "\n";
  os << supported << " kernels support the problem\n";
  if (details)
    for (const auto &[reason, count] : refusals)
      os << llvm::formatv("{0,5} do not: {1}\n", count, reason);
  for (const Row &row : rows)
    os << llvm::formatv("{0,10:f1} us {1,8:f1} GFLOP/s  {2}\n", row.us,
                        row.gflops, row.kernel);
  if (choiceUs > 0)
    os << llvm::formatv("the choice takes {0:f1} us, {1:P1} of the best\n",
                        choiceUs, rows.front().us / choiceUs);
}
