/// Which models on this machine dispatch may use, and why it does not use the
/// others: one answer for dispatch, `assay doctor` and `assay kernels explain`.
#pragma once

#include "assay/select/KernelSet.h"

#include <vector>

namespace assay::select {

/// A model folder that dispatch considers.
struct FoundModel {
  std::string folder;
  std::string op, dtype, layout; ///< as in its spec
  std::vector<int64_t> threads; ///< the numbers of threads in training
  bool serves = false;
  bool isBehind = false; ///< only an earlier model keeps it from serving
  /// Why it does not serve. If it does, what users should know about it (it was
  /// made on another machine, and was measured here), or nothing.
  std::string why;

  /// Whether the model rates kernels for that number of threads. A model that
  /// was trained on one thread rates one thread's share of a problem with
  /// several.
  bool rates(int64_t count) const;
};

/// Which models are asked for: those of the products of these types and this
/// layout, or those of the convolutions of a direction.
struct ModelKind {
  std::string op, dtype, layout;
  ModelKind(std::string op, std::string dtype, std::string layout)
      : op(std::move(op)), dtype(std::move(dtype)), layout(std::move(layout)) {}
  explicit ModelKind(const KernelSet &set)
      : ModelKind(set.op(), set.dtype(), set.layout()) {}
  /// "gemm_f32_rcr": the name of the folder of such a model.
  std::string name() const { return op + "_" + dtype + "_" + layout; }
  /// "f32 rcr"; for operations other than products with their name, "conv_fwd
  /// f32 nhwc".
  std::string text() const;
};

/// The models in these folders (each is a model, or holds folders of models) in
/// the order in which dispatch tries them: first those of this machine and list
/// of kernels, then the others, each group by folder and then by name. `kind`:
/// only the models of that kind. `anyMachine`: models of other machines serve
/// without a check (SelfCheck.h). A model does not serve if an earlier one
/// serves for the same threads.
std::vector<FoundModel>
surveyModels(const kernels::Registry &registry,
             llvm::ArrayRef<std::string> folders,
             const std::optional<ModelKind> &kind = std::nullopt,
             bool anyMachine = false);

} // namespace assay::select
