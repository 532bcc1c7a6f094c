// CK Tile's GEMM features, evaluated from CkFeatures.def, and its kernel names.
// The hardware numbers are those of its profiles. They are constant within a
// model, and are kept because its models have them (a model may bring its own).
// Source: CK Tile's heuristics, the encodings of its feature engine.
#include "assay/select/CkGemm.h"
#include "assay/support/Math.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace assay;
using namespace assay::select;

CkHardware CkHardware::of(llvm::StringRef arch) {
  if (arch == "gfx942")
    return {228, 4, 28, 2100, 32, 64, 65536, 32, 4096, 262144, 8};
  if (arch == "gfx90a")
    return {110, 4, 8, 1700, 32, 64, 65536, 16, 8192, 131072, 1};
  return {};
}

std::vector<std::pair<llvm::StringRef, double *>> CkHardware::fields() {
  return {{"num_cus", &computeUnits},
          {"simds_per_cu", &simdsPerUnit},
          {"shader_engines", &shaderEngines},
          {"max_clock_mhz", &clockMhz},
          {"max_waves_per_cu", &wavesPerUnit},
          {"wavefront_size", &waveSize},
          {"lds_capacity", &localCapacity},
          {"l1_cache_kb", &l1Kb},
          {"l2_cache_kb", &l2Kb},
          {"l3_cache_kb", &l3Kb},
          {"num_xcd", &dies}};
}

static double max(double a, double b) { return a > b ? a : b; }
static double ratio(double a, double b) { return a / max(b, 1); }
static double mod(double a, double b) { return a - b * std::floor(a / b); }
static double lastFill(double extent, double tile) {
  double remainder = mod(extent, max(tile, 1));
  return remainder > 0 ? remainder / tile : 1;
}
static bool needs(const CkGemm &f, int side) {
  double extent[] = {f.m, f.n, f.k};
  return mod(extent[side], max(f.tile[side], 1)) != 0;
}

llvm::ArrayRef<FeatureInfo> select::ckFeatures() {
  constexpr bool Number = false, Category = true;
  static constexpr FeatureInfo kFeatures[] = {
#define ASSAY_CK_FEATURE(name, kind, formula, expression)                      \
  {#name, Axis::Mixed, kind, formula},
#include "assay/select/CkFeatures.def"
#undef ASSAY_CK_FEATURE
  };
  return kFeatures;
}

std::vector<double> select::ckRow(CkGemm f, const CkHardware &h) {
  f.localBytes = (f.tile[0] * f.tile[2] + f.tile[1] * f.tile[2]) * f.size;
  return {
#define ASSAY_CK_FEATURE(name, kind, formula, expression)                      \
  static_cast<double>(expression),
#include "assay/select/CkFeatures.def"
#undef ASSAY_CK_FEATURE
  };
}

std::optional<double> select::ckElementBytes(llvm::StringRef dtype) {
  return llvm::StringSwitch<std::optional<double>>(dtype)
      .Cases({"fp32", "f32"}, 4)
      .Cases({"fp16", "f16", "bf16"}, 2)
      .Cases({"fp8", "bf8", "int8", "s8"}, 1)
      .Case("int4", 0.5)
      .Default(std::nullopt);
}

double select::ckLayout(llvm::StringRef word) {
  return llvm::StringSwitch<double>(word)
      .Case("rrr", 1)
      .Case("crr", 2)
      .Case("ccr", 3)
      .Default(0);
}

double select::ckPipeline(llvm::StringRef word) {
  return llvm::StringSwitch<double>(word)
      .Case("compv4", 1)
      .Case("compv5", 2)
      .Case("mem", 3)
      .Case("preshufflev2", 4)
      .Case("basic_v1", 5)
      .Case("compv6", 6)
      .Default(0);
}

double select::ckScheduler(llvm::StringRef word) { return word == "interwave"; }
double select::ckEpilogue(llvm::StringRef word) { return word == "cshuffle"; }

static bool parseTriple(llvm::StringRef text, int64_t (&out)[3]) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  return parts.size() == 3 && !parts[0].getAsInteger(10, out[0]) &&
         !parts[1].getAsInteger(10, out[1]) &&
         !parts[2].getAsInteger(10, out[2]) && out[0] > 0 && out[1] > 0 &&
         out[2] > 0;
}

