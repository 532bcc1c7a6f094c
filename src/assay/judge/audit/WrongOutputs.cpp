// Faults of an output: each row of kFaults changes a copy of the right
// tensor. Elements are read and written as doubles; a fault that only moves elements
// moves their bytes.
#include "assay/judge/audit/WrongOutputs.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/Convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;

/// At most this many rows, columns and tiles are damaged.
static constexpr int64_t kTile = 16;

namespace {
/// A copy of a right output that is turned into a wrong one.
class Damaged {
public:
  Damaged(const Tensor &right, Tensor copy)
      : right(right), copy(std::move(copy)) {
    llvm::ArrayRef<int64_t> shape = right.shape();
    columns = shape.empty() ? 1 : shape.back();
    rows = columns ? right.size() / columns : 0;
    width = right.elementType().storageBytes();
    double squares = 0;
    int64_t finite = 0;
    for (int64_t i = 0; i < right.size(); ++i)
      if (double x = at(i); std::isfinite(x))
        squares += x * x, ++finite;
    rms = finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  }

  /// The right value of an element (complex: its real part).
  double at(int64_t i) const {
    double parts[2] = {0, 0};
    numerics::convertArray(right.elementType(), right.bytes() + i * width,
                           wide(), parts, 1);
    return parts[0];
  }
  void set(int64_t i, double x) {
    double parts[2] = {x, x};
    numerics::convertArray(wide(), parts, right.elementType(),
                           copy.mutableBytes() + i * width, 1);
  }
  /// Writes element `from` of the right output to place `to`.
  void move(int64_t to, int64_t from) {
    std::memcpy(copy.mutableBytes() + to * width, right.bytes() + from * width,
                static_cast<size_t>(width));
  }
  void scale(int64_t i, double factor) {
    double parts[2] = {0, 0};
    numerics::convertArray(right.elementType(), right.bytes() + i * width,
                           wide(), parts, 1);
    parts[0] *= factor, parts[1] *= factor;
    numerics::convertArray(wide(), parts, right.elementType(),
                           copy.mutableBytes() + i * width, 1);
  }
  bool isFloat() const {
    return right.elementType().isFloat() || right.elementType().isComplex();
  }
  /// The element whose size is nearest the rms.
  int64_t ordinary() const {
    int64_t best = 0;
    double distance = INFINITY;
    for (int64_t i = 0; i < right.size(); ++i)
      if (double off = std::fabs(std::fabs(at(i)) - rms); off < distance)
        distance = off, best = i;
    return best;
  }

  const Tensor &right;
  Tensor copy;
  int64_t rows = 0, columns = 0, width = 0;
  double rms = 0;

private:
  ElementType wide() const { return wideType(right.elementType()); }
};

struct Fault {
  const char *name;
  void (*damage)(Damaged &);
};
} // namespace

static void everyElement(Damaged &s, double factor) {
  for (int64_t i = 0; i < s.right.size(); ++i)
    s.scale(i, factor);
}

static void constant(Damaged &s) {
  double sum = 0;
  for (int64_t i = 0; i < s.right.size(); ++i)
    sum += s.at(i);
  for (int64_t i = 0; i < s.right.size(); ++i)
    s.set(i, sum / static_cast<double>(s.right.size()));
}

static void oneElement(Damaged &s) {
  int64_t i = s.ordinary();
  s.set(i, s.at(i) + std::max(s.rms, s.isFloat() ? 0x1p-20 : 1.0));
}

static void block(Damaged &s, int64_t row, int64_t column, int64_t rows,
                  int64_t columns) {
  for (int64_t r = row; r < std::min(s.rows, row + rows); ++r)
    for (int64_t c = column; c < std::min(s.columns, column + columns); ++c)
      s.set(r * s.columns + c, 0);
}
static void oneRow(Damaged &s) { block(s, s.rows / 2, 0, 1, s.columns); }
static void oneColumn(Damaged &s) { block(s, 0, s.columns / 2, s.rows, 1); }
static void oneTile(Damaged &s) {
  block(s, s.rows / 2 / kTile * kTile, s.columns / 2 / kTile * kTile, kTile,
        kTile);
}
static void tail(Damaged &s) { // after the last whole eight of each row
  int64_t whole = (s.columns - 1) / 8 * 8;
  block(s, 0, whole, s.rows, s.columns - whole);
}

