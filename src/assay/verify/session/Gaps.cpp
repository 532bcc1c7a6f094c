#include "assay/verify/session/Gaps.h"
#include "assay/judge/contraction/Epilogue.h"
#include "assay/numerics/SubByte.h"
#include "assay/support/Math.h"

using namespace assay;
using namespace assay::verify;

bool verify::isSpoiltAsFloat(numerics::ElementType type) {
  return type.isFloat() || type.isComplex();
}

/// Marks the elements, or the bytes that several elements share, between the
/// first element and the last; empty: there are no bytes between them.
static std::vector<bool> elementPlaces(const ResultMemory &result) {
  int64_t elements = product(result.dims);
  bool isPacked = numerics::isPacked(result.type);
  if (elements == 0 || result.spanBytes ==
                           numerics::packedBytes(result.type, elements))
    return {};
  auto placeOf = [&](int64_t element) {
    return isPacked ? numerics::packedBytes(result.type, element + 1) - 1
                    : element;
  };
  int64_t places =
      isPacked ? result.spanBytes
               : result.spanBytes / result.type.storageBytes();
  std::vector<bool> taken(static_cast<size_t>(places), false);
  judge::Walk walk = judge::Walk::over(
      judge::Dims(result.dims.begin(), result.dims.end()),
      {judge::Dims(result.strides.begin(), result.strides.end())});
  for (int64_t row = 0; row < walk.rows(); ++row) {
    int64_t at;
    walk.at(row, &at);
    for (int64_t x = 0; x < walk.width(); ++x)
      taken[static_cast<size_t>(placeOf(at + x * walk.inner(0)))] = true;
  }
  return taken;
}

static bool isIntact(const ResultMemory &result, const std::byte *arena,
                     engine::Unwritten unwritten, Outcome &outcome) {
  const std::byte *region = arena + result.place->fileOffset;
  std::vector<bool> taken = elementPlaces(result);
  int64_t width =
      numerics::isPacked(result.type) ? 1 : result.type.storageBytes();
  for (int64_t at = 0; at < result.place->regionBytes; ++at) {
    int64_t inside = at - result.place->dataOffset;
    if (inside >= 0 && inside < result.spanBytes) {
      if (taken.empty()) {
        at = result.place->dataOffset + result.spanBytes - 1;
        continue;
      }
      if (taken[static_cast<size_t>(inside / width)])
        continue;
    }
    if (region[at] ==
        engine::unwrittenByte(at, unwritten, isSpoiltAsFloat(result.type)))
      continue;
    outcome.reason = ("the engine wrote outside of '" + result.role + "'").str();
    outcome.after.push_back(
        llvm::formatv("  byte {0} counted from the first element of '{1}' "
                      "was changed; it belongs to no element",
                      inside, result.role)
            .str());
    return false;
  }
  return true;
}

bool verify::areGapsIntact(llvm::ArrayRef<ResultMemory> results,
                           const std::byte *arena, engine::Unwritten unwritten,
                           Outcome &outcome) {
  return llvm::all_of(results, [&](const ResultMemory &result) {
    return isIntact(result, arena, unwritten, outcome);
  });
}
