/// The cuts after the first one: sizes, attributes, values. Each keeps the
/// smaller test if it still fails in the same way.
#pragma once

#include "assay/judge/reduce/Trial.h"

namespace assay::judge {

/// A test that is being made smaller.
struct Shrinking {
  TestCase test;
  Symptom symptom;
  Trial &trial;

  /// Keeps the first of `count` smaller tests that fails in the same way and
  /// returns its number. An error of `make` means that there is no such test.
  std::optional<size_t> takeFirst(size_t count, Trial::Maker make);
  /// Tries one change after the other, each on the test as it is then, and
  /// keeps those that fail in the same way. Returns whether it kept any.
  bool takeEach(size_t count, Trial::Maker make);
};

/// Keeps one of several results, if it fails alone. Returns whether
/// anything changed, like those below.
bool shrinkResults(Shrinking &work);
/// Cuts each free dimension to the smallest of the sizes tried (powers of two,
/// divisors, then by halves), that still fails; at the front, at the back, or
/// around the worst element.
bool shrinkSizes(Shrinking &work);
/// Sets strides and dilations to 1, paddings to 0, groups to 1; removes
/// precision, names and other attributes that change no result.
bool shrinkAttributes(Shrinking &work);
/// Changes inputs to zeros, to ones, to small integers: whole, then by halves,
/// then element by element. Recorded results are kept.
bool shrinkValues(Shrinking &work);

} // namespace assay::judge
