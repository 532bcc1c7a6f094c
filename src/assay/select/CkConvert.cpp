// Reads CK Tile's three forms of benchmark data. JSON: {metadata, results:
// [{kernel_config, benchmarks}]}. Log: a line "Shape i: M=.. N=.. K=.. dtype=..
// layout=.." followed by one object per kernel, which may span lines. CSV: a
// header and one measurement per line, of GEMMs (m,n,k,kernel_name,...) or of
// grouped convolutions (kernel,problem_idx,N,C,...). The result has CK Tile's
// own column names. A value that a record lacks stays a missing number; none is
// made up. A record without a measurement is left out, and the report names its
// place in the file: a line, or results[3].benchmarks[0].
#include "assay/select/CkGemm.h"
#include "assay/select/Rows.h"
#include "assay/support/ByteOrderMark.h"
#include "assay/support/Json.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <set>

using namespace assay;
using namespace assay::select;

/// Why a value is not a valid size; empty where it is one.
static std::string notWhole(llvm::StringRef name, double value, double least) {
  if (std::isnan(value))
    return llvm::formatv("it has no number {0}", name).str();
  std::string expected = notSize(value, least);
  return expected.empty() ? expected
                          : llvm::formatv("{0} is {1}, expected {2}", name,
                                          llvm::format("%g", value), expected)
                                .str();
}

namespace {
struct Record {
  std::string kernel, dtype, layout, reason;
  std::string place; ///< in the file, for messages
  /// Sizes as the file has them; checked before they become columns.
  double m = std::nan(""), n = std::nan(""), k = std::nan(""), splitK = 1;
  double tflops = std::nan(""), latencyMs = std::nan(""),
         bandwidth = std::nan("");
  bool valid = false;
};

/// Collects records as columns.
class Builder : public TableWriter {
public:
  Builder(llvm::StringRef path, const ConvertOptions &options,
          ConvertReport &report)
      : TableWriter(table_), options_(options),
        runId_(
            llvm::utohexstr(llvm::xxh3_64bits(path), true, 16).substr(0, 12)),
        report_(report) {}

  const ConvertOptions &options() const { return options_; }

  /// Counts a record as damaged; the first few are named.
  void leaveOut(const std::string &place, const std::string &why) {
    constexpr int64_t kNamed = 5;
    if (++report_.damaged <= kNamed)
      report_.notes.push_back(place + " is left out: " + why);
  }

  /// Adds the record. Leaves it out when its name does not parse, a size is not
  /// a whole number from 1, or the type or the layout is unknown.
  void add(Record r) {
    llvm::Expected<CkKernelName> name = parseCkName(r.kernel);
    if (!name)
      return leaveOut(r.place, takeError(name.takeError()).message);
    r.dtype = !options_.dtype.empty() ? options_.dtype
              : r.dtype.empty()       ? name->dtype
                                      : r.dtype;
    r.layout = r.layout.empty() ? name->layout : r.layout;
    if (std::string why = whyNot(r); !why.empty())
      return leaveOut(r.place, why);
    double bytes =
        *ckElementBytes(r.dtype) * (r.m * r.k + r.k * r.n + r.m * r.n);
    if (std::isnan(r.tflops) && r.latencyMs > 0)
      r.tflops = 2.0 * r.m * r.n * r.k / r.latencyMs * 1e-9;
    if (std::isnan(r.bandwidth) && r.latencyMs > 0)
      r.bandwidth = bytes / r.latencyMs * 1e-6;
    bool valid = r.valid && r.tflops > 0 && r.latencyMs > 0;
    auto whole = [](double size) { return static_cast<int64_t>(size); };
    problems_.insert({whole(r.m), whole(r.n), whole(r.k)});
    report_.valid += valid;
    ++report_.rows;
    beginRow();
    text("op_type",
         options_.opType.empty() ? "gemm_universal" : options_.opType);
    text("dtype", r.dtype);
    text("layout", r.layout);
    text("arch", options_.arch);
    text("kernel_name", r.kernel);
    integer("m", whole(r.m));
    integer("n", whole(r.n));
    integer("k", whole(r.k));
    integer("split_k", whole(r.splitK));
    number("measured_tflops", r.tflops);
    number("latency_ms", r.latencyMs);
    number("bandwidth_gb_s", r.bandwidth);
    truth("is_valid", valid);
    text("reason", valid              ? ""
                   : r.reason.empty() ? "no time was measured"
                                      : r.reason);
    addKernel(*name);
    finishRow();
  }

