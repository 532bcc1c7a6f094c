/// Spaces of kernels: an operation's problems, the kernels that compute them, and
/// what a model sees of both. Spaces.def has a row for each; everything else
/// in this folder is written once, for this interface.
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

/// What features know about the device: a processor of this kind, or one of CK Tile's
/// GPUs.
struct FeatureMachine {
  kernels::Machine processor;
  CkHardware gpu;
};

/// The common part of all spaces: features, and the meaning of rows in a data set. Threads: any.
class KernelSpace {
public:
  virtual ~KernelSpace() = default;
  /// The word of --op, of the column op_type and of a model's folder.
  virtual llvm::StringRef op() const = 0;
  virtual llvm::ArrayRef<FeatureInfo> features() const = 0;
  /// Whether its kernels run on this processor; otherwise measurements and models come
  /// from files.
  virtual bool runsHere() const { return false; }
  /// Whether this word of --op selects its rows.
  virtual bool answersTo(llvm::StringRef word) const { return word == op(); }
  /// Rows have a column `variant`, and a model is for one variant.
  virtual bool hasVariants() const { return false; }

  /// The columns of problem and kernel. Errors: InvalidArgument (a missing
  /// one, or one of another type)
  virtual llvm::Error needColumns(const Rows &rows) const = 0;
  /// Whether sizes, type and kernel are valid. Errors: InvalidArgument naming file, row,
  /// column and value
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

/// The data for listing and running kernels of this machine.
struct SpaceContext {
  kernels::Registry &registry;
  /// Runs the kernels of an operation and type that the registry cannot run
  /// alone: for convolutions the native engine (engine/native/ConvolutionContest.h).
  /// Null: nothing does.
  std::function<ContestMaker(llvm::StringRef op, llvm::StringRef dtype)> runner =
      nullptr;
};

/// A column that describes a problem, besides type, layout and threads: whole numbers, or
/// text.
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

  /// Columns of a data set, and keys of a journal's lines.
  virtual llvm::ArrayRef<ProblemColumn> columns() const = 0;
  /// The reverse of these. Errors: InvalidArgument
  virtual llvm::Expected<ProblemRef> parse(const ProblemWords &words) const = 0;
  /// columns(), and further ones for readers of the data set.
  virtual void write(const Problem &problem, TableWriter &out) const = 0;
  /// The same for the kernel of that name; false: the name is of another version. Null:
  /// only checks.
  virtual bool writeKernel(llvm::StringRef name, TableWriter *out) const = 0;
  /// The features of one pair. Errors: InvalidArgument (not a kernel's name)
  virtual llvm::Expected<std::vector<float>>
  row(const Problem &problem, llvm::StringRef kernel,
      const kernels::Machine &machine) const = 0;

  /// The value of --layout where none is given.
  virtual llvm::StringRef defaultLayout() const = 0;
  /// Why no kernels are listed for that type and layout. Errors: InvalidArgument,
  /// Unsupported
  virtual llvm::Error check(llvm::StringRef dtype,
                            llvm::StringRef layout) const = 0;
  /// The kernels of that type and layout. Errors: those of check()
  virtual llvm::Expected<std::unique_ptr<KernelSet>>
  open(llvm::StringRef dtype, llvm::StringRef layout,
       const SpaceContext &context) const = 0;
  /// The hash of their names on that machine; has() must hold.
  virtual std::string listHash(llvm::StringRef dtype, llvm::StringRef layout,
                               const kernels::Registry &registry) const = 0;

  // --- Text for messages
  /// The purpose of models of this space, as the end of a refusal of another one.
  virtual llvm::StringRef ours() const = 0;
  /// The chooser where no model applies: its name in a choice, and in a sentence.
  virtual llvm::StringRef plainBy() const = 0;
  virtual llvm::StringRef plainName() const { return plainBy(); }
  virtual llvm::StringRef noModel() const = 0;
  /// Why dispatch on that machine uses no model for the problem; empty: it does.
  virtual std::string whyNoModel(const Problem &problem,
                                 const kernels::Machine &machine) const = 0;
  /// How far the problem is from a model's training; empty: within it, or not
  /// known.
  virtual std::string outside(const Model &, const Problem &) const { return ""; }
  /// A model that was trained on one thread rates the share of each of several.
  virtual bool ratesShares() const { return false; }

  llvm::Expected<RowProblem> problemIn(const Rows &rows,
                                       size_t row) const final;
  llvm::Expected<std::vector<double>>
  featuresIn(const Rows &rows, size_t row,
             const FeatureMachine &machine) const final;
};

/// A row's fields.
ProblemWords wordsOf(const Rows &rows, size_t row, std::string place);

/// By op(); null if there is none.
const KernelSpace *findSpace(llvm::StringRef op);
/// The same for those that run here.
const LocalSpace *findLocal(llvm::StringRef op);
/// Products of this processor: the default where no operation is named.
const LocalSpace &defaultSpace();
/// The features of a space; none for an unknown one.
llvm::ArrayRef<FeatureInfo> featuresOf(llvm::StringRef op);

#define ASSAY_KERNEL_SPACE(function, what) const KernelSpace &function();
#include "assay/select/Spaces.def"
#undef ASSAY_KERNEL_SPACE

} // namespace assay::select
