// From columns to feature rows. Each operation has one function that turns a
// row of the table into features; the rest (choice of rows, checks, order,
// grouping) is shared.
#include "assay/select/Samples.h"
#include "assay/select/Rows.h"
#include "assay/select/Shapes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

static constexpr Target kTargets[] = {Target::Tflops, Target::Latency,
                                      Target::Bandwidth, Target::Efficiency};

const char *select::toString(Target target) {
  static constexpr const char *kNames[] = {"tflops", "latency", "bandwidth",
                                           "efficiency"};
  return kNames[static_cast<int>(target)];
}

std::optional<Target> select::parseTarget(llvm::StringRef text) {
  for (Target target : kTargets)
    if (text == toString(target))
      return target;
  return std::nullopt;
}

std::vector<double> Samples::exactRow(size_t i) const {
  if (wide.empty())
    return std::vector<double>(row(i), row(i) + features.size());
  auto first = wide.begin() + static_cast<ptrdiff_t>(i * features.size());
  return std::vector<double>(first,
                             first + static_cast<ptrdiff_t>(features.size()));
}

std::optional<std::string> select::ckDirection(llvm::StringRef word) {
  return llvm::StringSwitch<std::optional<std::string>>(word)
      .Cases({"forward", "fwd"}, "forward")
      .Cases({"bwd_data", "backward_data"}, "bwd_data")
      .Cases({"bwd_weight", "backward_weight"}, "bwd_weight")
      .Default(std::nullopt);
}

std::string select::plainDirection(llvm::StringRef word) {
  return ckDirection(word).value_or(word.str());
}

std::string select::plainDtype(llvm::StringRef dtype) {
  return llvm::StringSwitch<llvm::StringRef>(dtype)
      .Case("fp64", "f64")
      .Case("fp32", "f32")
      .Case("fp16", "f16")
      .Case("int8", "s8")
      .Case("uint8", "u8")
      .Default(dtype)
      .str();
}

double Samples::value(Target target, size_t i) const {
  switch (target) {
  case Target::Tflops:
    return tflops[i];
  case Target::Latency:
    return latencyMs[i];
  case Target::Bandwidth:
    return bandwidth[i];
  case Target::Efficiency:
    break;
  }
  const Group &problem = groups[group[i]];
  double best =
      *std::max_element(tflops.begin() + problem.first,
                        tflops.begin() + problem.first + problem.count);
  return best > 0 ? tflops[i] / best : 0;
}

std::optional<Machine> select::machineOfClass(llvm::StringRef text) {
  // "avx512_bf16 l1=48K l2=2048K l3=32768K"
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ' ');
  if (parts.size() != 4)
    return std::nullopt;
  Machine machine;
  machine.isa.name = parts[0].str();
  bool wide = parts[0].starts_with("avx512") || parts[0] == "amx";
  machine.isa.vectorBytes = wide ? 64 : parts[0] == "avx2" ? 32 : 16;
  machine.isa.vectorRegisters = wide ? 32 : 16;
  int64_t *sizes[] = {&machine.caches.l1, &machine.caches.l2,
                      &machine.caches.l3};
  for (int i = 0; i < 3; ++i) {
    llvm::StringRef part = parts[i + 1];
    if (!part.consume_front("l" + std::to_string(i + 1) + "=") ||
        !part.consume_back("K") || part.getAsInteger(10, *sizes[i]) ||
        *sizes[i] < 1)
      return std::nullopt;
    *sizes[i] <<= 10;
  }
  return machine;
}

llvm::ArrayRef<FeatureInfo> select::featuresOf(llvm::StringRef op) {
  return op == "gemm"             ? gemmFeatures()
         : op == "gemm_universal" ? ckFeatures()
         : op == "grouped_conv"   ? ckConvFeatures()
         : isConvOp(op)           ? convFeatures()
                                  : llvm::ArrayRef<FeatureInfo>();
}

static bool isGemm(llvm::StringRef op) {
  return op == "gemm" || op == "gemm_universal";
}

