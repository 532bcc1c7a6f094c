// `assay equiv`: whether two programs are the same function, without
// tolerances.
#include "Options.h"
#include "assay/formats/Npz.h"
#include "assay/judge/equivalence/Equivalence.h"
#include "assay/program/Inputs.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kExamples = R"(examples:
  assay equiv before.mlir after.mlir                       the program before and after a pass
  assay equiv before.mlir after.mlir --map -o shows.npz    where they differ: the earliest values that differ, the input that shows it
  assay equiv a.mlir b.mlir --laws -exp,-tanh              without the laws of exp and tanh
  assay equiv loop.mlir loop2.mlir --input loop.npz        on these arguments alone (loops that end for some)
  assay equiv f32.mlir bf16.mlir --precision-may-change    conversions and the precision of constants are not a difference
laws: exp log expm1 logistic tanh sqrt rsqrt pow parity tan erfc, zero (docs/equivalence.md); sums, products and quotients need none
exit codes: 0 equal, or equal but for precision, 1 differs, 2 not decided (an operation without a rule), bad input or a limit, 130 Ctrl-C)";

/// Writes in0, in1, ... of the draw that shows a difference.
static llvm::Error writeInputs(llvm::StringRef path,
                               llvm::ArrayRef<tensor::Tensor> inputs) {
  llvm::Expected<formats::NpzWriter> writer = formats::NpzWriter::create(path);
  if (!writer)
    return writer.takeError();
  for (auto [i, input] : llvm::enumerate(inputs))
    if (llvm::Error error = writer->add("in" + std::to_string(i), input))
      return error;
  return writer->finish();
}

/// Reads both programs, and the arguments if there are any.
static llvm::Error readPrograms(judge::EquivRequest &request,
                                llvm::ArrayRef<std::string> paths,
                                llvm::ArrayRef<std::string> inputs) {
  if (llvm::Error error = program::Program::load(paths[0]).moveInto(request.a))
    return error;
  if (llvm::Error error = program::Program::load(paths[1]).moveInto(request.b))
    return error;
  if (inputs.empty())
    return llvm::Error::success();
  llvm::Expected<mlir::func::FuncOp> function =
      request.a->function(request.entryA);
  if (!function)
    return function.takeError();
  return program::makeInputs(*request.a, *function, inputs, request.seed)
      .moveInto(request.given);
}

ExitCode tools::equivCommand(llvm::ArrayRef<const char *> arguments) {
  std::string paths[2], laws, output;
  std::vector<std::string> inputs;
  judge::EquivRequest request;
  CommonOptions common;
  CLI::App app("Are two programs the same function? Decided in an exact "
               "algebra, without tolerances.");
  app.add_option("A", paths[0], "StableHLO as text or bytecode")->required();
  app.add_option("B", paths[1], "the other program")->required();
  app.add_option("--entry", request.entryA,
                 "function of the first program (default: main, or the only "
                 "public one)");
  app.add_option("--entry-b", request.entryB, "function of the second program");
  app.add_option("--input", inputs,
                 "arguments as `assay run` takes them, for programs that take "
                 "no others (default: draws of data)")
      ->allow_extra_args(false);
  app.add_flag("--map", request.map,
               "where they differ: the earliest differing values");
  app.add_option("--draws", request.draws,
                 "draws of ordinary data, beside one with zeros of both signs "
                 "and one with infinities and NaN")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--laws", laws,
                 "all, none, names with commas, or -NAME (default: all but "
                 "zero)");
  app.add_flag("--precision-may-change", request.precisionMayChange,
               "conversions and the precision of constants are not a difference");
  app.add_option(
      "-o", output,
      "FILE.npz: the arguments in0, in1, ... that show a difference");
  common.addTo(app, kThreads | kSeconds | kSeed);
  app.footer(kExamples);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (llvm::Error error = judge::LawSet::parse(laws).moveInto(request.laws))
    return reportError(std::move(error));
  request.seed = common.seed;
  request.maxSeconds = common.maxSeconds;
  if (llvm::Error error = readPrograms(request, paths, inputs))
    return reportError(std::move(error));
  ThreadPool pool(common.threads);
  llvm::Expected<judge::Equivalence> answer = judge::decide(request, pool);
  if (answer && !output.empty() && !answer->inputs.empty())
    if (llvm::Error error = writeInputs(output, answer->inputs))
      return reportError(std::move(error));
  return show(common, std::move(answer));
}
