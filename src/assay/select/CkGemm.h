/// CK Tile's GEMM kernels and data sets: names, features, and conversion of
/// its JSON, log and CSV files into the columns that training reads (op_type
/// gemm_universal, or grouped_conv for its convolution tables).
#pragma once

#include "assay/select/ColumnTable.h"
#include "assay/select/Features.h"
#include "assay/select/Rows.h"
#include "assay/support/ExitCode.h"

#include "llvm/Support/JSON.h"

namespace assay::select {

/// One GPU kernel of CK Tile on one problem. Truth values are 0 or 1;
/// categories have the numbers of CkFeatures.def.
struct CkGemm {
  double m = 0, n = 0, k = 0, splitK = 1, size = 2, layout = 0;
  double tile[3] = {128, 128, 64}, warp[3] = {2, 2, 1},
         warpTile[3] = {32, 32, 16}, pad[3] = {0, 0, 0};
  double pipeline = 0, scheduler = 0, epilogue = 0, persistent = 0,
         localBytes = 0;
};

/// The GPU that features describe. The fields have the order of kHardwareNames.
struct CkHardware {
  double computeUnits = 256, simdsPerUnit = 4, shaderEngines = 32,
         clockMhz = 2400, wavesPerUnit = 32, waveSize = 64,
         localCapacity = 65536, l1Kb = 32, l2Kb = 4096, l3Kb = 262144, dies = 8;

  /// The profile of gfx950, gfx942 or gfx90a (any other arch counts as gfx950).
  static CkHardware of(llvm::StringRef arch);
  /// CK Tile's names of the fields ("num_cus", "lds_capacity", ...), each with
  /// its field.
  std::vector<std::pair<llvm::StringRef, double *>> fields();
  friend bool operator==(const CkHardware &, const CkHardware &) = default;
};

/// CK Tile's GEMM features in its own order.
llvm::ArrayRef<FeatureInfo> ckFeatures();
/// The row of features, in f64 as CK Tile computes them.
std::vector<double> ckRow(CkGemm gemm, const CkHardware &hardware);

/// The parts of a kernel name:
/// [benchmark_]gemm[_universal]_DTYPE_LAYOUT_PIPELINE_EPILOGUE_SCHEDULER_PADM_PADN_PADK_
/// PERSISTENT_MxNxK_WMxWNxWK_TMxTNxTK[_vecA_B_C].
struct CkKernelName {
  std::string dtype, layout, pipeline, epilogue, scheduler;
  bool pad[3] = {}, persistent = false;
  int64_t tile[3] = {}, warp[3] = {}, warpTile[3] = {}, vec[3] = {};
};
/// Kernels of the pipeline `mem` pad all three sides, whatever the name says.
/// Errors: InvalidArgument naming the part that does not parse
llvm::Expected<CkKernelName> parseCkName(llvm::StringRef name);

/// The bytes of an element, by CK Tile's name of the type or ours; nullopt for
/// a name that is not in kCkTypes.
std::optional<double> ckElementBytes(llvm::StringRef dtype);
constexpr const char *kCkTypes = "fp32, fp16, bf16, fp8, bf8, int8 or int4";
/// The same as features count them: 2 where a model names an unknown type.
inline double ckBytesOrTwo(llvm::StringRef dtype) {
  return ckElementBytes(dtype).value_or(2);
}

/// The number of a category; 0 for an unknown word, as in CK Tile.
double ckLayout(llvm::StringRef word);
double ckPipeline(llvm::StringRef word);
double ckScheduler(llvm::StringRef word);
double ckEpilogue(llvm::StringRef word);

struct ConvertReport {
  int64_t rows = 0, valid = 0, damaged = 0, problems = 0;
  std::string output; ///< where the table was written; empty: not written
  int64_t merged = 0; ///< rows of other files that were added
  std::vector<std::string> notes;

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }
};

/// The parts of a grouped convolution's kernel name:
/// grouped_conv_VARIANT_DTYPE_{2,3}d_MxNxK_PIPELINE[_intrawave|_interwave]
/// [_gmN][_dsb][_si][_2stage].
struct CkConvName {
  std::string variant, dtype, pipeline, scheduler = "intrawave";
  int64_t dimensions = 2, tile[3] = {}, groupsMerged = 1;
  bool doubleBuffer = false, storeEarly = false, twoStage = false;
};
/// Errors: InvalidArgument naming the part that does not parse
llvm::Expected<CkConvName> parseCkConvName(llvm::StringRef name);

/// Checks that a row's type is one of CK Tile's and that `parse` accepts its
/// kernel's name. Errors: InvalidArgument
template <typename Parse>
llvm::Error checkCkWords(const Rows &rows, size_t row, Parse parse) {
  llvm::StringRef dtype = rows.text("dtype", row);
  if (!ckElementBytes(dtype))
    return wrongCell(rows, row, "dtype", "'" + dtype.take_front(40) + "'",
                     kCkTypes);
  auto name = parse(rows.text("kernel_name", row));
  return name ? llvm::Error::success()
              : addContext(name.takeError(), rows.place(row));
}

/// Facts about the data that the caller knows and the file may lack.
struct ConvertOptions {
  std::string arch = "gfx950";
  std::string dtype, opType, variant; ///< used in place of the records' own
  std::optional<CkHardware> hardware; ///< written as columns hw_*
};

/// Converts by content: a JSON object with "results", a CSV with a header, or a
/// log with "Shape" lines. Records that do not parse are counted as damaged.
/// Kernels of the pipeline `mem` pad all three sides, whatever their record
/// says. Errors: InvalidArgument when the content has none of the three forms
/// or holds no record
llvm::Expected<ColumnTable> convertCk(llvm::StringRef text,
                                      llvm::StringRef path,
                                      const ConvertOptions &options,
                                      ConvertReport &report);

} // namespace assay::select
