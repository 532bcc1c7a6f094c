#include "RunOptions.h"
#include "assay/engine/CustomLibrary.h"
#include "assay/engine/Registry.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kExamples = R"(examples:
  assay run program.mlir --input random            random arguments, results printed
  assay run mlp.mlir --input mlp.npz --expect mlp.npz   in0, in1, ... in; results judged against out0, out1, ...
  assay run mlp.mlir --input mlp.npz --expect mlp.npz --rule shadow   both sides against a shadow in f64
  assay run add.mlir --input 'dense<[1, 2]> : tensor<2xi32>' --input iota
  assay run model.mlir --input random --repeat 10 --profile
  assay run model.mlirbc --input in.npz                 a portable artifact; so is what jax.export serialises
  assay run saved/ --input image.npy                    a folder of torch_xla: the program with its weights
  assay run model.pt2 --input in.npz                    an ExportedProgram of PyTorch (read by the PyTorch of your Python)
  assay run mlp.mlir --input mlp.npz --expect mlp.npz --engine plugin:./libmykernels.so   your kernels in a model
  assay run model.mlir --input in.npz --watch 'layer3/*' --custom-call my_op=./libmine.so   values by name; a call of yours
  mpirun -n 4 assay run sharded.mlir --input in.npz --processes=mpi   a program's processes on ranks, the same bits
exit codes: 0 all held, 1 a check failed, 2 bad input or a limit, 3 nothing was checked, 130 Ctrl-C)";

/// Adds options for the values of a program that are shown, the functions that
/// it may call, and where its processes run.
static void addProgramOptions(CLI::App &app, RunOptions &o) {
  app.option_defaults()->group("Look inside");
  app.add_option("--repeat", o.repeat, "run N times and print the times")
      ->check(CLI::PositiveNumber);
  app.add_flag("--profile", o.profile,
               "time, GFLOP/s and GB/s per kind of step; with --engine native "
               "also as shares of the machine's limits");
  app.add_option("--watch", o.watched,
                 "print every value whose location has this name (* for any "
                 "text), or LINE[:COLUMN] of the file; may be repeated")
      ->allow_extra_args(false);
  app.option_defaults()->group("Calls and processes");
  app.add_option("--custom-call", o.customCalls,
                 "TARGET=LIBRARY.so:FUNCTION: a function of yours for "
                 "stablehlo.custom_call (assay_custom_call.h); may be repeated")
      ->allow_extra_args(false);
  app.add_option("--processes", o.processes,
                 "a program's processes (run_parallel, manual_computation): "
                 "cooperative (all of them here, by turns) or mpi (under "
                 "mpirun -n N: each rank runs its share)")
      ->check(CLI::IsMember({"cooperative", "mpi"}));
  app.add_option("--timeout", o.timeoutSeconds,
                 "with --processes=mpi: seconds without any news after which "
                 "a rank gives up waiting (default 300; 0: never)")
      ->check(CLI::NonNegativeNumber);
}

static void addJudgeOptions(CLI::App &app, RunOptions &o) {
  app.option_defaults()->group("Judge the results");
  CLI::Option *expect = app.add_option(
      "--expect", o.expect,
      "judge the results against members out0, out1, ... of this .npz");
  app.add_option("--rule", o.rule,
                 "dtype (default), bound (derived per operation), shadow, "
                 "ulp:N, close:RTOL,ATOL, exact, or a JSON file")
      ->needs(expect);
  app.add_flag("--exact-division", o.exactDivision,
               "rule bound: x / c and x / sqrt(y) must be divisions, not x * "
               "(1 / c) and x * rsqrt(y), which compilers make of them");
}

