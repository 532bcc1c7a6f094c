/// Whether two programs are the same function, decided without tolerances: both
/// run on the same arguments, and an element of a prime field accompanies each
/// float (AlgebraShadow.h). Programs that differ by sums in another order,
/// distributed factors, fused operations or a law by name have equal elements;
/// others have different elements except with a chance of about degree / 2^61
/// per draw.
#pragma once

#include "assay/judge/equivalence/AlgebraShadow.h"
#include "assay/support/ExitCode.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::judge {

struct EquivRequest {
  std::shared_ptr<const program::Program> a, b;
  std::string entryA, entryB;
  int draws = 2; ///< of ordinary data; zeros and values that are not finite
                 ///< have a draw each
  LawSet laws = LawSet::defaults();
  bool precisionMayChange = false;
  bool map = false;
  uint64_t seed = 0;
  /// Arguments for an extra first draw; empty: none.
  std::vector<tensor::Tensor> given;
  double maxSeconds = 0; ///< for each run; 0: no limit
};

enum class EquivVerdict : uint8_t {
  Equal,
  EqualButForPrecision,
  Differs,
  NotDecided
};
const char *nameOf(EquivVerdict verdict);

/// What differs between results: "the numbers", "NaN or infinity", ...
enum class Differing : uint8_t {
  Numbers,
  NonFinite,
  SignOfZero,
  Shapes,
  Integers
};
const char *nameOf(Differing differing);

/// Where two results differ.
struct Difference {
  size_t result = 0;
  int64_t element = 0;
  std::vector<int64_t> index;
  double a = 0, b = 0; ///< the values
  Differing how = Differing::Numbers;
  bool open = false;   ///< a law that the field does not have may explain it
};

struct Equivalence {
  EquivVerdict verdict = EquivVerdict::Equal;
  std::optional<Difference> difference;
  std::string
      data; ///< the draw that shows it: "normal", "uniform", "zeros", ...
  std::vector<tensor::Tensor> inputs;  ///< and its arguments
  int64_t differing = 0, elements = 0; ///< of the first result that differs
  std::string undecided;               ///< operations without a rule
  /// Equal but for precision: the constants that contribute to it, if any.
  std::string constants;
  std::vector<std::string> notes;
  /// With map: where the programs part, "OP at LOCATION" in each.
  std::string partsA, partsB;
  std::vector<MadeValue> madeA, madeB; ///< with map: all values
  int64_t matched = 0, valuesOfB = 0;
  int draws = 0;

  static constexpr const char *kNothing = "nothing was compared";
  ExitCode exitCode() const;
  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  /// "differs (result 0 at [1, 2]: 3 against 4; normal data)".
  std::string closingLine() const;
};

/// Errors: InvalidArgument if the programs differ in the number or shapes of
/// arguments or results; the errors of running them.
llvm::Expected<Equivalence> decide(const EquivRequest &request,
                                   ThreadPool &pool);

} // namespace assay::judge
