// `assay tune predict`: the kernels that a model ranks first for a problem,
// with the model's predictions.
#include "Tune.h"
#include "assay/select/CkRanking.h"
#include "assay/select/Ranking.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kHelp =
    R"(Ranks this machine's kernels for a problem by a model. A model of CK Tile's kernels, published by it or trained
here on converted data, ranks those that --candidates names (without it: those of the folder `data`
beside the model's folder).

examples:
  assay tune predict --model_dir models/gemm_f32_rcr --m 128 --n 1536 --k 7168 --layout rcr
  assay tune predict --model_dir models/gemm_f32_rcr --m 1 --n 4096 --k 4096 --threads 1 --top_k 3 --json -
  assay tune predict --model_dir models/gemm_universal_fp8_gfx950 --m 128 --n 1536 --k 7168 --candidates data/fp8.parquet
  assay tune predict --model_dir models/grouped_conv_forward_bf16_gfx950 --problem mb2ic64ih56oc64kh3ph1 --candidates names.txt)";

llvm::Error tools::refuseCandidates(const std::string &modelDir) {
  return makeError(ErrorCode::InvalidArgument,
                   "--candidates is for models of CK Tile's kernels; '{0}' "
                   "ranks this machine's",
                   modelDir);
}

ExitCode tools::predictCk(const CLI::App &app, const KernelFlags &flags,
                            const std::string &modelDir,
                            const std::string &candidates, size_t top,
                            const CommonOptions &common) {
  std::optional<select::CkConv> conv;
  if (!flags.conv.empty())
    if (llvm::Error error =
            select::parseConvProblem(flags.conv).moveInto(conv.emplace()))
      return reportError(std::move(error));
  for (auto [name, value] :
       {std::pair("m", flags.m), {"n", flags.n}, {"k", flags.k}})
    if (value < 1 && !conv)
      return reportError(makeError(ErrorCode::InvalidArgument,
                                   "--{0} is {1}, expected at least 1", name,
                                   value));
  if (flags.batch != 1)
    return reportError(makeError(
        ErrorCode::Unsupported,
        "--batch is {0}; models of CK Tile's GEMM kernels know one product",
        flags.batch));
  select::CkProblem problem{flags.m,
                              flags.n,
                              flags.k,
                              1,
                              flags.layout.empty() ? "rcr" : flags.layout,
                              app.count("--dtype") ? flags.dtype : "",
                              conv,
                              flags.ckDirection};
  return show(common,
              select::rankCkKernels(modelDir, problem, candidates, top));
}

ExitCode tools::tunePredict(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(kHelp);
  std::string modelDir, candidates;
  KernelFlags flags;
  size_t top = 10;
  CommonOptions common;
  app.add_option("--model_dir,--model-dir", modelDir, "the model folder")
      ->required();
  flags.addAnyProblem(app);
  app.add_option("--top_k,--top-k", top, "kernels to show")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--candidates", candidates,
                 "kernels of CK Tile to rank: a .parquet, a folder of them, or "
                 "a file with one name per line");
  app.add_option("--direction", flags.ckDirection, kDirectionText);
  common.addTo(app, kThreads);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<bool> isCk = select::isCkModel(modelDir);
  if (!isCk)
    return reportError(isCk.takeError());
  if (*isCk)
    return predictCk(app, flags, modelDir, candidates, top, common);
  if (!candidates.empty())
    return reportError(refuseCandidates(modelDir));
  auto space = spaceOfModel(modelDir);
  if (!space)
    return reportError(space.takeError());
  auto problem = flags.problem(**space, common.threads);
  if (!problem)
    return reportError(problem.takeError());
  kernels::Registry registry;
  return show(common, select::rankByModel(registry, modelDir, **problem, top));
}
