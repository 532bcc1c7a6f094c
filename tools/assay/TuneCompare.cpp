// `assay tune compare`: where two models pick different kernels, and with
// --measure what the difference costs.
#include "Tune.h"
#include "assay/select/Search.h"
#include "assay/support/Table.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

static llvm::Expected<std::unique_ptr<KernelModel>>
open(const std::string &folder, kernels::Registry &registry) {
  llvm::Expected<Model> model = loadModel(folder);
  if (!model)
    return model.takeError();
  return KernelModel::create(std::move(*model), registry);
}

ExitCode tools::tuneCompare(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Shows the problems for which two models pick different "
               "kernels, and times both picks in turns.\n\n"
               "examples:\n"
               "  assay tune compare --model_dir models/v2 --old models/v1 "
               "--shapes shapes.csv");
  std::string modelDir, oldDir, shapesPath, threadText, json;
  int pairs = 60;
  size_t sampleSize = 60;
  bool noMeasure = false;
  LimitFlags limits;
  app.add_option("--model_dir,--model-dir", modelDir, "the new model")
      ->required();
  app.add_option("--old", oldDir, "the old model")->required();
  app.add_option("--shapes", shapesPath,
                 "CSV with the header m,n,k or m,n,k,batch")
      ->required();
  app.add_option("--sample", sampleSize, "problems to draw from it")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option(
      "--threads", threadText,
      "numbers of threads, such as 1,2 (default: one, and all cores)");
  app.add_option("--pairs", pairs, "most pairs of one measurement")
      ->capture_default_str()
      ->check(CLI::Range(7, 10000));
  app.add_flag("--no-measure", noMeasure, "only list the differences");
  app.add_option("--json", json, "rows as JSON; - for standard output");
  limits.add(app);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<std::vector<Shape>> shapes = readShapes(shapesPath);
  if (!shapes)
    return reportError(shapes.takeError());
  llvm::Expected<std::vector<int>> threads = parseThreadList(threadText);
  if (!threads)
    return reportError(threads.takeError());
  kernels::Registry registry;
  auto fresh = open(modelDir, registry), old = open(oldDir, registry);
  if (!fresh || !old) {
    llvm::Error error =
        llvm::joinErrors(fresh ? llvm::Error::success() : fresh.takeError(),
                         old ? llvm::Error::success() : old.takeError());
    return reportError(std::move(error));
  }
  if ((*fresh)->layout() != (*old)->layout() ||
      !((*fresh)->types() == (*old)->types()))
    return reportError(makeError(
        ErrorCode::Mismatch, "the models are of different types or layouts"));
  ThreadPool pool(*std::max_element(threads->begin(), threads->end()));
  Interrupt interrupt = limits.interrupt();
  Table table({{"problem"},
               {"new / old time", Table::Align::Right},
               {"noise", Table::Align::Right},
               {"new pick"},
               {"old pick"}});
  llvm::json::Array rows;
  int64_t problems = 0, different = 0;
  double logs = 0;
  for (const Shape &shape :
       sampleShapes(std::move(*shapes), sampleSize, limits.seed))
    for (int count : *threads) {
      kernels::GemmProblem problem = kernels::GemmProblem::make(
          (*fresh)->types(), (*fresh)->layout(), shape.m, shape.n, shape.k,
          shape.batch, count);
      std::optional<RankedKernel> a = (*fresh)->best(problem),
                                  b = (*old)->best(problem);
      if (!a || !b)
        continue;
      ++problems;
      if (a->kernel == b->kernel)
        continue;
      ++different;
      const kernels::GemmConfig &mine = (*fresh)->configs()[a->kernel],
                                &theirs = (*old)->configs()[b->kernel];
      double ratio = std::nan(""), noise = 0;
      if (!noMeasure) {
        auto timed = timeKernels(registry, pool, problem, {theirs, mine}, pairs,
                                 limits.seed, interrupt);
        if (!timed)
          return reportError(timed.takeError());
        if (timed->size() == 2) {
          ratio = (*timed)[1].ratio / (*timed)[0].ratio;
          noise = (*timed)[1].noise;
          logs += std::log(ratio);
        }
      }
      table.addRow({kernels::toString(problem),
                    noMeasure ? "-" : llvm::formatv("{0:f3}", ratio).str(),
                    llvm::formatv("{0:P1}", noise), mine.name(),
                    theirs.name()});
      llvm::json::Object row{{"problem", kernels::toString(problem)},
                             {"new", mine.name()},
                             {"old", theirs.name()}};
      if (std::isfinite(ratio))
        row["ratio"] = ratio;
      rows.push_back(std::move(row));
    }
  if (problems == 0) {
    llvm::errs() << "assay: error: nothing was compared\n";
    return ExitCode::NothingChecked;
  }
  if (!json.empty())
    if (llvm::Error error =
            writeJson(json, llvm::json::Object{{"problems", problems},
                                               {"rows", std::move(rows)}}))
      return reportError(std::move(error));
  if (json != "-") {
    table.print(llvm::outs());
    llvm::outs() << llvm::formatv("compared: {0} of {1} problems differ",
                                  different, problems);
    if (different > 0 && !noMeasure)
      llvm::outs() << llvm::formatv(
          "; over those the new picks take {0:f3} of the old ones' time "
          "(geomean)",
          std::exp(logs / static_cast<double>(different)));
    llvm::outs() << "\n";
  }
  return ExitCode::Ok;
}
