// `assay summary`: one row of statistics per tensor of a dump, to the terminal,
// a text file or a CSV file.
#include "assay/trace/Summary.h"
#include "Options.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;

static void sayRepaired(const tensor::Hdf5Reader &file) {
  if (file.repaired())
    llvm::errs() << "assay: note: '" << file.path()
                 << "' was left by a recorder that was killed; repaired, "
                 << file.repaired()->tensors << " tensors are complete\n";
}

ExitCode tools::summaryCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app("Statistics of every tensor in a dump: minimum, maximum, mean, "
               "deviation, NaN, Inf, zeros, subnormals,\n"
               "norm, percentiles and hash.\n\n"
               "examples:\n"
               "  assay summary globalrank-0_localrank-0.h5\n"
               "  assay summary globalrank-0_localrank-0.h5 sum.txt\n"
               "  assay summary globalrank-0_localrank-0.h5 sum.csv");
  std::string dump, out;
  CommonOptions flags;
  app.add_option("DUMP", dump, "HDF5 file")->required();
  app.add_option("OUT", out, "text table, or CSV when the name ends with .csv");
  flags.addTo(app, kThreads);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;

  llvm::Expected<std::unique_ptr<tensor::Hdf5Reader>> file =
      tensor::Hdf5Reader::open(dump);
  if (!file)
    return reportError(file.takeError());
  sayRepaired(**file);
  ThreadPool pool(flags.threads);
  llvm::Expected<std::vector<trace::SummaryRow>> rows =
      trace::summarize(**file, pool);
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
    llvm::outs() << rows->size() << " tensors of '" << dump << "' written to '"
                 << out << "'\n";
  if (rows->empty()) {
    llvm::errs() << "assay: error: '" << dump
                 << "' holds no tensors: nothing was recorded\n";
    return ExitCode::NothingChecked;
  }
  for (const trace::SummaryRow &row : *rows)
    if (!row.problem.empty())
      llvm::errs() << "assay: warning: '" << row.name
                   << "' is no tensor: " << row.problem << "\n";
  return ExitCode::Ok;
}
