/// Leaf modules of well-known classes as programs, and calls of them run again
/// from their own recorded inputs.
#pragma once

#include "assay/trace/Replay.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

/// The tensors of one call on one side; those that were not recorded are
/// invalid.
struct LeafCall {
  std::string className;
  tensor::Tensor input, output, weight, bias;
  tensor::Tensor mean, variance; ///< of a batch norm: before the call
  tensor::Tensor result;         ///< for a gradient: the result of the forward
                                 ///< call
  /// The type in which its products are summed, where that was declared.
  std::optional<numerics::ElementType> accumulation;
  /// The settings that the module was made with (ModuleSettings.h); null:
  /// unknown.
  const llvm::json::Object *settings = nullptr;
};

/// Replays Linear (class names that contain it), LayerNorm, RMSNorm, GELU (tanh, erf,
/// sigmoid), SiLU, ReLU, Sigmoid, Tanh, Softmax over the last dimension,
/// Embedding, Identity and Dropout in evaluation. Epsilon and the GELU's kind
/// are each side's own settings; where those were not recorded they are taken
/// from the bench: the formula that explains its output. Every row is computed where that is cheap or `everyRow`
/// asks for it, else 64 (Linear: 24): evenly spaced ones, and those that differ
/// most. Nullopt when the class is not known, tensors are missing, or no formula
/// explains the bench.
std::optional<ReplayResult> replayLeaf(const LeafCall &target,
                                       const LeafCall &bench, bool everyRow);

/// A parameter's gradient on one side, with the inputs of all calls of the module
/// (`inputs`) and the gradients of their outputs (`gradients`).
struct GradientCall {
  std::string className, parameter;
  std::vector<tensor::Tensor> inputs, gradients;
  tensor::Tensor output;
  const llvm::json::Object *settings = nullptr; ///< as in LeafCall
};

/// The epsilon that a norm was made with, under any of its usual names.
std::optional<double> epsilonOf(const llvm::json::Object *settings);

/// Replays weights and biases of Linear and of norms, biases of convolutions: a
/// sum over rows, in 16-bit types kept in the type or wider. Nullopt as for
/// replayLeaf().
std::optional<ReplayResult> replayGradient(const GradientCall &target,
                                           const GradientCall &bench);

/// One call of a leaf module on each of several ranks.
struct LeafVerdicts {
  std::vector<std::optional<Deviation>> ranks; ///< nullopt: it cannot be judged
  std::optional<Deviation> bench;
  /// Whether a rank is off where the bench is right, or is a few times further off.
  bool isWrong(size_t rank) const;
};
/// Judges each rank's call on its own inputs and by all of its elements, with
/// the formula that explains the bench (invalid tensors: with the one that
/// explains the ranks best). Without a verdict on ranks where the formula
/// leaves more than a thousandth of the bench unexplained.
LeafVerdicts judgeLeaves(llvm::ArrayRef<LeafCall> ranks, const LeafCall &bench);

} // namespace assay::trace
