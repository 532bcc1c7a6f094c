// From columns to feature rows. The row's space decodes it (KernelSpace.h); the
// choice of rows, the checks, the order and the grouping are the same for all
// spaces.
#include "assay/select/Samples.h"
#include "assay/select/Export.h"
#include "assay/select/KernelSpace.h"

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

llvm::Error select::noFeatures(llvm::StringRef op) {
  std::vector<llvm::StringRef> spaces;
#define ASSAY_KERNEL_SPACE(function, what) spaces.push_back(function().op());
#include "assay/select/Spaces.def"
#undef ASSAY_KERNEL_SPACE
  return makeError(ErrorCode::Unsupported,
                   "op '{0}' has no features; there are {1}", op,
                   llvm::join(spaces, ", "));
}

/// The rows for one operation and type on one machine.
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
    const KernelSpace *space = findSpace(here.op);
    if (std::optional<TypePair> types = parseTypePair(here.dtype);
        types && space && space->runsHere())
      here.arch = classFor(here.arch, *types);
    bool isOp =
        op.empty() || here.op == op || (space && space->answersTo(op));
    // The folder may hold other tables, such as those that training writes.
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
  if (!findSpace(subject.op))
    return noFeatures(subject.op);
  return chosen;
}

/// Each of the three directions has its own models.
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

/// The GPU of the rows: the profile of their arch, with the values of the
/// columns hw_*.
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

/// The machine of the rows' kernels: by their arch, or the GPU that the caller
/// names.
static llvm::Expected<FeatureMachine>
machineOf(const Rows &rows, llvm::ArrayRef<size_t> chosen,
          const KernelSpace &space, llvm::StringRef arch,
          const std::optional<CkHardware> &hardware) {
  FeatureMachine machine;
  if (space.runsHere()) {
    std::optional<Machine> parsed = machineOfClass(arch);
    if (!parsed)
      return makeError(ErrorCode::InvalidArgument,
                       "the data set's machine '{0}' is not one of Assay's",
                       arch);
    machine.processor = *parsed;
  } else if (hardware) {
    machine.gpu = *hardware;
  } else if (llvm::Error error =
                 hardwareOf(rows, chosen, arch).moveInto(machine.gpu)) {
    return error;
  }
  return machine;
}

static void appendRow(Samples &out, const Rows &rows, size_t i,
                      const KernelSpace::RowProblem &problem, bool valid) {
  if (out.groups.empty() || out.groups.back().key != problem.groupKey) {
    const Shape &sizes = problem.sizes;
    Samples::Group group{problem.groupKey,
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
  const KernelSpace &space = *findSpace(out.subject.op);
  if (llvm::Error error = space.needColumns(rows))
    return error;
  if (space.hasVariants())
    if (llvm::Error error =
            oneVariant(rows, *chosen).moveInto(out.subject.variant))
      return error;
  out.features = space.features();
  llvm::Expected<FeatureMachine> machine =
      machineOf(rows, *chosen, space, out.subject.arch, hardware);
  if (!machine)
    return machine.takeError();
  if (!space.runsHere())
    out.hardware = machine->gpu;
  std::vector<KernelSpace::RowProblem> problems(table.rows);
  for (size_t i : *chosen) {
    if (llvm::Error error = checkRow(rows, i, space))
      return error;
    if (llvm::Error error = space.problemIn(rows, i).moveInto(problems[i]))
      return error;
  }
  std::stable_sort(chosen->begin(), chosen->end(), [&](size_t a, size_t b) {
    auto key = [&](size_t i) {
      return std::tuple(llvm::StringRef(problems[i].groupKey),
                        rows.text("kernel_name", i), rows.number("noise", i, 0));
    };
    return key(a) < key(b);
  });
  for (size_t i : *chosen) {
    if (!out.kernel.empty() && out.groups.back().key == problems[i].groupKey &&
        out.kernel.back() == rows.text("kernel_name", i))
      continue;
    auto row = space.featuresIn(rows, i, *machine);
    if (!row)
      return row.takeError();
    out.rows.insert(out.rows.end(), row->begin(), row->end());
    if (out.hardware)
      llvm::append_range(out.wide, *row);
    appendRow(out, rows, i, problems[i], rows.integer("is_valid", i, 0) != 0);
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
