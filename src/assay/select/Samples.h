/// What training and evaluation work on: feature rows with their measured
/// values, grouped by problem. Made from a data set by the operation's own
/// features; everything after this is independent of the operation.
#pragma once

#include "assay/select/KernelSpace.h"

namespace assay::select {

enum class Target : uint8_t {
  Tflops,
  Latency,
  Bandwidth,
  Efficiency, ///< rate over the best measured rate of the same problem: what
              ///< ranks kernels, free of what all of them share
};
const char *toString(Target target); ///< "tflops" "latency" "bandwidth"
                                     ///< "efficiency"
std::optional<Target> parseTarget(llvm::StringRef text);

/// The operation, type and machine that a data set or a model is about.
struct Subject {
  std::string op, dtype, arch;
  std::string variant = {}; ///< of CK Tile's convolutions: their direction
  friend bool operator==(const Subject &, const Subject &) = default;
};

struct Samples {
  Subject subject;
  llvm::ArrayRef<FeatureInfo> features;
  std::vector<float> rows; ///< [count][features]
  /// The same before the rounding to f32, for CK Tile's kernels, whose models
  /// compare in f64; empty for others.
  std::vector<double> wide;
  std::optional<CkHardware> hardware; ///< of CK Tile's kernels
  std::vector<double> tflops, latencyMs, bandwidth, noise;
  std::vector<bool> valid;
  std::vector<int32_t> group; ///< of each row; rows of a group are neighbours
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
  /// The row as models compare it.
  std::vector<double> exactRow(size_t i) const;
  double value(Target target, size_t i) const;
  /// A hash of rows and labels: the same data, the same model.
  std::string hash() const;
};

/// The name of a type where several are in use: fp16 is f16, int8 is s8, ...;
/// other words are returned as they are.
std::string plainDtype(llvm::StringRef dtype);

/// Selects the rows of one operation and type (both may be empty: then the
/// table must have only one; gemm and gemm_universal select either), of CK
/// Tile's convolutions those of a direction where it is named, computes their features, and orders them by
/// problem and kernel, so that the order of files and rows does not matter. A
/// kernel that was measured twice on a problem counts once: the row with less
/// noise. CK Tile's features are those of `hardware`, else of the data's columns
/// hw_*, else of the profile of the data's arch.
/// Errors:   NotFound (no such rows); InvalidArgument (a missing column, two
///           machines, a valid row whose time is not a positive number: named)
llvm::Expected<Samples>
makeSamples(const ColumnTable &table, llvm::StringRef op, llvm::StringRef dtype,
            const std::optional<CkHardware> &hardware = std::nullopt,
            llvm::StringRef variant = "");

/// The direction of CK Tile's convolutions by one of its names: "forward" or
/// "fwd", "bwd_data" or "backward_data", "bwd_weight" or "backward_weight";
/// nullopt for another word.
std::optional<std::string> ckDirection(llvm::StringRef word);
/// The direction's word in a row or a model, which may use one of its own.
std::string plainDirection(llvm::StringRef word);

/// The machine that a class text describes, as far as features need it; nullopt
/// when it does not parse.
std::optional<kernels::Machine> machineOfClass(llvm::StringRef text);

} // namespace assay::select
