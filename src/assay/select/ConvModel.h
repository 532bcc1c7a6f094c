/// Choosing the kernel of a convolution: by a learned model of its direction where
/// one fits this machine, else the native engine's own rule.
#pragma once

#include "assay/select/ConvFeatures.h"
#include "assay/select/LearnedSelector.h"

namespace assay::select {

/// The model of one direction and type, compiled for all kernels of the list.
/// Threads: any.
class ConvModel {
public:
  /// Errors: those of loadModel and checkSchema; Unsupported (a model of another
  /// operation), NotFound (it has nothing that ranks kernels).
  static llvm::Expected<std::unique_ptr<ConvModel>>
  open(llvm::StringRef folder, const kernels::Registry &registry,
       bool rankingOnly = false);
  ~ConvModel();

  kernels::ConvDirection direction() const { return direction_; }
  kernels::DataType type() const { return type_; }
  const Model &model() const { return model_; }
  const std::string &foreign() const { return foreign_; } ///< foreignness()
  /// Why its ranking may be off here; empty where it is of this machine.
  std::string note() const;
  llvm::ArrayRef<kernels::ConvConfig> configs() const { return configs_; }

  /// The problem as the model was trained: on one thread where it was not on this
  /// number. What each thread of several computes is cut from the same problem.
  kernels::ConvProblem askedAs(kernels::ConvProblem problem) const;
  /// The best `count` kernels that support the problem, best first; of equal
  /// scores the first of the list.
  std::vector<RankedKernel> rank(const kernels::ConvProblem &problem,
                                 size_t count);
  std::vector<float> row(const kernels::ConvProblem &problem,
                         int32_t kernel) const {
    return features_.row(problem, configs_[static_cast<size_t>(kernel)]);
  }

private:
  ConvModel(Model model, const kernels::Machine &machine);
  struct Workspace;
  std::unique_ptr<Workspace> takeWorkspace();

  Model model_;
  kernels::Machine machine_;
  kernels::ConvDirection direction_ = kernels::ConvDirection::Forward;
  kernels::DataType type_ = kernels::DataType::F32;
  std::string foreign_;
  ConvFeatures features_;
  std::vector<kernels::ConvConfig> configs_;
  std::optional<Forest> forest_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

/// Who chooses where no model serves, as a choice says it.
inline constexpr const char *kRuleName = "the engine's rule";

/// A choice and how it came about, for `assay kernels explain`.
struct ConvChoice {
  kernels::ConvConfig config;
  std::string by;  ///< "model 'FOLDER'" or kRuleName
  std::string why; ///< why no model was asked, when none was
  std::vector<PassedModel> passedOver{};
};

/// What dispatch asks. Models are found and opened at the first problem of their
/// direction. Threads: any.
class ConvSelector {
public:
  /// `folders`, `anyMachine`: as LearnedSelector's.
  explicit ConvSelector(const kernels::Registry &registry,
                        std::vector<std::string> folders = {},
                        bool anyMachine = false);
  ~ConvSelector();
  ConvChoice choose(const kernels::ConvProblem &problem);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::select