  /// Adds the last columns of a row.
  void finishRow() {
    text("run_id", runId_);
    if (std::optional<CkHardware> hardware = options_.hardware)
      for (auto [name, field] : hardware->fields())
        number(("hw_" + name).str(), *field);
  }

  ColumnTable finish() {
    if (!problems_.empty())
      report_.problems = static_cast<int64_t>(problems_.size());
    return std::move(table_);
  }

private:
  /// Why a record is not a measurement; empty where it may be one.
  static std::string whyNot(const Record &r) {
    for (auto [name, size] :
         {std::pair("m", r.m), {"n", r.n}, {"k", r.k}, {"split_k", r.splitK}})
      if (std::string why = notWhole(name, size, 1); !why.empty())
        return why;
    if (!ckElementBytes(r.dtype))
      return "dtype is '" + r.dtype + "', expected " + kCkTypes;
    if (!kernels::parseLayout(r.layout))
      return "layout is '" + r.layout + "', expected rcr, rrr, crr or ccr";
    return "";
  }
  void addKernel(const CkKernelName &name) {
    static constexpr const char *kSides[] = {"_m", "_n", "_k"};
    for (int i = 0; i < 3; ++i) {
      integer(std::string("tile") + kSides[i], name.tile[i]);
      integer(std::string("warp") + kSides[i], name.warp[i]);
      integer(std::string("warp_tile") + kSides[i], name.warpTile[i]);
      truth(std::string("pad") + kSides[i], name.pad[i]);
      integer(std::string("vec_") + "abc"[i], name.vec[i]);
    }
    text("pipeline", name.pipeline);
    text("scheduler", name.scheduler);
    text("epilogue", name.epilogue);
    truth("persistent", name.persistent);
  }

  const ConvertOptions &options_;
  std::string runId_;
  ConvertReport &report_;
  ColumnTable table_;
  std::set<std::array<int64_t, 3>> problems_;
};
} // namespace

/// A size from JSON; NaN where it is not a number.
static double numberOr(const llvm::json::Object &object, llvm::StringRef key,
                       double fallback) {
  return object.getNumber(key).value_or(fallback);
}

// ---- JSON

static llvm::Error convertJson(const llvm::json::Object &root,
                               llvm::StringRef path, Builder &out) {
  const llvm::json::Array *results = root.getArray("results");
  if (!results)
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' is JSON without \"results\", expected CK Tile's benchmark file",
        path);
  for (const auto &[at, result] : llvm::enumerate(*results)) {
    std::string place = llvm::formatv("results[{0}]", at).str();
    const llvm::json::Object *object = result.getAsObject();
    const llvm::json::Object *config =
        object ? object->getObject("kernel_config") : nullptr;
    const llvm::json::Array *benchmarks =
        object ? object->getArray("benchmarks") : nullptr;
    if (!config || !benchmarks) {
      out.leaveOut(place, "it has no kernel_config or no benchmarks");
      continue;
    }
    for (const auto &[number, value] : llvm::enumerate(*benchmarks)) {
      const llvm::json::Object *b = value.getAsObject();
      Record r;
      r.place = llvm::formatv("{0}.benchmarks[{1}]", place, number).str();
      if (!b) {
        out.leaveOut(r.place, "it is not an object");
        continue;
      }
      r.kernel = b->getString("kernel_name")
                     .value_or(config->getString("name").value_or(""))
                     .str();
      r.dtype = config->getString("dtype").value_or("").str();
      r.layout = config->getString("layout").value_or("").str();
      r.m = numberOr(*b, "m", r.m);
      r.n = numberOr(*b, "n", r.n);
      r.k = numberOr(*b, "k", r.k);
      r.splitK = numberOr(*b, "split_k", r.splitK);
      r.latencyMs =
          numberOr(*b, "avg_time_ms", numberOr(*b, "latency_ms", std::nan("")));
      r.tflops = numberOr(*b, "tflops", std::nan(""));
      r.valid = b->getBoolean("is_valid").value_or(true);
      r.reason = b->getString("error").value_or("").str();
      out.add(std::move(r));
    }
  }
  return llvm::Error::success();
}

