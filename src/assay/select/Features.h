/// What the model sees of a problem and a kernel. Features.def defines every
/// feature once; this header evaluates them row by row (training) or axis by
/// axis (dispatch). The numbers are the same on any processor: plain IEEE
/// arithmetic in f64, no fused operations, one rounding to f32 at the end.
#pragma once

#include "assay/kernels/Config.h"
#include "assay/kernels/Machine.h"
#include "assay/select/Forest.h"

namespace assay::select {

struct FeatureInfo {
  const char *name;
  Axis axis;
  bool categorical;
  const char *formula;
};

/// All features in the order of Features.def.
llvm::ArrayRef<FeatureInfo> gemmFeatures();
std::vector<std::string> featureNames(llvm::ArrayRef<FeatureInfo> features);
/// 16 hexadecimal digits over names, axes, kinds and formulas in order: equal
/// hashes mean that the features have the same meaning.
std::string schemaHash(llvm::ArrayRef<FeatureInfo> features);

/// log2(max(x, 1)) with the same bits everywhere (the C library's own differs
/// between processors).
double log2Of(double x);

/// The greatest usable share of a shared last-level cache, however large it is.
constexpr int64_t kGreatestL3 = 32 << 20;

/// "avx512_bf16 l1=48K l2=2048K l3=32768K": machines of one class may share a
/// model.
std::string machineClass(const kernels::Machine &machine);
/// The class as kernels of these types see it: an instruction set that they do
/// not use is replaced by the widest one that they use, so that "amx ..." and
/// "avx512_bf16 ..." are both "avx512 ..." for f32. Other texts are returned
/// unchanged.
std::string classFor(llvm::StringRef machineClass, kernels::TypePair types);

/// The facts that all problems share, for one list of kernels.
struct BaseFacts {
  double size, layout, lanes, registers, l1, l2, l3;
  bool aRowMajor, bRowMajor;
};
struct ProblemFacts {
  double m, n, k, batch, threads, work, bytes, intensity, strideA, strideB,
      idealCycles, logRoofline;
};
struct TileFacts {
  double family, mr, nr, mc, nc, kc, order, vectors, stepCycles;
};

/// The features of GEMM kernels of one pair of types, one layout, one machine.
class GemmFeatures {
public:
  GemmFeatures(kernels::TypePair types, kernels::Layout layout,
               const kernels::Machine &machine);

  /// All features of one pair, in order.
  std::vector<float> row(const kernels::GemmProblem &problem,
                         const kernels::GemmConfig &config) const;

  ProblemFacts facts(const kernels::GemmProblem &problem) const;
  TileFacts facts(const kernels::GemmConfig &config) const;
  /// Writes the entries of one axis into out[feature] and leaves the others
  /// unchanged.
  void problemInto(const ProblemFacts &p, float *out) const;
  void tileInto(const TileFacts &t, float *out) const;
  void traitInto(const kernels::GemmConfig &config, float *out) const;
  void mixedInto(const ProblemFacts &p, const TileFacts &t, float *out) const;

private:
  BaseFacts base_;
};

/// The kernels of a list as a grid, with the features that are constant for
/// each.
struct GemmGrid {
  ForestGrid grid;
  std::vector<TileFacts> tiles;
};
GemmGrid makeGrid(const GemmFeatures &features,
                  llvm::ArrayRef<kernels::GemmConfig> configs);

/// Fills in the features of one problem for that grid, for a forest with
/// `paddedTiles`; reuses the memory of `query`.
void fillQuery(const GemmFeatures &features, const GemmGrid &grid,
               const kernels::GemmProblem &problem, int64_t paddedTiles,
               ForestQuery &query);

} // namespace assay::select
