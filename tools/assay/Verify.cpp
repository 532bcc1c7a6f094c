// `assay verify`: from benchdnn's grammar to verdicts. verify::Reader parses
// the words; each problem is listed or run; the report prints.
#include "Options.h"
#include "Ranks.h"
#include "assay/verify/DriverHelp.h"
#include "assay/verify/Reader.h"
#include "assay/verify/Report.h"
#include "assay/verify/Runner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace assay;
using namespace assay::verify;

namespace {
struct HelpGroup {
  const char *title;
  const char *knobs; ///< separated by spaces
};
} // namespace

/// The knobs that `--help` shows; `--help-all` shows the others too.
static constexpr HelpGroup kHelpGroups[] = {
    {"Problem (each driver has more)",
     "dt dir bia-dt stag wtag dtag strides mb alg attr-scales attr-zero-points "
     "attr-post-ops match"},
    {"Engine under test", "engine mode timeout input"},
    {"Data and judgement", "fill rule fast-ref trust property seed"},
    {"Timing (--mode=P)", "max-ms-per-prb fix-times-per-prb cold-cache"},
    {"Many problems", "jobs shard resume max-seconds max-memory threads"},
    {"Report", "json junit"},
};

/// The lines of knobHelp() for these knobs; removes them from `lines`.
static std::string linesOf(llvm::StringRef knobs,
                           llvm::SmallVectorImpl<llvm::StringRef> &lines) {
  std::string text;
  llvm::SmallVector<llvm::StringRef> names;
  knobs.split(names, ' ');
  for (llvm::StringRef name : names)
    llvm::erase_if(lines, [&](llvm::StringRef line) {
      bool found = line.starts_with(("  --" + name + "=").str());
      if (found)
        text += (line + "\n").str();
      return found;
    });
  return text;
}

static std::string groupedKnobs(bool all) {
  std::string every = knobHelp(), text;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(every).rtrim('\n').split(lines, '\n');
  for (const HelpGroup &group : kHelpGroups)
    text += (group.title + llvm::StringRef(":\n")).str() +
            linesOf(group.knobs, lines) + "\n";
  if (all)
    text += tools::kRare + (":\n" + llvm::join(lines, "\n")) + "\n\n";
  return text;
}

static void printHelp(bool all) {
  llvm::outs()
      << "Checks implementations of tensor operators, or of any StableHLO "
         "program.\n\n"
         "usage: assay verify --DRIVER [--knob=value ...] PROBLEM ... | "
         "--batch=FILE\n"
         "       assay verify --DRIVER --help      its grammar, its knobs with "
         "defaults, examples\n"
         "       assay verify --help-all           every knob\n\n"
         "DRIVER:\n"
      << driverList()
      << "\n"
         "A knob applies to the problems after it; comma-separated values make "
         "one problem each; --reset restores the\n"
         "defaults. Each problem prints N:STATUS (reason) (T ms) __REPRO: "
         "ARGUMENTS; `assay verify ARGUMENTS` runs it again.\n\n"
      << groupedKnobs(all)
      << "Batches, programs, output:\n"
         "  --show-program                        prints each problem as a "
         "StableHLO program with its tensors' bindings\n"
         "  --batch=FILE                          reads words from a file; "
         "nests; # comments, \\ joins lines\n"
         "  --no-special                          leaves special data out of the default: NaN, "
         "infinities, -0, subnormals\n"
         "  --reset                               the defaults again\n"
         "  --quiet, -vN                          failures only; who judged, "
         "power of the data and so on\n\n"
         "examples:\n"
         "  assay verify --matmul --dt=f32,bf16 64x4096:4096x64\n"
         "  assay verify --conv --dt=bf16 --dir=FWD_D,BWD_D,BWD_W "
         "ic64ih56oc64oh56kh3ph1\n"
         "  assay verify --matmul --engine=plugin:./libmykernels.so "
         "128x512:512x256\n"
         "  assay verify --mode=P --matmul 1024x1024:1024x1024\n"
         "  assay verify --property=all --conv mb4ic8ih9oc8oh9kh3ph1\n"
         "  assay verify --property=batch_invariant,nan_local "
         "--engine=native --op program.mlir\n"
         "  assay verify --mode=L --conv --batch=shapes_resnet_50\n"
         "  assay verify --op program.mlir 'inputs/op/elementwise.mlir@*'\n"
         "  assay verify --jobs=4 --resume=done.jsonl --junit=report.xml "
         "--matmul --batch=shapes_llm\n"
         "  assay verify --shard=0/4 --json=part0.json --conv "
         "--batch=test_smoke\n"
         "  mpirun -n 4 assay verify --conv --batch=test_smoke\n"
         "  assay verify --show-program --mode=L --conv --dir=BWD_W "
         "ic4ih6oc5kh3ph1\n\n"
         "exit codes: 0 all held, 1 a problem failed, 2 bad input, 3 nothing "
         "was checked\n";
}

/// Prints the help for the named driver, or for the command.
static ExitCode help(llvm::ArrayRef<const char *> arguments) {
  for (llvm::StringRef word : arguments) {
    if (word == "--help" || word == "--help-all" || word == "-h" ||
        word.contains('='))
      continue;
    llvm::StringRef name = word;
    name.consume_front("--");
    if (const Driver *driver = findDriver(name)) {
      llvm::outs() << driverHelpText(*driver);
      return ExitCode::Ok;
    }
    Settings settings;
    if (word.starts_with("--"))
      if (llvm::Error error = applyKnob(word, nullptr, settings).takeError())
        return tools::reportError(std::move(error));
  }
  printHelp(llvm::is_contained(arguments, llvm::StringRef("--help-all")));
  return ExitCode::Ok;
}

