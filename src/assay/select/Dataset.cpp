// The rows of a sweep in their three forms: in memory, as journal lines while a
// sweep runs, as Parquet columns after it. Column names follow the seed's data
// sets where those have the thing, so that its tools can read ours.
#include "assay/select/Dataset.h"
#include "assay/select/Features.h"

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

GemmProblem Measurement::problem() const {
  return GemmProblem::make(types, layout, m, n, k, batch, threads);
}

std::string select::problemKey(const Measurement &row) {
  return llvm::formatv("{0} {1} {2}x{3}x{4} b{5} t{6}", toString(row.types),
                       toString(row.layout), row.m, row.n, row.k, row.batch,
                       row.threads)
      .str();
}

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

namespace {
/// Appends one value per row to named columns that are made on first use.
class TableWriter {
public:
  explicit TableWriter(ColumnTable &table) : table_(table) {}
  void beginRow() {
    ++table_.rows;
    next_ = 0;
  }
  void text(const char *name, std::string value) {
    column(name, ColumnType::Text).texts.push_back(std::move(value));
  }
  void integer(const char *name, int64_t value) {
    column(name, ColumnType::Integer).integers.push_back(value);
  }
  void truth(const char *name, bool value) {
    column(name, ColumnType::Boolean).integers.push_back(value);
  }
  void number(const char *name, double value) {
    column(name, ColumnType::Float).numbers.push_back(value);
  }

private:
  Column &column(const char *name, ColumnType type) {
    if (next_ == table_.columns.size())
      table_.add(name, type);
    return table_.columns[next_++];
  }
  ColumnTable &table_;
  size_t next_ = 0;
};
} // namespace

static void writeConfig(TableWriter &out, const GemmConfig &c) {
  out.text("family", toString(c.family));
  out.integer("tile_m", c.mr);
  out.integer("tile_n", c.nr);
  out.integer("tile_k", c.kr);
  out.integer("block_m", c.mc);
  out.integer("block_n", c.nc);
  out.integer("block_k", c.kc);
  out.truth("pack_a", c.packA == Packing::Pack);
  out.truth("pack_b", c.packB == Packing::Pack);
  out.text("scheduler", c.order == LoopOrder::NKM ? "nkm" : "mkn");
  out.text("pipeline", c.pipeline == Pipeline::Plain       ? "plain"
                       : c.pipeline == Pipeline::Pipelined ? "pipelined"
                                                           : "prefetch");
  out.integer("prefetch", c.prefetch);
  out.integer("split_k", c.splitK);
  out.integer("grid_m", c.gridM);
  out.integer("grid_n", c.gridN);
  out.truth("pad", c.edge == Edge::Padded);
  out.text("epilogue",
           c.epilogue == EpilogueMode::Fused ? "fused" : "separate");
}

static double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

ColumnTable select::toTable(llvm::ArrayRef<Measurement> rows,
                            const Provenance &p, double noiseFloor) {
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
    llvm::Expected<GemmConfig> config = parseConfig(row.kernel);
    if (!config) {
      llvm::consumeError(config.takeError());
      continue; // a name of another version: it could not be trained on
    }
    double ns =
        row.valid ? row.ratio * median(anchorTimes[keys[i]]) : std::nan("");
    GemmProblem problem = row.problem();
    out.beginRow();
    out.text("op_type", "gemm");
    out.text("dtype", toString(row.types));
    out.text("layout", toString(row.layout));
    out.text("arch", p.machineClass);
    out.text("kernel_name", row.kernel);
    out.integer("m", row.m);
    out.integer("n", row.n);
    out.integer("k", row.k);
    out.integer("batch", row.batch);
    out.integer("threads", row.threads);
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
    writeConfig(out, *config);
    out.text("machine", p.machine);
    out.text("compiler", p.compiler);
    out.text("llvm", p.llvmVersion);
    out.text("assay", p.assayVersion);
    out.text("registry", p.registryHash);
    out.text("run_id", p.runId);
    out.integer("seed", static_cast<int64_t>(p.seed));
    out.text("timestamp", p.timestamp);
  }
  table.metadata["noise_floor"] = llvm::formatv("{0:f6}", noiseFloor).str();
  table.metadata["machine_class"] = p.machineClass;
  table.metadata["registry"] = p.registryHash;
  return table;
}

