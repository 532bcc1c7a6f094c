/// Private to this folder: the runs of one problem that properties compare.
#pragma once

#include "assay/verify/properties/Properties.h"

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

class PropertyRuns {
public:
  struct How {
    engine::Guard guard = engine::Guard::AtEnd;
    engine::Unwritten unwritten = engine::Unwritten::Marks;
    int threads = -1; ///< -1: those of the question
  };
  PropertyRuns(const PropertyQuestion &question, ProgramCase c)
      : question(question), base(std::move(c)) {}

  /// Takes the data of one kind and forgets the results of earlier data. Errors:
  /// those of filling.
  llvm::Error fill(judge::FillKind kind);
  /// From here on two results may differ by as much as correct ones may, by the
  /// truth for these data. Errors: those of computeTruth.
  llvm::Error allowRoundings();
  /// From here on bits count.
  void wantBits() { areBitsWanted_ = true; }

  /// Runs the engine. Nothing: it refused (refused() says why) or failed
  /// (stop()).
  std::optional<Results> run(const ProgramCase &c,
                             llvm::ArrayRef<tensor::Tensor> inputs, How how);
  std::optional<Results> run(How how) { return run(base, inputs, how); }
  /// The plain run on these data, once.
  const Results *plain();
  /// Whether a run gave no result.
  Answer gone() const;
  Status stopStatus() const { return status_; }
  const std::string &reason() const { return reason_; }

  /// Whether two results are equal where `looksAt` says so (nothing:
  /// everywhere). `what`: the words for the second.
  Answer
  compare(const Results &first, const Results &second, const std::string &what,
          const std::function<bool(size_t, int64_t)> &looksAt = {}) const;

  const PropertyQuestion &question;
  const ProgramCase base;
  std::vector<tensor::Tensor> inputs;

private:
  const ProgramCase::Item &result(size_t i) const {
    return base.tensors[base.inputs + i];
  }

  std::string created_; ///< the problem that the worker holds ready
  int alignment_ = 0;
  std::optional<Results> plain_;
  bool areBitsWanted_ = true;
  std::vector<judge::Errors> allowed_; ///< per result; empty: not known yet
  Status status_ = Status::Passed;
  std::string reason_;
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