static bool parseTruth(llvm::StringRef text, bool &out) {
  out = text == "True";
  return out || text == "False";
}

llvm::Expected<CkKernelName> select::parseCkName(llvm::StringRef name) {
  llvm::StringRef rest = name;
  rest.consume_front("benchmark_");
  auto bad = [&](const char *part) {
    return makeError(ErrorCode::InvalidArgument,
                     "kernel name '{0}' has no valid {1}", name.take_front(200),
                     part);
  };
  if (!rest.consume_front("gemm_"))
    return bad("prefix gemm_");
  rest.consume_front("universal_");
  llvm::SmallVector<llvm::StringRef> parts;
  rest.split(parts, '_');
  CkKernelName out;
  // From the end: vectors, three triples, four truth values, scheduler,
  // epilogue. The pipeline may contain '_'.
  if (parts.size() >= 3 && parts[parts.size() - 3].starts_with("vec")) {
    for (int i = 0; i < 3; ++i) {
      llvm::StringRef digits = parts[parts.size() - 3 + i];
      digits.consume_front("vec");
      if (digits.getAsInteger(10, out.vec[i]))
        return bad("vector widths");
    }
    parts.resize(parts.size() - 3);
  }
  if (parts.size() < 12)
    return bad("number of parts");
  size_t last = parts.size() - 1;
  if (!parseTriple(parts[last], out.warpTile) ||
      !parseTriple(parts[last - 1], out.warp) ||
      !parseTriple(parts[last - 2], out.tile))
    return bad("tile sizes");
  if (!parseTruth(parts[last - 3], out.persistent))
    return bad("persistent flag");
  for (int i = 0; i < 3; ++i)
    if (!parseTruth(parts[last - 6 + i], out.pad[i]))
      return bad("padding flags");
  out.scheduler = parts[last - 7].str();
  out.epilogue = parts[last - 8].str();
  out.dtype = parts[0].str();
  out.layout = parts[1].str();
  out.pipeline = llvm::join(parts.begin() + 2, parts.begin() + (last - 8), "_");
  if (out.pipeline.empty())
    return bad("pipeline");
  if (out.pipeline == "mem")
    out.pad[0] = out.pad[1] = out.pad[2] = true;
  return out;
}

llvm::Expected<CkConvName> select::parseCkConvName(llvm::StringRef name) {
  auto bad = [&](const char *part) {
    return makeError(ErrorCode::InvalidArgument,
                     "kernel name '{0}' has no valid {1}", name.take_front(200),
                     part);
  };
  llvm::StringRef rest = name;
  if (!rest.consume_front("grouped_conv_"))
    return bad("prefix grouped_conv_");
  llvm::SmallVector<llvm::StringRef> parts;
  rest.split(parts, '_');
  // The variant may contain '_'; the type and then "2d" or "3d" follow it.
  size_t at = 2;
  while (at < parts.size() && parts[at] != "2d" && parts[at] != "3d")
    ++at;
  if (at + 2 >= parts.size())
    return bad("number of dimensions, tile and pipeline");
  CkConvName out;
  out.variant = llvm::join(parts.begin(), parts.begin() + (at - 1), "_");
  out.dtype = parts[at - 1].str();
  out.dimensions = parts[at] == "3d" ? 3 : 2;
  if (!parseTriple(parts[at + 1], out.tile))
    return bad("tile sizes");
  llvm::SmallVector<llvm::StringRef> pipeline;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front(at + 2)) {
    if (part == "intrawave" || part == "interwave")
      out.scheduler = part.str();
    else if (part == "dsb")
      out.doubleBuffer = true;
    else if (part == "si")
      out.storeEarly = true;
    else if (part == "2stage")
      out.twoStage = true;
    else if (!part.starts_with("gm") ||
             part.drop_front(2).getAsInteger(10, out.groupsMerged))
      pipeline.push_back(part);
  }
  out.pipeline = llvm::join(pipeline, "_");
  if (out.pipeline.empty())
    return bad("pipeline");
  return out;
}
