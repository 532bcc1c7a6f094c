/// Private to this folder: the runs of one problem that properties compare, each by
/// the session's stages.
#pragma once

#include "assay/verify/properties/Properties.h"
#include "assay/verify/session/Plan.h"
#include "assay/verify/session/ProgramTrial.h"

#include <functional>

namespace assay::verify {

/// The result of one property.
struct Answer {
  enum class Kind : uint8_t {
    Holds,
    Broken,   ///< text: how
    NotAsked, ///< text: why
    Stopped   ///< the engine went wrong: PropertyRuns::stop()
  } kind = Kind::Holds;
  std::string text;
};

/// Dense bytes of each result.
using Results = std::vector<std::vector<std::byte>>;

/// How the tensors of a run lie, and what its results hold before it.
struct RunForm {
  engine::Guard guard = engine::Guard::AtEnd;
  engine::Unwritten unwritten = engine::Unwritten::Marks;
  int threads = -1; ///< -1: those of the session
};

class PropertyRuns {
public:
  /// `planned` outlives them.
  PropertyRuns(const PlannedProblem &planned, Resources &resources);
  void use(engine::Worker &tested) { tested_ = &tested; }

  /// Takes the data of one kind and forgets the results of earlier data. Errors:
  /// those of filling.
  llvm::Error fill(judge::FillKind kind);
  /// From here on two results may differ by as much as correct ones may, by the
  /// truth for these data. Errors: those of the reference.
  llvm::Error allowRoundings();
  /// From here on results must have equal bits.
  void wantBits() { areBitsWanted_ = true; }

  /// A problem beside the base, until the next one takes its place.
  ProgramTrial &with(ProgramCase c);
  /// Runs the engine. Nothing: it refused or failed (gone(), stopStatus()).
  std::optional<Results> run(ProgramTrial &trial,
                             llvm::ArrayRef<tensor::Tensor> inputs, RunForm form = {});
  /// The base problem on other arguments, or in another way.
  std::optional<Results> run(llvm::ArrayRef<tensor::Tensor> arguments) {
    return run(base_, arguments);
  }
  std::optional<Results> run(RunForm form) { return run(base_, inputs, form); }
  /// The plain run on these data, once.
  const Results *plain();
  /// The answer when a run had no result.
  Answer gone() const;
  Status stopStatus() const { return last_.status; }
  const std::string &reason() const { return last_.reason; }

  /// Whether two results are equal where `looksAt` is true (null: everywhere).
  /// `what`: the text for the second.
  Answer
  compare(const Results &first, const Results &second, const std::string &what,
          const std::function<bool(size_t, int64_t)> &looksAt = {}) const;

  const PlannedProblem &planned;
  const ProgramCase &base() const { return base_.programCase(); }
  std::vector<tensor::Tensor> inputs;

private:
  const ProgramCase::Item &result(size_t i) const {
    return base().tensors[base().inputs + i];
  }

  Resources &resources_;
  engine::Worker *tested_ = nullptr;
  ProgramTrial base_;
  std::unique_ptr<ProgramTrial> other_;
  /// What the worker holds ready, and for how many threads.
  std::pair<const ProgramTrial *, int> ready_;
  std::optional<Results> plain_;
  bool areBitsWanted_ = true;
  std::vector<judge::Errors> allowed_; ///< per result; empty: not known yet
  Outcome last_;                       ///< of the last run
};

/// The rows `of` of a dense tensor along a dimension, in this order.
std::vector<std::byte> takeRows(const std::byte *bytes,
                                llvm::ArrayRef<int64_t> shape, int64_t width,
                                int dim, llvm::ArrayRef<int64_t> of);
/// A tensor with those rows. Errors: ResourceLimit.
llvm::Expected<tensor::Tensor> takeRows(const tensor::Tensor &tensor, int dim,
                                        llvm::ArrayRef<int64_t> of);

#define ASSAY_PROPERTY(name, strict, function, equal, holds)                   \
  Answer function(PropertyRuns &runs);
#include "assay/verify/properties/Properties.def"

} // namespace assay::verify
