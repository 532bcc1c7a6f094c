/// Everything that is specific to a driver: the words of its problems, the
/// program that they stand for, and which problem a program is.
/// One file and one row of Drivers.def each; expansion, session, judgement and report
/// are independent of drivers.
#pragma once

#include "assay/program/Program.h"
#include "assay/verify/Problem.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <optional>

namespace assay::verify {

/// How one argument or result of a program is laid out and filled: the part of
/// a problem that its program cannot express.
struct Binding {
  /// How real and exact data is drawn, beyond the kind of the fill.
  enum class Values : uint8_t {
    Any,        ///< as the fill draws them
    Positive,   ///< magnitudes: variances, scales of normalisations
    Constant,   ///< `value` everywhere
    Integers,   ///< small integers: zero points
    Previous,   ///< the result's content before the run (post-op sum)
    Softmax,    ///< shares that sum to 1 along `axis`
    LogSoftmax, ///< their logarithms
    NonZero,    ///< divisors
    Factors,    ///< numbers near 1, so that their product stays in range
  };
  std::string role;
  std::string tag = "any";
  Dims strides; ///< physical, in elements; empty: row-major
  Values values = Values::Any;
  double value = 1;
  judge::Mask mask; ///< of a scale, a zero point or a post-op's operand
  std::vector<int64_t> groups;      ///< of a scale or zero point
  ElementType readAs = types::None; ///< Previous: the type as which a sum reads it
  int64_t axis = 0;                 ///< Softmax, LogSoftmax
  std::string inPlaceOf; ///< of a result: the argument whose memory it reuses
};

/// A problem as a program: its entry function, a binding per argument and per
/// result, and hints that change no value.
struct BoundProgram {
  std::shared_ptr<const program::Program> program;
  /// The same problem read in another way, where its words are ambiguous and
  /// libraries differ (the maximum over padding alone): results of this program
  /// are right too. Null: the problem is not ambiguous.
  std::shared_ptr<const program::Program> alternative;
  std::string entry; ///< empty: `main`
  std::vector<Binding> inputs, outputs;
  Direction direction = Direction::FwdD; ///< training or inference, bias or not
  Algorithm algorithm = Algorithm::Direct;
  std::string name; ///< of the problem, as written after its descriptor
};

/// A knob that one driver has: its name in the words (and, with '_' for '-', in
/// problem_json), its default, its allowed values. Lists are split at commas
/// like those of every knob.
struct OwnKnob {
  const char *name;
  const char *byDefault;
  const char *help; ///< its argument and meaning
  /// The canonical spelling of one value. Errors: the expected values.
  llvm::Expected<std::string> (*read)(llvm::StringRef value);
};

struct Driver {
  const char *name;
  /// Fills descriptor (matmul, shapes, path) and name from a problem token;
  /// applies `mb` when it is not 0. The knobs' values are set already.
  llvm::Error (*parse)(llvm::StringRef token, int64_t mb, Problem &problem);
  /// The descriptor as parse() reads it back.
  std::string (*text)(const Problem &problem);
  /// The program and the bindings of its tensors. Errors: InvalidArgument when
  /// knobs contradict each other, Unsupported, ResourceLimit when sizes
  /// overflow.
  llvm::Expected<BoundProgram> (*build)(const Problem &problem);
  /// The problem of this driver that the program may be, read off its
  /// operations; the caller builds it again and compares. Null: never.
  std::optional<Problem> (*recognise)(const BoundProgram &bound) = nullptr;
  /// The sums behind the problem, for the judge's fast path and its exact data.
  /// Null: the problem is not a contraction.
  llvm::Expected<judge::Case> (*contraction)(const Problem &problem) = nullptr;
  /// Sizes of src, wei, dst in the logical order; null: none (the shared knobs
  /// for tags and strides do not apply).
  Dims (*dims)(const Problem &problem, Role role) = nullptr;
  Dims (*biasDims)(const Problem &problem) = nullptr;
  /// The tokens that one token stands for (op: FILE@* is each public function
  /// of the file); null: only itself.
  llvm::Expected<std::vector<std::string>> (*tokens)(llvm::StringRef token) =
      nullptr;
  /// Floating-point operations, for reports; null: not counted.
  double (*operations)(const Problem &problem) = nullptr;
  /// The sizes in problem_json.
  void (*json)(const Problem &problem, llvm::json::Object &object) = nullptr;
  /// Its own knobs.
  llvm::ArrayRef<OwnKnob> knobs = {};
  /// Which of the shared knobs govern it.
  bool hasTypes = false;      ///< --dt as T or SRC:WEI:DST
  bool hasDirections = false; ///< --dir, --mb
  bool hasBias = false;       ///< --bia-dt
  bool hasBiasMask = false;   ///< --bia_mask
  bool hasTags = false;       ///< --stag --wtag --dtag
  bool hasStrides = false;    ///< --strides
  bool hasAlgorithm = false;  ///< --alg as DIRECT, WINO, AUTO
  bool hasAttributes = false; ///< --attr-scales, --attr-zero-points,
                              ///< --attr-post-ops
  /// The letter before a name: `n"..."` or `_n"..."`.
  const char *namePrefix = "n";
  /// The engine that is tested when --engine is not given.
  const char *defaultEngine = "onednn";
  /// The problem is a file: the session loads it into Problem::source, once for
  /// all functions of a file.
  bool readsFile = false;
  /// The mask of a policy for `argument` (src, wei, dst, or "po" for a post-op's
  /// operand) beyond the common rules; null: those.
  std::optional<int64_t> (*maskOfPolicy)(const Problem &problem,
                                         llvm::StringRef argument,
                                         llvm::StringRef policy) = nullptr;
};

llvm::ArrayRef<const Driver *> allDrivers();
/// nullptr when there is none of that name.
const Driver *findDriver(llvm::StringRef name);

// ---- shared by the drivers with letter descriptors ----

/// One letter group of a descriptor and where its number goes; "n" and '_' are
/// handled by the reader.
struct DescriptorField {
  const char *letters;
  int64_t Descriptor::*member;
};
/// Reads "mb2ic64ih56...n\"name\"" into `fields`; unknown letters, missing or
/// negative numbers and sizes beyond 2^40 are errors that name the letter.
/// `given` gets a bit for each field that was written.
llvm::Error readDescriptor(llvm::StringRef token,
                           llvm::ArrayRef<DescriptorField> fields,
                           Descriptor &descriptor, uint32_t &given,
                           std::string &name);
/// Defaults, output or padding derivation and right padding of conv (transposed
/// = false) and deconv (true).
/// `outChannels` is the default of oc where the token omits it; 0: an error.
llvm::Expected<Descriptor> readConvolution(llvm::StringRef token,
                                           bool transposed, std::string &name,
                                           int64_t outChannels = 0);
std::string convolutionText(const Descriptor &descriptor);
/// Depth, height and width of a descriptor; transposed: those of the
/// convolution whose backward-data pass it is.
geometry::Axes3 axesOf(const Descriptor &descriptor, bool transposed = false);
/// Only the spatial axes among them.
llvm::SmallVector<geometry::Axis, 3> spatialAxes(const Descriptor &descriptor);
/// Stores the numbers of spatial dimension `side` (depth, height, width) and
/// the padding after the data that they imply.
void setAxis(Descriptor &descriptor, size_t side, const geometry::Axis &axis,
             bool transposed = false);
Dims spatial(int ndims, int64_t d, int64_t h, int64_t w);
/// Operations of a convolution: twice its multiply-adds, without taps that read
/// padding.
double convolutionOperations(const Descriptor &conv);
/// "AxBxC", sizes from 0 to 2^40. Errors name the token.
llvm::Expected<Dims> readShape(llvm::StringRef text, llvm::StringRef token);

} // namespace assay::verify
