// Runs races problem by problem. Each finished measurement is one line in the
// journal, flushed at once; at the end (budget, last problem, Ctrl-C) all rows
// become Parquet and the journal goes. A killed run leaves the journal:
// --resume reads it, drops a last line that was cut, and goes on with the
// measurement that was lost.
#include "assay/select/CollectRun.h"
#include "assay/select/Features.h"
#include "assay/select/Parquet.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <map>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

namespace {
/// The journal as an open file.
class JournalFile {
public:
  llvm::Error open(const std::string &path, const JournalHeader &header,
                   bool resume, KnownRows &known) {
    path_ = path;
    if (llvm::sys::fs::exists(path)) {
      if (!resume)
        return makeError(ErrorCode::Mismatch,
                         "'{0}' is left from an interrupted run; pass --resume "
                         "to go on with it, or "
                         "remove it",
                         path);
      llvm::Expected<Journal> journal = readJournal(path);
      if (!journal)
        return journal.takeError();
      if (!(journal->header == header))
        return makeError(ErrorCode::Mismatch,
                         "'{0}' is of a run with other settings (dtype {1}, "
                         "layout {2}, kernels {3}, "
                         "seed {4}, machine {5}); repeat those, or remove it",
                         path, journal->header.dtype, journal->header.layout,
                         journal->header.kernels, journal->header.seed,
                         journal->header.machineClass);
      known = std::move(journal->rows);
      if (llvm::Error error = cut(journal->wholeBytes))
        return error;
      return append("");
    }
    return append(journalLine(header));
  }
  llvm::Error append(llvm::StringRef line) {
    std::error_code code;
    if (!os_)
      os_ = std::make_unique<llvm::raw_fd_ostream>(
          path_, code, llvm::sys::fs::CD_OpenAlways, llvm::sys::fs::FA_Write,
          llvm::sys::fs::OF_Append);
    if (!code) {
      *os_ << line;
      os_->flush();
      code = os_->error();
      os_->clear_error();
    }
    if (code)
      return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}",
                       path_, code.message());
    return llvm::Error::success();
  }
  void remove() {
    os_.reset();
    llvm::sys::fs::remove(path_);
  }

private:
  llvm::Error cut(int64_t size) const {
    int descriptor = -1;
    std::error_code code = llvm::sys::fs::openFileForReadWrite(
        path_, descriptor, llvm::sys::fs::CD_OpenExisting,
        llvm::sys::fs::OF_None);
    if (!code) {
      code = llvm::sys::fs::resize_file(descriptor, size);
      llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
    }
    if (code)
      return makeError(ErrorCode::InvalidArgument, "cannot repair '{0}': {1}",
                       path_, code.message());
    return llvm::Error::success();
  }
  std::string path_;
  std::unique_ptr<llvm::raw_fd_ostream> os_;
};

struct Task {
  Shape shape;
  int threads;
};
} // namespace

static std::vector<Task> makeTasks(const CollectOptions &options) {
  std::vector<Task> tasks;
  for (const Shape &shape :
       sampleShapes(options.shapes, options.shapes.size(), options.race.seed))
    for (int threads : options.threads)
      tasks.push_back({shape, threads});
  return tasks;
}

static std::string lineFor(const GemmProblem &problem,
                           const RaceResult &result) {
  const Measurement *best = nullptr;
  for (const Measurement &row : result.rows)
    if (row.valid && (!best || row.ratio < best->ratio))
      best = &row;
  if (!best)
    return toString(problem) + ": no kernel ran";
  return llvm::formatv("{0}: {1} kernels, best {2} at {3:f2}x the anchor, "
                       "{4:f1} us, {5:f1} GFLOP/s",
                       toString(problem), result.rows.size(), best->kernel,
                       1 / best->ratio, best->ratio * best->anchorNs * 1e-3,
                       problem.flops() / (best->ratio * best->anchorNs))
      .str();
}

static std::string outputPath(const CollectOptions &options,
                              const Provenance &provenance) {
  if (!llvm::sys::fs::is_directory(options.output))
    return options.output;
  llvm::SmallString<256> path(options.output);
  llvm::sys::path::append(path, "part-" + provenance.runId + ".parquet");
  return path.str().str();
}

llvm::Expected<CollectReport> select::collect(Registry &registry,
                                              ThreadPool &pool,
                                              const CollectOptions &options,
                                              const Interrupt &interrupt,
                                              const CollectProgress &progress) {
  auto start = std::chrono::steady_clock::now();
  auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  if (llvm::Error error = requireParquet())
    return error;
  Provenance provenance =
      Provenance::here(registry.machine(), options.race.seed);
  provenance.registryHash =
      registryHash(registry.enumerate(options.types, options.layout));
  JournalHeader header{toString(options.types), toString(options.layout),
                       options.kernelsText,     provenance.machineClass,
                       provenance.registryHash, options.race.seed};
  JournalFile journal;
  std::vector<Measurement> rows;
  if (llvm::Error error = journal.open(options.output + ".journal", header,
                                       options.resume, rows))
    return error;
  std::map<std::string, KnownRows> known;
  for (const Measurement &row : rows)
    known[problemKey(row)].push_back(row);
  CollectReport report;
  report.reused = static_cast<int64_t>(rows.size());

  std::vector<Task> tasks = makeTasks(options);
  std::vector<double> floors;
  MeasurementSink sink = [&](const Measurement &row) {
    rows.push_back(row);
    return journal.append(journalLine(row));
  };
  for (const Task &task : tasks) {
    if (report.interrupted ||
        (options.budgetSeconds > 0 && seconds() > options.budgetSeconds))
      break;
    GemmProblem problem = GemmProblem::make(
        options.types, options.layout, task.shape.m, task.shape.n, task.shape.k,
        task.shape.batch, task.threads);
    Measurement key;
    key.types = options.types;
    key.layout = options.layout;
    key.m = problem.m, key.n = problem.n, key.k = problem.k,
    key.batch = problem.batch, key.threads = problem.threads;
    llvm::Expected<RaceResult> result =
        race(registry, pool, problem, options.types, options.layout,
             options.race, known[problemKey(key)], sink, interrupt);
    if (!result) {
      ErrorText text = takeError(result.takeError());
      if (text.code != ErrorCode::Cancelled &&
          text.code != ErrorCode::ResourceLimit)
        return makeError(text.code, "{0}", text.message);
      report.interrupted = true;
      break;
    }
    ++report.problemsDone;
    if (result->noiseFloor > 0)
      floors.push_back(result->noiseFloor);
    progress(report.problemsDone, static_cast<int64_t>(tasks.size()),
             lineFor(problem, *result));
  }
  report.problemsLeft =
      static_cast<int64_t>(tasks.size()) - report.problemsDone;
  std::sort(floors.begin(), floors.end());
  report.noiseFloor = floors.empty() ? 0 : floors[floors.size() / 2];

  ColumnTable table = toTable(rows, provenance, report.noiseFloor);
  report.rows = table.rows;
  for (int64_t i = 0; i < table.rows; ++i) {
    report.valid += table.find("is_valid")->integers[i];
    report.noisy += table.find("is_noisy")->integers[i];
  }
  report.failures = report.rows - report.valid;
  report.path = outputPath(options, provenance);
  report.seconds = seconds();
  if (report.rows == 0)
    return makeError(ErrorCode::NotFound,
                     "nothing was measured: the budget or an interrupt came "
                     "before the first kernel");
  if (llvm::Error error = writeParquet(table, report.path))
    return addContext(std::move(error), "measurements are kept in '" +
                                            options.output + ".journal'");
  journal.remove();
  return report;
}
