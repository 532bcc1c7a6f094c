#include "assay/geometry/Phases.h"
#include "assay/geometry/Scan.h"

#include "gtest/gtest.h"

#include <numeric>
#include <set>

using namespace assay::geometry;

/// All axes of up to five elements with small windows.
static std::vector<Axis> manyAxes() {
  std::vector<Axis> axes;
  for (int64_t in : {1, 4, 5})
    for (int64_t kernel : {1, 2, 3})
      for (int64_t stride : {1, 2, 3})
        for (int64_t dilation : {1, 2})
          for (int64_t baseDilation : {1, 2, 3})
            for (int64_t low : {-1, 0, 2}) {
              Axis axis{in, 0, kernel, stride, dilation, baseDilation, low, in == 4};
              axis.out = axis.windows(1);
              axes.push_back(axis);
            }
  return axes;
}

TEST(Axis, AnElementIsMetByTheWindowsThatSayTheyDo) {
  for (const Axis &axis : manyAxes()) {
    std::vector<int64_t> line(static_cast<size_t>(axis.span(axis.out) + 8), -1);
    for (int64_t x = 0; x < axis.in; ++x)
      if (int64_t at = axis.low + x * axis.baseDilation;
          at >= 0 && at < static_cast<int64_t>(line.size()))
        line[at] = x;
    for (int64_t p = 0; p < axis.out; ++p)
      for (int64_t t = 0; t < axis.kernel; ++t)
        EXPECT_EQ(axis.element(p, t), line[p * axis.stride + t * axis.dilation]);
  }
}

TEST(Axis, WindowIsTheInverseOfElement) {
  for (const Axis &axis : manyAxes()) {
    if (axis.baseDilation != 1)
      continue;
    for (int64_t t = 0; t < axis.kernel; ++t) {
      auto [first, last, shift] = axis.windowsInside(t);
      for (int64_t p = 0; p < axis.out; ++p) {
        int64_t x = axis.element(p, t);
        EXPECT_EQ(x >= 0, p >= first && p < last);
        if (x >= 0) {
          EXPECT_EQ(axis.window(x, t), p);
          EXPECT_EQ(x, p * axis.stride + shift);
        }
      }
    }
  }
}

// Tap t of the transposed windows is tap kernel - 1 - t of the original ones.
TEST(Axis, TransposedMeetsTheSamePairs) {
  for (const Axis &axis : manyAxes()) {
    Axis back = axis.transposed();
    EXPECT_EQ(back.transposed(), axis);
    if (axis.baseDilation != 1)
      continue;
    for (int64_t x = 0; x < axis.in; ++x)
      for (int64_t t = 0; t < axis.kernel; ++t)
        EXPECT_EQ(axis.window(x, t), back.element(x, axis.kernel - 1 - t));
  }
}

TEST(Axis, ExchangedSwapsWindowsAndTaps) {
  for (const Axis &axis : manyAxes()) {
    EXPECT_EQ(axis.exchanged().exchanged(), axis);
    for (int64_t p = 0; p < axis.out; ++p)
      for (int64_t t = 0; t < axis.kernel; ++t)
        EXPECT_EQ(axis.exchanged().element(t, p), axis.element(p, t));
  }
}

TEST(Axis, HighIsThePaddingThatMakesSoManyWindows) {
  for (const Axis &axis : manyAxes()) {
    if (axis.out > 0) {
      EXPECT_EQ(axis.windows(axis.high()), axis.out);
    }
  }
}

TEST(Scan, StepsMeetWhatTheWindowsSee) {
  for (int64_t low : {0, 3}) {
    Windows windows;
    windows.axes = {{2, 2}, {4, 4, 4}, {3, 3}};
    windows.axes[1].low = low;
    std::optional<Scan> scan = Scan::of(windows);
    ASSERT_TRUE(scan);
    for (int64_t line = 0; line < 6; ++line) {
      std::set<int64_t> met;
      for (int64_t step = 0; step < 4; ++step) {
        met.insert(scan->elementAt(line, step));
        int64_t at[3], tap[3] = {0, 0, 0};
        windows.unflatten(scan->elementAt(line, step), &Axis::out, at);
        std::set<int64_t> seen;
        for (tap[1] = 0; tap[1] < 4; ++tap[1])
          seen.insert(windows.elementAt(at, tap));
        seen.erase(-1);
        EXPECT_EQ(met, seen);
      }
    }
    windows.axes[1].low = 1;
    EXPECT_FALSE(Scan::of(windows));
    windows.axes[1] = windows.axes[0];
    EXPECT_FALSE(Scan::of(windows));
  }
}

TEST(Phases, MeetEachPairOnce) {
  for (const Axis &axis : manyAxes()) {
    PhasedAxis phased = PhasedAxis::of(axis);
    std::set<std::array<int64_t, 3>> pairs;
    for (size_t r = 0; r < phased.phases.size(); ++r)
      for (int64_t p = 0; p < phased.phases[r].positions; ++p)
        for (const PhasedAxis::Tap &tap : phased.phases[r].taps)
          if (int64_t x = p * phased.inStep + tap.offset; x >= 0 && x < axis.in) {
            EXPECT_TRUE(pairs.insert({static_cast<int64_t>(r) + p * phased.outStep,
                                      tap.index, x}).second);
          }
    size_t expected = 0;
    for (int64_t p = 0; p < axis.out; ++p)
      for (int64_t t = 0; t < axis.kernel; ++t)
        if (int64_t x = axis.element(p, t); x >= 0) {
          ++expected;
          EXPECT_TRUE(pairs.count({p, axis.entry(t), x}));
        }
    EXPECT_EQ(pairs.size(), expected);
  }
}

// [2, 5, 4, 3] with windows of 3 x 2, padding, dilation and reversal: each gathered row equals single look-ups.
TEST(Convolution, GatherCopiesWhatElementAtSays) {
  for (bool reversed : {false, true})
    for (int64_t dilation : {1, 2})
      for (int64_t groups : {1, 3}) {
        Convolution c;
        c.batch = 2, c.features = 3, c.featureGroups = groups;
        c.axes = {Axis{5, 0, 3, 2, 1, 1, 1}, Axis{4, 0, 2, 1, dilation, 1, 1, reversed}};
        for (Axis &axis : c.axes)
          axis.out = axis.windows(1);
        std::vector<int32_t> input(2 * 5 * 4 * 3);
        std::iota(input.begin(), input.end(), 1);
        std::vector<int32_t> row(static_cast<size_t>(c.taps() * c.groupIn()));
        Sizes at(2), tap(2);
        for (int64_t p = 0; p < c.positions(); ++p) {
          c.unflatten(p, &Axis::out, at);
          c.gather(reinterpret_cast<const std::byte *>(input.data()), 1, at, 0, 4,
                   reinterpret_cast<std::byte *>(row.data()));
          for (int64_t t = 0; t < c.taps(); ++t) {
            c.unflatten(t, &Axis::kernel, tap);
            for (size_t d = 0; d < 2; ++d)
              tap[d] = c.axes[d].entry(tap[d]);
            int64_t element = c.elementAt(at, tap);
            for (int64_t i = 0; i < c.groupIn(); ++i)
              EXPECT_EQ(row[t * c.groupIn() + i],
                        element < 0 ? 0 : input[(20 + element) * 3 + i]);
          }
        }
      }
}
