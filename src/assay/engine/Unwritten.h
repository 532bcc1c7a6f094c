/// The content of memory before it is written. A kernel that reads such memory
/// must be caught, so no two runs of a check begin with the same content: NaN
/// in one (0x5a for integers), large numbers of both signs in the next. A
/// maximum that compares with `acc > x` ignores NaN, but not a large number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::engine {

enum class Unwritten : uint32_t {
  AsItIs,       ///< timed runs: the worker fills nothing
  Marks,        ///< NaN; 0x5a in integers
  Garbage,      ///< finite numbers of both signs, large for floats
  OtherGarbage, ///< the same with the signs exchanged
  Zeros,
};

/// The content before the run with this number in a check.
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

/// Before a run in the worker, fills the blocks that the heap will allocate,
/// and the stack below the caller. AsItIs: lets the heap return blocks
/// unchanged.
void fillScratch(Unwritten how);

} // namespace assay::engine
