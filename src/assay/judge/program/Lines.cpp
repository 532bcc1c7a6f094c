// An index decomposed: the folded dimensions determine the place, the others
// the line.
#include "assay/judge/program/Lines.h"

#include <algorithm>

using namespace assay;
using namespace assay::judge;

Lines::Lines(llvm::ArrayRef<int64_t> shape, const ArgumentUse &use)
    : shape_(shape.begin(), shape.end()), folded_(use.folded) {
  for (size_t d = 0; d < shape_.size(); ++d)
    (isFolded(d) ? length_ : count_) *= shape_[d];
}

LinePlace Lines::placeOf(uint64_t index) const {
  LinePlace place;
  int64_t lineStep = 1, step = 1;
  auto rest = static_cast<int64_t>(index);
  for (size_t d = shape_.size(); d-- > 0;) {
    int64_t size = std::max<int64_t>(shape_[d], 1), i = rest % size;
    rest /= size;
    if (isFolded(d))
      place.at += i * step, step *= size;
    else
      place.line += i * lineStep, lineStep *= size;
  }
  return place;
}
