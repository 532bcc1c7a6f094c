/// Which models on this machine dispatch may use, and why not the others:
/// one answer for dispatch, `assay doctor` and `assay kernels explain`.
#pragma once

#include "assay/select/KernelSet.h"

#include <vector>

namespace assay::select {

/// A model folder that dispatch looks at.
struct FoundModel {
  std::string folder;
  std::string op, dtype, layout; ///< as in its spec
  std::vector<int64_t> threads; ///< numbers that it was trained on
  bool serves = false;
  bool isBehind = false; ///< it would serve, were it not for an earlier one
  /// Why it does not serve; for one that does, what users should know about it (it is
  /// of another machine, and was measured here), or nothing.
  std::string why;

  /// Whether it rates kernels of that number of threads: one that was trained
  /// on one thread rates the share of each of several.
  bool rates(int64_t count) const;
};

/// The models in these folders (each is a model, or holds folders that are) in
/// the order in which dispatch tries them: those of this machine and list of
/// kernels first, each group in the order of the folders, by name within one.
/// `kind`: only the products of these types and this layout, or the
/// convolutions of a direction. `anyMachine`: models of
/// other machines serve without a check (SelfCheck.h). A model that follows one
/// that serves for the same threads does not serve.
struct ModelKind {
  std::string op, dtype, layout;
  ModelKind(std::string op, std::string dtype, std::string layout)
      : op(std::move(op)), dtype(std::move(dtype)), layout(std::move(layout)) {}
  explicit ModelKind(const KernelSet &set)
      : ModelKind(set.op(), set.dtype(), set.layout()) {}
  /// "gemm_f32_rcr": the folder of such a model.
  std::string name() const { return op + "_" + dtype + "_" + layout; }
  /// "f32 rcr"; for other operations with their name, "conv_fwd f32 nhwc".
  std::string text() const;
};
std::vector<FoundModel>
surveyModels(const kernels::Registry &registry,
             llvm::ArrayRef<std::string> folders,
             const std::optional<ModelKind> &kind = std::nullopt,
             bool anyMachine = false);

} // namespace assay::select
