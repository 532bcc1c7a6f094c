/// The kernels of a space for one type and layout on this machine, by their numbers
/// in data sets and models: what models rank, dispatch takes and races measure.
#pragma once

#include "assay/kernels/Registry.h"
#include "assay/select/Contest.h"
#include "assay/select/Forest.h"
#include "assay/select/KernelSpace.h"

namespace assay::select {

/// Kernels of one type and layout. Threads: one caller at a time; what is const:
/// any.
class KernelSet {
public:
  KernelSet(const LocalSpace &space, std::string dtype, std::string layout,
            const SpaceContext &context)
      : space_(space), dtype_(std::move(dtype)), layout_(std::move(layout)),
        context_(context) {}
  virtual ~KernelSet() = default;
  KernelSet(const KernelSet &) = delete;

  const LocalSpace &space() const { return space_; }
  std::string op() const { return space_.op().str(); }
  const std::string &dtype() const { return dtype_; }
  const std::string &layout() const { return layout_; }
  kernels::Registry &registry() const { return context_.registry; }
  const kernels::Machine &machine() const { return registry().machine(); }
  /// LocalSpace::listHash() of this machine.
  std::string registryHash() const;
  /// The name of the set in messages: "f32 rcr",
  /// "conv_fwd f32".
  virtual std::string title() const = 0;

  /// Problem::title() under the layout of this set.
  virtual std::string titleOf(const Problem &problem) const {
    return problem.title();
  }

  // --- The list
  /// Kernels that models rank: numbers below this.
  virtual size_t size() const = 0;
  /// Numbers that the problem may get: size(), or more.
  virtual size_t sizeFor(const Problem &) const { return size(); }
  virtual std::string nameOf(int32_t kernel) const = 0;
  /// Negative: it is not in the list.
  virtual int32_t numberOf(llvm::StringRef name,
                           const Problem &problem) const;
  /// Its group in `assay kernels list`.
  struct Part {
    int order;
    std::string name, what;
  };
  virtual Part partOf(int32_t kernel) const = 0;
  /// The values of its choices, which searches vary.
  virtual std::vector<int32_t> fieldsOf(int32_t kernel) const = 0;
  /// There are so few that all are ranked, and no search finds a better one.
  virtual bool isShort() const { return false; }

  // --- Problems
  virtual bool takes(const Problem &problem) const {
    return &problem.space() == &space_ && problem.dtype() == dtype_ &&
           problem.layout() == layout_;
  }
  /// Why the kernel cannot compute it; nullopt: it can. Nothing is compiled.
  virtual std::optional<Refusal> supports(const Problem &problem,
                                          int32_t kernel) const = 0;
  std::vector<int32_t> supported(const Problem &problem) const;
  /// The choice where no model applies; negative: a kernel that is not in the
  /// list.
  virtual int32_t plain(const Problem &problem) const = 0;
  /// That choice without the speeds measured on this machine
  /// (TileSpeeds.h); nullopt if there are none.
  virtual std::optional<int32_t> assumed(const Problem &) { return std::nullopt; }
  /// Problems of all kinds of up to `gflop`, drawn by seed, of one thread. Two
  /// streams of one seed have nothing in common.
  virtual std::vector<ProblemRef> draw(double gflop, uint64_t seed,
                                       uint32_t stream) const = 0;
  /// A user's list of problems, of one thread. Errors: NotFound; InvalidArgument
  /// with the line that is wrong, or when none is within the limits
  virtual llvm::Expected<std::vector<ProblemRef>>
  read(llvm::StringRef path, const ShapeLimits &limits) const = 0;
  /// Problems of draw() for which a model is used.
  std::vector<ProblemRef> drawAsked(double gflop, uint64_t seed,
                                    uint32_t stream) const;

  // --- What a model sees
  virtual const ForestGrid &grid() const = 0;
  /// One problem for that grid; reuses the memory of `query`.
  virtual void fill(const Problem &problem, int64_t paddedTiles,
                    ForestQuery &query) const = 0;
  virtual std::vector<float> row(const Problem &problem,
                                 int32_t kernel) const = 0;
  /// The problem for a model that was trained on these numbers of threads;
  /// null: as it is.
  virtual ProblemRef asTrained(const Problem &problem,
                               llvm::ArrayRef<int64_t> threads) const = 0;
  /// Whether a model may pick the kernel; `covered`: it was trained on the
  /// problem's number of threads.
  virtual bool offers(const Problem &problem, int32_t kernel,
                      bool covered) const {
    (void)covered;
    return !supports(problem, kernel);
  }

  // --- The clock
  /// Errors: those of making operands; Unsupported (nothing runs them here)
  virtual llvm::Expected<std::unique_ptr<Contest>>
  contest(const ProblemRef &problem, ThreadPool &pool, uint64_t seed) = 0;

protected:
  const SpaceContext &context() const { return context_; }

private:
  const LocalSpace &space_;
  std::string dtype_, layout_;
  SpaceContext context_;
};

/// LocalSpace::plainName() of the operation; of products for an unknown operation.
std::string plainName(llvm::StringRef op);

} // namespace assay::select