/// Adds flags that StableHLO's tools also have, and how the reference adds.
static void addRareOptions(CLI::App &app, RunOptions &o) {
  app.option_defaults()->group(kRare);
  app.add_option(
      "--args", o.args,
      "[dense<...> : tensor<...>, ...], as stablehlo-translate takes them");
  app.add_flag("--interpret", o.interpret,
               "as stablehlo-translate: a file without @main runs each of its "
               "functions");
  app.add_flag("--split-input-file,--split-input", o.split,
               "run every part between // ----- lines");
  app.add_option("--probe-output-dir,--probe-dir", o.probeDirectory,
                 "where interpreter.probe writes");
  app.add_option("--accumulate", o.accumulate,
                 "sums of dot and convolution: wide (one rounding) or step "
                 "(round each)")
      ->check(CLI::IsMember({"wide", "step"}));
}

void tools::addRunOptions(CLI::App &app, RunOptions &o) {
  app.option_defaults()->group("Program");
  app.add_option("PROGRAM", o.path,
                 "StableHLO, CHLO, check, func as MLIR text or bytecode, a "
                 "portable artifact, a file of jax.export, a .pt2 file of "
                 "torch.export, or a folder of torch_xla's "
                 "StableHLOGraphModule.save()")
      ->required();
  app.add_option("--entry", o.entry,
                 "function to run (default: main, or the only public one); of "
                 "a folder: the method (default: forward)");
  app.add_option("--input", o.inputs,
                 "one per argument: a tensor file (x.npy, a.npz:name), "
                 "dense<...> : tensor<...>, random[:seed], zeros, "
                 "iota; one .npz (in0, in1, ...) or one `random` serves all")
      ->allow_extra_args(false);
  addJudgeOptions(app, o);
  app.option_defaults()->group("Results");
  app.add_option(
      "--output", o.output,
      "save the results: FILE.npz, or a folder for out0.npy, out1.npy, ...")
      ->check(fileOrFolder("FILE.npz"));
  app.add_option(
      "--record", o.record,
      "record what every operation read and made into this .h5 dump");
  app.add_flag("--print-dense,--interpreter-print-dense", o.printDense,
               "print results as dense<...> literals");
  app.option_defaults()->group("Engine");
  o.choice.addTo(app);
  app.add_option("--alg", o.algorithm,
                 "convolutions of --engine native: direct (default), auto (3x3 "
                 "windows of f32 by Winograd's transforms where they are "
                 "faster) or wino (wherever they can)")
      ->check(CLI::IsMember({"direct", "auto", "wino"}));
  app.add_option("--fold", o.fold,
                 "auto (default): --engine native may make scales of channels "
                 "behind a convolution part of its filter, one rounding more "
                 "for each; off: the program's order")
      ->check(CLI::IsMember({"auto", "off"}));
  app.add_option("--dump-passes", o.choice.dumpPasses,
                 "write the program after each pass of --engine native into "
                 "this folder; `assay passes DIR` asks whether one changed it");
  addProgramOptions(app, o);
  addRareOptions(app, o);
  o.common.addTo(app, kAll);
  app.footer(kExamples);
}

llvm::Error tools::prepare(RunOptions &o) {
  o.functions = std::make_shared<program::CustomFunctions>();
  for (const std::string &each : o.customCalls)
    if (llvm::Error error = engine::addCustomFunction(each, *o.functions))
      return error;
  if (o.choice.isolated && !o.customCalls.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "--custom-call needs the program in this process: leave "
                     "out --isolate");
  if (!o.choice.dumpPasses.empty() &&
      (o.choice.name != "native" || o.choice.isolated || !o.watched.empty() ||
       !o.record.empty() || !o.probeDirectory.empty()))
    return makeError(ErrorCode::InvalidArgument,
                     "--dump-passes shows the passes of --engine native in "
                     "this process, which run where no value is watched: "
                     "leave out --isolate, --watch, --record and "
                     "--probe-output-dir");
  if (o.processes == "mpi" && (o.choice.isolated || !o.record.empty() ||
                               !o.watched.empty() || !o.probeDirectory.empty()))
    return makeError(ErrorCode::InvalidArgument,
                     "--isolate, --record, --watch and --probe-output-dir look "
                     "at every process: they go with --processes=cooperative");
  return llvm::Error::success();
}
