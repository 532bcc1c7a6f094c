// `assay doctor`: the machine, its measured limits, and the engines, models and
// library versions that Assay finds on it.
#include "assay/select/Doctor.h"
#include "Options.h"
#include "assay/engine/Registry.h"
#include "assay/support/Table.h"

#include "llvm/Config/llvm-config.h"

#include <zlib.h>

using namespace assay;
using namespace assay::tools;

static constexpr const char *kExamples = R"(examples:
  assay doctor                 what is here, and what it can do (a second or two of measuring)
  assay doctor --measure       also measures register tiles, copies and caches for the choice of kernels; once per machine
  assay doctor --json -        the same for machines
  ASSAY_ISA=avx2 assay doctor  as if the processor had no more than AVX2)";

static constexpr int kWidth = 100;

/// The text in lines of at most kWidth, divided between words; a longer word
/// has a line of its own.
static std::vector<std::string> wrapped(llvm::StringRef text) {
  std::vector<std::string> lines{""};
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ' ');
  for (llvm::StringRef word : words) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > kWidth)
      lines.push_back("");
    lines.back() += (lines.back().empty() ? "" : " ") + word.str();
  }
  return lines;
}

namespace {
struct DoctorReport {
  std::vector<select::Finding> found;

  llvm::json::Value toJson() const {
    llvm::json::Array rows;
    for (const select::Finding &finding : found)
      rows.push_back(llvm::json::Object{{"group", finding.group},
                                        {"name", finding.name},
                                        {"value", finding.value}});
    return rows;
  }
  void print(llvm::raw_ostream &os, bool) const {
    Table table({{""}, {""}, {"", Table::Align::Left, kWidth}});
    for (const select::Finding &finding : found) {
      std::vector<std::string> lines = wrapped(finding.value);
      table.addRow({finding.group, finding.name, lines[0]});
      for (size_t i = 1; i < lines.size(); ++i)
        table.addRow({"", "", lines[i]});
    }
    table.print(os);
  }
  ExitCode exitCode() const { return ExitCode::Ok; }
};
} // namespace

ExitCode tools::doctorCommand(llvm::ArrayRef<const char *> arguments) {
  CommonOptions common;
  bool fast = false, measures = false;
  CLI::App app("Shows the machine and its measured limits, and the engines, "
               "models and libraries that Assay finds.");
  app.add_flag("--no-measure", fast, "leave out the measured limits");
  app.add_flag(
      "--measure", measures,
      "measure the speeds that the analytic choice of kernels goes by, "
      "and keep them for this user");
  common.addTo(app, kNothing);
  app.footer(kExamples);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  DoctorReport report{select::describeMachine()};
  llvm::append_range(report.found, select::findGpus());
  if (!fast)
    llvm::append_range(report.found, select::measureMachine());
  if (measures) {
    llvm::Expected<select::Finding> measured = select::measureTiles();
    if (!measured)
      return reportError(measured.takeError());
    report.found.push_back(std::move(*measured));
  } else {
    report.found.push_back(select::findSpeeds());
  }
  for (const engine::EngineRow &row : engine::engineTable()) {
    std::string why =
        *row.argument ? std::string() : engine::whyUnavailable(row.name);
    report.found.push_back(
        {"engine", row.spelling(),
         why.empty() ? row.description : "not available: " + why});
  }
  llvm::append_range(report.found, select::findModels());
  report.found.push_back({"version", "assay", ASSAY_VERSION});
  report.found.push_back({"version", "LLVM and MLIR", LLVM_VERSION_STRING});
  report.found.push_back({"version", "zlib", zlibVersion()});
  return show(common, llvm::Expected<DoctorReport>(std::move(report)));
}
