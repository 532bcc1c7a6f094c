/// Test data. Every element is a function of (seed, tensor, index), so the data
/// does not depend on the number of threads and any element can be made again
/// alone.
///
/// Exact data: integers (times a power of two), none of them zero, sized so
/// that every partial sum in any order is exact in a 24-bit accumulator (53 for
/// f64). For narrow outputs the terms along the reduced dimension come in pairs
/// whose parts nearly cancel: a' = a + delta, b' = -b with delta in {-1, 0, 1}.
/// Each term is then large, so that a dropped, doubled or misplaced one changes
/// the result visibly, while the sum of pairs (of delta * b) stays small enough
/// for the output type. With a zero point of src, b' = -b + epsilon as well:
/// sum(b), by which a wrong zero point shows, would vanish otherwise.
///
/// Range data: the same with sums that a narrow output cannot hold: ties
/// between two of its numbers, integers beyond both of its ends. Where 8-bit
/// factors have sums that are only rounded, half of them are at the ends of
/// their type.
///
/// Special data: normal data; at one index of the sums both factors have zeros
/// and infinities, at another some of a are NaN, and some lines of a are tiny
/// or large. In a convolution some elements of the image are NaN.
#pragma once

#include "assay/judge/FillKind.h"
#include "assay/judge/contraction/Case.h"
#include "assay/support/ThreadPool.h"

namespace assay::judge {

/// How the two factors of a case are filled; decided once from sizes and types.
struct FillPlan {
  FillKind kind = FillKind::Exact;
  uint64_t seed = 1;
  bool exact = false; ///< all partial sums are exact: equality is demanded
  bool paired = false;
  bool flipA = false;    ///< the pair's sign change is in a (b is unsigned)
  int64_t pairDepth = 1; ///< a pair is within this many neighbours: all, or
                         ///< those with the same block scales
  int64_t mirror = 0;    ///< partner of r is (mirror - r) mod pairDepth
  int64_t aLow = 1, aHigh = 1, bLow = 1, bHigh = 1; ///< magnitudes
  double deltaProbability = 1;                      ///< a' = a + delta
  double epsilonProbability = 0;  ///< b' = -b + epsilon: with a zero point of
                                  ///< src, whose share sum(b) must not cancel
  int64_t avoidA = 0, avoidB = 0; ///< zero points: exact data has no element
                                  ///< equal to them, so that none acts as 0
  double unit = 1;                ///< power of two on a
  double typicalSum =
      1; ///< RMS of the accumulators, for the other tensors' range
  double smallestTerm = 1; ///< least |a * b|
  double absoluteSum = 0;  ///< greatest sum of |a * b|, exact data
  double spread =
      40; ///< real data in integer types: standard deviation (uniform: range)
  double density = 1; ///< sparse: share of a's elements that are not zero
  int64_t nanAt = -1; ///< element of b that is NaN, so that a column of the
                      ///< result must be NaN
  bool nonFinite = false; ///< given data with NaN or infinity
  bool ends = false;      ///< half of the factors at the ends of their type
  bool special = false;   ///< special numbers are planted
  KeptNumbers kept;       ///< special numbers that the engine supports
  /// The standard deviation of real data in an integer type.
  double spreadIn(ElementType type) const;
  /// Exact data and Range data: integers whose sums must be exact.
  bool ofIntegers() const {
    return kind == FillKind::Exact || kind == FillKind::Range;
  }
  std::string note; ///< why the data is not exact although requested
};

FillPlan planFill(const Case &c, FillKind kind, uint64_t seed,
                  const KeptNumbers &kept = {});
/// Whether data of a kind show faults of this case that exact and normal data do not.
bool showsMore(const Case &c, FillKind kind, const KeptNumbers &kept);

/// Values of one slot in logical row-major order. `slot` may be any input of
/// the case, or the output when a sum post-op reads it. Values are
/// representable in the slot's type.
void fillSlot(const Case &c, const FillPlan &plan, int slot, float *values,
              ThreadPool &pool);

/// Element `index` of fillSlot's output, computed alone.
float fillElement(const Case &c, const FillPlan &plan, int slot, int64_t index);

/// values -> the slot's type and strides at `data`, and back (gaps are left as
/// they are).
void pack(const Slot &slot, const float *values, void *data, ThreadPool &pool);
void unpack(const Slot &slot, const void *data, float *values,
            ThreadPool &pool);

/// |x| of a packed dense slot, in place in another buffer.
void packAbsolute(const Slot &slot, const void *from, void *to,
                  ThreadPool &pool);

} // namespace assay::judge
