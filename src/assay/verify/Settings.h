/// The sticky knobs: the current values of every list, and how one knob's text
/// changes them.
#pragma once

#include "assay/verify/Driver.h"
#include "assay/verify/Options.h"

#include <map>

namespace assay::verify {

struct ProblemKnobs {
  std::vector<std::array<ElementType, 3>> types{
      {types::F32, types::F32, types::F32}};
  std::vector<Direction> directions{Direction::FwdB};
  std::vector<ElementType> biasTypes{types::None};
  std::vector<int> biasMasks{2};
  std::vector<std::string> srcTags{"any"}, weiTags{"any"}, dstTags{"any"};
  std::vector<std::array<Dims, 3>> strides{{}};
  std::vector<int64_t> batchSizes{0};
  std::vector<Algorithm> algorithms{Algorithm::Direct};
  std::vector<std::vector<ArgumentValue>> scales{{}}, zeroPoints{{}};
  std::vector<int> stochastic{0}; ///< results rounded at random
  std::vector<std::vector<PostOp>> postOps{{}};
  std::string match;
  std::map<std::string, std::vector<std::string>> own; ///< of the driver
  /// Knobs that Assay lacks, as far as they were given: their values in the
  /// order given.
  std::map<std::string, std::vector<std::string>> lacking;
  /// Requests (Requests.h), as far as they were given; "" is the default.
  std::map<std::string, std::vector<std::string>> requests;
};

struct Settings {
  ProblemKnobs problem;
  RunOptions run;
  std::map<std::string, std::string> lackingRun;
};

/// The result of reading a "--..." word.
enum class KnobResult : uint8_t { Applied, Lacking };

/// Applies "--name=value" (or "--name", "-vN"). Errors: an unknown knob (with
/// the nearest known one), a bad value. A knob that benchdnn has and Assay
/// lacks is recorded, and the result is Lacking. `driver`: the one that the
/// word follows, whose own knobs it may be; null: none yet.
llvm::Expected<KnobResult> applyKnob(llvm::StringRef word, const Driver *driver,
                                     Settings &settings);

/// Whether the word is a knob of the whole run ("--json=FILE", "--jobs=2"),
/// which applies wherever it is written.
bool isRunWide(llvm::StringRef word);

/// Whether the word, after the last problem, applies to all problems: words
/// that set how much is reported and how long to wait.
bool mayTrail(llvm::StringRef word);

/// Known knobs with their arguments, for --help.
std::string knobHelp();
/// Argument and help of a row of Knobs.def (no request); empty where there is
/// none.
std::pair<std::string, std::string> knobHelpOf(llvm::StringRef name);

/// Whether the tag has inner blocks: aBcd16b, nChw8c.
bool isBlockedTag(llvm::StringRef tag);
/// A blocked tag by the letters of the logical order, 'x' written out: aBx16b
/// and nChw16c of four dimensions are aBcd16b. Errors: it does not name the
/// dimensions of such a tensor.
llvm::Expected<std::string> blockedTag(llvm::StringRef tag, int rank);

/// The permutation that a tag stands for (outermost dimension first), "any" and
/// "undef" as such, or an error for an unknown tag; nullopt for known tags that
/// are not permutations.
llvm::Expected<std::optional<llvm::SmallVector<int, 6>>>
tagPermutation(llvm::StringRef tag, int rank);

} // namespace assay::verify
