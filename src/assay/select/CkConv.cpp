// CK Tile's convolution features, evaluated from CkConvFeatures.def, and
// problems in benchdnn's syntax. Source: CK Tile's heuristics, as its grouped
// convolution engine computes them.
#include "assay/select/CkConv.h"
#include "assay/kernels/conv/ConvProblem.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace assay;
using namespace assay::select;

static double max(double a, double b) { return a > b ? a : b; }
static double ratio(double a, double b) { return a / max(b, 1); }
static double lastFill(double extent, double tile) {
  double remainder = extent - tile * std::floor(extent / tile);
  return remainder > 0 ? remainder / tile : 1;
}

static constexpr llvm::StringRef compv3 = "compv3", compv4 = "compv4",
                                 compv5 = "compv5", compv6 = "compv6",
                                 mem = "mem", basic = "basic_v";
static bool startsWith(const CkConvKernel &kernel, llvm::StringRef prefix) {
  return llvm::StringRef(kernel.pipeline).starts_with(prefix);
}

double CkConv::out(int side) const {
  if (side == 0 && !is3d())
    return 1;
  double reach = (filter[side] - 1) * dilation[side] + 1;
  return std::floor((in[side] + 2 * pad[side] - reach) / stride[side]) + 1;
}

std::string CkConv::key() const {
  auto sides = [](const double (&of)[3]) {
    return llvm::formatv("{0}x{1}x{2}", int64_t(of[0]), int64_t(of[1]),
                         int64_t(of[2]))
        .str();
  };
  return llvm::formatv("N{0}_C{1}_K{2}_G{3}_{4}_f{5}_s{6}_p{7}_d{8}",
                       int64_t(n), int64_t(c), int64_t(k), int64_t(g),
                       sides(in), sides(filter), sides(stride), sides(pad),
                       sides(dilation))
      .str();
}

CkConvKernel CkConvKernel::of(const CkConvName &name) {
  return {
      double(name.tile[0]), double(name.tile[1]),          double(name.tile[2]),
      name.pipeline,        name.scheduler == "intrawave", name.doubleBuffer,
      name.storeEarly};
}

llvm::ArrayRef<FeatureInfo> select::ckConvFeatures() {
  constexpr bool Number = false, Category = true;
  static constexpr FeatureInfo kFeatures[] = {
#define ASSAY_CK_CONV_FEATURE(name, kind, formula, expression)                 \
  {#name, Axis::Mixed, kind, formula},
#include "assay/select/CkConvFeatures.def"
#undef ASSAY_CK_CONV_FEATURE
  };
  return kFeatures;
}

std::vector<double> select::ckConvRow(const CkConv &p, const CkConvKernel &t,
                                      const CkHardware &h) {
  double localBytes = (t.m + t.n) * t.block * p.size,
         gemmM = p.n * p.positions(),
         gemmK = std::floor(p.cPerGroup() * p.window());
  return {
#define ASSAY_CK_CONV_FEATURE(name, kind, formula, expression)                 \
  static_cast<double>(expression),
#include "assay/select/CkConvFeatures.def"
#undef ASSAY_CK_CONV_FEATURE
  };
}

// ---- problems in words

llvm::Expected<CkConv> select::parseConvProblem(llvm::StringRef text) {
  llvm::Expected<kernels::ConvWords> words = kernels::parseConvWords(text);
  if (!words)
    return words.takeError();
  CkConv conv;
  auto of = [&](const std::string &word, int64_t otherwise) {
    return double(words->of(word, otherwise));
  };
  conv.n = of("mb", 2), conv.c = of("ic", 1);
  conv.k = of("oc", 1), conv.g = of("g", 1);
  static constexpr const char *kSides[] = {"d", "h", "w"};
  for (int side = 0; side < 3; ++side) {
    kernels::ConvWords::Side own = words->side(static_cast<size_t>(side));
    conv.in[side] = double(own.image), conv.filter[side] = double(own.filter);
    conv.stride[side] = double(own.stride), conv.pad[side] = double(own.pad);
    conv.dilation[side] = double(own.dilation);
    std::string out = std::string("o") + kSides[side];
    if (conv.out(side) < 1 || conv.stride[side] < 1 ||
        (words->names(out) && of(out, 0) != conv.out(side)))
      return makeError(ErrorCode::InvalidArgument,
                       "--problem '{0}' does not fit: {1} comes to {2}", text,
                       out, conv.out(side));
  }
  if (conv.n < 1 || conv.c < 1 || conv.k < 1 || conv.g < 1 ||
      std::fmod(conv.c, conv.g) != 0 || std::fmod(conv.k, conv.g) != 0)
    return makeError(ErrorCode::InvalidArgument,
                     "--problem '{0}' does not fit: mb, ic and oc are at least "
                     "1, ic and oc multiples of g",
                     text);
  return conv;
}
