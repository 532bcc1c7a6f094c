// CK Tile's grouped convolutions: rows in the form of its data sets, features
// in f64 by CkConvFeatures.def. None of its kernels runs here.
#include "assay/select/CkConv.h"
#include "assay/select/KernelSpace.h"

using namespace assay;
using namespace assay::select;

static constexpr const char *kTile[] = {"block_size", "gemm_m_per_block",
                                        "gemm_n_per_block"};

/// The convolution of a row. Sides that a 2d row lacks are 1 (padding 0).
static CkConv convOf(const Rows &rows, size_t row) {
  CkConv conv;
  conv.n = rows.number("N", row, 1);
  conv.c = rows.number("C", row, 64);
  conv.k = rows.number("K", row, 64);
  conv.g = rows.number("G", row, 1);
  conv.size = ckBytesOrTwo(rows.text("dtype", row));
  static constexpr const char *kIn[] = {"Di", "Hi", "Wi"},
                              *kFilter[] = {"Z", "Y", "X"},
                              *kSuffix[] = {"_d", "_h", "_w"};
  for (int side = 0; side < 3; ++side) {
    std::string suffix = kSuffix[side];
    conv.in[side] = rows.number(kIn[side], row, 1);
    conv.filter[side] = rows.number(kFilter[side], row, 1);
    conv.stride[side] = rows.number("stride" + suffix, row, 1);
    conv.pad[side] = rows.number("pad" + suffix, row, 0);
    conv.dilation[side] = rows.number("dilation" + suffix, row, 1);
  }
  return conv;
}

namespace {
class CkConvSpace final : public KernelSpace {
public:
  llvm::StringRef op() const override { return "grouped_conv"; }
  llvm::ArrayRef<FeatureInfo> features() const override {
    return ckConvFeatures();
  }
  bool hasVariants() const override { return true; }
  llvm::Error needColumns(const Rows &rows) const override {
    if (llvm::Error error = need(rows, {"variant"}, /*text=*/true))
      return error;
    if (llvm::Error error = need(rows, {"N", "C", "K", "G", "Hi", "Wi", "Y", "X"},
                                 /*text=*/false))
      return error;
    return need(rows, kTile, /*text=*/false);
  }
  llvm::Error checkProblem(const Rows &rows, size_t row) const override {
    if (llvm::Error error = checkCkWords(rows, row, parseCkConvName))
      return error;
    if (llvm::Error error =
            checkWhole(rows, row,
                       {"N", "C", "K", "G", "Di", "Hi", "Wi", "Z", "Y", "X",
                        "stride_d", "stride_h", "stride_w", "dilation_d",
                        "dilation_h", "dilation_w"}))
      return error;
    if (llvm::Error error = checkWhole(rows, row, kTile))
      return error;
    return checkWhole(rows, row, {"pad_d", "pad_h", "pad_w"}, 0);
  }
  llvm::Expected<RowProblem> problemIn(const Rows &rows,
                                       size_t row) const override {
    CkConv conv = convOf(rows, row);
    return RowProblem{rows.text("layout", row).str() + " " + conv.key(),
                      {static_cast<int64_t>(conv.n * conv.positions()),
                       static_cast<int64_t>(conv.kPerGroup()),
                       static_cast<int64_t>(conv.cPerGroup() * conv.window()),
                       static_cast<int64_t>(conv.g)}};
  }
  llvm::Expected<std::vector<double>>
  featuresIn(const Rows &rows, size_t row,
             const FeatureMachine &machine) const override {
    CkConvKernel kernel;
    kernel.block = rows.number("block_size", row, kernel.block);
    kernel.m = rows.number("gemm_m_per_block", row, kernel.m);
    kernel.n = rows.number("gemm_n_per_block", row, kernel.n);
    if (llvm::StringRef word = rows.text("pipeline", row); !word.empty())
      kernel.pipeline = word.str();
    if (llvm::StringRef mode = rows.text("wave_mode", row); !mode.empty())
      kernel.intrawave = mode == "intrawave";
    kernel.doubleBuffer = rows.integer("has_dsb", row, 0) != 0;
    kernel.storeEarly = rows.integer("has_si", row, 0) != 0;
    return ckConvRow(convOf(rows, row), kernel, machine.gpu);
  }
};
} // namespace

const KernelSpace &select::ckConvSpace() {
  static const CkConvSpace space;
  return space;
}
