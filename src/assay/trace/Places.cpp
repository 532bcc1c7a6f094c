#include "assay/trace/Places.h"
#include "assay/support/Math.h"
#include "assay/trace/Values.h"

#include <cmath>
#include <cstring>
#include <set>

namespace assay::trace {

using tensor::Shape;
using tensor::Tensor;

namespace {
/// Lines along one axis of x, and of the values taken from each.
struct Lines {
  int64_t outer, length, inner, taken;

  size_t inX(int64_t line, double place) const {
    return at(line, static_cast<int64_t>(place), length);
  }
  size_t inValues(int64_t line, int64_t place) const {
    return at(line, place, taken);
  }
  bool holds(double place) const {
    return place >= 0 && place < static_cast<double>(length);
  }

private:
  size_t at(int64_t line, int64_t place, int64_t size) const {
    return static_cast<size_t>((line / inner * size + place) * inner +
                               line % inner);
  }
};
} // namespace

static bool isSame(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// The lines along an axis, if they fit the shape of the values.
static std::optional<Lines> linesAlong(llvm::ArrayRef<int64_t> x,
                                       llvm::ArrayRef<int64_t> values,
                                       size_t axis) {
  Shape rest(x), others(values);
  rest.erase(rest.begin() + static_cast<int64_t>(axis));
  if (others.size() == x.size())
    others.erase(others.begin() + static_cast<int64_t>(axis));
  if (rest != others)
    return std::nullopt;
  return Lines{product(x.take_front(axis)), x[axis],
               product(x.drop_front(axis + 1)),
               values.size() == x.size() ? values[axis] : 1};
}

namespace {
class Places {
public:
  Places(const Tensor &x, const Tensor &values, const Tensor &expected,
         const Tensor &recorded)
      : x_(doublesOf(x)), values_(doublesOf(values)),
        expected_(doublesOf(expected)), recorded_(doublesOf(recorded)) {}
  /// Whether the expected positions name the values along these lines.
  bool areAlong(const Lines &lines) const;
  /// Calls take(element) where the record names another one of several equal
  /// elements.
  void forTies(const Lines &lines,
               llvm::function_ref<void(size_t element)> take) const;

private:
  std::vector<double> x_, values_, expected_, recorded_;
};
} // namespace

bool Places::areAlong(const Lines &lines) const {
  for (int64_t line = 0; line < lines.outer * lines.inner; ++line)
    for (int64_t j = 0; j < lines.taken; ++j) {
      size_t at = lines.inValues(line, j);
      if (!lines.holds(expected_[at]) ||
          !isSame(x_[lines.inX(line, expected_[at])], values_[at]))
        return false;
    }
  return true;
}

void Places::forTies(const Lines &lines,
                     llvm::function_ref<void(size_t)> take) const {
  for (int64_t line = 0; line < lines.outer * lines.inner; ++line) {
    std::set<double> named;
    for (int64_t j = 0; j < lines.taken; ++j)
      named.insert(recorded_[lines.inValues(line, j)]);
    if (static_cast<int64_t>(named.size()) < lines.taken)
      continue;
    for (int64_t j = 0; j < lines.taken; ++j) {
      size_t at = lines.inValues(line, j);
      double place = recorded_[at];
      if (lines.holds(place) && isSame(x_[lines.inX(line, place)], values_[at]))
        take(at);
    }
  }
}

Tensor withPlacesOfTies(const Tensor &x, const Tensor &values,
                        const Tensor &expected, const Tensor &recorded) {
  auto isWhole = [](const Tensor *tensor) { return !tensor->isSplat(); };
  bool fits =
      llvm::all_of(std::initializer_list<const Tensor *>{&x, &values, &expected,
                                                         &recorded},
                   isWhole) &&
      recorded.elementType().isInteger() &&
      recorded.type() == expected.type() &&
      values.shape() == expected.shape() && x.elementType().isFloat() &&
      values.elementType().isFloat() && x.rank() > 0 && values.size() > 0;
  if (!fits)
    return recorded;
  Places places(x, values, expected, recorded);
  for (size_t axis = 0; axis < x.shape().size(); ++axis) {
    std::optional<Lines> lines = linesAlong(x.shape(), values.shape(), axis);
    if (!lines || !places.areAlong(*lines))
      continue;
    llvm::Expected<Tensor> copy = Tensor::allocate(recorded.type());
    if (!copy) {
      llvm::consumeError(copy.takeError());
      return recorded;
    }
    auto bytes = static_cast<size_t>(recorded.elementType().storageBytes());
    std::memcpy(copy->mutableBytes(), recorded.bytes(),
                static_cast<size_t>(recorded.size()) * bytes);
    places.forTies(*lines, [&](size_t element) {
      size_t offset = element * bytes;
      std::memcpy(copy->mutableBytes() + offset, expected.bytes() + offset,
                  bytes);
    });
    return *copy;
  }
  return recorded;
}

} // namespace assay::trace