/// The rows of one operation and type on one machine.
static llvm::Expected<std::vector<size_t>>
chooseRows(const Rows &rows, llvm::StringRef op, llvm::StringRef dtype,
           llvm::StringRef variant, Subject &subject) {
  std::vector<size_t> chosen;
  std::set<Subject, bool (*)(const Subject &, const Subject &)> found(
      [](const Subject &a, const Subject &b) {
        return std::tie(a.op, a.dtype, a.arch) <
               std::tie(b.op, b.dtype, b.arch);
      });
  for (int64_t i = 0; i < rows.table().rows; ++i) {
    Subject here{rows.text("op_type", i).str(), rows.text("dtype", i).str(),
                 rows.text("arch", i).str()};
    if (std::optional<TypePair> types = parseTypePair(here.dtype);
        types && (here.op == "gemm" || isConvOp(here.op)))
      here.arch = classFor(here.arch, *types);
    bool isOp = op.empty() || here.op == op || (isGemm(op) && isGemm(here.op));
    // A table of something else among the data's, such as a training's own.
    if (here.op.empty() || !isOp ||
        (!variant.empty() &&
         plainDirection(rows.text("variant", i)) != plainDirection(variant)) ||
        (!dtype.empty() && plainDtype(here.dtype) != plainDtype(dtype)))
      continue;
    found.insert(here);
    chosen.push_back(i);
  }
  if (chosen.empty())
    return makeError(
        ErrorCode::NotFound,
        "the data set has no row of op '{0}' and dtype '{1}'{2} "
        "among its {3} rows",
        op, dtype,
        variant.empty() ? "" : (" of direction '" + variant + "'").str(),
        rows.table().rows);
  if (found.size() > 1) {
    std::string list;
    for (const Subject &s : found)
      list += "\n  op " + s.op + ", dtype " + s.dtype + ", machine " + s.arch;
    return makeError(ErrorCode::InvalidArgument,
                     "the data set mixes what one model cannot hold; choose by "
                     "--op, --dtype or "
                     "other folders:{0}",
                     list);
  }
  subject = *found.begin();
  if (featuresOf(subject.op).empty())
    return makeError(ErrorCode::Unsupported,
                     "op '{0}' has no features; gemm, gemm_universal and "
                     "grouped_conv have",
                     subject.op);
  return chosen;
}

/// The three directions are models of their own.
static llvm::Expected<std::string> oneVariant(const Rows &rows,
                                              llvm::ArrayRef<size_t> chosen) {
  std::string first = plainDirection(rows.text("variant", chosen.front()));
  for (size_t i : chosen)
    if (plainDirection(rows.text("variant", i)) != first)
      return makeError(ErrorCode::InvalidArgument,
                       "the data set mixes convolutions of '{0}' and '{1}'; a "
                       "model is of one direction, which --direction names",
                       first, rows.text("variant", i));
  return first;
}

static llvm::Expected<std::vector<float>> gemmRow(const Rows &rows, size_t i,
                                                  const Machine &machine) {
  std::optional<TypePair> types = parseTypePair(rows.text("dtype", i));
  std::optional<Layout> layout = parseLayout(rows.text("layout", i));
  if (!types || !layout)
    return makeError(ErrorCode::InvalidArgument,
                     "{0} has dtype '{1}' and layout '{2}'", rows.place(i),
                     rows.text("dtype", i), rows.text("layout", i));
  llvm::Expected<GemmConfig> config = parseConfig(rows.text("kernel_name", i));
  if (!config)
    return addContext(config.takeError(), rows.place(i));
  GemmProblem problem = GemmProblem::make(
      *types, *layout, rows.integer("m", i, 0), rows.integer("n", i, 0),
      rows.integer("k", i, 0), rows.integer("batch", i, 1),
      static_cast<int>(rows.integer("threads", i, 1)));
  return GemmFeatures(*types, *layout, machine).row(problem, *config);
}

/// The problem that a row of this machine's convolutions says.
static llvm::Expected<ConvProblem> ownConvOf(const Rows &rows, size_t i) {
  auto direction = parseConvDirection(rows.text("op_type", i));
  auto type = parseDataType(rows.text("dtype", i));
  if (!direction || !type)
    return makeError(ErrorCode::InvalidArgument, "{0} has dtype '{1}'",
                     rows.place(i), rows.text("dtype", i));
  auto problem = kernels::parseConvProblem(
      rows.text("problem", i), *direction, *type,
      static_cast<int>(rows.integer("threads", i, 1)));
  if (!problem)
    return addContext(problem.takeError(), rows.place(i));
  return problem;
}

