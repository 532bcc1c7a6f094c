// `assay audit`: which wrong results a rule accepts and which right ones it
// rejects, for one program and its arguments.
#include "assay/judge/audit/Audit.h"
#include "Options.h"
#include "assay/program/Inputs.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kExamples = R"(examples:
  assay audit softmax.mlir --rule close:1e-2,1e-2       does allclose with 1e-2 see a wrong softmax?
  assay audit mlp.mlir --rule dtype --input mlp.npz     on recorded arguments in0, in1, ...
  assay audit attention.mlir --rule bound --json -      the derived bound: every fault seen, no right result rejected
exit codes: 0 every fault is seen and every right result accepted, 1 otherwise, 2 bad input or a limit, 130 Ctrl-C)";

ExitCode tools::auditCommand(llvm::ArrayRef<const char *> arguments) {
  std::string path, entry, rule;
  std::vector<std::string> inputs;
  CommonOptions common;
  CLI::App app(
      "How good is a tolerance? Applies a rule to wrong and right "
      "results of a program.");
  app.add_option("PROGRAM", path, "StableHLO as text or bytecode")->required();
  app.add_option("--rule", rule,
                 "the tolerance: close:RTOL,ATOL, ulp:N, dtype, bound, shadow, "
                 "exact, benchdnn, xray, stablehlo")
      ->required();
  app.add_option("--entry", entry,
                 "function (default: main, or the only public one)");
  app.add_option("--input", inputs,
                 "arguments as `assay run` takes them (default: random)")
      ->allow_extra_args(false);
  common.addTo(app, kThreads | kSeconds | kSeed);
  app.footer(kExamples);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  llvm::Expected<std::shared_ptr<const program::Program>> program =
      program::Program::load(path);
  if (!program)
    return reportError(program.takeError());
  llvm::Expected<mlir::func::FuncOp> function = (*program)->function(entry);
  if (!function)
    return reportError(function.takeError());
  if (inputs.empty())
    inputs = {"random"};
  llvm::Expected<std::vector<tensor::Tensor>> tensors =
      program::makeInputs(**program, *function, inputs, common.seed);
  if (!tensors)
    return reportError(tensors.takeError());
  ThreadPool pool(common.threads);
  llvm::Expected<judge::Audit> audit = judge::Audit::make(
      *program, entry, std::move(*tensors), pool, common.maxSeconds);
  if (!audit)
    return reportError(audit.takeError());
  return show(common, audit->runRule(rule));
}
