/// Spaces of kernels: an operation's problems, the kernels that compute them, and
/// what a model sees of both. Spaces.def has a row for each; whatever else stands
/// in this folder is written once, over this interface.
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

/// What features know of the place where kernels run: a processor of this kind, or
/// one of CK Tile's GPUs.
struct FeatureMachine {
  kernels::Machine processor;
  CkHardware gpu;
};

/// What every space has: features, and what its rows in a data set say. Threads: any.
class KernelSpace {
public:
  virtual ~KernelSpace() = default;
  /// The word of --op, of the column op_type and of a model's folder.
  virtual llvm::StringRef op() const = 0;
  virtual llvm::ArrayRef<FeatureInfo> features() const = 0;
  /// The kernels are this processor's; else measurements and models come from
  /// files.
  virtual bool runsHere() const { return false; }
  /// Its rows are meant by another word of --op, too.
  virtual bool answersTo(llvm::StringRef word) const { return word == op(); }
  /// Rows have a column `variant`, and a model is of one.
  virtual bool hasVariants() const { return false; }

  /// The columns that say problem and kernel. Errors: InvalidArgument (a missing
  /// one, or one of another type)
  virtual llvm::Error needColumns(const Rows &rows) const = 0;
  /// Sizes, type and kernel are some. Errors: InvalidArgument naming file, row,
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
  /// The features of a row, as exact as models compare them. Errors:
  /// InvalidArgument
  virtual llvm::Expected<std::vector<double>>
  featuresIn(const Rows &rows, size_t row,
             const FeatureMachine &machine) const = 0;
};

/// What kernels of this machine are listed and run with.
struct SpaceContext {
  kernels::Registry &registry;
  /// What runs the kernels of an operation and type that the registry cannot run
  /// alone: of convolutions the native engine (engine/native/ConvolutionContest.h).
  /// Null: nothing does.
  std::function<ContestMaker(llvm::StringRef op, llvm::StringRef dtype)> runner =
      nullptr;
};

/// A column that says a problem beside type, layout and threads: whole numbers, or
/// text.
struct ProblemColumn {
  const char *name;
  bool isText = false;
};

/// A space of this processor's kernels: what is measured here.
class LocalSpace : public KernelSpace {
public:
  bool runsHere() const final { return true; }
  /// Whether there are problems of that type and layout.
  virtual bool has(llvm::StringRef dtype, llvm::StringRef layout) const = 0;

  /// Columns of a data set, and keys of a journal's lines.
  virtual llvm::ArrayRef<ProblemColumn> columns() const = 0;
  /// The reverse of these. Errors: InvalidArgument
  virtual llvm::Expected<ProblemRef> parse(const ProblemWords &words) const = 0;
  /// columns(), and whatever else readers of the data set like to see.
  virtual void write(const Problem &problem, TableWriter &out) const = 0;
  /// The same of the kernel of that name; false: it is of another version. Null:
  /// the question alone.
  virtual bool writeKernel(llvm::StringRef name, TableWriter *out) const = 0;
  /// The features of one pair. Errors: InvalidArgument (no kernel's name)
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

  // --- Words
  /// What models of this space are of, as the refusal of another one ends.
  virtual llvm::StringRef ours() const = 0;
  /// Who chooses where no model serves: as a choice says it, and in a sentence.
  virtual llvm::StringRef plainBy() const = 0;
  virtual llvm::StringRef plainName() const { return plainBy(); }
  virtual llvm::StringRef noModel() const = 0;
  /// Why dispatch on that machine asks no model about the problem; empty: it does.
  virtual std::string whyNoModel(const Problem &problem,
                                 const kernels::Machine &machine) const = 0;
  /// How far the problem lies from a model's training; empty: within, or not
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

/// A row's words.
ProblemWords wordsOf(const Rows &rows, size_t row, std::string place);

/// By op(); null: there is none.
const KernelSpace *findSpace(llvm::StringRef op);
/// The same of those that run here.
const LocalSpace *findLocal(llvm::StringRef op);
/// Products of this processor: what is meant where no operation is named.
const LocalSpace &defaultSpace();
/// The features of a space; none for an unknown one.
llvm::ArrayRef<FeatureInfo> featuresOf(llvm::StringRef op);

#define ASSAY_KERNEL_SPACE(function, what) const KernelSpace &function();
#include "assay/select/Spaces.def"
#undef ASSAY_KERNEL_SPACE

} // namespace assay::select
