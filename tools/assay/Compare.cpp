// `assay compare`: compares a tested dump with a trusted one. Parses flags,
// compares, prints; the work is done in trace/Compare.h and trace/FirstWrong.h.
#include "CompareRanks.h"
#include "OpenDump.h"
#include "Options.h"
#include "assay/ranks/RankBoard.h"
#include "assay/trace/CompareReport.h"
#include "assay/trace/FirstWrong.h"
#include "assay/trace/ranks/RankBlame.h"
#include "assay/trace/report/Page.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;
using tools::openDump;
using tools::reportError;
using tools::shellCommand;

namespace {
struct Flags {
  tools::CommonOptions common;
  std::string target, bench, result, rule = "dtype", map, writeMap, golden,
                                     program, html, accumulation, layout;
  double rtol = 1e-3, atol = 1e-5, gtnum = 1e-5;
  bool all = false, firstWrong = false, ignoreUnmatched = false;
  bool byBounds() const { return rule == "bound"; }

  /// Adds the pair to compare, and the rule.
  void add(CLI::App &app) {
    app.add_option("TARGET", target,
                   "the tested dump, or a folder with one for each rank")
        ->required();
    app.add_option("BENCH", bench,
                   "the trusted dump, or a folder with one for each rank")
        ->required();
    app.add_option("RESULT", result, "CSV file with all columns");
    app.option_defaults()->group("Judge the tensors");
    app.add_option(
        "--rule", rule,
        "verdict: dtype, xray, exact, ulp:N, close:RTOL,ATOL, a JSON "
        "rule file, or bound: what operators and modules give on "
        "the target's own inputs (dtype where that is not known)");
    app.add_option("--golden", golden,
                   "a third dump of higher precision: is the target further "
                   "from it than the bench?");
    app.option_defaults()->group("Name the first wrong module");
    app.add_flag("--first-wrong", firstWrong,
                 "name the first module that is really wrong");
    app.add_option("--program", program,
                   "for --first-wrong: the StableHLO program that was recorded "
                   "(.mlir), or the dump.json of an operator dump (found by "
                   "itself where the recorder put it): each operator is run "
                   "again on its own inputs, with an f64 shadow");
    app.add_option("--accumulation", accumulation,
                   "for --first-wrong: what the target sums its products in "
                   "(bf16, f16), where that is declared; default f32");
    addNames(app);
    common.addTo(app, tools::kAll);
  }

  /// Adds names, ranks, and the form of the report.
  void addNames(CLI::App &app) {
    app.option_defaults()->group("Names that differ");
    app.add_option("--map", map,
                   "JSON map of names that differ, modules that were fused, "
                   "samples in another order (docs/dumps.md)");
    app.add_option("--write-map", writeMap, "write the map that was found");
    app.add_flag("--ignore-unmatched", ignoreUnmatched,
                 "tensors that only one side has are listed and counted, but "
                 "are not a failure");
    app.option_defaults()->group("Ranks");
    app.add_option("--layout", layout,
                   "JSON file: how the tensors of the ranks in the folder "
                   "TARGET belong together (assay merge --help); they are "
                   "compared with BENCH, one dump, as whole ones");
    app.option_defaults()->group("Report");
    app.add_flag(
        "--all", all,
        "show passing rows too when more than 200 tensors are compared");
    app.add_option("--html", html,
                   "write a page for a browser: modules, error along the "
                   "model, where in a tensor the error lies");
    app.option_defaults()->group(tools::kRare);
    app.add_option("--rtol", rtol, "of IsClose (default 1e-3)");
    app.add_option("--atol", atol, "of IsClose (default 1e-5)");
    app.add_option("--gtnum", gtnum,
                   "GtNum counts differences above this (default 1e-5)");
  }
};

/// The dump that was merged from the ranks of a folder.
struct MergedTarget {
  std::vector<trace::RankDump> ranks;
  std::optional<trace::Layout> layout;
  trace::MergeOptions options;
  trace::MergeResult result;
};
} // namespace

