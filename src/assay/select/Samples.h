/// The input of training and evaluation: feature rows with their measured
/// values, grouped by problem. They are made from a data set by the operation's
/// own features; everything after this is independent of the operation.
#pragma once

#include "assay/select/KernelSpace.h"

namespace assay::select {

enum class Target : uint8_t {
  Tflops,
  Latency,
  Bandwidth,
  Efficiency, ///< rate over the best measured rate of the same problem: ranks
              ///< kernels, without the factors that all of them share
};
const char *toString(Target target); ///< "tflops" "latency" "bandwidth"
                                     ///< "efficiency"
std::optional<Target> parseTarget(llvm::StringRef text);

/// The operation, type and machine that a data set or a model is about.
struct Subject {
  std::string op, dtype, arch;
  std::string variant = {}; ///< the direction of CK Tile's convolutions
  friend bool operator==(const Subject &, const Subject &) = default;
};

struct Samples {
  Subject subject;
  llvm::ArrayRef<FeatureInfo> features;
  std::vector<float> rows; ///< [count][features]
  /// The rows before the rounding to f32, for CK Tile's kernels, whose models
  /// compare in f64; empty for others.
  std::vector<double> wide;
  std::optional<CkHardware> hardware; ///< of CK Tile's kernels
  std::vector<double> tflops, latencyMs, bandwidth, noise;
  std::vector<bool> valid;
  std::vector<int32_t> group; ///< the group of each row; rows of a group are
                              ///< adjacent
  std::vector<std::string> kernel, pipeline;
  struct Group {
    std::string key, layout;
    int64_t m, n, k, batch;
    int threads;
    size_t first, count;
  };
  std::vector<Group> groups;
  double noiseFloor = 0;
  int64_t failures = 0; ///< rows that are not valid

  size_t count() const { return group.size(); }
  const float *row(size_t i) const { return rows.data() + i * features.size(); }
  /// The row in the precision in which models compare.
  std::vector<double> exactRow(size_t i) const;
  double value(Target target, size_t i) const;
  /// A hash of rows and labels; equal hashes mean equal data, and so the same
  /// model.
  std::string hash() const;
};

/// The canonical name of a type that has several: f16 for fp16, s8 for int8,
/// ...; other words are returned unchanged.
std::string plainDtype(llvm::StringRef dtype);

/// Selects the rows for one operation and type, computes their features, and
/// orders them by problem and kernel, so that the order of files and rows does
/// not matter. If the operation or type is empty, the table must have only one;
/// gemm and gemm_universal select either. A direction, if stated, selects among
/// CK Tile's convolutions. A kernel that was measured twice on a problem counts
/// once: the row with less noise. CK Tile's features are those of `hardware`,
/// else of the data's columns hw_*, else of the profile of the data's arch.
/// Errors: NotFound (no such rows); InvalidArgument (a missing column; two
/// machines; a valid row whose time is not a positive number, which is named)
llvm::Expected<Samples>
makeSamples(const ColumnTable &table, llvm::StringRef op, llvm::StringRef dtype,
            const std::optional<CkHardware> &hardware = std::nullopt,
            llvm::StringRef variant = "");

/// CK Tile's name for a direction of convolutions, from "forward" or "fwd",
/// "bwd_data" or "backward_data", "bwd_weight" or "backward_weight"; nullopt
/// for another word.
std::optional<std::string> ckDirection(llvm::StringRef word);
/// The same for the word of a row or a model; other words are returned
/// unchanged.
std::string plainDirection(llvm::StringRef word);

/// The machine that a class text describes, as far as features need it; nullopt
/// when the text does not parse.
std::optional<kernels::Machine> machineOfClass(llvm::StringRef text);

} // namespace assay::select