static llvm::Expected<std::vector<float>> convRow(const Rows &rows, size_t i,
                                                  const Machine &machine) {
  llvm::Expected<ConvProblem> problem = ownConvOf(rows, i);
  if (!problem)
    return problem.takeError();
  llvm::Expected<ConvConfig> config =
      parseConvConfig(rows.text("kernel_name", i));
  if (!config)
    return addContext(config.takeError(), rows.place(i));
  return ConvFeatures(machine).row(*problem, *config);
}

static std::vector<double> ckGemmRow(const Rows &rows, size_t i,
                                       const CkHardware &hardware) {
  CkGemm g;
  g.m = rows.number("m", i, 0);
  g.n = rows.number("n", i, 0);
  g.k = rows.number("k", i, 0);
  g.splitK = rows.number("split_k", i, 1);
  g.size = ckBytesOrTwo(rows.text("dtype", i));
  g.layout = ckLayout(rows.text("layout", i));
  static constexpr const char *kSides[] = {"_m", "_n", "_k"};
  for (int side = 0; side < 3; ++side) {
    g.tile[side] =
        rows.number(std::string("tile") + kSides[side], i, g.tile[side]);
    g.warp[side] =
        rows.number(std::string("warp") + kSides[side], i, g.warp[side]);
    g.warpTile[side] = rows.number(std::string("warp_tile") + kSides[side], i,
                                   g.warpTile[side]);
    g.pad[side] = rows.number(std::string("pad") + kSides[side], i, 0);
  }
  g.pipeline = ckPipeline(rows.text("pipeline", i));
  g.scheduler = ckScheduler(rows.text("scheduler", i));
  g.epilogue = ckEpilogue(rows.text("epilogue", i));
  g.persistent = rows.number("persistent", i, 0);
  return ckRow(g, hardware);
}

/// The convolution of a row. Sides that a 2d row leaves out are 1 (padding 0).
static CkConv convOf(const Rows &rows, size_t i) {
  CkConv conv;
  conv.n = rows.number("N", i, 1);
  conv.c = rows.number("C", i, 64);
  conv.k = rows.number("K", i, 64);
  conv.g = rows.number("G", i, 1);
  conv.size = ckBytesOrTwo(rows.text("dtype", i));
  static constexpr const char *kIn[] = {"Di", "Hi", "Wi"},
                              *kFilter[] = {"Z", "Y", "X"},
                              *kSuffix[] = {"_d", "_h", "_w"};
  for (int side = 0; side < 3; ++side) {
    std::string suffix = kSuffix[side];
    conv.in[side] = rows.number(kIn[side], i, 1);
    conv.filter[side] = rows.number(kFilter[side], i, 1);
    conv.stride[side] = rows.number("stride" + suffix, i, 1);
    conv.pad[side] = rows.number("pad" + suffix, i, 0);
    conv.dilation[side] = rows.number("dilation" + suffix, i, 1);
  }
  return conv;
}

static std::vector<double> ckConvRow(const Rows &rows, size_t i,
                                       const CkHardware &hardware) {
  CkConvKernel kernel;
  kernel.block = rows.number("block_size", i, kernel.block);
  kernel.m = rows.number("gemm_m_per_block", i, kernel.m);
  kernel.n = rows.number("gemm_n_per_block", i, kernel.n);
  if (llvm::StringRef pipeline = rows.text("pipeline", i); !pipeline.empty())
    kernel.pipeline = pipeline.str();
  if (llvm::StringRef mode = rows.text("wave_mode", i); !mode.empty())
    kernel.intrawave = mode == "intrawave";
  kernel.doubleBuffer = rows.integer("has_dsb", i, 0) != 0;
  kernel.storeEarly = rows.integer("has_si", i, 0) != 0;
  return select::ckConvRow(convOf(rows, i), kernel, hardware);
}

llvm::Expected<std::vector<std::vector<double>>>
select::ckFeatureRows(const ColumnTable &table, llvm::StringRef op,
                        const CkHardware &hardware) {
  Rows rows(table);
  if (llvm::Error error = needColumnsOf(rows, op))
    return error;
  std::vector<std::vector<double>> features;
  for (int64_t i = 0; i < table.rows; ++i) {
    if (llvm::Error error = checkRow(rows, i, op))
      return error;
    features.push_back(op == kCkConvOp ? ::ckConvRow(rows, i, hardware)
                                         : ckGemmRow(rows, i, hardware));
  }
  return features;
}