// ---- the journal

static std::string lineOf(llvm::json::Object object) {
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str() +
         "\n";
}

std::string select::journalLine(const JournalHeader &h) {
  return lineOf(llvm::json::Object{{"assay_journal", 1},
                                   {"dtype", h.dtype},
                                   {"layout", h.layout},
                                   {"kernels", h.kernels},
                                   {"machine_class", h.machineClass},
                                   {"registry", h.registryHash},
                                   {"seed", static_cast<int64_t>(h.seed)}});
}

std::string select::journalLine(const Measurement &r) {
  return lineOf(llvm::json::Object{{"m", r.m},
                                   {"n", r.n},
                                   {"k", r.k},
                                   {"batch", r.batch},
                                   {"threads", r.threads},
                                   {"kernel", r.kernel},
                                   {"anchor", r.anchor},
                                   {"ratio", r.ratio},
                                   {"noise", r.noise},
                                   {"anchor_ns", r.anchorNs},
                                   {"pairs", r.pairs},
                                   {"round", r.round},
                                   {"noisy", r.noisy},
                                   {"valid", r.valid},
                                   {"reason", r.reason}});
}

static bool parseRow(const llvm::json::Value &value, Measurement &row) {
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper o(value, root);
  return o && o.map("m", row.m) && o.map("n", row.n) && o.map("k", row.k) &&
         o.map("batch", row.batch) && o.map("threads", row.threads) &&
         o.map("kernel", row.kernel) && o.map("anchor", row.anchor) &&
         o.map("ratio", row.ratio) && o.map("noise", row.noise) &&
         o.map("anchor_ns", row.anchorNs) && o.map("pairs", row.pairs) &&
         o.map("round", row.round) && o.map("noisy", row.noisy) &&
         o.map("valid", row.valid) && o.map("reason", row.reason);
}

static bool parseHeader(const llvm::json::Value &value, JournalHeader &h) {
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper o(value, root);
  int64_t version = 0, seed = 0;
  bool whole = o && o.map("assay_journal", version) && version == 1 &&
               o.map("dtype", h.dtype) && o.map("layout", h.layout) &&
               o.map("kernels", h.kernels) &&
               o.map("machine_class", h.machineClass) &&
               o.map("registry", h.registryHash) && o.map("seed", seed);
  h.seed = static_cast<uint64_t>(seed);
  return whole && parseTypePair(h.dtype) && parseLayout(h.layout);
}

llvm::Expected<Journal> select::readJournal(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     buffer.getError().message());
  Journal journal;
  llvm::StringRef rest = (*buffer)->getBuffer();
  for (int64_t number = 1; rest.contains('\n'); ++number) {
    auto [line, behind] = rest.split('\n');
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
    Measurement row;
    bool good = bool(value);
    if (!value)
      llvm::consumeError(value.takeError());
    if (good && number > 1) {
      row.types = *parseTypePair(journal.header.dtype);
      row.layout = *parseLayout(journal.header.layout);
    }
    if (good)
      good = number == 1 ? parseHeader(*value, journal.header)
                         : parseRow(*value, row);
    if (!good)
      return makeError(
          ErrorCode::DataLoss,
          "'{0}' is damaged at line {1}; move it away to start anew", path,
          number);
    if (number > 1)
      journal.rows.push_back(std::move(row));
    journal.wholeBytes += static_cast<int64_t>(line.size()) + 1;
    rest = behind;
  }
  if (journal.wholeBytes == 0)
    return makeError(ErrorCode::DataLoss,
                     "'{0}' has no header line; move it away to start anew",
                     path);
  return journal;
}