static llvm::Expected<std::optional<numerics::ElementType>>
accumulationOf(const Flags &flags) {
  std::optional<numerics::ElementType> type;
  if (flags.accumulation.empty())
    return type;
  type = numerics::parseElementType(flags.accumulation);
  if (!type || !type->isFloat() || type->bits > 32)
    return makeError(ErrorCode::InvalidArgument,
                     "--accumulation '{0}', expected a float type of at most "
                     "32 bits such as bf16",
                     flags.accumulation);
  if (!flags.firstWrong && !flags.byBounds())
    return makeError(
        ErrorCode::InvalidArgument,
        "--accumulation serves --first-wrong and --rule bound, and "
        "neither is given");
  return type;
}

static llvm::Expected<trace::CompareOptions> optionsOf(const Flags &flags) {
  trace::CompareOptions options;
  options.interrupt = flags.common.interrupt();
  options.pair = {flags.rtol, flags.atol, flags.gtnum};
  llvm::Expected<numerics::RuleSet> rules =
      numerics::RuleSet::parse(flags.byBounds() ? "dtype" : flags.rule);
  if (!rules)
    return addContext(rules.takeError(), "--rule");
  options.rules = std::move(*rules);
  if (!flags.map.empty()) {
    llvm::Expected<trace::NameMap> map = trace::readNameMap(flags.map);
    if (!map)
      return addContext(map.takeError(), "--map");
    options.map = std::move(*map);
  }
  return options;
}

/// The number of threads for which --max-memory is sufficient: each holds
/// windows of 8 MiB of both sides, as stored and widened.
static llvm::Expected<int> threadsOf(const tools::CommonOptions &common) {
  constexpr int64_t kBytes = 4 * (int64_t{8} << 20);
  llvm::Expected<int64_t> limit = common.memoryBytes();
  if (!limit)
    return limit.takeError();
  if (*limit < kBytes)
    return makeError(ErrorCode::ResourceLimit,
                     "a comparison needs {0} MiB a thread; --max-memory sets "
                     "the limit",
                     kBytes >> 20);
  int wanted = common.threads > 0 ? common.threads : availableCores();
  return static_cast<int>(std::min<int64_t>(wanted, *limit / kBytes));
}

static llvm::Error writeResults(const Flags &flags,
                                const trace::Comparison &comparison,
                                llvm::json::Object json) {
  if (!flags.result.empty())
    if (llvm::Error error =
            tools::writeText(flags.result, [&](llvm::raw_ostream &os) {
              trace::writeComparisonCsv(comparison, os);
            }))
      return error;
  if (!flags.writeMap.empty())
    if (llvm::Error error =
            trace::writeNameMap(flags.writeMap, trace::mapOf(comparison)))
      return error;
  if (!flags.common.json.empty())
    return tools::writeJson(flags.common.json, std::move(json));
  return llvm::Error::success();
}

static void print(const Flags &flags, const trace::Comparison &comparison) {
  constexpr size_t kMany = 200;
  if (!flags.common.quiet) {
    bool onlyBad = comparison.rows.size() > kMany && !flags.all;
    trace::printCompareHeader(comparison, tools::out());
    int64_t bad = comparison.failed + comparison.unmatchedTarget +
                  comparison.unmatchedBench;
    if (!onlyBad || bad > 0)
      trace::printComparison(comparison, onlyBad, tools::out());
    if (onlyBad)
      tools::out() << "(" << comparison.passed
                   << " passing rows are not shown; --all shows them)\n";
  }
  tools::out() << trace::compareSummary(comparison) << "\n";
}

namespace {
/// Both dumps, and the threads that read them.
struct Dumps {
  const formats::Hdf5Reader &target, &bench;
  ThreadPool &pool;
  const MergedTarget *merged; ///< null: the target is one dump
};

/// The results of --first-wrong and --golden.
struct Verdicts {
  std::optional<trace::FirstWrong> firstWrong;
  std::optional<int64_t> rank; ///< for a merged target: the rank at fault
  std::optional<trace::GoldenVerdict> golden;
};
} // namespace

