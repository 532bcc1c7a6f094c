// CK Tile's products: rows in the form of its data sets, features in f64 by
// CkFeatures.def. None of its kernels runs here.
#include "assay/select/KernelSpace.h"

using namespace assay;
using namespace assay::select;

static constexpr const char *kTile[] = {
    "tile_m", "tile_n",      "tile_k",      "warp_m",     "warp_n",
    "warp_k", "warp_tile_m", "warp_tile_n", "warp_tile_k"};

namespace {
class CkGemmSpace final : public KernelSpace {
public:
  llvm::StringRef op() const override { return "gemm_universal"; }
  llvm::ArrayRef<FeatureInfo> features() const override { return ckFeatures(); }
  bool answersTo(llvm::StringRef word) const override {
    return word == op() || word == gemmSpace().op();
  }
  llvm::Error needColumns(const Rows &rows) const override {
    if (llvm::Error error = need(rows, {"m", "n", "k"}, /*text=*/false))
      return error;
    return need(rows, kTile, /*text=*/false);
  }
  llvm::Error checkProblem(const Rows &rows, size_t row) const override {
    if (llvm::Error error =
            checkWhole(rows, row, {"m", "n", "k", "batch", "threads"}))
      return error;
    if (llvm::Error error = checkCkWords(rows, row, parseCkName))
      return error;
    llvm::StringRef layout = rows.text("layout", row);
    if (!kernels::parseLayout(layout))
      return wrongCell(rows, row, "layout", "'" + layout.take_front(40) + "'",
                       "rcr, rrr, crr or ccr");
    if (llvm::Error error = checkWhole(rows, row, kTile))
      return error;
    if (llvm::Error error = checkWhole(rows, row, {"split_k"}))
      return error;
    return checkWhole(rows, row, {"pad_m", "pad_n", "pad_k", "persistent"}, 0);
  }
  llvm::Expected<RowProblem> problemIn(const Rows &rows,
                                       size_t row) const override {
    Shape sizes{rows.integer("m", row, 0), rows.integer("n", row, 0),
                rows.integer("k", row, 0), rows.integer("batch", row, 1)};
    return RowProblem{llvm::formatv("{0} {1}x{2}x{3} b{4} t{5}",
                                    rows.text("layout", row), sizes.m, sizes.n,
                                    sizes.k, sizes.batch,
                                    rows.integer("threads", row, 1))
                          .str(),
                      sizes};
  }
  llvm::Expected<std::vector<double>>
  featuresIn(const Rows &rows, size_t row,
             const FeatureMachine &machine) const override {
    CkGemm g;
    g.m = rows.number("m", row, 0);
    g.n = rows.number("n", row, 0);
    g.k = rows.number("k", row, 0);
    g.splitK = rows.number("split_k", row, 1);
    g.size = ckBytesOrTwo(rows.text("dtype", row));
    g.layout = ckLayout(rows.text("layout", row));
    static constexpr const char *kSides[] = {"_m", "_n", "_k"};
    for (int side = 0; side < 3; ++side) {
      std::string s = kSides[side];
      g.tile[side] = rows.number("tile" + s, row, g.tile[side]);
      g.warp[side] = rows.number("warp" + s, row, g.warp[side]);
      g.warpTile[side] = rows.number("warp_tile" + s, row, g.warpTile[side]);
      g.pad[side] = rows.number("pad" + s, row, 0);
    }
    g.pipeline = ckPipeline(rows.text("pipeline", row));
    g.scheduler = ckScheduler(rows.text("scheduler", row));
    g.epilogue = ckEpilogue(rows.text("epilogue", row));
    g.persistent = rows.number("persistent", row, 0);
    return ckRow(g, machine.gpu);
  }
};
} // namespace

const KernelSpace &select::ckGemmSpace() {
  static const CkGemmSpace space;
  return space;
}
