/// The kernels of a space for one type and layout on this machine, with their
/// numbers in data sets and models: models rank them, dispatch chooses among
/// them, races measure them.
#pragma once

#include "assay/kernels/Registry.h"
#include "assay/select/Contest.h"
#include "assay/select/Forest.h"
#include "assay/select/KernelSpace.h"

namespace assay::select {

/// Kernels of one type and layout. Threads: const functions may be called from
/// any thread, the others from one at a time.
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
  /// LocalSpace::listHash() for this machine.
  std::string registryHash() const;
  /// The name of the set in messages: "f32 rcr",
  /// "conv_fwd f32".
  virtual std::string title() const = 0;

  /// Problem::title() under the layout of this set.
  virtual std::string titleOf(const Problem &problem) const {
    return problem.title();
  }

  // --- The list
  /// The number of kernels that models rank; their numbers are less than this.
  virtual size_t size() const = 0;
  /// The same for the numbers that dispatch may choose for the problem: size()
  /// or more.
  virtual size_t sizeFor(const Problem &) const { return size(); }
  virtual std::string nameOf(int32_t kernel) const = 0;
  /// Negative: the kernel is not in the list.
  virtual int32_t numberOf(llvm::StringRef name,
                           const Problem &problem) const;
  /// The kernel's group in `assay kernels list`.
  struct Part {
    int order;
    std::string name, what;
  };
  virtual Part partOf(int32_t kernel) const = 0;
  /// The values of its choices, which searches vary.
  virtual std::vector<int32_t> fieldsOf(int32_t kernel) const = 0;
  /// Whether there are so few kernels that all are ranked and no search can
  /// find a better one.
  virtual bool isShort() const { return false; }

  // --- Problems
  virtual bool takes(const Problem &problem) const {
    return &problem.space() == &space_ && problem.dtype() == dtype_ &&
           problem.layout() == layout_;
  }
  /// Why the kernel cannot compute the problem; nullopt: it can. Compiles
  /// nothing.
  virtual std::optional<Refusal> supports(const Problem &problem,
                                          int32_t kernel) const = 0;
  std::vector<int32_t> supported(const Problem &problem) const;
  /// The kernel that is chosen where no model applies; negative: it is not in
  /// the list.
  virtual int32_t plain(const Problem &problem) const = 0;
  /// The same without the speeds measured on this machine (TileSpeeds.h);
  /// nullopt if there are no such speeds.
  virtual std::optional<int32_t> assumed(const Problem &) { return std::nullopt; }
  /// Problems of all kinds of up to `gflop`, for one thread, drawn by seed. Two
  /// streams of one seed are independent.
  virtual std::vector<ProblemRef> draw(double gflop, uint64_t seed,
                                       uint32_t stream) const = 0;
  /// The problems of a user's list, for one thread. Errors: NotFound;
  /// InvalidArgument with the line that is wrong, or when none is within the
  /// limits
  virtual llvm::Expected<std::vector<ProblemRef>>
  read(llvm::StringRef path, const ShapeLimits &limits) const = 0;
  /// Those problems of draw() for which a model is used.
  std::vector<ProblemRef> drawAsked(double gflop, uint64_t seed,
                                    uint32_t stream) const;

  // --- What a model sees
  virtual const ForestGrid &grid() const = 0;
  /// Fills in one problem for that grid; reuses the memory of `query`.
  virtual void fill(const Problem &problem, int64_t paddedTiles,
                    ForestQuery &query) const = 0;
  virtual std::vector<float> row(const Problem &problem,
                                 int32_t kernel) const = 0;
  /// The problem that stands for this one in a model trained on these numbers
  /// of threads; null: the problem itself.
  virtual ProblemRef asTrained(const Problem &problem,
                               llvm::ArrayRef<int64_t> threads) const = 0;
  /// Whether a model may choose the kernel; `covered`: the model was trained on
  /// the problem's number of threads.
  virtual bool offers(const Problem &problem, int32_t kernel,
                      bool covered) const {
    (void)covered;
    return !supports(problem, kernel);
  }

  // --- The clock
  /// Errors: those of making operands; Unsupported (nothing here can run the
  /// kernels)
  virtual llvm::Expected<std::unique_ptr<Contest>>
  contest(const ProblemRef &problem, ThreadPool &pool, uint64_t seed) = 0;

protected:
  const SpaceContext &context() const { return context_; }

private:
  const LocalSpace &space_;
  std::string dtype_, layout_;
  SpaceContext context_;
};

/// LocalSpace::plainName() of the operation; of products for an unknown
/// operation.
std::string plainName(llvm::StringRef op);

} // namespace assay::select
