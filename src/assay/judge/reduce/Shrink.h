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

  /// Takes the first of `count` smaller tests that fails in the same way, and
  /// gives its number. An error of `make` means that there is no such test.
  std::optional<size_t> takeFirst(size_t count, Trial::Maker make);
  /// Takes one after the other what fails in the same way, each made of the
  /// test as it is then. Whether it took any.
  bool takeEach(size_t count, Trial::Maker make);
};

/// Keeps one of several results, if it fails alone. Returns whether
/// anything changed, like those below.
bool shrinkResults(Shrinking &work);
/// Each free dimension to the smallest size, of those tried (powers of two,
/// divisors, then by halves), that still fails; at the front, at the back, or
/// around the worst element.
bool shrinkSizes(Shrinking &work);
/// Strides and dilations to 1, paddings to 0, groups to 1; precision, names and
/// other attributes that change no result away.
bool shrinkAttributes(Shrinking &work);
/// Inputs to zeros, to ones, to small integers: whole, then by halves, then
/// element by element. Changes no recording.
bool shrinkValues(Shrinking &work);

} // namespace assay::judge
