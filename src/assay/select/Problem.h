/// A problem for code that does not depend on its kernel space: its name, its
/// size, and the same problem with another number of threads.
#pragma once

#include "assay/select/Shapes.h"

#include <functional>
#include <memory>

namespace assay::select {

class LocalSpace;
class Problem;
/// Copies share the problem, which is immutable.
using ProblemRef = std::shared_ptr<const Problem>;

class Problem {
public:
  virtual ~Problem() = default;
  virtual const LocalSpace &space() const = 0;
  virtual std::string dtype() const = 0;
  virtual std::string layout() const = 0;
  /// The layout by which its models are found.
  virtual std::string modelLayout() const { return layout(); }
  virtual int threads() const = 0;
  virtual ProblemRef onThreads(int count) const = 0;
  /// The name in reports: "f32 rcr 128x4096x4096 b1 t2", "conv_fwd f32 nhwc
  /// ...".
  virtual std::string title() const = 0;
  /// The key that groups its rows in a data set.
  virtual std::string key() const { return title(); }
  /// The key of its group in training.
  virtual std::string groupKey() const { return title(); }
  /// The sizes for listing problems and assigning them to folds: those of the
  /// equivalent product.
  virtual Shape sizes() const = 0;
  virtual double flops() const = 0;
  virtual double bytes() const = 0; ///< of operands and result, each counted
                                    ///< once
  virtual uint64_t hash() const = 0;
};

/// A problem in a file: a row of a data set or a line of a journal.
struct ProblemWords {
  std::string place; ///< for messages
  std::string dtype, layout;
  int threads = 1;
  std::function<int64_t(const char *name, int64_t otherwise)> number;
  std::function<std::string(const char *name)> text;
};

/// Each problem with each number of threads.
std::vector<ProblemRef> onThreads(llvm::ArrayRef<ProblemRef> problems,
                                  llvm::ArrayRef<int> threads);

} // namespace assay::select
