/// The kinds of data that a verdict can rest on. Bounds depend on them: terms
/// of mean zero have smaller partial sums, exact data has no rounding errors.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace assay::judge {

/// Sparse is benchdnn's data, for comparison: small integers, mostly zeros, so
/// that sums stay small. Range is real data at the ends of the ranges that
/// operations accept: large and tiny numbers, lines of one sign, of one value
/// or with a mean far from zero, ties and numbers beyond a narrow type. Special
/// is real data with NaN, infinities, zeros and subnormal numbers where their
/// result is defined. Given is what the user's files hold.
enum class FillKind : uint8_t {
  Exact,
  Normal,
  Uniform,
  Heavy,
  Cancel,
  Special,
  Sparse,
  Given,
  Range
};

/// "exact", "normal", ...: the words of `--fill`.
const char *nameOf(FillKind kind);
/// The kind that a word of `--fill` names; nullopt: no kind has that name.
std::optional<FillKind> fillNamed(llvm::StringRef name);
/// All words of `--fill`, for messages.
std::string fillNames(llvm::StringRef separator);
/// Whether data of this kind test only defined results: a result that its bound
/// leaves open is not counted as an error.
inline bool asksDefinedOnly(FillKind kind) {
  return kind == FillKind::Range || kind == FillKind::Special;
}

/// The special numbers that an implementation supports. An engine whose
/// documentation excludes some declares it (`not_kept` of
/// assay_plugin_describe) and is not tested with them.
struct KeptNumbers {
  bool nan = true;      ///< false: NaN only where arithmetic alone reads it
  bool infinity = true; ///< as operands
  bool subnormal = true;
  bool integerEnds = true; ///< 8-bit factors at the ends of their type
};

/// All numbers except those named: nan, infinity, subnormal, integer_ends.
template <typename Words> KeptNumbers keptBut(const Words &names) {
  auto isKept = [&](llvm::StringRef word) {
    return std::find(names.begin(), names.end(), word) == names.end();
  };
  return {isKept("nan"), isKept("infinity"), isKept("subnormal"),
          isKept("integer_ends")};
}

/// Requirements of the data on results in addition to their bound.
struct Demands {
  /// Results without a bound stay undecided: a float beyond an integer type, a
  /// NaN that a computed infinity made, since another correct formula need not
  /// meet it.
  bool definedOnly = false;
  bool subnormals = false; ///< results below the normal range are not flushed
  /// Each number is drawn on its own, so no sum has terms that are all nearly
  /// equal.
  bool drawnApart = false;
};
inline Demands demandsOf(FillKind kind, const KeptNumbers &kept) {
  return {asksDefinedOnly(kind), kind == FillKind::Special && kept.subnormal,
          !asksDefinedOnly(kind) && kind != FillKind::Given};
}

} // namespace assay::judge
