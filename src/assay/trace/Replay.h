/// Programs run again on recorded inputs: one judge for operators, modules and
/// the code between modules.
#pragma once

#include "assay/judge/Verdict.h"
#include "assay/program/Program.h"
#include "assay/tensor/Tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::trace {

/// The factor on a rounding to nearest for an operator that may round one unit
/// in the last place further. It matters in 16 bits, or in a sum over calls.
constexpr double kOtherRounding = 3;

/// One possible meaning of a recorded step.
struct ReplayFormula {
  std::string name; ///< the formula's name: "what the operator gives", "layer
                    ///< norm, eps 1e-6"
  std::shared_ptr<const program::Program> program; ///< its function is @main
  /// The same for the types of the target's record; null: `program`.
  std::shared_ptr<const program::Program> targetProgram;
  size_t result = 0; ///< the number of their result that is the recorded output
  std::vector<std::string> inputs; ///< for an operator: the arguments' places
  /// For a program of several operators whose results are rounded in 16 bits:
  /// the number of roundings by which a result may differ from the nearest
  /// value.
  double roundings = 1;
  /// Positions may name any of several equal elements (Places.h): the sort is
  /// not stable.
  bool anyOfTies = false;
};

/// One side of a recorded step: the program's arguments in order, and the
/// results.
struct ReplaySide {
  std::vector<tensor::Tensor> inputs;
  tensor::Tensor output;
  /// The type in which its products are summed, where that was declared.
  std::optional<numerics::ElementType> accumulation;
};

/// The distance of a recorded output from a program's result on its inputs.
struct Deviation {
  judge::Verdict verdict; ///< element by element, by the derived bound
  double relativeL2 = 0;  ///< infinite when the output is not finite
  /// The largest error as a share of the allowed error.
  double share() const;
};

struct ReplayResult {
  std::string formula;       ///< the one that explains the bench
  std::string targetFormula; ///< another known formula that explains the
                             ///< target; empty if none
  int64_t elements = 0;      ///< compared elements of each side
  int64_t targetOff = 0, benchOff = 0;    ///< elements beyond their bounds
  double targetShare = 0, benchShare = 0; ///< Deviation::share()
  /// If the target is right by its own arguments but not by the bench's: how
  /// these differ, as text.
  std::string calledWith;
  std::string pattern;   ///< where the target's wrong elements are, as text
  bool isNarrow = false; ///< the target's floats have 16 bits and fewer
  /// Steps with intermediate roundings are judged by their relative L2 distance
  /// from the formula instead.
  bool byDeviation = false;
  double targetDeviation = 0, benchDeviation = 0, allowance = 0;
  bool targetWrong() const;
};

/// Compares the recorded output with the truth of a formula's program on the
/// recorded inputs (judge/program/ProgramTruth.h). An element of a float is
/// off when it is further from the truth than the bound of the program's
/// operations and one more rounding of its type; anything else when it differs.
/// rough:   only the distance, and from the reference's own values
/// roundings, anyOfTies: ReplayFormula's
/// Errors:  those of the program; Unsupported when a recorded tensor has
///          another type than the program's, or most elements cannot be judged
llvm::Expected<Deviation>
deviationOf(const std::shared_ptr<const program::Program> &program,
            size_t result, const ReplaySide &side, bool rough = false,
            double roundings = 1, bool anyOfTies = false);

/// Rows of a tensor seen as [size / width, width].
llvm::Expected<tensor::Tensor> rowsOf(const tensor::Tensor &tensor,
                                      int64_t width,
                                      llvm::ArrayRef<int64_t> rows);

/// Judges the target by the formulas that explain the bench: it is right when
/// one of those explains it too. Nullopt when even the best leaves more than the
/// share `tolerated` of the bench's elements off, or cannot run.
std::optional<ReplayResult> replay(llvm::ArrayRef<ReplayFormula> formulas,
                                   const ReplaySide &target,
                                   const ReplaySide &bench, double tolerated);

} // namespace assay::trace
