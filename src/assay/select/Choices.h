/// What models of kernels are judged by, whatever the operation: its problems, its
/// kernels, what a model of it picks, what dispatch takes, and what chooses where no
/// model serves. `tune auto`, `check` and `compare` are written over this.
#pragma once

#include "assay/select/ConvModel.h"
#include "assay/select/GemmContest.h"
#include "assay/select/spaces/Conv.h"
#include "assay/select/ModelSurvey.h"

namespace assay::select {

/// A model that is open for picking. Kernels are numbers of the source's list.
/// Threads: any.
class PickingModel {
public:
  virtual ~PickingModel() = default;
  virtual const Model &model() const = 0;
  /// foreignness() of the model, and the note that a report shows of it.
  virtual std::string foreign() const = 0;
  virtual std::string note() const = 0;
  /// The best `count` kernels that support the problem, best first.
  virtual std::vector<int32_t> best(const ProblemRef &problem,
                                    size_t count) = 0;
};

/// What dispatch takes for a problem.
struct Pick {
  int32_t kernel = -1; ///< negative: one that is not in the list
  std::string by;      ///< "model 'FOLDER'", or Choices::plainBy()
};

/// One operation with types and layout. Threads: one caller at a time.
class Choices {
public:
  virtual ~Choices() = default;
  virtual KernelSource &source() = 0;
  virtual const kernels::Registry &registry() const = 0;
  /// The name of a kernel of the list.
  virtual std::string nameOf(int32_t kernel) const = 0;
  /// The kernels that can compute the problem.
  virtual std::vector<int32_t> supported(const ProblemRef &problem) = 0;
  /// What chooses where no model serves.
  virtual int32_t plain(const ProblemRef &problem) = 0;
  /// Errors: those of opening a model; InvalidArgument (it is of another
  /// operation, type or layout)
  virtual llvm::Expected<std::unique_ptr<PickingModel>>
  open(llvm::StringRef folder) = 0;
  /// Dispatch with the models of these folders.
  virtual std::function<Pick(const ProblemRef &)>
  dispatch(std::vector<std::string> folders) = 0;
  /// Problems of all kinds of up to `gflop`, drawn by seed, of one thread. Two
  /// streams of one seed have nothing in common.
  virtual std::vector<ProblemRef> draw(double gflop, uint64_t seed,
                                        uint32_t stream) const = 0;
  /// A user's list of problems, of one thread. Errors: those of readShapes() and
  /// readConvolutions()
  virtual llvm::Expected<std::vector<ProblemRef>>
  read(llvm::StringRef path, const ShapeLimits &limits) const = 0;

  ModelKind kind();
  /// Problems of draw() that a model is asked about.
  std::vector<ProblemRef> drawAsked(double gflop, uint64_t seed,
                                     uint32_t stream) const;
  /// "analytic", "the engine's rule": as dispatch names it.
  llvm::StringRef plainBy();
};

/// The same in a sentence: "the analytic choice" or "the engine's rule".
std::string plainName(llvm::StringRef op);

/// Products of some types and one layout.
class GemmChoices final : public Choices {
public:
  GemmChoices(kernels::Registry &registry, const kernels::KernelKind &kind);
  KernelSource &source() override { return source_; }
  const kernels::Registry &registry() const override { return registry_; }
  std::string nameOf(int32_t kernel) const override {
    return source_.kernelsFor(1)[static_cast<size_t>(kernel)].name();
  }
  std::vector<int32_t> supported(const ProblemRef &problem) override;
  int32_t plain(const ProblemRef &problem) override;
  llvm::Expected<std::unique_ptr<PickingModel>>
  open(llvm::StringRef folder) override;
  std::function<Pick(const ProblemRef &)>
  dispatch(std::vector<std::string> folders) override;
  std::vector<ProblemRef> draw(double gflop, uint64_t seed,
                                uint32_t stream) const override;
  llvm::Expected<std::vector<ProblemRef>>
  read(llvm::StringRef path, const ShapeLimits &limits) const override;

private:
  kernels::Registry &registry_;
  kernels::KernelKind kind_;
  GemmSource source_;
  std::unique_ptr<kernels::Selector> analytic_;
};

/// Convolutions of one direction.
class ConvChoices final : public Choices {
public:
  /// `source`: of convolutions (engine/native/ConvolutionContest.h); it keeps
  /// `registry` alive.
  ConvChoices(std::unique_ptr<KernelSource> source,
              const kernels::Registry &registry);
  KernelSource &source() override { return *source_; }
  const kernels::Registry &registry() const override { return registry_; }
  std::string nameOf(int32_t kernel) const override {
    return configs_[static_cast<size_t>(kernel)].name();
  }
  std::vector<int32_t> supported(const ProblemRef &problem) override;
  int32_t plain(const ProblemRef &problem) override;
  llvm::Expected<std::unique_ptr<PickingModel>>
  open(llvm::StringRef folder) override;
  std::function<Pick(const ProblemRef &)>
  dispatch(std::vector<std::string> folders) override;
  std::vector<ProblemRef> draw(double gflop, uint64_t seed,
                                uint32_t stream) const override;
  llvm::Expected<std::vector<ProblemRef>>
  read(llvm::StringRef path, const ShapeLimits &limits) const override;

private:
  int32_t numberOf(const kernels::ConvConfig &config) const;

  std::unique_ptr<KernelSource> source_;
  const kernels::Registry &registry_;
  kernels::ConvDirection direction_;
  kernels::DataType type_;
  std::vector<kernels::ConvConfig> configs_;
};

} // namespace assay::select
