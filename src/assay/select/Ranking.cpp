// Rankings of one problem's kernels: by a model, by a search, by measured time.
// All of them are reported in the same table.
#include "assay/select/Ranking.h"
#include "assay/select/ModelSurvey.h"
#include "assay/support/Table.h"
#include "assay/support/UserFolder.h"

#include <chrono>
#include <cmath>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// Reduces the targets of one kernel to one time, so that they agree: the
/// geometric mean of their predictions. Each target has its own model, and
/// outside of their training they drift apart.
static void reconcile(double flops, double bytes,
                      std::map<Target, double> &predicted) {
  double logs = 0;
  int count = 0;
  auto add = [&](Target target, auto milliseconds) {
    auto found = predicted.find(target);
    if (found == predicted.end() || found->second <= 0)
      return;
    logs += std::log(milliseconds(found->second));
    ++count;
  };
  add(Target::Tflops, [&](double x) { return flops / x * 1e-9; });
  add(Target::Latency, [&](double x) { return x; });
  add(Target::Bandwidth, [&](double x) { return bytes / x * 1e-6; });
  if (count == 0)
    return;
  double ms = std::exp(logs / count);
  for (auto &[target, value] : predicted)
    value = target == Target::Tflops      ? flops / ms * 1e-9
            : target == Target::Latency   ? ms
            : target == Target::Bandwidth ? bytes / ms * 1e-6
                                          : value;
}

/// A note that readers of a ranking need.
static std::string noteOf(const KernelModel &model, const Problem &problem) {
  std::string note = model.note(),
              outside = problem.space().outside(model.model(), problem);
  if (outside.empty())
    return note;
  return outside + ": a guess" + (note.empty() ? "" : "; " + note);
}

/// A model's prediction for one kernel: all its targets, reduced to one time.
static RankingReport::Row rowOf(const KernelModel &model,
                                const Problem &problem,
                                const RankedKernel &ranked) {
  RankingReport::Row row;
  row.kernel = model.kernels().nameOf(ranked.kernel);
  row.score = ranked.score;
  std::vector<float> features = model.row(problem, ranked.kernel);
  for (const auto &[target, trees] : model.model().trees)
    row.predicted[target] = model.model().predict(target, features);
  reconcile(problem.flops(), problem.bytes(), row.predicted);
  if (model.model().rankingTarget() == Target::Efficiency)
    row.share = toValue(model.model().spec.targets.at(Target::Efficiency),
                        ranked.score, 0);
  return row;
}

/// A report without kernels. Errors: InvalidArgument (a model for other problems)
static llvm::Expected<RankingReport> reportOf(const KernelModel &model,
                                              const Problem &problem) {
  const KernelSet &kernels = model.kernels();
  if (!kernels.takes(problem))
    return makeError(ErrorCode::InvalidArgument,
                     "the model '{0}' is for {1}, expected {2}",
                     model.model().folder, kernels.title(), problem.title());
  RankingReport report;
  report.problem = kernels.titleOf(problem);
  report.flops = problem.flops(), report.bytes = problem.bytes();
  report.note = noteOf(model, problem);
  report.kernels = kernels.size();
  return report;
}

llvm::Expected<RankingReport> select::rankBy(llvm::Expected<KernelModel *> model,
                                             const Problem &problem,
                                             size_t top) {
  if (!model)
    return model.takeError();
  llvm::Expected<RankingReport> report = reportOf(**model, problem);
  if (!report)
    return report;
  auto start = std::chrono::steady_clock::now();
  std::vector<RankedKernel> ranked = (*model)->rank(problem, top);
  report->rankUs = std::chrono::duration<double, std::micro>(
                       std::chrono::steady_clock::now() - start)
                       .count();
  if (ranked.empty())
    return makeError(ErrorCode::Unsupported, "no kernel supports {0}",
                     problem.title());
  for (const RankedKernel &kernel : ranked)
    report->rows.push_back(rowOf(**model, problem, kernel));
  return report;
}

