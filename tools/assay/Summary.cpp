// `assay summary`: prints one row of statistics per tensor of a dump, to the
// terminal, a text file or a CSV file.
#include "assay/trace/Summary.h"
#include "OpenDump.h"
#include "Options.h"
#include "assay/trace/Ranks.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;
using tools::openDump;

/// The rows for a dump, or for all ranks of a folder.
static llvm::Expected<std::vector<trace::SummaryRow>>
rowsOf(const std::string &path, ThreadPool &pool) {
  llvm::Expected<std::map<int64_t, std::string>> dumps = trace::dumpsOf(path);
  if (!dumps)
    return dumps.takeError();
  std::vector<trace::SummaryRow> rows;
  for (const auto &[rank, dump] : *dumps) {
    llvm::Expected<std::unique_ptr<formats::Hdf5Reader>> file = openDump(dump);
    if (!file)
      return file.takeError();
    llvm::Expected<std::vector<trace::SummaryRow>> more =
        trace::summarize(**file, pool);
    if (!more)
      return more.takeError();
    for (trace::SummaryRow &row : *more) {
      row.index = static_cast<int64_t>(rows.size());
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

ExitCode tools::summaryCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      "Statistics of every tensor in a dump: minimum, maximum, mean, "
      "deviation, NaN, Inf, zeros, subnormals,\n"
      "norm, percentiles and hash. After them: the first NaN or Inf, "
      "its producer, and how it spread.\n\n"
      "examples:\n"
      "  assay summary globalrank-0_localrank-0.h5\n"
      "  assay summary globalrank-0_localrank-0.h5 sum.txt\n"
      "  assay summary globalrank-0_localrank-0.h5 sum.csv\n"
      "  assay summary run/ --quiet        (all ranks: the first NaN)");
  std::string dump, out;
  CommonOptions flags;
  app.add_option("DUMP", dump, "HDF5 file, or a folder with one per rank")
      ->required();
  app.add_option("OUT", out, "text table, or CSV when the name ends with .csv");
  flags.addTo(app, kThreads);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;

  ThreadPool pool(flags.threads);
  llvm::Expected<std::vector<trace::SummaryRow>> rows = rowsOf(dump, pool);
  if (!rows)
    return reportError(rows.takeError());
  if (!flags.json.empty())
    if (llvm::Error error = writeJson(flags.json, trace::summaryJson(*rows)))
      return reportError(std::move(error));
  bool csv = llvm::StringRef(out).ends_with_insensitive(".csv");
  if (out.empty() && flags.json != "-" && !flags.quiet)
    out = "-";
  if (!out.empty())
    if (llvm::Error error = writeText(out, [&](llvm::raw_ostream &os) {
          csv ? trace::writeSummaryCsv(*rows, os)
              : trace::printSummary(*rows, os);
        }))
      return reportError(std::move(error));
  if (out != "-" && !out.empty() && !flags.quiet)
    tools::out() << rows->size() << " tensors of '" << dump << "' written to '"
                 << out << "'\n";
  if (flags.json != "-")
    trace::printNotFinite(trace::firstNotFinite(*rows), tools::out());
  if (rows->empty()) {
    tools::err() << "assay: error: '" << dump
                 << "' holds no tensors: nothing was recorded\n";
    return ExitCode::NothingChecked;
  }
  for (const trace::SummaryRow &row : *rows)
    if (!row.problem.empty())
      tools::err() << "assay: warning: '" << row.name
                   << "' is not a tensor: " << row.problem << "\n";
  return ExitCode::Ok;
}