/// A row's sizes, by which problems are listed and put into folds: those of the
/// product that a convolution amounts to.
static Shape sizesOf(const Rows &rows, size_t i, llvm::StringRef op) {
  if (isConvOp(op)) {
    llvm::Expected<ConvProblem> problem = ownConvOf(rows, i);
    if (!problem) {
      llvm::consumeError(problem.takeError());
      return {0, 0, 0, 0};
    }
    return {problem->batch * problem->positions(), problem->groupOut(),
            problem->groupIn() * problem->taps(), problem->groups};
  }
  if (op != kCkConvOp)
    return {rows.integer("m", i, 0), rows.integer("n", i, 0),
            rows.integer("k", i, 0), rows.integer("batch", i, 1)};
  CkConv conv = convOf(rows, i);
  return {static_cast<int64_t>(conv.n * conv.positions()),
          static_cast<int64_t>(conv.kPerGroup()),
          static_cast<int64_t>(conv.cPerGroup() * conv.window()),
          static_cast<int64_t>(conv.g)};
}

/// The GPU of the rows: the profile of their arch, with what the columns hw_*
/// say.
static llvm::Expected<CkHardware> hardwareOf(const Rows &rows,
                                               llvm::ArrayRef<size_t> chosen,
                                               llvm::StringRef arch) {
  CkHardware hardware = CkHardware::of(arch);
  for (auto [name, field] : hardware.fields()) {
    std::string column = ("hw_" + name).str();
    double first = std::nan("");
    for (size_t i : chosen) {
      double value = rows.number(column, i, std::nan(""));
      if (std::isnan(value))
        continue;
      if (!std::isnan(first) && value != first)
        return makeError(ErrorCode::InvalidArgument,
                         "the data set mixes hardware: {0} is {1} and {2}",
                         column, first, value);
      first = value;
    }
    if (!std::isnan(first))
      *field = first;
  }
  return hardware;
}

std::string select::groupKey(llvm::StringRef layout, int64_t m, int64_t n,
                             int64_t k, int64_t batch, int64_t threads) {
  return llvm::formatv("{0} {1}x{2}x{3} b{4} t{5}", layout, m, n, k, batch,
                       threads)
      .str();
}

static std::string keyOf(const Rows &rows, size_t i, llvm::StringRef op) {
  if (isConvOp(op)) {
    llvm::Expected<ConvProblem> problem = ownConvOf(rows, i);
    if (problem)
      return convGroupKey(*problem);
    llvm::consumeError(problem.takeError()); // its features will say so
    return rows.text("problem", i).str();
  }
  if (op == kCkConvOp)
    return rows.text("layout", i).str() + " " + convOf(rows, i).key();
  return groupKey(rows.text("layout", i), rows.integer("m", i, 0),
                  rows.integer("n", i, 0), rows.integer("k", i, 0),
                  rows.integer("batch", i, 1), rows.integer("threads", i, 1));
}

static void appendRow(Samples &out, const Rows &rows, size_t i,
                      const std::string &key, bool valid) {
  if (out.groups.empty() || out.groups.back().key != key) {
    Shape sizes = sizesOf(rows, i, out.subject.op);
    Samples::Group group{key,
                         rows.text("layout", i).str(),
                         sizes.m,
                         sizes.n,
                         sizes.k,
                         sizes.batch,
                         static_cast<int>(rows.integer("threads", i, 1)),
                         out.count(),
                         0};
    out.groups.push_back(std::move(group));
  }
  ++out.groups.back().count;
  out.group.push_back(static_cast<int32_t>(out.groups.size() - 1));
  out.valid.push_back(valid);
  out.failures += !valid;
  out.tflops.push_back(valid ? rows.number("measured_tflops", i, 0) : 0);
  out.latencyMs.push_back(valid ? rows.number("latency_ms", i, 0) : 0);
  out.bandwidth.push_back(valid ? rows.number("bandwidth_gb_s", i, 0) : 0);
  out.noise.push_back(rows.number("noise", i, 0));
  out.kernel.push_back(rows.text("kernel_name", i).str());
  out.pipeline.push_back(rows.text("pipeline", i).str());
}