/// The operators of both dumps, if the dumps describe them.
namespace {
struct Described {
  trace::Operators target, bench;
  std::optional<numerics::ElementType> accumulation;
  bool ignoreUnmatched = false;
  trace::SideOperators sides() const {
    auto known = [](const trace::Operators &operators) {
      return operators.empty() ? nullptr : &operators;
    };
    return {known(target), known(bench), accumulation, ignoreUnmatched};
  }
};
} // namespace

static llvm::Expected<Described> describeSides(const Flags &flags) {
  llvm::Expected<std::optional<numerics::ElementType>> accumulation =
      accumulationOf(flags);
  if (!accumulation)
    return accumulation.takeError();
  llvm::Expected<trace::Operators> trusted =
      trace::Operators::of(flags.bench, flags.program);
  if (!trusted)
    return addContext(trusted.takeError(), "--program");
  llvm::Expected<trace::Operators> tested =
      trace::Operators::of(flags.target, "");
  if (!tested)
    return tested.takeError();
  return Described{std::move(*tested), std::move(*trusted), *accumulation,
                   flags.ignoreUnmatched};
}

static llvm::Expected<Verdicts> judge(const Flags &flags,
                                      const trace::CompareOptions &options,
                                      trace::Comparison &comparison,
                                      const Dumps &dumps) {
  const auto &[target, bench, pool, merged] = dumps;
  Verdicts verdicts;
  llvm::Expected<Described> described = describeSides(flags);
  if (!described)
    return described.takeError();
  if (flags.byBounds())
    trace::judgeByBounds(comparison, target, bench, pool, described->sides());
  if (flags.firstWrong) {
    llvm::Expected<trace::FirstWrong> found = trace::findFirstWrong(
        comparison, target, bench, pool, described->sides());
    if (!found)
      return found.takeError();
    verdicts.firstWrong = std::move(*found);
    if (merged) {
      trace::RankFirstWrong blamed =
          trace::blameRanks({merged->ranks, merged->options, merged->result,
                             comparison, target, bench},
                            std::move(*verdicts.firstWrong));
      verdicts.firstWrong = std::move(blamed.firstWrong);
      verdicts.rank = blamed.rank;
    }
  }
  if (flags.golden.empty())
    return verdicts;
  llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> golden =
      openDump(flags.golden);
  if (!golden)
    return golden.takeError();
  llvm::Expected<trace::GoldenVerdict> verdict =
      trace::judgeAgainstGolden(target, bench, **golden, options, pool);
  if (!verdict)
    return verdict.takeError();
  verdicts.golden = std::move(*verdict);
  if (!verdicts.firstWrong)
    return verdicts;
  llvm::Expected<trace::FirstWrong> again = trace::findFirstWrong(
      verdicts.golden->targetSide, target, **golden, pool);
  if (!again)
    return again.takeError();
  verdicts.firstWrong = trace::confirmByGolden(std::move(*verdicts.firstWrong),
                                               *verdicts.golden, *again);
  return verdicts;
}

/// The JSON document, which is empty if it was not requested, and the HTML page
/// made from it.
static llvm::Expected<llvm::json::Object>
makeDocument(const Flags &flags, const trace::Comparison &comparison,
             const Verdicts &verdicts, const Dumps &dumps) {
  llvm::json::Object json;
  if (!flags.common.json.empty() || !flags.html.empty())
    json = trace::comparisonJson(comparison);
  if (verdicts.firstWrong)
    json["first_wrong"] = trace::firstWrongJson(*verdicts.firstWrong);
  if (dumps.merged)
    json["merge"] = trace::mergeJson(dumps.merged->result);
  if (verdicts.rank)
    json["first_wrong_rank"] = *verdicts.rank;
  if (verdicts.golden)
    json["golden"] = trace::goldenJson(*verdicts.golden);
  if (flags.html.empty())
    return json;
  llvm::json::Object document = json;
  trace::addErrorMaps(document, comparison, dumps.target, dumps.bench,
                      dumps.pool);
  trace::addModulesAround(document, comparison);
  trace::ReportSource source{flags.target, std::move(document)};
  if (llvm::Error error =
          tools::writeText(flags.html, [&](llvm::raw_ostream &os) {
            trace::writePage("Assay: " + flags.target + " against " +
                                 flags.bench,
                             source, os);
          }))
    return error;
  return json;
}

