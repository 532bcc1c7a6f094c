// The words of a verdict: where the failing elements of a tensor are. Along each dimension the
// failing coordinates are one of: all, a single one, the last (or first) few, a
// contiguous range, one residue class of a small period, or scattered. The
// words name those dimensions that are not "all", and say whether every element
// of the described block fails.
#include "assay/judge/Verdict.h"
#include "assay/support/Math.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace assay;
using namespace assay::judge;
using Dims = llvm::SmallVector<int64_t, 6>;

static void coordinates(llvm::ArrayRef<int64_t> dims, int64_t index,
                        Dims &out) {
  out.assign(dims.size(), 0);
  for (size_t d = dims.size(); d-- > 0; index /= dims[d])
    out[d] = index % dims[d];
}

std::string judge::indexText(llvm::ArrayRef<int64_t> dims, int64_t index) {
  Dims at;
  coordinates(dims, index, at);
  std::string text = "[";
  for (size_t d = 0; d < at.size(); ++d)
    text += (d ? ":" : "") + std::to_string(at[d]);
  return text + "]";
}

/// The smallest period p >= 2 for which all coordinates share one residue and
/// none of that class is missing in between.
static int64_t periodOf(const std::vector<int64_t> &hit) {
  if (hit.size() < 3)
    return 0;
  int64_t period = hit[1] - hit[0];
  for (size_t i = 2; i < hit.size(); ++i)
    if (hit[i] - hit[i - 1] != period)
      return 0;
  return period >= 2 ? period : 0;
}

/// Words for one dimension, empty when all of it is hit; `covered` is the
/// number of coordinates that the words describe.
static std::string dimensionWords(size_t d, int64_t size,
                                  const std::vector<int64_t> &hit,
                                  int64_t &covered) {
  covered = static_cast<int64_t>(hit.size());
  std::string name = "dimension " + std::to_string(d);
  if (covered == size)
    return {};
  int64_t first = hit.front(), last = hit.back();
  if (covered == 1)
    return llvm::formatv("only index {0} of {1}{2}", first, name,
                         first == size - 1 ? " (the last)" : "")
        .str();
  if (last - first + 1 == covered) {
    const char *where = last == size - 1 ? " (the last "
                        : first == 0     ? " (the first "
                                         : " (";
    return llvm::formatv("indices {0} to {1} of {2}{3}{4})", first, last, name,
                         where, covered)
        .str();
  }
  if (int64_t period = periodOf(hit))
    return llvm::formatv("every {0}th index of {1} from {2} on", period, name,
                         first)
        .str();
  return llvm::formatv("{0} of {1} indices of {2}", covered, size, name).str();
}

/// Blocks: all coordinates are in runs of a common length at multiples of it,
/// e.g. tile columns.
static int64_t runLength(const std::vector<int64_t> &hit) {
  int64_t common = 0, run = 1;
  for (size_t i = 1; i <= hit.size(); ++i) {
    if (i < hit.size() && hit[i] == hit[i - 1] + 1) {
      ++run;
      continue;
    }
    if (common && run != common)
      return 0;
    common = run;
    run = 1;
  }
  return common;
}

std::string judge::describePattern(llvm::ArrayRef<int64_t> dims,
                                   llvm::ArrayRef<int64_t> failing,
                                   int64_t failures) {
  int64_t total = product(dims);
  if (failing.empty())
    return "none";
  if (failures == total)
    return "every element";
  std::vector<std::set<int64_t>> hits(dims.size());
  Dims at;
  for (int64_t index : failing) {
    coordinates(dims, index, at);
    for (size_t d = 0; d < dims.size(); ++d)
      hits[d].insert(at[d]);
  }
  std::string words;
  int64_t described = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    std::vector<int64_t> hit(hits[d].begin(), hits[d].end());
    int64_t covered = 0;
    std::string text = dimensionWords(d, dims[d], hit, covered);
    described *= covered;
    if (text.empty())
      continue;
    int64_t run = runLength(hit);
    if (run > 1 && covered > run && covered < dims[d])
      text += llvm::formatv(", in runs of {0}", run).str();
    words += (words.empty() ? "" : "; ") + text;
  }
  double share = static_cast<double>(failing.size()) /
                 static_cast<double>(std::max<int64_t>(1, described));
  if (words.empty())
    words = share > 0.9 ? "nearly every element"
                        : "scattered over the whole tensor";
  else if (failures == static_cast<int64_t>(failing.size()))
    words += share >= 1 ? ", every element there"
                        : llvm::formatv(", {0:f0} % of the elements there",
                                        100 * share)
                              .str();
  return words;
}

double judge::worstShare(const Verdict &verdict) {
  double share = verdict.worstFraction;
  for (const WorstPoint &point : verdict.worst)
    share =
        std::max(share, point.bound > 0 ? point.error / point.bound : HUGE_VAL);
  return share;
}

llvm::json::Value judge::numberJson(double x) {
  if (std::isfinite(x))
    return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

llvm::json::Object judge::pointJson(llvm::ArrayRef<int64_t> dims, int64_t index,
                                    llvm::json::Value expected,
                                    llvm::json::Value got, double error,
                                    double bound) {
  Dims at;
  coordinates(dims, index, at);
  return llvm::json::Object{{"index", llvm::json::Array(at)},
                            {"expected", std::move(expected)},
                            {"got", std::move(got)},
                            {"error", numberJson(error)},
                            {"bound", numberJson(bound)}};
}

llvm::json::Object judge::failureJson(llvm::ArrayRef<int64_t> dims,
                                      llvm::StringRef pattern,
                                      llvm::ArrayRef<WorstPoint> worst) {
  llvm::json::Array points;
  for (const WorstPoint &point : worst)
    points.push_back(pointJson(dims, point.index, numberJson(point.expected),
                               numberJson(point.got), point.error,
                               point.bound));
  return llvm::json::Object{{"pattern", pattern.str()}, {"worst", std::move(points)}};
}

std::string judge::numberText(double x) {
  if (std::isnan(x))
    return "nan";
  char text[40];
  snprintf(text, sizeof text, "%.9g", x);
  return text;
}

std::string judge::pointText(llvm::ArrayRef<int64_t> dims, const WorstPoint &p,
                             bool exact) {
  std::string line =
      llvm::formatv("  {0,-16} expected {1,15} got {2,15} error {3,12}",
                    indexText(dims, p.index), numberText(p.expected),
                    numberText(p.got), numberText(p.error))
          .str();
  if (exact || p.bound == 0)
    return line + " bound 0 (exact)";
  line += llvm::formatv(" bound {0,12}", numberText(p.bound)).str();
  double share = p.error / p.bound;
  if (std::isfinite(share))
    line += llvm::formatv(" ({0} times it{1})", numberText(share),
                          p.beyondTheorem ? "" : ", statistical")
                .str();
  return line;
}