// ---- log

/// The number after a key such as "M="; NaN when the key is absent.
static double fieldOf(llvm::StringRef line, llvm::StringRef key) {
  size_t at = line.find(key);
  double value = std::nan("");
  if (at == llvm::StringRef::npos)
    return value;
  llvm::StringRef digits =
      line.drop_front(at + key.size()).ltrim().take_while([](char c) {
        return llvm::isDigit(c) || c == '.' || c == '-' || c == '+' || c == 'e';
      });
  return digits.getAsDouble(value) ? std::nan("") : value;
}

static llvm::StringRef wordOf(llvm::StringRef line, llvm::StringRef key) {
  size_t at = line.find(key);
  return at == llvm::StringRef::npos
             ? ""
             : line.drop_front(at + key.size()).take_while(llvm::isAlnum);
}

static void addLogObject(llvm::StringRef text, const Record &shape,
                         Builder &out) {
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  if (!value)
    return out.leaveOut(shape.place, llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Object *perf =
      object ? object->getObject("perf_result") : nullptr;
  if (!perf || !object->getString("name"))
    return out.leaveOut(shape.place, "it has no name or no perf_result");
  Record r = shape;
  r.kernel = object->getString("name")->str();
  if (const llvm::json::Object *problem = object->getObject("problem")) {
    r.m = numberOr(*problem, "m", r.m);
    r.n = numberOr(*problem, "n", r.n);
    r.k = numberOr(*problem, "k", r.k);
    r.splitK = numberOr(*problem, "split_k", 1);
  }
  r.latencyMs = numberOr(*perf, "latency(ms)", std::nan(""));
  r.tflops = numberOr(*perf, "tflops(TFlops)", std::nan(""));
  r.bandwidth = numberOr(*perf, "bandwidth(GB/s)", std::nan(""));
  r.valid = true;
  out.add(std::move(r));
}

static void convertLog(llvm::StringRef text, Builder &out) {
  Record shape;
  std::string object;
  int depth = 0;
  int64_t number = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    ++number;
    if (line.contains("Shape ") && line.contains("M=")) {
      if (depth > 0) // the next shape interrupts an object
        out.leaveOut(shape.place, "its object does not end");
      depth = 0;
      object.clear();
      shape.m = fieldOf(line, "M=");
      shape.n = fieldOf(line, "N=");
      shape.k = fieldOf(line, "K=");
      shape.dtype = wordOf(line, "dtype=").str();
      shape.layout = wordOf(line, "layout=").str();
      continue;
    }
    for (char c : line) {
      if (depth == 0 && c == '{')
        shape.place = "line " + std::to_string(number);
      depth += c == '{';
      if (depth > 0)
        object += c;
      if (c == '}' && depth > 0 && --depth == 0) {
        addLogObject(object, shape, out);
        object.clear();
      }
    }
    if (depth > 0)
      object += '\n';
  }
  if (depth > 0)
    out.leaveOut(shape.place, "its object does not end");
}

// ---- CSV

