// The rows of a sweep in their three forms: in memory, as journal lines while a
// sweep runs, as Parquet columns after it. Column names follow CK Tile's data
// sets where those have the thing, so that its tools can read these.
#include "assay/select/Dataset.h"
#include "assay/kernels/conv/ConvConfig.h"
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

std::string Measurement::op() const {
  return conv ? toString(conv->direction) : "gemm";
}

std::string Measurement::title() const {
  return conv ? toString(*conv) : toString(problem());
}

double Measurement::flops() const {
  return conv ? conv->flops() : problem().flops();
}

uint64_t Measurement::hash() const {
  return conv ? conv->hash() : problem().hash();
}

Measurement Measurement::onThreads(int count) const {
  Measurement other = *this;
  other.threads = count;
  if (other.conv)
    other.conv->threads = count;
  return other;
}

std::string select::problemKey(const Measurement &row) {
  if (row.conv)
    return toString(*row.conv);
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

static void writeConfig(TableWriter &out, const ConvConfig &c) {
  out.text("road", toString(c.algorithm));
  out.integer("block_vectors", c.vectors);
  out.integer("block_positions", c.positions);
  out.integer("work_kb", c.workKb);
  out.integer("filter_kb", c.filterKb);
  out.integer("gathered_columns", c.columns);
  out.integer("together", c.together);
}

/// Sizes as CK Tile's data sets of convolutions name them.
static void writeConvolution(TableWriter &out, const ConvProblem &p) {
  out.text("problem", p.words());
  out.integer("N", p.batch);
  out.integer("C", p.channels);
  out.integer("K", p.outChannels);
  out.integer("G", p.groups);
  static constexpr struct {
    const char *names[3];
    ConvProblem::Sides ConvProblem::*sides;
  } kSides[] = {
      {{"Di", "Hi", "Wi"}, &ConvProblem::image},
      {{"Do", "Ho", "Wo"}, &ConvProblem::result},
      {{"Z", "Y", "X"}, &ConvProblem::filter},
      {{"stride_d", "stride_h", "stride_w"}, &ConvProblem::stride},
      {{"pad_d", "pad_h", "pad_w"}, &ConvProblem::low},
      {{"dilation_d", "dilation_h", "dilation_w"}, &ConvProblem::dilation}};
  for (const auto &entry : kSides)
    for (size_t d = 0; d < 3; ++d)
      out.integer(entry.names[d], (p.*entry.sides)[d]);
}

static double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The columns before the configuration's and the run's.
static void writeMeasurement(TableWriter &out, const Measurement &row,
                             const Provenance &run, double ns) {
  out.text("op_type", row.op());
  out.text("dtype", row.conv ? toString(row.conv->type) : toString(row.types));
  out.text("layout", row.conv ? kConvLayout : toString(row.layout));
  out.text("arch", run.machineClass);
  out.text("kernel_name", row.kernel);
  if (row.conv) {
    writeConvolution(out, *row.conv);
  } else {
    out.integer("m", row.m);
    out.integer("n", row.n);
    out.integer("k", row.k);
    out.integer("batch", row.batch);
  }
  out.integer("threads", row.threads);
  double flops = row.flops(),
         bytes = row.conv ? row.conv->bytes() : row.problem().bytes();
  out.number("measured_tflops", flops / ns * 1e-3);
  out.number("latency_ms", ns * 1e-6);
  out.number("bandwidth_gb_s", bytes / ns);
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

/// False for a name of another version: such a row could not be trained on.
static bool isKnown(const Measurement &row) {
  auto known = [](auto parsed) {
    bool good = bool(parsed);
    if (!good)
      llvm::consumeError(parsed.takeError());
    return good;
  };
  return row.conv ? known(parseConvConfig(row.kernel))
                  : known(parseConfig(row.kernel));
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
    if (!isKnown(row))
      continue;
    double ns =
        row.valid ? row.ratio * median(anchorTimes[keys[i]]) : std::nan("");
    out.beginRow();
    writeMeasurement(out, row, runs[row.run], ns);
    if (row.conv)
      writeConfig(out, llvm::cantFail(parseConvConfig(row.kernel)));
    else
      writeConfig(out, llvm::cantFail(parseConfig(row.kernel)));
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
/// Reads the columns of a table by name; the first one that is missing, or of
/// another type, is remembered.
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

/// All but the problems and the runs.
static void readRows(TableReader &in, std::vector<Measurement> &out) {
  auto &threads = in.integers("threads"), &pairs = in.integers("pairs"),
       &round = in.integers("round");
  auto &ratio = in.numbers("ratio"), &noise = in.numbers("noise"),
       &anchorNs = in.numbers("anchor_ns");
  auto &valid = in.truths("is_valid"), &noisy = in.truths("is_noisy");
  auto &kernel = in.texts("kernel_name"), &anchor = in.texts("anchor"),
       &reason = in.texts("reason");
  for (size_t i = 0; i < out.size(); ++i) {
    Measurement &row = out[i];
    row.threads = static_cast<int>(threads[i]);
    row.pairs = static_cast<int>(pairs[i]);
    row.round = static_cast<int>(round[i]);
    row.ratio = valid[i] ? ratio[i] : 0;
    row.noise = noise[i], row.anchorNs = anchorNs[i];
    row.valid = valid[i], row.noisy = noisy[i];
    row.kernel = kernel[i], row.anchor = anchor[i], row.reason = reason[i];
  }
}

/// True for a table of convolutions; one table is of one operation.
static bool isOfConvolutions(const ColumnTable &table) {
  const Column *op = table.find("op_type");
  return op && !op->texts.empty() && parseConvDirection(op->texts.front());
}

static void readProducts(TableReader &in, std::vector<Measurement> &rows) {
  auto &m = in.integers("m"), &n = in.integers("n"), &k = in.integers("k"),
       &batch = in.integers("batch");
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i].m = m[i], rows[i].n = n[i], rows[i].k = k[i],
    rows[i].batch = batch[i];
}

/// Errors: DataLoss (a problem that does not parse)
static llvm::Error readConvolutions(TableReader &in,
                                    std::vector<Measurement> &rows) {
  auto &op = in.texts("op_type"), &dtype = in.texts("dtype"),
       &problem = in.texts("problem");
  for (size_t i = 0; i < rows.size(); ++i) {
    auto direction = parseConvDirection(op[i]);
    auto type = parseDataType(dtype[i]);
    if (!direction || !type)
      return makeError(ErrorCode::DataLoss, "row {0} is of {1} {2}", i, op[i],
                       dtype[i]);
    auto parsed =
        parseConvProblem(problem[i], *direction, *type, rows[i].threads);
    if (!parsed)
      return makeError(ErrorCode::DataLoss, "row {0}: {1}", i,
                       takeError(parsed.takeError()).message);
    rows[i].conv = *parsed;
  }
  return llvm::Error::success();
}

llvm::Expected<StoredRows> select::fromTable(const ColumnTable &table) {
  TableReader in(table);
  StoredRows stored;
  stored.rows.resize(static_cast<size_t>(table.rows));
  bool convolutions = isOfConvolutions(table);
  if (!convolutions)
    readProducts(in, stored.rows);
  else
    (void)in.texts("problem");
  readRows(in, stored.rows);
  std::vector<Provenance> runs = readRuns(in, table.rows);
  auto &dtype = in.texts("dtype"), &layout = in.texts("layout");
  if (!in.missing().empty())
    return makeError(ErrorCode::DataLoss,
                     "there is no column '{0}' of the type that `assay tune "
                     "collect` writes",
                     in.missing());
  if (convolutions)
    if (llvm::Error error = readConvolutions(in, stored.rows))
      return error;
  for (int64_t i = 0; i < table.rows; ++i) {
    std::optional<TypePair> types = parseTypePair(dtype[i]);
    std::optional<Layout> parsed =
        convolutions ? Layout::RCR : parseLayout(layout[i]);
    if (!types || !parsed)
      return makeError(ErrorCode::DataLoss,
                       "row {0} has dtype '{1}' and layout '{2}'", i, dtype[i],
                       layout[i]);
    stored.rows[i].types = *types;
    stored.rows[i].layout = *parsed;
    if (stored.runs.empty() || !(stored.runs.back() == runs[i]))
      stored.runs.push_back(runs[i]);
    stored.rows[i].run = static_cast<int32_t>(stored.runs.size()) - 1;
  }
  return stored;
}
