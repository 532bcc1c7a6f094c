/// What memory holds before it is written. A kernel that reads it
/// must be caught, so no two runs of a check begin with the same: NaN in
/// one (0x5a for integers), large numbers of both signs in the next. A maximum
/// that compares with `acc > x` ignores NaN, but not a large number.
/// 
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::engine {

enum class Unwritten : uint32_t {
  AsItIs,       ///< timed runs: the worker touches nothing
  Marks,        ///< NaN; 0x5a in integers
  Garbage,      ///< finite numbers of both signs, large for floats
  OtherGarbage, ///< the same with the signs exchanged
  Zeros,
};

/// What a check's run of this number begins with.
inline Unwritten unwrittenOf(size_t run) {
  constexpr Unwritten kTurns[] = {Unwritten::Marks, Unwritten::Garbage,
                                  Unwritten::OtherGarbage};
  return kTurns[run % 3];
}

/// The byte at an offset from the start of a region. Signs change by blocks of
/// 16 bytes, which no element crosses.
std::byte unwrittenByte(int64_t offset, Unwritten how, bool isFloat);
/// Fills a region.
void fillUnwritten(std::byte *region, int64_t bytes, Unwritten how,
                   bool isFloat);

/// Before a run in the worker: blocks that the heap gives out, and the stack
/// below the caller, hold numbers. AsItIs: the heap gives out what it has.
void fillScratch(Unwritten how);

} // namespace assay::engine
