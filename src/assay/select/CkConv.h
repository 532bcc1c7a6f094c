/// CK Tile's grouped convolutions: problems, kernels, and the features of its
/// models and data. None of the kernels runs on this machine.
#pragma once

#include "assay/select/CkGemm.h"

namespace assay::select {

/// A convolution. The order of its sides is depth, height, width.
struct CkConv {
  double n = 1, c = 64, k = 64, g = 1, size = 2;
  double in[3] = {1, 32, 32}, filter[3] = {1, 1, 1}, stride[3] = {1, 1, 1},
         pad[3] = {0, 0, 0}, dilation[3] = {1, 1, 1};

  bool is3d() const { return in[0] > 1 || filter[0] > 1 || pad[0] > 0; }
  double out(int side) const;
  double image() const { return in[0] * in[1] * in[2]; }
  double window() const { return filter[0] * filter[1] * filter[2]; }
  double positions() const { return out(0) * out(1) * out(2); }
  double cPerGroup() const { return c / (g > 1 ? g : 1); }
  double kPerGroup() const { return k / (g > 1 ? g : 1); }
  double flops() const {
    return 2 * n * k * positions() * cPerGroup() * window();
  }
  /// The bytes of image, filter and result, each counted once.
  double bytes() const {
    return (n * c * image() + k * cPerGroup() * window() +
            n * k * positions()) *
           size;
  }
  /// "N2_C64_K128_G1_1x28x28_f1x3x3_s1x1x1_p0x1x1_d1x1x1".
  std::string key() const;
  friend bool operator==(const CkConv &, const CkConv &) = default;
};

/// A kernel as features see it. block, m and n are the first, second and third
/// side of the tile in its name, which CK Tile's converter calls block size, m
/// and n.
struct CkConvKernel {
  double block = 16, m = 64, n = 64;
  std::string pipeline = "compv3";
  bool intrawave = true, doubleBuffer = false, storeEarly = false;

  static CkConvKernel of(const CkConvName &name);
};

/// CK Tile's convolution features in its own order.
llvm::ArrayRef<FeatureInfo> ckConvFeatures();
/// The row of features, in f64 as CK Tile computes them.
std::vector<double> ckConvRow(const CkConv &conv, const CkConvKernel &kernel,
                              const CkHardware &hardware);

/// Parses a descriptor in benchdnn's syntax, such as
/// "mb2ic64ih56oc64oh56kh3ph1": g mb ic id ih iw oc od oh ow kd kh kw sd sh sw
/// pd ph pw dd dh dw, each with a number. A missing size follows from that of
/// the height, a size of the result from the other sizes. Errors:
/// InvalidArgument (an unknown word, a size that does not fit)
llvm::Expected<CkConv> parseConvProblem(llvm::StringRef text);

} // namespace assay::select
