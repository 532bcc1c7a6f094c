/// The kinds of data that a verdict can rest on. Bounds depend on them: terms
/// of mean zero have smaller partial sums, exact data has none to bound.
#pragma once

#include <cstdint>

namespace assay::judge {

/// Sparse is benchdnn's data, for comparison: small integers, mostly zeros, so
/// that sums stay small. Given is what the user's files hold.
enum class FillKind : uint8_t {
  Exact,
  Normal,
  Uniform,
  Heavy,
  Cancel,
  Special,
  Sparse,
  Given
};

/// "exact", "normal", ...: the words of `--fill`.
const char *nameOf(FillKind kind);

} // namespace assay::judge