/// Computes the features of one row and appends them.
static llvm::Error appendFeatures(Samples &out, const Rows &rows, size_t i,
                                  const Machine &machine) {
  if (out.hardware) {
    std::vector<double> wide = out.subject.op == kCkConvOp
                                   ? ::ckConvRow(rows, i, *out.hardware)
                                   : ckGemmRow(rows, i, *out.hardware);
    out.wide.insert(out.wide.end(), wide.begin(), wide.end());
    for (double value : wide)
      out.rows.push_back(static_cast<float>(value));
    return llvm::Error::success();
  }
  llvm::Expected<std::vector<float>> row = isConvOp(out.subject.op)
                                               ? convRow(rows, i, machine)
                                               : gemmRow(rows, i, machine);
  if (!row)
    return row.takeError();
  out.rows.insert(out.rows.end(), row->begin(), row->end());
  return llvm::Error::success();
}

llvm::Expected<Samples> select::makeSamples(
    const ColumnTable &table, llvm::StringRef op, llvm::StringRef dtype,
    const std::optional<CkHardware> &hardware, llvm::StringRef variant) {
  Rows rows(table);
  if (llvm::Error error = needColumns(rows))
    return error;
  Samples out;
  llvm::Expected<std::vector<size_t>> chosen =
      chooseRows(rows, op, dtype, variant, out.subject);
  if (!chosen)
    return chosen.takeError();
  const std::string &subjectOp = out.subject.op;
  if (llvm::Error error = needColumnsOf(rows, subjectOp))
    return error;
  if (subjectOp == kCkConvOp)
    if (llvm::Error error =
            oneVariant(rows, *chosen).moveInto(out.subject.variant))
      return error;
  out.features = featuresOf(out.subject.op);
  Machine machine;
  if (subjectOp == "gemm" || isConvOp(subjectOp)) {
    std::optional<Machine> parsed = machineOfClass(out.subject.arch);
    if (!parsed)
      return makeError(ErrorCode::InvalidArgument,
                       "the data set's machine '{0}' is not one of Assay's",
                       out.subject.arch);
    machine = *parsed;
  } else if (hardware) {
    out.hardware = hardware;
  } else if (llvm::Error error = hardwareOf(rows, *chosen, out.subject.arch)
                                     .moveInto(out.hardware.emplace())) {
    return error;
  }
  std::vector<std::string> keys(table.rows);
  for (size_t i : *chosen) {
    if (llvm::Error error = checkRow(rows, i, subjectOp))
      return error;
    keys[i] = keyOf(rows, i, subjectOp);
  }
  std::stable_sort(chosen->begin(), chosen->end(), [&](size_t a, size_t b) {
    return std::tuple(llvm::StringRef(keys[a]), rows.text("kernel_name", a),
                      rows.number("noise", a, 0)) <
           std::tuple(llvm::StringRef(keys[b]), rows.text("kernel_name", b),
                      rows.number("noise", b, 0));
  });
  for (size_t at = 0; at < chosen->size(); ++at) {
    size_t i = (*chosen)[at];
    if (at > 0 && !out.kernel.empty() && out.groups.back().key == keys[i] &&
        out.kernel.back() == rows.text("kernel_name", i))
      continue;
    bool valid = rows.integer("is_valid", i, 0) != 0;
    if (llvm::Error error = appendFeatures(out, rows, i, machine))
      return error;
    appendRow(out, rows, i, keys[i], valid);
  }
  auto floor = table.metadata.find("noise_floor");
  if (floor != table.metadata.end())
    llvm::StringRef(floor->second).getAsDouble(out.noiseFloor);
  return out;
}

std::string Samples::hash() const {
  auto bytes = [](const auto &values) {
    return llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(values.data()),
        values.size() * sizeof(values[0]));
  };
  uint64_t parts[] = {
      llvm::xxh3_64bits(bytes(rows)), llvm::xxh3_64bits(bytes(tflops)),
      llvm::xxh3_64bits(bytes(latencyMs)), llvm::xxh3_64bits(bytes(bandwidth)),
      llvm::xxh3_64bits(bytes(group))};
  return llvm::utohexstr(
      llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
          reinterpret_cast<const uint8_t *>(parts), sizeof parts)),
      true, 16);
}
