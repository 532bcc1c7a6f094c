// `assay tune predict`: the kernels that a model ranks first for a problem,
// with what it predicts for them.
#include "Tune.h"
#include "assay/select/LearnedSelector.h"
#include "assay/support/Table.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace assay;
using namespace assay::tools;
using namespace assay::select;

static llvm::json::Object toJson(const KernelModel &model,
                                 const kernels::GemmProblem &problem,
                                 const RankedKernel &ranked) {
  std::vector<float> row = model.row(problem, ranked.kernel);
  llvm::json::Object object{{"kernel", model.configs()[ranked.kernel].name()},
                            {"score", ranked.score}};
  for (const auto &[target, trees] : model.model().trees)
    object[toString(target)] = model.model().predict(target, row);
  return object;
}

ExitCode tools::tunePredict(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Ranks this machine's kernels for a problem by a model.\n\n"
               "examples:\n"
               "  assay tune predict --model_dir models/gemm_f32_rcr --m 128 "
               "--n 1536 --k 7168 --layout rcr\n"
               "  assay tune predict --model_dir models/gemm_f32_rcr --m 1 --n "
               "4096 --k 4096 --threads 1 --top_k 3 --json -");
  std::string modelDir, json;
  KernelFlags kernelFlags;
  ProblemFlags problemFlags;
  int threads = 0;
  size_t top = 10;
  app.add_option("--model_dir,--model-dir", modelDir, "the model folder")
      ->required();
  kernelFlags.add(app);
  problemFlags.add(app);
  app.add_option("--threads", threads, "default: all cores");
  app.add_option("--top_k,--top-k", top, "kernels to show")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--json", json, "the ranking as JSON; - for standard output");
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (llvm::Error error = kernelFlags.check())
    return reportError(std::move(error));
  llvm::Expected<kernels::GemmProblem> problem =
      problemFlags.make(kernelFlags, threads);
  if (!problem)
    return reportError(problem.takeError());
  llvm::Expected<Model> model = loadModel(modelDir);
  if (!model)
    return reportError(model.takeError());
  if (model->spec.subject.dtype != kernelFlags.dtype ||
      model->spec.layout != kernelFlags.layout)
    return reportError(
        makeError(ErrorCode::Mismatch,
                  "the model '{0}' is of {1} {2}, asked for is {3} {4}",
                  modelDir, model->spec.subject.dtype, model->spec.layout,
                  kernelFlags.dtype, kernelFlags.layout));
  kernels::Registry registry;
  auto kernelModel = KernelModel::create(std::move(*model), registry);
  if (!kernelModel)
    return reportError(kernelModel.takeError());
  auto start = std::chrono::steady_clock::now();
  std::vector<RankedKernel> ranked = (*kernelModel)->rank(*problem, top);
  double us = std::chrono::duration<double, std::micro>(
                  std::chrono::steady_clock::now() - start)
                  .count();
  if (ranked.empty())
    return reportError(makeError(ErrorCode::Unsupported,
                                 "no kernel supports {0}",
                                 kernels::toString(*problem)));
  llvm::json::Array array;
  Table table({{"kernel"},
               {"TFLOPS", Table::Align::Right},
               {"ms", Table::Align::Right},
               {"GB/s", Table::Align::Right}});
  for (const RankedKernel &one : ranked) {
    std::vector<float> row = (*kernelModel)->row(*problem, one.kernel);
    auto cell = [&](Target target, const char *format) {
      if (!(*kernelModel)->model().trees.count(target))
        return std::string("-");
      return llvm::formatv(format, (*kernelModel)->model().predict(target, row))
          .str();
    };
    table.addRow({(*kernelModel)->configs()[one.kernel].name(),
                  cell(Target::Tflops, "{0:f4}"),
                  cell(Target::Latency, "{0:f5}"),
                  cell(Target::Bandwidth, "{0:f2}")});
    array.push_back(toJson(**kernelModel, *problem, one));
  }
  if (!json.empty())
    if (llvm::Error error = writeJson(
            json, llvm::json::Object{{"problem", kernels::toString(*problem)},
                                     {"kernels", std::move(array)}}))
      return reportError(std::move(error));
  if (json != "-") {
    table.print(llvm::outs());
    llvm::outs() << llvm::formatv(
        "predicted: {0} of {1} kernels for {2}, ranked in {3:f0} us\n",
        ranked.size(), (*kernelModel)->configs().size(),
        kernels::toString(*problem), us);
  }
  return ExitCode::Ok;
}