llvm::Expected<RankingReport> select::rankByModel(Registry &registry,
                                                  const std::string &modelDir,
                                                  const Problem &problem,
                                                  size_t top) {
  auto model = openModel(modelDir, registry);
  if (!model)
    return model.takeError();
  return rankBy(model->get(), problem, top);
}

llvm::Expected<RankingReport::Row>
select::predictFor(llvm::Expected<KernelModel *> model, const Problem &problem,
                   llvm::StringRef kernel) {
  if (!model)
    return model.takeError();
  if (llvm::Expected<RankingReport> report = reportOf(**model, problem);
      !report)
    return report.takeError();
  const KernelSet &kernels = (*model)->kernels();
  int32_t number = kernels.numberOf(kernel, problem);
  if (number < 0 || static_cast<size_t>(number) >= kernels.size())
    return makeError(ErrorCode::NotFound, "no kernel is called '{0}'", kernel);
  if (auto refusal = kernels.supports(problem, number))
    return makeError(refusal->code, "{0} cannot compute {1}: {2}", kernel,
                     problem.title(), refusal->text);
  const Model &trees = (*model)->model();
  return rowOf(**model, problem,
               {number, trees.score(*trees.rankingTarget(),
                                    (*model)->row(problem, number))});
}

llvm::Expected<KernelModel *> ModelCache::of(const Problem &problem) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string name = problem.space().op().str() + " " + problem.dtype() + " " +
                     problem.modelLayout();
  std::unique_ptr<KernelModel> &model = models_[name];
  if (!model)
    if (llvm::Error error = find(problem).moveInto(model))
      return error;
  return model.get();
}

llvm::Expected<std::unique_ptr<KernelModel>>
ModelCache::find(const Problem &problem) {
  const LocalSpace &space = problem.space();
  if (!folder_.empty())
    return openModel(folder_, registry_, &space);
  ModelKind kind(space.op().str(), problem.dtype(), problem.modelLayout());
  std::string tried;
  for (const FoundModel &found : surveyModels(registry_, modelFolders(), kind,
                                              /*anyMachine=*/true)) {
    auto model = openModel(found.folder, registry_, &space);
    if (model)
      return model;
    tried += "; " + takeError(model.takeError()).message;
  }
  return makeError(ErrorCode::NotFound,
                   "no model of {0} is installed{1}; `assay tune auto` makes "
                   "one",
                   kind.text(), tried);
}

/// Times the kernels of the rows and keeps the `top` fastest, fastest first.
static llvm::Error timeRows(RankingReport &report, KernelSet &set,
                            const ProblemRef &problem,
                            const SearchOptions &options, int mostPairs,
                            const Interrupt &interrupt) {
  ThreadPool pool(problem->threads());
  std::map<int32_t, RankingReport::Row *> rows;
  std::vector<int32_t> kernels;
  for (RankingReport::Row &row : report.rows) {
    kernels.push_back(set.numberOf(row.kernel, *problem));
    rows[kernels.back()] = &row;
  }
  auto timed = timePicks(set, pool, problem, kernels,
                         {mostPairs, options.seed}, interrupt);
  if (!timed)
    return timed.takeError();
  for (const TimedContender &kernel : *timed)
    rows[kernel.kernel]->ns = kernel.ns;
  std::erase_if(report.rows, [](const auto &row) { return row.ns == 0; });
  llvm::stable_sort(report.rows,
                    [](const auto &a, const auto &b) { return a.ns < b.ns; });
  if (report.rows.size() > options.top)
    report.rows.resize(options.top);
  return llvm::Error::success();
}

