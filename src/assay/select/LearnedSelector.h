/// Chooses a kernel for a problem: by a learned model where one fits this
/// machine, else by the analytic model or rule.
#pragma once

#include "assay/kernels/Selector.h"
#include "assay/select/KernelSet.h"
#include "assay/select/ModelFolder.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace assay::select {

/// Below this size a call takes a few microseconds with any kernel, and
/// evaluating a model would never pay: dispatch uses none.
constexpr double kLeastModelFlops = 2e5;

/// One kernel and how it was rated.
struct RankedKernel {
  int32_t kernel = 0; ///< its number in the set of kernels
  double score = 0;   ///< the model's sum, by which kernels are ranked
};

/// A model compiled for all kernels of a set. Threads: rank(), best() and
/// scores() may be called from any thread.
class KernelModel {
public:
  /// Errors: those of checkSchema and Forest::compile; Unsupported (none of the
  /// model's kernels exists on this machine, or, where `asked` is named, its
  /// space has other features), NotFound (no target of the model ranks kernels)
  static llvm::Expected<std::unique_ptr<KernelModel>>
  create(Model model, kernels::Registry &registry,
         const LocalSpace *asked = nullptr);
  ~KernelModel();

  const KernelSet &kernels() const { return *kernels_; }
  const Model &model() const { return model_; }
  /// foreignness() of the model.
  const std::string &foreign() const { return foreign_; }
  /// "the model 'FOLDER' is of another machine: ...; its ranking may be off";
  /// empty if the model was made on this machine.
  std::string note() const;
  const Forest &forest() const { return *forest_; }

  /// The offered kernel with the highest score (of equal ones, the first);
  /// nullopt when no kernel supports the problem.
  std::optional<RankedKernel> best(const Problem &problem);
  /// The best `count` of the offered kernels, best first.
  std::vector<RankedKernel> rank(const Problem &problem, size_t count);
  /// The scores of all kernels in fixed point, supported or not.
  std::vector<int64_t> scores(const Problem &problem);
  std::vector<float> row(const Problem &problem, int32_t kernel) const {
    return kernels_->row(problem, kernel);
  }

  /// Whether the model was trained on that number of threads. If not, it rates
  /// the problem that KernelSet::asTrained() returns.
  bool covers(int threads) const;

private:
  explicit KernelModel(Model model);
  struct Workspace;
  class Evaluation;

  Model model_;
  std::string foreign_;
  std::unique_ptr<KernelSet> kernels_;
  std::optional<Forest> forest_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

/// create() for the model in a folder. Errors: also those of loadModel
llvm::Expected<std::unique_ptr<KernelModel>>
openModel(llvm::StringRef folder, kernels::Registry &registry,
          const LocalSpace *asked = nullptr, bool rankingOnly = false);

/// The model in a folder, for the kernels of this set. Errors: also
/// InvalidArgument (it is for another operation, type or layout)
llvm::Expected<std::unique_ptr<KernelModel>> openIn(const KernelSet &set,
                                                    llvm::StringRef folder);

/// A model that dispatch did not use, and the reason.
struct PassedModel {
  std::string folder, why;
};

/// The models' answer for a problem.
struct ModelAnswer {
  const KernelSet *kernels = nullptr; ///< the model's; null: no model picked a
                                      ///< kernel
  int32_t kernel = -1;                ///< its number in that set
  std::string by; ///< "model 'FOLDER'" or LocalSpace::plainBy()
  std::string why; ///< notes on the model, or why none picked a kernel
  std::vector<PassedModel> passedOver{}; ///< other models for these types
};

/// The models of some folders, loaded lazily: one for each operation, types,
/// layout and number of threads. Threads: any.
class ModelDispatch {
public:
  /// `folders` are searched in order; a folder is a model or holds folders of
  /// models. Empty: the environment variable ASSAY_MODEL_DIR, then the user's
  /// models, then those that ship with Assay.
  /// `anyMachine`: models of other machines are used without a check
  /// (SelfCheck.h).
  explicit ModelDispatch(kernels::Registry &registry,
                         std::vector<std::string> folders = {},
                         bool anyMachine = false);
  ~ModelDispatch();
  ModelAnswer ask(const Problem &problem);
  /// Dispatch's choice, as a number in the set; negative: the kernel is not in
  /// its list.
  struct Pick {
    int32_t kernel = -1;
    std::string by;
  };
  Pick pick(const KernelSet &set, const Problem &problem);

  bool anyModel() const;
  /// The models in the folders, and whether those of other machines are used.
  std::string fingerprint() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The name, in a choice, of the chooser of products where no model applies.
inline constexpr const char *kAnalyticName = "analytic";

/// A choice and how it came about, for `assay kernels explain`.
template <typename Config> struct ExplainedChoice {
  Config config;
  std::string by;  ///< "model 'FOLDER'" or LocalSpace::plainBy()
  std::string why; ///< why no model was used; empty if one was
  std::vector<PassedModel> passedOver{};
};
using Explanation = ExplainedChoice<kernels::GemmConfig>;

/// Chooses products by ModelDispatch, else by the analytic selector. Choices
/// are cached, so that a repeated one costs a table look-up.
class LearnedSelector final : public kernels::Selector {
public:
  /// As ModelDispatch.
  explicit LearnedSelector(kernels::Registry &registry,
                           std::vector<std::string> folders = {},
                           bool anyMachine = false);
  ~LearnedSelector() override;

  kernels::GemmConfig choose(const kernels::GemmProblem &problem) override;
  llvm::StringRef name() const override;
  /// The analytic selector's, and the files in the folders that are searched.
  std::string fingerprint() const override;
  Explanation explain(const kernels::GemmProblem &problem);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::select
