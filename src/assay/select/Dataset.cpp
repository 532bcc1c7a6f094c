// The rows of a data set in their three forms: in memory, as journal lines
// during a run, as Parquet columns after it. A column that CK Tile's data sets
// also have has their name, so that CK Tile's tools can read these.
#include "assay/select/Dataset.h"
#include "assay/select/KernelSpace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <ctime>
#include <map>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

Provenance Provenance::here(const Machine &machine, uint64_t seed) {
  Provenance p;
  p.machine = machine.processor;
  p.machineClass = select::machineClass(machine);
  p.compiler = "GCC " __VERSION__;
#ifdef __clang__
  p.compiler = __VERSION__;
#endif
  p.llvmVersion = LLVM_VERSION_STRING;
  p.assayVersion = ASSAY_VERSION;
  p.seed = seed;
  std::time_t now = std::time(nullptr);
  char text[32];
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  p.timestamp = text;
  p.runId = llvm::utohexstr(llvm::xxh3_64bits(p.timestamp + p.machine +
                                              std::to_string(seed)),
                            true, 12)
                .substr(0, 12);
  return p;
}

// ---- columns

static double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Writes the columns before those of the configuration and the run.
static void writeMeasurement(TableWriter &out, const Measurement &row,
                             const Provenance &run, double ns) {
  const Problem &problem = *row.problem;
  out.text("op_type", problem.space().op().str());
  out.text("dtype", problem.dtype());
  out.text("layout", problem.layout());
  out.text("arch", run.machineClass);
  out.text("kernel_name", row.kernel);
  problem.space().write(problem, out);
  out.integer("threads", problem.threads());
  out.number("measured_tflops", problem.flops() / ns * 1e-3);
  out.number("latency_ms", ns * 1e-6);
  out.number("bandwidth_gb_s", problem.bytes() / ns);
  out.truth("is_valid", row.valid);
  out.text("reason", row.reason);
  out.number("ratio", row.valid ? row.ratio : std::nan(""));
  out.number("noise", row.noise);
  out.truth("is_noisy", row.noisy);
  out.integer("pairs", row.pairs);
  out.integer("round", row.round);
  out.text("anchor", row.anchor);
  out.number("anchor_ns", row.anchorNs);
}

static void writeRun(TableWriter &out, const Provenance &run) {
  out.text("machine", run.machine);
  out.text("compiler", run.compiler);
  out.text("llvm", run.llvmVersion);
  out.text("assay", run.assayVersion);
  out.text("registry", run.registryHash);
  out.text("run_id", run.runId);
  out.integer("seed", static_cast<int64_t>(run.seed));
  out.text("timestamp", run.timestamp);
}

ColumnTable select::toTable(llvm::ArrayRef<Measurement> rows,
                            llvm::ArrayRef<Provenance> runs,
                            double noiseFloor) {
  std::map<std::pair<std::string, std::string>, size_t>
      last; // (problem, kernel) -> row
  std::map<std::string, std::vector<double>> anchorTimes;
  std::vector<std::string> keys;
  for (size_t i = 0; i < rows.size(); ++i) {
    keys.push_back(problemKey(rows[i]));
    last[{keys[i], rows[i].kernel}] = i;
    if (rows[i].valid)
      anchorTimes[keys[i]].push_back(rows[i].anchorNs);
  }
  ColumnTable table;
  TableWriter out(table);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Measurement &row = rows[i];
    if (last[{keys[i], row.kernel}] != i)
      continue;
    const LocalSpace &space = row.problem->space();
    if (!space.writeKernel(row.kernel, nullptr))
      continue; // of another version, which training could not use
    double ns =
        row.valid ? row.ratio * median(anchorTimes[keys[i]]) : std::nan("");
    out.beginRow();
    writeMeasurement(out, row, runs[row.run], ns);
    space.writeKernel(row.kernel, &out);
    writeRun(out, runs[row.run]);
  }
  table.metadata["noise_floor"] = llvm::formatv("{0:f6}", noiseFloor).str();
  if (!runs.empty()) {
    table.metadata["machine_class"] = runs.back().machineClass;
    table.metadata["registry"] = runs.back().registryHash;
  }
  return table;
}

// ---- rows from columns

