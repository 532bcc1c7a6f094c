/// Spaces of kernels: an operation's problems, the kernels that compute them,
/// and what a model sees of both. Spaces.def has a row for each. The rest of
/// this folder works through this interface for all spaces.
/// See docs/adr/0013-kernel-spaces.md.
#pragma once

#include "assay/kernels/Registry.h"
#include "assay/select/CkGemm.h"
#include "assay/select/Contest.h"
#include "assay/select/Problem.h"
#include "assay/select/Rows.h"

namespace assay::select {

class KernelSet;
struct Model;

/// What features know about the device: a processor of this kind, or one of CK
/// Tile's GPUs.
struct FeatureMachine {
  kernels::Machine processor;
  CkHardware gpu;
};

/// The part that all spaces share: features, and the meaning of rows in a data
/// set. Threads: any.
class KernelSpace {
public:
  virtual ~KernelSpace() = default;
  /// The word for --op, the column op_type and a model's folder.
  virtual llvm::StringRef op() const = 0;
  virtual llvm::ArrayRef<FeatureInfo> features() const = 0;
  /// Whether the kernels run on this processor. If not, measurements and models
  /// come from files.
  virtual bool runsHere() const { return false; }
  /// Whether this word of --op selects the space's rows.
  virtual bool answersTo(llvm::StringRef word) const { return word == op(); }
  /// Whether rows have a column `variant` and each model is for one variant.
  virtual bool hasVariants() const { return false; }

  /// Checks that the columns of problem and kernel are there. Errors:
  /// InvalidArgument (a missing column, or one of another type)
  virtual llvm::Error needColumns(const Rows &rows) const = 0;
  /// Checks that sizes, type and kernel are valid. Errors: InvalidArgument
  /// naming file, row, column and value
  virtual llvm::Error checkProblem(const Rows &rows, size_t row) const = 0;
  /// A row's problem: the key of its group in a training, and its sizes.
  struct RowProblem {
    std::string groupKey;
    Shape sizes;
  };
  /// Errors: InvalidArgument
  virtual llvm::Expected<RowProblem> problemIn(const Rows &rows,
                                               size_t row) const = 0;
  /// The features of a row, in the precision in which models compare them. Errors:
  /// InvalidArgument
  virtual llvm::Expected<std::vector<double>>
  featuresIn(const Rows &rows, size_t row,
             const FeatureMachine &machine) const = 0;
};

/// What the kernels of this machine are listed and run with.
struct SpaceContext {
  kernels::Registry &registry;
  /// Makes contests for an operation and type that the registry cannot run
  /// alone: for convolutions through the native engine
  /// (engine/native/ConvolutionContest.h). Null: there is nothing that runs
  /// them.
  std::function<ContestMaker(llvm::StringRef op, llvm::StringRef dtype)> runner =
      nullptr;
};

/// A column that describes a problem, besides type, layout and threads: whole
/// numbers or text.
struct ProblemColumn {
  const char *name;
  bool isText = false;
};

/// A space of this processor's kernels, which are measured here.
class LocalSpace : public KernelSpace {
public:
  bool runsHere() const final { return true; }
  /// Whether there are problems of that type and layout.
  virtual bool has(llvm::StringRef dtype, llvm::StringRef layout) const = 0;

  /// The columns of a data set, and the keys of a journal's lines.
  virtual llvm::ArrayRef<ProblemColumn> columns() const = 0;
  /// Reads the problem back from these columns. Errors: InvalidArgument
  virtual llvm::Expected<ProblemRef> parse(const ProblemWords &words) const = 0;
  /// Writes columns(), and further columns for readers of the data set.
  virtual void write(const Problem &problem, TableWriter &out) const = 0;
  /// Writes the columns of the kernel of that name; false: the name is of
  /// another version. With null, only checks the name.
  virtual bool writeKernel(llvm::StringRef name, TableWriter *out) const = 0;
  /// The features of one problem and kernel. Errors: InvalidArgument (not a
  /// kernel's name)
  virtual llvm::Expected<std::vector<float>>
  row(const Problem &problem, llvm::StringRef kernel,
      const kernels::Machine &machine) const = 0;

  /// The value of --layout if the user states none.
  virtual llvm::StringRef defaultLayout() const = 0;
  /// Why there are no kernels for that type and layout. Errors:
  /// InvalidArgument, Unsupported
  virtual llvm::Error check(llvm::StringRef dtype,
                            llvm::StringRef layout) const = 0;
  /// The kernels of that type and layout. Errors: those of check()
  virtual llvm::Expected<std::unique_ptr<KernelSet>>
  open(llvm::StringRef dtype, llvm::StringRef layout,
       const SpaceContext &context) const = 0;
  /// The hash of the names of a machine's kernels; has() must hold.
  virtual std::string listHash(llvm::StringRef dtype, llvm::StringRef layout,
                               const kernels::Registry &registry) const = 0;

  // --- Text for messages
  /// What models of this space are for, as the end of a message that refuses
  /// another model.
  virtual llvm::StringRef ours() const = 0;
  /// The name of the chooser where no model applies: as reports state it, and
  /// in a sentence.
  virtual llvm::StringRef plainBy() const = 0;
  virtual llvm::StringRef plainName() const { return plainBy(); }
  virtual llvm::StringRef noModel() const = 0;
  /// Why dispatch on that machine uses no model for the problem; empty: it uses
  /// one.
  virtual std::string whyNoModel(const Problem &problem,
                                 const kernels::Machine &machine) const = 0;
  /// How far the problem is from a model's training; empty: within it, or not
  /// known.
  virtual std::string outside(const Model &, const Problem &) const { return ""; }
  /// Whether a model that was trained on one thread may rate one thread's share
  /// of a problem with several.
  virtual bool ratesShares() const { return false; }

  llvm::Expected<RowProblem> problemIn(const Rows &rows,
                                       size_t row) const final;
  llvm::Expected<std::vector<double>>
  featuresIn(const Rows &rows, size_t row,
             const FeatureMachine &machine) const final;
};

/// The fields of a row.
ProblemWords wordsOf(const Rows &rows, size_t row, std::string place);

/// The space with that op(); null if there is none.
const KernelSpace *findSpace(llvm::StringRef op);
/// The same among the spaces that run here.
const LocalSpace *findLocal(llvm::StringRef op);
/// Products of this processor: the default where no operation is named.
const LocalSpace &defaultSpace();
/// The features of a space; none for an unknown one.
llvm::ArrayRef<FeatureInfo> featuresOf(llvm::StringRef op);

#define ASSAY_KERNEL_SPACE(function, what) const KernelSpace &function();
#include "assay/select/Spaces.def"
#undef ASSAY_KERNEL_SPACE

} // namespace assay::select