static void blockTransposed(Damaged &s) {
  int64_t size = std::min({s.rows, s.columns, kTile});
  for (int64_t r = 0; r < size; ++r)
    for (int64_t c = 0; c < size; ++c)
      s.move(r * s.columns + c, c * s.columns + r);
}
static void neighboursSwapped(Damaged &s) {
  int64_t at = s.right.size() / 2 / 2 * 2;
  if (at + 1 < s.right.size()) {
    s.move(at, at + 1);
    s.move(at + 1, at);
  }
}
static void previousRow(Damaged &s) {
  for (int64_t r = s.rows - 1; r > 0; --r)
    for (int64_t c = 0; c < s.columns; ++c)
      s.move(r * s.columns + c, (r - 1) * s.columns + c);
}
static void nanElement(Damaged &s) {
  if (s.isFloat())
    s.set(s.ordinary(), NAN);
}
static void saturated(Damaged &s) {
  for (int64_t i = 0; i < s.right.size(); ++i)
    if (double x = s.at(i); std::fabs(x) > s.rms)
      s.set(i, std::copysign(s.rms, x));
}

static constexpr Fault kFaults[] = {
    {"zeros", [](Damaged &s) { block(s, 0, 0, s.rows, s.columns); }},
    {"constant", constant},
    {"sign_flipped", [](Damaged &s) { everyElement(s, -1); }},
    {"scaled_1.01", [](Damaged &s) { everyElement(s, 1.01); }},
    {"scaled_1.05", [](Damaged &s) { everyElement(s, 1.05); }},
    {"one_element", oneElement},
    {"one_row", oneRow},
    {"one_column", oneColumn},
    {"one_tile", oneTile},
    {"tail", tail},
    {"block_transposed", blockTransposed},
    {"neighbours_swapped", neighboursSwapped},
    {"previous_row", previousRow},
    {"nan_element", nanElement},
    {"saturated", saturated},
};

static llvm::Expected<Tensor> copyOf(const Tensor &tensor) {
  llvm::Expected<Tensor> copy = Tensor::allocate(tensor.type());
  if (copy)
    std::memcpy(copy->mutableBytes(), tensor.bytes(),
                static_cast<size_t>(tensor.denseBytes()));
  return copy;
}

static bool sameBytes(const Tensor &a, const Tensor &b) {
  return std::memcmp(a.bytes(), b.bytes(),
                     static_cast<size_t>(a.denseBytes())) == 0;
}

/// The expected output has a NaN somewhere, and the wrong one has a number there.
static llvm::Error addSwallowedNan(const Tensor &right,
                                   std::vector<WrongOutput> &all) {
  if (!right.elementType().isFloat())
    return llvm::Error::success();
  llvm::Expected<Tensor> expected = copyOf(right), got = copyOf(right);
  if (!expected || !got)
    return llvm::joinErrors(expected.takeError(), got.takeError());
  Damaged due(right, std::move(*expected)), swallowed(right, std::move(*got));
  int64_t at = due.ordinary();
  due.set(at, NAN);
  swallowed.set(at, 0);
  if (!std::isnan(due.at(at)) && !sameBytes(due.copy, right))
    all.push_back(
        {"nan_swallowed", std::move(swallowed.copy), std::move(due.copy)});
  return llvm::Error::success();
}

llvm::Expected<std::vector<WrongOutput>>
judge::wrongOutputs(const Tensor &expected, llvm::ArrayRef<Tensor> inputs,
                    const Tensor &other) {
  std::vector<WrongOutput> all;
  llvm::Expected<Tensor> dense = expected.dense();
  if (!dense)
    return dense.takeError();
  if (dense->size() == 0)
    return all;
  for (const Fault &fault : kFaults) {
    llvm::Expected<Tensor> copy = copyOf(*dense);
    if (!copy)
      return copy.takeError();
    Damaged damaged(*dense, std::move(*copy));
    fault.damage(damaged);
    all.push_back({fault.name, std::move(damaged.copy), *dense});
  }
  for (const Tensor &input : inputs)
    if (input.valid() && input.type() == dense->type()) {
      all.push_back({"input_copied", input, *dense});
      break;
    }
  if (other.valid() && other.type() == dense->type())
    all.push_back({"stale", other, *dense});
  if (llvm::Error error = addSwallowedNan(*dense, all))
    return error;
  std::vector<WrongOutput> differing;
  for (WrongOutput &one : all) {
    llvm::Expected<Tensor> got = one.got.dense();
    if (!got)
      return got.takeError();
    one.got = std::move(*got);
    if (!sameBytes(one.got, one.expected))
      differing.push_back(std::move(one));
  }
  return differing;
}

llvm::Expected<Tensor> judge::withOneElementOff(const Tensor &expected,
                                                double share) {
  llvm::Expected<Tensor> dense = expected.dense();
  if (!dense)
    return dense;
  llvm::Expected<Tensor> copy = copyOf(*dense);
  if (!copy || dense->size() == 0)
    return copy;
  Damaged damaged(*dense, std::move(*copy));
  int64_t at = damaged.ordinary();
  double off = share * damaged.rms;
  damaged.set(at,
              damaged.at(at) +
                  (damaged.isFloat() ? off : std::max(1.0, std::rint(off))));
  return std::move(damaged.copy);
}
