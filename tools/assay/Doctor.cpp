// `assay doctor`: the machine, its measured limits, and what Assay finds on it:
// engines, models, library versions.
#include "Options.h"
#include "assay/engine/Registry.h"
#include "assay/kernels/Machine.h"
#include "assay/kernels/Peaks.h"
#include "assay/select/LearnedSelector.h"
#include "assay/support/Table.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <unistd.h>
#include <zlib.h>

using namespace assay;
using namespace assay::tools;

static constexpr const char *kExamples = R"(examples:
  assay doctor                 what is here, and what it can do (a second or two of measuring)
  assay doctor --json -        the same for machines
  ASSAY_ISA=avx2 assay doctor  as if the processor had no more than AVX2)";

namespace {
struct Finding {
  std::string group, name, value;
};
} // namespace

static std::string bytes(int64_t size) {
  if (size >= int64_t{1} << 30)
    return llvm::formatv("{0:F1} GiB",
                         static_cast<double>(size) / (int64_t{1} << 30))
        .str();
  return size >= 1 << 20 ? llvm::formatv("{0} MiB", size >> 20).str()
                         : llvm::formatv("{0} KiB", size >> 10).str();
}

static void findMachine(std::vector<Finding> &found) {
  kernels::Machine machine = kernels::Machine::detect();
  found.push_back(
      {"processor", "name", machine.processor + " (" + machine.isa.cpu + ")"});
  found.push_back({"processor", "cores", std::to_string(machine.cores)});
  found.push_back({"processor", "instruction set", machine.isa.name});
  found.push_back({"processor", "caches",
                   "L1 " + bytes(machine.caches.l1) + ", L2 " +
                       bytes(machine.caches.l2) + ", L3 " +
                       bytes(machine.caches.l3)});
  found.push_back({"processor", "memory",
                   bytes(static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) *
                         sysconf(_SC_PAGESIZE))});
}

static void measure(std::vector<Finding> &found) {
  kernels::Machine machine = kernels::Machine::detect();
  ThreadPool pool(machine.cores);
  kernels::Registry registry;
  for (int threads = 1; threads <= machine.cores; threads *= 2) {
    std::string name = llvm::formatv("f32 multiply-add, {0} {1}", threads,
                                     threads == 1 ? "thread" : "threads")
                           .str();
    llvm::Expected<double> gflops = kernels::measureGflops(
        registry, {kernels::DataType::F32, kernels::DataType::F32}, threads,
        pool);
    found.push_back({"measured", name,
                     gflops ? llvm::formatv("{0:F0} GFLOP/s", *gflops).str()
                            : takeError(gflops.takeError()).message});
    found.push_back({"measured",
                     llvm::formatv("memory read, {0} {1}", threads,
                                   threads == 1 ? "thread" : "threads")
                         .str(),
                     llvm::formatv("{0:F1} GB/s", kernels::measureBandwidth(
                                                      threads, 256, pool))
                         .str()});
  }
}

static void findEngines(std::vector<Finding> &found) {
  for (const engine::EngineRow &row : engine::engineTable()) {
    std::string why =
        *row.argument ? std::string() : engine::whyUnavailable(row.name);
    found.push_back({"engine", row.spelling(),
                     why.empty() ? row.description : "not available: " + why});
  }
}

// Folders with a train_manifest.json in the places where dispatch looks for
// models.
static void findModels(std::vector<Finding> &found) {
  bool any = false;
  for (const std::string &folder : select::modelFolders()) {
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(folder, code), end;
         it != end && !code; it.increment(code))
      if (llvm::sys::fs::exists(it->path() + "/train_manifest.json")) {
        found.push_back(
            {"model", llvm::sys::path::filename(it->path()).str(), it->path()});
        any = true;
      }
  }
  if (!any)
    found.push_back({"model", "none",
                     "kernels are chosen by the analytic cost model; `assay "
                     "tune auto` makes a model"});
}

ExitCode tools::doctorCommand(llvm::ArrayRef<const char *> arguments) {
  CommonOptions common;
  bool fast = false;
  CLI::App app("Shows the machine and its measured limits, and the engines, "
               "models and libraries that Assay finds.");
  app.add_flag("--no-measure", fast, "leave out the measured limits");
  common.addTo(app);
  app.footer(kExamples);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  std::vector<Finding> found;
  findMachine(found);
  if (!fast)
    measure(found);
  findEngines(found);
  findModels(found);
  found.push_back({"version", "assay", ASSAY_VERSION});
  found.push_back({"version", "LLVM and MLIR", LLVM_VERSION_STRING});
  found.push_back({"version", "zlib", zlibVersion()});
  if (common.json != "-") {
    Table table({{""}, {""}, {"", Table::Align::Left, 90}});
    for (const Finding &finding : found)
      table.addRow({finding.group, finding.name, finding.value});
    table.print(llvm::outs());
  }
  if (common.json.empty())
    return ExitCode::Ok;
  llvm::json::Array rows;
  for (const Finding &finding : found)
    rows.push_back(llvm::json::Object{{"group", finding.group},
                                      {"name", finding.name},
                                      {"value", finding.value}});
  if (llvm::Error error = writeJson(common.json, std::move(rows)))
    return reportError(std::move(error));
  return ExitCode::Ok;
}