/// inputs/ beside the program, above it (in a build folder), and in the
/// installed data folder.
static std::vector<std::string> inputFolders() {
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  llvm::SmallString<256> folder(llvm::sys::path::parent_path(program));
  std::vector<std::string> folders;
  for (llvm::StringRef tail :
       {"inputs", "../inputs", "../share/assay/inputs", "../../../inputs"}) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, tail);
    if (llvm::sys::fs::is_directory(path))
      folders.push_back(path.str().str());
  }
  return folders;
}

/// Reads the knobs that hold for the whole run, at any place on the command
/// line.
static llvm::Error readRunWide(llvm::ArrayRef<const char *> arguments,
                               RunOptions &run) {
  Settings settings;
  for (llvm::StringRef word : arguments)
    if (isRunWide(word))
      if (llvm::Error error = applyKnob(word, nullptr, settings).takeError())
        return error;
  run = settings.run;
  return llvm::Error::success();
}

static llvm::Error writeFiles(const Report &report, const RunOptions &run,
                              double seconds) {
  llvm::Error json = llvm::Error::success(), junit = llvm::Error::success();
  if (!run.jsonFile.empty())
    json = addContext(tools::writeJson(run.jsonFile, report.json()), "--json");
  if (!run.junitFile.empty())
    junit = addContext(tools::writeText(run.junitFile,
                                        [&](llvm::raw_ostream &os) {
                                          report.junit(os, seconds);
                                        }),
                       "--junit");
  return llvm::joinErrors(std::move(json), std::move(junit));
}

/// Reads the words and runs their problems. On a rank that replaces the
/// reporting rank, reports the problems that were run.
static llvm::Error readAndRun(llvm::ArrayRef<const char *> arguments,
                              Runner &runner) {
  Reader reader(inputFolders(), [&](Problem problem) {
    return runner.add(std::move(problem));
  });
  llvm::Error error = reader.readArguments(arguments);
  llvm::Error unfinished = runner.finish();
  if (!error)
    return unfinished;
  llvm::consumeError(std::move(
      unfinished)); // the same interruption, or one that matters less
  return error;
}

static ExitCode runProblems(llvm::ArrayRef<const char *> arguments,
                            const RunOptions &run,
                            std::unique_ptr<ranks::RankBoard> board) {
  auto start = std::chrono::steady_clock::now();
  // With results on standard output the text goes to standard error.
  bool isPiped = run.jsonFile == "-" || run.junitFile == "-";
  llvm::raw_ostream &os = isPiped ? llvm::errs() : llvm::outs();
  bool isShared = board != nullptr;
  Report report(os, run.quiet, !run.jsonFile.empty(), !run.junitFile.empty());
  Runner runner({run.jobs, run.threads, run.maxMemoryBytes, run.maxSeconds,
                 run.shardIndex, run.shardCount, run.resumeFile,
                 std::move(board)},
                report);
  if (llvm::Error error = runner.start())
    return tools::reportError(std::move(error));
  llvm::Error error = readAndRun(arguments, runner);
  if (isShared && runner.takesOver()) {
    llvm::consumeError(std::move(error));
    error = readAndRun(arguments, runner);
  }
  if (!runner.reports()) { // another rank reports everything
    llvm::consumeError(std::move(error));
    return ExitCode::Ok;
  }
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  if (!error || report.tests())
    report.close(seconds);
  if (!error && !report.tests())
    llvm::errs() << "assay: warning: no problem was given; `assay verify "
                    "--DRIVER --help` shows how one is written\n";
  ExitCode code = report.exitCode();
  if (error)
    code = report.tests() ? worst(code, tools::reportError(std::move(error)))
                          : tools::reportError(std::move(error));
  if (llvm::Error written = writeFiles(report, run, seconds))
    code = worst(code, tools::reportError(std::move(written)));
  os.flush();
  runner.close();
  return code;
}

ExitCode tools::verifyCommand(llvm::ArrayRef<const char *> arguments) {
  arguments = arguments.drop_front();
  for (llvm::StringRef word : arguments)
    if (word == "--help" || word == "-h" || word == "--help-all")
      return help(arguments);
    else if (word.consume_front("--help=")) // --help=conv
      return help({word.data(), "--help"});
  if (arguments.empty()) {
    printHelp(false);
    return ExitCode::BadInput;
  }
  RunOptions run;
  if (llvm::Error error = readRunWide(arguments, run))
    return reportError(std::move(error));
  for (auto [knob, path] :
       {std::pair("--json", run.jsonFile), std::pair("--junit", run.junitFile)})
    if (llvm::Error error = checkWritable(path))
      return reportError(addContext(std::move(error), knob));
  llvm::Expected<JoinedRanks> ranks =
      joinRanks("verify", arguments, run.resumeFile);
  if (!ranks)
    return reportError(ranks.takeError());
  if (ranks->code)
    return *ranks->code;
  return runProblems(arguments, run, std::move(ranks->board));
}