namespace {
/// Reads the columns of a table by name, and remembers the first one that is
/// missing or of another type.
class TableReader {
public:
  explicit TableReader(const ColumnTable &table) : table_(table) {}
  const std::vector<std::string> &texts(const char *name) {
    return column(name, ColumnType::Text).texts;
  }
  const std::vector<int64_t> &integers(const char *name) {
    return column(name, ColumnType::Integer).integers;
  }
  const std::vector<int64_t> &truths(const char *name) {
    return column(name, ColumnType::Boolean).integers;
  }
  const std::vector<double> &numbers(const char *name) {
    return column(name, ColumnType::Float).numbers;
  }
  llvm::StringRef missing() const { return missing_; }

private:
  const Column &column(const char *name, ColumnType type) {
    const Column *found = table_.find(name);
    if (found && found->type == type)
      return *found;
    if (missing_.empty())
      missing_ = name;
    absent_.numbers.resize(table_.rows);
    absent_.integers.resize(table_.rows);
    absent_.texts.resize(table_.rows);
    return absent_;
  }
  const ColumnTable &table_;
  Column absent_;
  llvm::StringRef missing_;
};
} // namespace

static std::vector<Provenance> readRuns(TableReader &in, int64_t rows) {
  auto &machine = in.texts("machine"), &arch = in.texts("arch"),
       &compiler = in.texts("compiler"), &llvm = in.texts("llvm"),
       &assay = in.texts("assay"), &registry = in.texts("registry"),
       &run = in.texts("run_id"), &time = in.texts("timestamp");
  auto &seed = in.integers("seed");
  std::vector<Provenance> runs;
  for (int64_t i = 0; i < rows; ++i)
    runs.push_back({machine[i], arch[i], compiler[i], llvm[i], assay[i],
                    registry[i], run[i], time[i],
                    static_cast<uint64_t>(seed[i])});
  return runs;
}

/// Reads everything but the problems and the runs.
static void readRows(TableReader &in, std::vector<Measurement> &out) {
  (void)in.integers("threads");
  auto &pairs = in.integers("pairs"), &round = in.integers("round");
  auto &ratio = in.numbers("ratio"), &noise = in.numbers("noise"),
       &anchorNs = in.numbers("anchor_ns");
  auto &valid = in.truths("is_valid"), &noisy = in.truths("is_noisy");
  auto &kernel = in.texts("kernel_name"), &anchor = in.texts("anchor"),
       &reason = in.texts("reason");
  for (size_t i = 0; i < out.size(); ++i) {
    Measurement &row = out[i];
    row.pairs = static_cast<int>(pairs[i]);
    row.round = static_cast<int>(round[i]);
    row.ratio = valid[i] ? ratio[i] : 0;
    row.noise = noise[i], row.anchorNs = anchorNs[i];
    row.valid = valid[i], row.noisy = noisy[i];
    row.kernel = kernel[i], row.anchor = anchor[i], row.reason = reason[i];
  }
}

/// A table has one operation; a table without its name holds products.
static const LocalSpace &spaceOf(const ColumnTable &table) {
  const Column *op = table.find("op_type");
  const LocalSpace *space =
      op && !op->texts.empty() ? findLocal(op->texts.front()) : nullptr;
  return space ? *space : defaultSpace();
}

llvm::Expected<StoredRows> select::fromTable(const ColumnTable &table) {
  TableReader in(table);
  StoredRows stored;
  stored.rows.resize(static_cast<size_t>(table.rows));
  const LocalSpace &space = spaceOf(table);
  for (const ProblemColumn &column : space.columns())
    column.isText ? (void)in.texts(column.name)
                  : (void)in.integers(column.name);
  readRows(in, stored.rows);
  std::vector<Provenance> runs = readRuns(in, table.rows);
  for (const char *name : {"dtype", "layout"})
    (void)in.texts(name);
  if (!in.missing().empty())
    return makeError(ErrorCode::DataLoss,
                     "there is no column '{0}' of the type that `assay tune "
                     "collect` writes",
                     in.missing());
  Rows rows(table);
  for (size_t i = 0; i < stored.rows.size(); ++i) {
    Measurement &row = stored.rows[i];
    auto problem =
        space.parse(wordsOf(rows, i, llvm::formatv("row {0}", i).str()));
    if (!problem)
      return makeError(ErrorCode::DataLoss, "{0}",
                       takeError(problem.takeError()).message);
    row.problem = std::move(*problem);
    if (stored.runs.empty() || !(stored.runs.back() == runs[i]))
      stored.runs.push_back(runs[i]);
    row.run = static_cast<int32_t>(stored.runs.size()) - 1;
  }
  return stored;
}