/// Prints the first wrong rank if the target was merged from several.
static void printRank(const MergedTarget *merged, const Verdicts &verdicts) {
  if (!merged || !verdicts.firstWrong)
    return;
  tools::out() << "first wrong rank: ";
  if (verdicts.rank)
    tools::out() << *verdicts.rank << "\n";
  else
    tools::out() << (verdicts.firstWrong->suspects.empty()
                         ? trace::answerName(verdicts.firstWrong->answer())
                         : "not one rank alone")
                 << "\n";
}

/// Whether this rank has nothing to do under a launcher: a single comparison is
/// left to the first rank.
static bool isIdleRank() {
  std::optional<ranks::RankIdentity> identity =
      ranks::RankIdentity::ofLauncher();
  if (identity && identity->rank == 0)
    tools::err()
        << "assay: note: one pair of dumps is compared by one process; "
           "ranks share the pairs of two folders\n";
  return identity && identity->rank > 0;
}

/// Compares, writes the requested files, prints; returns the exit code. `path`
/// is the target's file.
static llvm::Expected<ExitCode>
compare(const Flags &flags, const std::string &path, const MergedTarget *merged,
        llvm::ArrayRef<const char *> arguments) {
  llvm::Expected<trace::CompareOptions> options = optionsOf(flags);
  if (!options)
    return options.takeError();
  llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> target = openDump(path);
  if (!target)
    return target.takeError();
  llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> bench =
      openDump(flags.bench);
  if (!bench)
    return bench.takeError();
  llvm::Expected<int> threads = threadsOf(flags.common);
  if (!threads)
    return threads.takeError();
  ThreadPool pool(*threads);
  Dumps dumps{**target, **bench, pool, merged};
  llvm::Expected<trace::Comparison> comparison =
      trace::compareDumps(**target, **bench, *options, pool);
  if (!comparison)
    return comparison.takeError();
  comparison->targetPath = flags.target;
  llvm::Expected<Verdicts> verdicts =
      judge(flags, *options, *comparison, dumps);
  if (!verdicts)
    return verdicts.takeError();
  llvm::Expected<llvm::json::Object> json =
      makeDocument(flags, *comparison, *verdicts, dumps);
  if (!json)
    return json.takeError();
  if (llvm::Error error = writeResults(flags, *comparison, std::move(*json)))
    return error;
  ExitCode code = tools::exitCodeOf(
      {comparison->passed, comparison->failed,
       comparison->unmatchedTarget + comparison->unmatchedBench,
       comparison->targetPath, comparison->benchPath},
      flags.ignoreUnmatched);
  // First wrong distinguishes rounding from faults; without it, replicas must
  // be equal.
  if (merged && !verdicts->firstWrong && !merged->result.diverging.empty())
    code = worst(code, ExitCode::CheckFailed);
  if (verdicts->firstWrong)
    code = tools::codeAfterSearch(verdicts->firstWrong->answer(), code);
  if (flags.common.json == "-" || flags.result == "-")
    return code;
  if (merged)
    trace::printMerge(merged->result, tools::out());
  print(flags, *comparison);
  if (verdicts->golden)
    trace::printGolden(*verdicts->golden, tools::out());
  if (verdicts->firstWrong) {
    printRank(merged, *verdicts);
    trace::printFirstWrong(*verdicts->firstWrong, tools::out());
  }
  if (code == ExitCode::CheckFailed)
    tools::printRepro(arguments, verdicts->firstWrong || flags.byBounds() ||
                                     flags.common.quiet);
  return code;
}