/// The cells of one line; a quoted cell may hold commas.
static llvm::SmallVector<std::string> cellsOf(llvm::StringRef line) {
  llvm::SmallVector<std::string> cells{""};
  bool quoted = false;
  for (char c : line.rtrim('\r')) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

static void convertGemmCsv(llvm::ArrayRef<std::string> header,
                           llvm::ArrayRef<std::string> cells,
                           const std::string &place, Builder &out) {
  Record r;
  r.place = place;
  r.valid = true;
  for (size_t i = 0; i < header.size() && i < cells.size(); ++i) {
    llvm::StringRef name = header[i], cell = cells[i];
    double number = std::nan("");
    bool isNumber = !cell.getAsDouble(number);
    if (name == "kernel" || name == "kernel_name")
      r.kernel = cell.str();
    else if (name == "dtype")
      r.dtype = cell.str();
    else if (name == "layout")
      r.layout = cell.str();
    else if (name == "is_valid")
      r.valid = cell == "1" || cell.equals_insensitive("true");
    else if (isNumber &&
             (name == "m" || name == "n" || name == "k" || name == "split_k"))
      (name == "m"   ? r.m
       : name == "n" ? r.n
       : name == "k" ? r.k
                     : r.splitK) = number;
    else if (isNumber && (name == "tflops" || name == "measured_tflops"))
      r.tflops = number;
    else if (isNumber && (name == "latency_ms" || name == "avg_time_ms"))
      r.latencyMs = number;
    else if (isNumber && name == "bandwidth_gb_s")
      r.bandwidth = number;
  }
  out.add(std::move(r));
}

/// The bytes that a convolution reads and writes, each once; NaN when a
/// dimension is missing.
static double convBytes(llvm::ArrayRef<std::string> header,
                        llvm::ArrayRef<double> numbers, double size) {
  auto of = [&](llvm::StringRef name, double fallback) {
    for (size_t i = 0; i < header.size(); ++i)
      if (header[i] == name)
        return numbers[i];
    return fallback;
  };
  auto out = [&](const char *extent, const char *filter, const char *side) {
    std::string s = side;
    double window = (of(filter, 1) - 1) * of("dilation_" + s, 1) + 1;
    return std::floor((of(extent, 1) + 2 * of("pad_" + s, 0) - window) /
                      of("stride_" + s, 1)) +
           1;
  };
  double nan = std::nan(""), n = of("N", nan), c = of("C", nan),
         k = of("K", nan), g = of("G", nan);
  double in = of("Di", 1) * of("Hi", nan) * of("Wi", nan),
         filter = of("Z", 1) * of("Y", nan) * of("X", nan);
  double image =
      out("Di", "Z", "d") * out("Hi", "Y", "h") * out("Wi", "X", "w");
  return (n * c * in + k * c / g * filter + n * k * image) * size;
}

/// Writes the columns of a convolution's kernel. CK Tile's converter, and so
/// its models, use the names block_size, gemm_m_per_block and gemm_n_per_block
/// for the tile's m, n and k.
static void addConvKernel(const CkConvName &name, Builder &out) {
  const ConvertOptions &options = out.options();
  out.text("dtype", options.dtype.empty() ? name.dtype : options.dtype);
  out.text("layout", name.dimensions == 3 ? "ndhwgc" : "nhwgc");
  out.text("variant", options.variant.empty() ? name.variant : options.variant);
  out.integer("ndim_spatial", name.dimensions);
  for (auto [column, own, i] : {std::tuple("block_size", "tile_m", 0),
                                {"gemm_m_per_block", "tile_n", 1},
                                {"gemm_n_per_block", "tile_k", 2}}) {
    out.integer(column, name.tile[i]);
    out.integer(own, name.tile[i]);
  }
  out.text("pipeline", name.pipeline);
  out.text("scheduler", name.scheduler);
  out.text("wave_mode", name.scheduler);
  out.integer("has_dsb", name.doubleBuffer);
  out.integer("has_si", name.storeEarly);
  out.integer("two_stage", name.twoStage);
  out.integer("groups_merged", name.groupsMerged);
}

/// The least valid value of a column that describes a convolution; nullopt for
/// any other column.
static std::optional<double> leastOf(llvm::StringRef column) {
  static constexpr llvm::StringRef kSizes[] = {"N",  "C",  "K", "G", "Di",
                                               "Hi", "Wi", "Z", "Y", "X"};
  if (llvm::is_contained(kSizes, column) || column.starts_with("stride_") ||
      column.starts_with("dilation_"))
    return 1;
  if (column.starts_with("pad_"))
    return 0;
  return std::nullopt;
}

/// Converts a line of a convolution: dimensions as integers, times as numbers,
/// "non_zero" as validity. Returns why it is not a measurement; an empty text
/// means that it was added.
static std::string convertConvCsv(llvm::ArrayRef<std::string> header,
                                  llvm::ArrayRef<std::string> cells,
                                  Builder &out, ConvertReport &report) {
  std::vector<double> numbers(header.size(), std::nan(""));
  std::string kernel;
  bool valid = true;
  double latencyMs = std::nan("");
  for (size_t i = 0; i < header.size(); ++i) {
    bool isText = header[i] == "kernel";
    if (i >= cells.size())
      return "it has " + std::to_string(cells.size()) + " cells of " +
             std::to_string(header.size());
    if (!isText && llvm::StringRef(cells[i]).getAsDouble(numbers[i]))
      return header[i] + " is '" + cells[i] + "', expected a number";
    if (std::optional<double> least = leastOf(header[i])) {
      if (std::string why = notWhole(header[i], numbers[i], *least);
          !why.empty())
        return why;
    }
    if (isText)
      kernel = cells[i];
    if (header[i] == "latency_ms")
      latencyMs = numbers[i];
    valid &=
        (header[i] != "non_zero" && header[i] != "tflops") || numbers[i] > 0;
  }
  llvm::Expected<CkConvName> name = parseCkConvName(kernel);
  if (!name)
    return takeError(name.takeError()).message;
  valid &= latencyMs > 0;
  const ConvertOptions &options = out.options();
  const std::string &dtype =
      options.dtype.empty() ? name->dtype : options.dtype;
  std::optional<double> size = ckElementBytes(dtype);
  if (!size)
    return "dtype is '" + dtype + "', expected " + kCkTypes;
  out.beginRow();
  out.text("op_type", options.opType.empty() ? "grouped_conv" : options.opType);
  out.text("arch", options.arch);
  out.text("kernel_name", kernel);
  addConvKernel(*name, out);
  for (size_t i = 0; i < header.size(); ++i) {
    if (header[i] == "kernel")
      continue;
    if (header[i] == "tflops" || header[i] == "latency_ms")
      out.number(header[i] == "tflops" ? "measured_tflops" : "latency_ms",
                 numbers[i]);
    else
      out.integer(header[i], static_cast<int64_t>(numbers[i]));
  }
  out.number("bandwidth_gb_s",
             convBytes(header, numbers, *size) / latencyMs * 1e-6);
  out.truth("is_valid", valid);
  out.finishRow();
  ++report.rows;
  report.valid += valid;
  return "";
}

static llvm::Error convertCsv(llvm::StringRef text, llvm::StringRef path,
                              Builder &out, ConvertReport &report) {
  auto [first, rest] = text.split('\n');
  llvm::SmallVector<std::string> header = cellsOf(first);
  auto has = [&](llvm::StringRef name) {
    return llvm::any_of(header,
                        [&](const std::string &cell) { return cell == name; });
  };
  bool isConv = has("kernel") && has("C") && has("G"),
       isGemm = has("m") && has("n") && has("k");
  if (!isConv && !isGemm)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is neither CK Tile's JSON, nor its log, nor a CSV "
                     "of its GEMMs or convolutions; its first "
                     "line is '{1}'",
                     path, first.take_front(80).rtrim());
  for (int64_t number = 2; !rest.empty(); ++number) {
    auto [line, behind] = rest.split('\n');
    rest = behind;
    if (line.trim().empty())
      continue;
    llvm::SmallVector<std::string> cells = cellsOf(line);
    std::string place = "line " + std::to_string(number);
    if (isGemm)
      convertGemmCsv(header, cells, place, out);
    else if (std::string why = convertConvCsv(header, cells, out, report);
             !why.empty())
      out.leaveOut(place, why);
  }
  return llvm::Error::success();
}