llvm::Expected<RankingReport>
select::searchByModel(const SpaceContext &context, const std::string &modelDir,
                      const ProblemRef &problem, const SearchOptions &options,
                      int mostPairs, const Interrupt &interrupt) {
  auto model = openModel(modelDir, context.registry);
  if (!model)
    return model.takeError();
  llvm::Expected<RankingReport> report = reportOf(**model, *problem);
  if (!report)
    return report;
  const KernelSet &kernels = (*model)->kernels();
  auto set = kernels.space().open(kernels.dtype(), kernels.layout(), context);
  if (!set)
    return set.takeError();
  bool isShort = kernels.isShort();
  std::vector<RankedKernel> found;
  if (isShort) {
    found = (*model)->rank(*problem, mostPairs > 0
                                         ? static_cast<size_t>(options.budget)
                                         : options.top);
    if (found.empty())
      return makeError(ErrorCode::Unsupported, "no kernel supports {0}",
                       problem->title());
  } else if (options.strategy == Strategy::Active) {
    ThreadPool pool(problem->threads());
    auto measured = searchByClock(**model, **set, pool, problem, options,
                                  mostPairs, interrupt);
    if (!measured)
      return measured.takeError();
    for (const MeasuredKernel &kernel : *measured) {
      report->rows.push_back(rowOf(**model, *problem, kernel.ranked));
      report->rows.back().ns = kernel.ns;
    }
    return report;
  } else if (llvm::Error error =
                 search(**model, *problem, options).moveInto(found)) {
    return error;
  }
  for (const RankedKernel &kernel : found)
    report->rows.push_back(rowOf(**model, *problem, kernel));
  if (mostPairs > 0) {
    if (llvm::Error error = timeRows(*report, **set, problem, options,
                                     mostPairs, interrupt))
      return error;
  } else if (isShort) {
    report->note += (report->note.empty() ? "" : "; ") +
                    std::string("all kernels were ranked, no strategy finds a "
                                "better one");
  }
  return report;
}

llvm::json::Object RankingReport::Row::toJson() const {
  llvm::json::Object object{{"kernel", kernel}, {"score", score}};
  for (auto [target, value] : predicted)
    object[toString(target)] = value;
  return object;
}

llvm::json::Value RankingReport::toJson() const {
  llvm::json::Array array;
  for (const Row &row : rows) {
    llvm::json::Object object = row.toJson();
    if (rankUs == 0 && row.predicted.count(Target::Tflops))
      object["predicted_tflops"] = row.predicted.at(Target::Tflops);
    if (row.ns > 0)
      object["ns"] = row.ns;
    array.push_back(std::move(object));
  }
  return llvm::json::Object{
      {"problem", problem}, {"note", note}, {"kernels", std::move(array)}};
}

void RankingReport::print(llvm::raw_ostream &os, bool details) const {
  using Align = Table::Align;
  // The rows are ordered by the first figure.
  bool measured = !rows.empty() && rows[0].ns > 0,
       rated = !rows.empty() && rows[0].share > 0;
  std::vector<Table::Column> columns{{"kernel"}};
  if (measured)
    for (const char *title : {"measured us", "GFLOP/s"})
      columns.push_back({title, Align::Right});
  if (rated)
    columns.push_back({"of best", Align::Right});
  for (const char *title : {"TFLOPS", "ms", "GB/s"})
    columns.push_back({title, Align::Right});
  Table table(std::move(columns));
  for (const Row &row : rows) {
    auto cell = [&](Target target, const char *format) {
      auto found = row.predicted.find(target);
      return found == row.predicted.end()
                 ? std::string("-")
                 : llvm::formatv(false, format, found->second).str();
    };
    std::vector<std::string> cells{row.kernel};
    if (measured) {
      cells.push_back(llvm::formatv("{0:f2}", row.ns * 1e-3));
      cells.push_back(llvm::formatv("{0:f1}", flops / row.ns));
    }
    if (rated)
      cells.push_back(llvm::formatv("{0:P1}", row.share));
    cells.push_back(cell(Target::Tflops, "{0:f4}"));
    cells.push_back(cell(Target::Latency, "{0:f5}"));
    cells.push_back(cell(Target::Bandwidth, "{0:f2}"));
    table.addRow(std::move(cells));
  }
  if (details)
    table.print(os);
  if (rankUs > 0)
    os << llvm::formatv("predicted: {0} of {1} kernels for {2}, ranked in "
                        "{3:f0} us\n",
                        rows.size(), kernels, problem, rankUs);
  if (!note.empty())
    os << "note: " << note << "\n";
}