/// Compares the ranks of a folder, as whole tensors in a file that lives as
/// long as the command, with one dump.
static llvm::Expected<ExitCode>
compareMerged(Flags flags, MergedTarget merged,
              llvm::ArrayRef<const char *> arguments) {
  llvm::Expected<std::map<int64_t, std::string>> bench =
      trace::dumpsOf(flags.bench);
  if (!bench)
    return bench.takeError();
  if (bench->size() > 1)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' has {1} dumps, and the ranks of '{2}' are compared "
                     "with one; `assay merge` puts them together",
                     flags.bench, bench->size(), flags.target);
  flags.bench = bench->begin()->second;
  if (!flags.layout.empty()) {
    llvm::Expected<trace::Layout> layout = trace::Layout::read(flags.layout);
    if (!layout)
      return addContext(layout.takeError(), "--layout");
    merged.options.layout = &merged.layout.emplace(std::move(*layout));
  }
  llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> whole =
      openDump(flags.bench);
  if (!whole)
    return whole.takeError();
  merged.options.like = whole->get();
  merged.options.interrupt = flags.common.interrupt();
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("assay-merged", "h5", path))
    return makeError(ErrorCode::InvalidArgument,
                     "no temporary file for the merged dump: {0}",
                     error.message());
  llvm::FileRemover remover(path);
  llvm::Expected<trace::MergeResult> result =
      trace::mergeRanks(merged.ranks, path, merged.options);
  if (!result)
    return result.takeError();
  merged.result = std::move(*result);
  return compare(flags, path.str().str(), &merged, arguments);
}

/// Whether the ranks hold parts of the bench's tensors at unknown positions.
static llvm::Expected<bool> haveParts(const Flags &flags,
                                      llvm::ArrayRef<trace::RankDump> ranks) {
  llvm::Expected<std::map<int64_t, std::string>> bench =
      trace::dumpsOf(flags.bench);
  if (!bench)
    return bench.takeError();
  if (!flags.layout.empty() || ranks.size() < 2 || bench->size() > 1 ||
      trace::recordsPlacement(ranks))
    return false;
  llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> whole =
      openDump(bench->begin()->second);
  if (!whole)
    return whole.takeError();
  return trace::haveParts(ranks, **whole);
}

/// Compares folders with one dump each, for options that need one pair of
/// dumps.
static ExitCode comparePair(Flags flags,
                            llvm::ArrayRef<const char *> arguments) {
  for (std::string *side : {&flags.target, &flags.bench})
    if (llvm::Error error = trace::oneDump(*side).moveInto(*side))
      return reportError(addContext(
          std::move(error), "RESULT, --golden, --write-map, --program and "
                            "--rule bound are for one pair of dumps"));
  if (isIdleRank())
    return ExitCode::Ok;
  llvm::Expected<ExitCode> code =
      compare(flags, flags.target, nullptr, arguments);
  return code ? *code : reportError(code.takeError());
}

