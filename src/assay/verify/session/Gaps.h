/// The bytes around and between the elements of results, which an engine must
/// leave as they were.
#pragma once

#include "assay/engine/Arena.h"
#include "assay/engine/Unwritten.h"
#include "assay/numerics/ElementType.h"
#include "assay/verify/Report.h"

namespace assay::verify {

/// Whether unwritten memory of this type is filled like that of floats
/// (engine/Unwritten.h).
bool isSpoiltAsFloat(numerics::ElementType type);

/// A result in its region of the arena.
struct ResultMemory {
  llvm::StringRef role;
  numerics::ElementType type;
  llvm::ArrayRef<int64_t> dims, strides; ///< strides in elements
  int64_t spanBytes = 0; ///< from the first element to the end of the last
  const engine::Placement *place = nullptr;
};

/// Whether all bytes of the results' regions outside of elements still have the
/// values that fillUnwritten wrote; else the outcome's reason names the first
/// result where they changed.
bool areGapsIntact(llvm::ArrayRef<ResultMemory> results, const std::byte *arena,
                   engine::Unwritten unwritten, Outcome &outcome);

} // namespace assay::verify
