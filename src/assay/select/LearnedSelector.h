/// Choosing a kernel for a problem: by a learned model where one fits this
/// machine, else by the analytic model; every choice is remembered, and a
/// remembered one costs a table look-up.
#pragma once

#include "assay/kernels/Selector.h"
#include "assay/select/ModelFolder.h"

#include <memory>

namespace assay::select {

/// Below this a call takes a few microseconds whatever the choice, and reading
/// a model would never pay: dispatch asks none.
constexpr double kLeastModelFlops = 2e5;

/// One kernel and how it was rated.
struct RankedKernel {
  int32_t kernel = 0; ///< index in the registry's list
  double score = 0;   ///< the model's sum: what ranks
};

/// The model of one pair of types and one layout, compiled for all kernels of
/// the registry. Threads: rank() and best() may be called from any thread.
class KernelModel {
public:
  /// Errors: those of checkSchema; those of Forest::compile
  static llvm::Expected<std::unique_ptr<KernelModel>>
  create(Model model, kernels::Registry &registry);

  kernels::TypePair types() const { return types_; }
  kernels::Layout layout() const { return layout_; }
  const Model &model() const { return model_; }
  /// foreignness() of the model.
  const std::string &foreign() const { return foreign_; }
  /// "the model 'FOLDER' is of another machine: ...; its ranking may be off";
  /// empty where it is of here.
  std::string note() const;
  kernels::Registry &registry() const { return registry_; }
  llvm::ArrayRef<kernels::GemmConfig> configs() const { return configs_; }
  const Forest &forest() const { return *forest_; }

  /// The supported kernel with the highest score (of equal ones the first);
  /// nullopt when none supports the problem.
  std::optional<RankedKernel> best(const kernels::GemmProblem &problem);
  /// The best `count` supported kernels, best first.
  std::vector<RankedKernel> rank(const kernels::GemmProblem &problem,
                                 size_t count);
  /// The scores of all kernels in fixed point, supported or not.
  std::vector<int64_t> scores(const kernels::GemmProblem &problem);
  std::vector<float> row(const kernels::GemmProblem &problem,
                         int32_t kernel) const;

  /// Whether the model was trained on that number of threads. Where it was not,
  /// but on one, it rates the share of one thread, and only kernels that divide
  /// the work by themselves are offered.
  bool covers(int threads) const;

private:
  bool offers(const kernels::GemmProblem &problem, int32_t kernel) const;
  KernelModel(Model model, kernels::Registry &registry);
  struct Workspace;
  std::unique_ptr<Workspace> takeWorkspace();
  void giveBack(std::unique_ptr<Workspace> workspace);
  llvm::ArrayRef<int32_t> evaluate(const kernels::GemmProblem &problem,
                                   Workspace &workspace);

  Model model_;
  std::string foreign_;
  kernels::Registry &registry_;
  kernels::TypePair types_;
  kernels::Layout layout_ = kernels::Layout::RCR;
  llvm::ArrayRef<kernels::GemmConfig> configs_;
  std::unique_ptr<GemmFeatures> features_;
  GemmGrid grid_;
  std::optional<Forest> forest_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;

public:
  ~KernelModel();
};

/// A model that dispatch did not ask, and why.
struct PassedModel {
  std::string folder, why;
};

/// Who chooses where no model serves, as a choice says it.
inline constexpr const char *kAnalyticName = "analytic";

/// Why a choice was made, for `assay kernels explain`.
struct Explanation {
  kernels::GemmConfig config;
  std::string by;  ///< "model 'FOLDER'" or kAnalyticName
  std::string why; ///< why no model was asked, when none was
  std::vector<PassedModel> passedOver{}; ///< further models of these types
};

/// Loads the models of some folders lazily, per types and layout, and falls
/// back to the analytic selector.
class LearnedSelector final : public kernels::Selector {
public:
  /// `folders` are searched in order: a folder is a model, or holds folders
  /// that are. Empty: the environment variable ASSAY_MODEL_DIR, then the user's
  /// models, then those that ship with Assay.
  /// `anyMachine`: models of other machines serve without a check (SelfCheck.h).
  explicit LearnedSelector(kernels::Registry &registry,
                           std::vector<std::string> folders = {},
                           bool anyMachine = false);
  ~LearnedSelector() override;

  kernels::GemmConfig choose(const kernels::GemmProblem &problem) override;
  llvm::StringRef name() const override;
  /// The analytic one's, and the files in the folders that are searched.
  std::string fingerprint() const override;
  Explanation explain(const kernels::GemmProblem &problem);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::select