/// Compares folders: every rank with its counterpart; or all of them merged, if
/// there is one dump to compare with and their layout is known or has to be
/// found.
static ExitCode compareFolders(const Flags &flags,
                               trace::CompareOptions options,
                               llvm::ArrayRef<const char *> arguments) {
  if (!flags.layout.empty() || !llvm::sys::fs::is_directory(flags.bench)) {
    llvm::Expected<std::vector<trace::RankDump>> dumps =
        trace::openRanks(flags.target);
    if (!dumps)
      return reportError(dumps.takeError());
    llvm::Expected<bool> parts = haveParts(flags, *dumps);
    if (!parts)
      return reportError(parts.takeError());
    if (!flags.layout.empty() || *parts ||
        (dumps->size() > 1 && trace::recordsPlacement(*dumps))) {
      if (isIdleRank())
        return ExitCode::Ok;
      trace::MergeOptions options;
      options.asksForLayout = *parts;
      llvm::Expected<ExitCode> code =
          compareMerged(flags, {std::move(*dumps), {}, options, {}}, arguments);
      return code ? *code : reportError(code.takeError());
    }
  }
  if (!flags.result.empty() || !flags.golden.empty() ||
      !flags.writeMap.empty() || !flags.program.empty() || flags.byBounds())
    return comparePair(flags, arguments);
  llvm::Expected<std::optional<numerics::ElementType>> accumulation =
      accumulationOf(flags);
  if (!accumulation)
    return reportError(accumulation.takeError());
  llvm::Expected<int> threads = threadsOf(flags.common);
  if (!threads)
    return reportError(threads.takeError());
  return tools::compareRankFolders(
      {flags.target,
       flags.bench,
       {std::move(options), flags.firstWrong, flags.ignoreUnmatched,
        *accumulation, !flags.html.empty()},
       flags.common,
       *threads,
       flags.html},
      arguments);
}

/// A folder with one dump stands for that dump, unless both sides have ranks to
/// pair. What is wrong with a folder is said where it is opened.
static void useOnlyDumps(Flags &flags) {
  auto only = [](std::string &side) {
    llvm::Expected<std::string> dump = trace::oneDump(side);
    if (dump)
      side = *dump;
    else
      llvm::consumeError(dump.takeError());
    return !llvm::sys::fs::is_directory(side);
  };
  std::string target = flags.target;
  if (only(flags.bench) && flags.layout.empty() && only(target))
    flags.target = target;
}

ExitCode tools::compareCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      "Compares two dumps: the tested one (target) first, the trusted "
      "one (bench) second.\n\n"
      "examples:\n"
      "  assay compare xpu.h5 gpu.h5 result.csv\n"
      "  assay compare xpu.h5 gpu.h5 --rule xray\n"
      "  assay compare xpu.h5 gpu.h5 --first-wrong\n"
      "  assay compare xpu.h5 gpu.h5 --rule bound\n"
      "  assay compare xpu.h5 gpu.h5 --first-wrong --program model.mlir\n"
      "  assay compare xpu_dumps/ gpu_dumps/ --first-wrong   (all ranks)\n"
      "  assay compare xpu_dumps/ gpu_dumps/ --first-wrong --html ranks.html\n"
      "  mpirun -n 4 assay compare xpu_dumps/ gpu_dumps/     (on four "
      "processes)\n"
      "  assay compare ranks/ one_process.h5 --first-wrong --layout "
      "megatron.json\n"
      "  assay compare xpu.h5 gpu.h5 --golden cpu_f32.h5\n"
      "  assay compare xpu.h5 gpu.h5 --first-wrong --html pair.html\n"
      "  assay compare xpu.h5 gpu.h5 --write-map names.json\n"
      "  assay compare xpu.h5 gpu.h5 --map names.json --json -\n\n"
      "exit codes: 0 all held, 1 a Fail or an unmatched name, 2 bad "
      "input, 3 nothing was compared");
  Flags flags;
  flags.add(app);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (!flags.program.empty() && !flags.firstWrong && !flags.byBounds())
    return reportError(makeError(ErrorCode::InvalidArgument,
                                 "--program serves --first-wrong and --rule "
                                 "bound, and neither is given"));
  useOnlyDumps(flags);
  if (llvm::sys::fs::is_directory(flags.target)) {
    llvm::Expected<trace::CompareOptions> options = optionsOf(flags);
    return options ? compareFolders(flags, std::move(*options), arguments)
                   : reportError(options.takeError());
  }
  if (!flags.layout.empty())
    return reportError(makeError(ErrorCode::InvalidArgument,
                                 "--layout serves a folder with several ranks, "
                                 "and '{0}' is none",
                                 flags.target));
  if (isIdleRank())
    return ExitCode::Ok;
  llvm::Expected<ExitCode> code =
      compare(flags, flags.target, nullptr, arguments);
  return code ? *code : reportError(code.takeError());
}
