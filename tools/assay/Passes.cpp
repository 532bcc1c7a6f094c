// `assay passes`: finds the pass of a compiler that changed the function. A
// Python with jaxlib converts XLA's own text; the judge does the rest.
#include "assay/judge/equivalence/Passes.h"
#include "Options.h"
#include "assay/engine/PythonWorker.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace assay;
using namespace assay::tools;

static constexpr const char *kExamples = R"(examples:
  XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_pass_re=.* --xla_dump_large_constants=true" python train.py
  assay passes dump -o shows                       XLA's passes; the first wrong one as shows/before.mlir and after.mlir
  my-opt --mlir-print-ir-after-all in.mlir 2> log.mlir && assay passes log.mlir
  assay passes tree --resume                       of --mlir-print-ir-tree-dir, or any folder of .mlir in order; goes on after a kill
  assay passes v1.mlir v2.mlir v3.mlir --json -    files in this order
exit codes: 0 every pass keeps the function (or but for precision), 1 one changes it, 2 something is not decided or unread,
3 no two programs of one module, 130 Ctrl-C)";

static std::string pathOf(llvm::StringRef folder, size_t i,
                          const char *ending) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, std::to_string(i) + ending);
  return path.str().str();
}

/// Replaces XLA's text by the converter's output in `folder`. A pass without
/// output is marked as unread, with the converter's reason.
static void takeConverted(llvm::StringRef folder, judge::PassDump &dump,
                          std::vector<std::string> &unread) {
  std::vector<judge::PassProgram> kept;
  for (auto [i, program] : llvm::enumerate(dump.programs)) {
    if (program.isHlo) {
      llvm::Expected<std::string> text =
          program::readFile(pathOf(folder, i, ".mlir"));
      if (!text) {
        llvm::consumeError(text.takeError());
        llvm::Expected<std::string> reason =
            program::readFile(pathOf(folder, i, ".error"));
        unread.push_back(
            program.file + ": " +
            (reason ? llvm::StringRef(*reason).trim().str() : "not converted"));
        if (!reason)
          llvm::consumeError(reason.takeError());
        continue;
      }
      program.text = *text;
    }
    kept.push_back(std::move(program));
  }
  dump.programs = std::move(kept);
}

/// Converts XLA's text to StableHLO, all files in one process of Python. A text
/// that cannot be converted is kept, and reported as unread with the reason.
static llvm::Error convertHlo(judge::PassDump &dump,
                              std::vector<std::string> &unread) {
  llvm::SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("assay-passes", folder))
    return makeError(ErrorCode::InvalidArgument,
                     "no temporary folder can be made: {0}", error.message());
  llvm::scope_exit clean([&] { llvm::sys::fs::remove_directories(folder); });
  for (auto [i, program] : llvm::enumerate(dump.programs))
    if (program.isHlo)
      if (llvm::Error error = writeText(
              pathOf(folder, i, ".hlo"),
              [&, &text = program.text](llvm::raw_ostream &os) { os << text; }))
        return error;
  llvm::Expected<engine::PythonRun> ran = engine::runPythonModule(
      "assay.hlo_dump", {folder.str().str()}, folder.str().str() + "/log");
  if (!ran)
    return addContext(ran.takeError(), "XLA's text is read by jaxlib");
  if (ran->code != 0) {
    llvm::StringRef said = ran->said, last = said.rsplit('\n').second;
    return makeError(ErrorCode::Unsupported,
                     "XLA's text is read by jaxlib's converter, in {0}: {1}; "
                     "install jaxlib there, or name another Python in "
                     "ASSAY_PYTHON",
                     ran->interpreter, last.empty() ? said : last);
  }
  takeConverted(folder, dump, unread);
  return llvm::Error::success();
}

/// Compares all pairs; the answers are stored beside the dump until all of them
/// are known.
static llvm::Expected<judge::PassesReport>
askWithJournal(judge::PassesRequest &request, llvm::StringRef dump,
               bool resume) {
  std::string path = dump.rtrim('/').str() + ".passes.journal";
  if (!resume)
    llvm::sys::fs::remove(path);
  llvm::Expected<std::unique_ptr<RecordFile>> journal = RecordFile::open(
      path, RecordFile::Writers::One, "another `assay passes` asks this dump");
  if (journal)
    request.journal = journal->get();
  else if (resume)
    return journal.takeError();
  else // such as a folder that cannot be written
    llvm::consumeError(journal.takeError());
  llvm::Expected<judge::PassesReport> report = judge::askPasses(request);
  if (report && request.journal)
    request.journal->remove();
  return report;
}

ExitCode tools::passesCommand(llvm::ArrayRef<const char *> arguments) {
  std::vector<std::string> paths;
  std::string laws;
  bool resume = false;
  judge::PassesRequest request;
  CommonOptions common;
  common.maxSeconds = 60;
  CLI::App app("Which pass of a compiler changed the function? Compares every "
               "neighbouring pair of a dump's programs.");
  app.add_option("DUMP", paths,
                 "a folder or files: XLA's dump, MLIR's printed IR, programs "
                 "in order")
      ->required();
  app.add_option("--jobs", request.jobs, "pairs at a time (default: all cores)")
      ->check(CLI::Range(1, 1024))
      ->default_val(availableCores());
  app.add_flag("--resume", resume,
               "keep the answers of a killed run (DUMP.passes.journal)");
  app.add_option("-o", request.output,
                 "folder for the two programs of the first pass that changes "
                 "the function, reduced, and their arguments");
  app.add_option("--draws", request.draws, "as of `assay equiv`")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--laws", laws, "as of `assay equiv`");
  app.add_flag("--precision-may-change", request.precisionMayChange,
               "as of `assay equiv`");
  common.addTo(app, kSeconds | kSeed);
  app.footer(kExamples);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (llvm::Error error = judge::LawSet::parse(laws).moveInto(request.laws))
    return reportError(std::move(error));
  if (llvm::Error error = judge::readPassDump(paths).moveInto(request.dump))
    return reportError(std::move(error));
  request.seed = common.seed;
  request.maxSeconds = common.maxSeconds;
  request.quiet = common.quiet || common.json == "-";
  std::vector<std::string> unread;
  if (llvm::any_of(request.dump.programs,
                   [](const judge::PassProgram &p) { return p.isHlo; })) {
    // XLA's passes may change the sign of zero.
    if (laws.empty())
      request.laws = judge::LawSet::all();
    if (llvm::Error error = convertHlo(request.dump, unread))
      return reportError(std::move(error));
  }
  llvm::Expected<judge::PassesReport> report =
      askWithJournal(request, paths.front(), resume);
  if (report)
    report->unread.insert(report->unread.begin(), unread.begin(), unread.end());
  return show(common, std::move(report));
}
