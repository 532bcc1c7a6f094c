// Sizes and layouts of a case's tensors.
#include "assay/judge/contraction/Case.h"
#include "assay/support/Math.h"

using namespace assay;
using namespace assay::judge;

int64_t Slot::elements() const {
  return product(dims);
}

int64_t Slot::spanElements() const {
  int64_t last = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 0)
      return 0;
    last += (dims[d] - 1) * strides[d];
  }
  return last + 1;
}

Dims judge::rowMajor(const Dims &dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<int64_t>(dims[d], 1);
  return strides;
}

bool Slot::isDense() const {
  Dims expected = rowMajor(dims);
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] > 1 && strides[d] != expected[d])
      return false;
  return true;
}

bool Case::hasIntegerSums() const {
  return slots[a].type.isInteger() && slots[b].type.isInteger() &&
         !blockScales();
}

void judge::forEachBlockRun(
    const Dims &dims, const Dims &blocks,
    llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) {
  size_t rank = dims.size();
  if (rank == 0)
    return visit(0, 0, 1);
  Dims strides = rowMajor(blocks), index(rank, 0);
  int64_t width = dims.back(), run = width / blocks.back();
  for (int64_t element = 0;; element += width) {
    int64_t block = 0;
    for (size_t d = 0; d + 1 < rank; ++d)
      block += index[d] / (dims[d] / blocks[d]) * strides[d];
    for (int64_t at = 0; at < width; at += run)
      visit(element + at, block + at / run, run);
    size_t d = rank - 1;
    while (d-- > 0 && ++index[d] == dims[d])
      index[d] = 0;
    if (d == static_cast<size_t>(-1))
      return;
  }
}

size_t Case::inputCount() const {
  size_t count = 0;
  while (count < slots.size() && !slots[count].isOutput)
    ++count;
  return count;
}

Dims judge::maskedDims(const Dims &dims, int64_t mask) {
  Dims result = dims;
  for (size_t d = 0; d < dims.size(); ++d)
    if (!(mask >> d & 1))
      result[d] = 1;
  return result;
}
