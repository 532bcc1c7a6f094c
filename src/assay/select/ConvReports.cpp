// The reports about convolutions. A direction has some two hundred kernels, so a
// search ranks or times all that the budget allows.
#include "assay/select/ConvReports.h"
#include "assay/select/Manifest.h"

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

/// The best `top` by an open model; what is known of the report besides.
static llvm::Expected<RankingReport>
rankOpen(ConvModel &model, const ConvProblem &problem, size_t top) {
  if (auto refusal = validate(problem))
    return makeError(refusal->code, "{0}", refusal->text);
  if (llvm::Error error = checkProblem(model, problem))
    return error;
  auto start = std::chrono::steady_clock::now();
  std::vector<RankedKernel> ranked = model.rank(problem, top);
  RankingReport report;
  report.rankUs = std::chrono::duration<double, std::micro>(
                      std::chrono::steady_clock::now() - start)
                      .count();
  report.problem = toString(problem);
  report.flops = problem.flops(), report.bytes = problem.bytes();
  report.note = model.note();
  report.kernels = model.configs().size();
  for (const RankedKernel &kernel : ranked)
    report.rows.push_back(rowOf(model, problem, kernel));
  return report;
}

llvm::Expected<RankingReport>
select::rankConvByModel(const Registry &registry, const std::string &modelDir,
                        const ConvProblem &problem, size_t top) {
  auto model = ConvModel::open(modelDir, registry);
  if (!model)
    return model.takeError();
  return rankOpen(**model, problem, top);
}

static Measurement rowFor(const ConvProblem &problem) {
  Measurement row;
  row.types = {problem.type, problem.type};
  row.conv = problem;
  row.threads = problem.threads;
  return row;
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
  llvm::Expected<RankingReport> report = rankOpen(**model, problem, looks);
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
  auto contest = source.contest(rowFor(problem), pool, options.seed);
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
  std::vector<Measurement> rows;
  for (const ConvProblem &problem : problems)
    rows.push_back(rowFor(problem));
  std::vector<ConvConfig> configs =
      convKernels(*parseConvDirection(source.op()), source.machine());
  auto numberOf = [&](const ConvConfig &config) {
    auto found = llvm::find(configs, config);
    return found == configs.end()
               ? int32_t(-1)
               : static_cast<int32_t>(found - configs.begin());
  };
  auto picker = [&](const Measurement &row) {
    return PickedProblem{row,
                         {numberOf(dispatch.choose(*row.conv).config),
                          numberOf(ruleFor(*row.conv, source.machine())),
                          std::nullopt},
                         convGroupKey(*row.conv)};
  };
  llvm::Expected<ValidateReport> report =
      validatePicks(source, rows, picker, list,
                    model ? &model->model() : nullptr, interrupt, quiet);
  if (report && model)
    report->note = model->note();
  return report;
}

//===--- Lists and explanations ------------------------------------------===//

ConvKernelList select::listConvKernels(const Registry &registry,
                                       ConvDirection direction,
                                       std::optional<size_t> limit) {
  return {direction, registry.machine().isa.name,
          convKernels(direction, registry.machine()), limit};
}

size_t ConvKernelList::shown(size_t otherwise) const {
  size_t most = limit.value_or(otherwise);
  return most > 0 ? std::min(configs.size(), most) : configs.size();
}

llvm::json::Value ConvKernelList::toJson() const {
  llvm::json::Array names;
  for (size_t i = 0; i < shown(0); ++i)
    names.push_back(configs[i].name());
  return llvm::json::Object{{"isa", isa},
                            {"op", toString(direction)},
                            {"dtype", "f32"},
                            {"layout", kConvLayout},
                            {"count", configs.size()},
                            {"kernels", std::move(names)}};
}

void ConvKernelList::print(llvm::raw_ostream &os, bool) const {
  os << configs.size() << " kernels for " << toString(direction)
     << " f32 " << kConvLayout << " on " << isa << "\n";
  std::map<ConvRoad, int64_t> counts;
  for (const ConvConfig &config : configs)
    ++counts[config.road];
  for (auto [road, count] : counts)
    os << llvm::formatv("  {0,-13}{1,5}  {2}\n", toString(road), count,
                        describe(road));
  for (size_t i = 0; i < shown(20); ++i)
    os << i << " " << configs[i].name() << "\n";
  if (size_t left = configs.size() - shown(20))
    os << "... " << left << " more (--limit 0 shows all)\n";
}

/// Times all kernels that support the problem.
static llvm::Error measureAll(ConvChoiceReport &report, KernelSource &source,
                              size_t top, const Interrupt &interrupt) {
  ThreadPool pool(report.problem.threads);
  auto contest = source.contest(rowFor(report.problem), pool, 0);
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