llvm::Expected<ColumnTable> select::convertCk(llvm::StringRef text,
                                              llvm::StringRef path,
                                              const ConvertOptions &options,
                                              ConvertReport &report) {
  text = withoutByteOrderMark(text);
  if (!options.dtype.empty() && !ckElementBytes(options.dtype))
    return makeError(ErrorCode::InvalidArgument,
                     "--dtype is '{0}', expected {1}", options.dtype, kCkTypes);
  Builder out(path, options, report);
  bool isLog = text.contains("Shape ") && text.contains("M=");
  if (text.ltrim().starts_with("{") && !isLog) {
    llvm::Expected<llvm::json::Value> value = parseJson(text);
    if (!value)
      return makeError(ErrorCode::DataLoss, "'{0}' is not whole JSON: {1}",
                       path, llvm::toString(value.takeError()));
    const llvm::json::Object *root = value->getAsObject();
    if (llvm::Error error = convertJson(*root, path, out))
      return error;
  } else if (isLog) {
    convertLog(text, out);
  } else if (llvm::Error error = convertCsv(text, path, out, report)) {
    return error;
  }
  if (report.rows == 0)
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' holds no measurement that parses ({1} damaged records){2}", path,
        report.damaged,
        report.notes.empty() ? "" : "; " + report.notes.front());
  return out.finish();
}
