// Strided copies. The dimensions are first simplified: ones dropped, the others
// in the order in which the destination is written, neighbours that are
// contiguous on both sides merged. The innermost loop then runs over
// the last dimension; where the source is strided there and contiguous
// elsewhere (a transpose), blocks of 16x16 elements keep both sides in cache;
// words of 4 bytes are turned four by four in registers.
#include "assay/reference/Strided.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace assay::reference {

namespace {
struct Wide16 {
  uint64_t w[2];
};
struct Wide32 {
  uint64_t w[4];
};
struct Dimension {
  int64_t size, src, dst;
};
} // namespace

/// Dimensions in the order of the destination, the one that is contiguous in the
/// source next to the last one.
static llvm::SmallVector<Dimension, 6>
simplify(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> srcStrides,
         llvm::ArrayRef<int64_t> dstStrides) {
  llvm::SmallVector<Dimension, 6> all, dims;
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1)
      all.push_back({shape[d], srcStrides[d], dstStrides[d]});
  std::stable_sort(all.begin(), all.end(),
                   [](const Dimension &a, const Dimension &b) {
                     return std::abs(a.dst) > std::abs(b.dst);
                   });
  for (const Dimension &next : all) {
    if (!dims.empty() && dims.back().src == next.src * next.size &&
        dims.back().dst == next.dst * next.size)
      dims.back() = {dims.back().size * next.size, next.src, next.dst};
    else
      dims.push_back(next);
  }
  if (dims.size() < 3)
    return dims;
  auto last = dims.end() - 1;
  auto contiguous = std::find_if(dims.begin(), last,
                                 [](const Dimension &d) { return d.src == 1; });
  if (contiguous != last)
    std::rotate(contiguous, contiguous + 1, last);
  return dims;
}

template <typename T>
static void copyRow(const T *src, int64_t srcStride, T *dst, int64_t dstStride,
                    int64_t count) {
  if (srcStride == 1 && dstStride == 1) {
    std::memcpy(dst, src, static_cast<size_t>(count) * sizeof(T));
  } else if (srcStride == 0 && dstStride == 1) {
    std::fill_n(dst, count, *src);
  } else {
    for (int64_t i = 0; i < count; ++i)
      dst[i * dstStride] = src[i * srcStride];
  }
}

/// dst[i * dstStride + j] = src[j * srcStride + i] for i, j below 4.
static void transposeFour(const uint32_t *src, int64_t srcStride, uint32_t *dst,
                          int64_t dstStride) {
  typedef uint32_t Words __attribute__((vector_size(16)));
  auto load = [&](int64_t j) {
    Words words;
    std::memcpy(&words, src + j * srcStride, sizeof(Words));
    return words;
  };
  auto store = [&](int64_t i, Words words) {
    std::memcpy(dst + i * dstStride, &words, sizeof(Words));
  };
  Words v0 = load(0), v1 = load(1), v2 = load(2), v3 = load(3);
  Words low01 = __builtin_shufflevector(v0, v1, 0, 4, 1, 5),
        high01 = __builtin_shufflevector(v0, v1, 2, 6, 3, 7),
        low23 = __builtin_shufflevector(v2, v3, 0, 4, 1, 5),
        high23 = __builtin_shufflevector(v2, v3, 2, 6, 3, 7);
  store(0, __builtin_shufflevector(low01, low23, 0, 1, 4, 5));
  store(1, __builtin_shufflevector(low01, low23, 2, 3, 6, 7));
  store(2, __builtin_shufflevector(high01, high23, 0, 1, 4, 5));
  store(3, __builtin_shufflevector(high01, high23, 2, 3, 6, 7));
}

/// One block of a plane whose source is contiguous along its rows.
template <typename T>
static void copyBlock(const T *src, Dimension rows, Dimension cols, T *dst) {
  int64_t whole = 0; // rows that went in fours
  if constexpr (sizeof(T) == 4) {
    int64_t columns = cols.dst == 1 ? cols.size / 4 * 4 : 0;
    whole = columns == cols.size ? rows.size / 4 * 4 : 0;
    // The lines of the next block: each is a page of its own, which processors
    // do not foresee.
    for (int64_t j = 0; j < columns; ++j)
      __builtin_prefetch(src + j * cols.src + 16 + 15);
    for (int64_t i = 0; i < whole; i += 4)
      for (int64_t j = 0; j < columns; j += 4)
        transposeFour(src + i + j * cols.src, cols.src, dst + i * rows.dst + j,
                      rows.dst);
  }
  for (int64_t i = whole; i < rows.size; ++i)
    for (int64_t j = 0; j < cols.size; ++j)
      dst[i * rows.dst + j * cols.dst] = src[i + j * cols.src];
}

template <typename T>
static void copyPlane(const T *src, Dimension rows, Dimension cols, T *dst) {
  constexpr int64_t kBlock = 16;
  if (cols.src == 1 || cols.src == 0 || rows.src != 1) {
    for (int64_t i = 0; i < rows.size; ++i)
      copyRow(src + i * rows.src, cols.src, dst + i * rows.dst, cols.dst,
              cols.size);
    return;
  }
  for (int64_t i = 0; i < rows.size; i += kBlock)
    for (int64_t j = 0; j < cols.size; j += kBlock)
      copyBlock(src + i + j * cols.src,
                {std::min(kBlock, rows.size - i), 1, rows.dst},
                {std::min(kBlock, cols.size - j), cols.src, cols.dst},
                dst + i * rows.dst + j * cols.dst);
}

template <typename T>
static void copyTyped(llvm::ArrayRef<Dimension> dims, const void *srcBytes,
                      void *dstBytes, ThreadPool *threads) {
  auto *src = static_cast<const T *>(srcBytes);
  auto *dst = static_cast<T *>(dstBytes);
  if (dims.empty()) {
    *dst = *src;
    return;
  }
  if (dims.size() == 1) {
    Dimension d = dims[0];
    auto row = [&](int64_t begin, int64_t end) {
      copyRow(src + begin * d.src, d.src, dst + begin * d.dst, d.dst,
              end - begin);
    };
    if (threads && d.size >= 1 << 16)
      threads->parallelFor(d.size, 1 << 14, row);
    else
      row(0, d.size);
    return;
  }
  llvm::ArrayRef<Dimension> outer = dims.drop_back(2);
  Dimension rows = dims[dims.size() - 2], cols = dims.back();
  int64_t planes = 1;
  tensor::Shape outerShape;
  for (const Dimension &d : outer) {
    planes *= d.size;
    outerShape.push_back(d.size);
  }
  // The work is cut over planes, or over rows where there is one plane.
  bool cutRows = planes == 1;
  int64_t rowBytes =
      std::max<int64_t>(1, cols.size * static_cast<int64_t>(sizeof(T)));
  int64_t unit = cutRows ? rowBytes : rowBytes * rows.size;
  auto work = [&](int64_t begin, int64_t end) {
    if (cutRows) {
      copyPlane(src + begin * rows.src, {end - begin, rows.src, rows.dst}, cols,
                dst + begin * rows.dst);
      return;
    }
    tensor::Shape index(outer.size());
    unflatten(begin, outerShape, index);
    for (int64_t plane = begin; plane < end; ++plane) {
      int64_t srcOffset = 0, dstOffset = 0;
      for (size_t d = 0; d < outer.size(); ++d) {
        srcOffset += index[d] * outer[d].src;
        dstOffset += index[d] * outer[d].dst;
      }
      copyPlane(src + srcOffset, rows, cols, dst + dstOffset);
      nextIndex(index, outerShape);
    }
  };
  int64_t count = cutRows ? rows.size : planes;
  if (threads && count * unit >= 1 << 17)
    threads->parallelFor(count, std::max<int64_t>(1, (1 << 16) / unit), work);
  else
    work(0, count);
}

void copyStrided(int64_t width, llvm::ArrayRef<int64_t> shape, const void *src,
                 llvm::ArrayRef<int64_t> srcStrides, void *dst,
                 llvm::ArrayRef<int64_t> dstStrides, ThreadPool *threads) {
  for (int64_t size : shape)
    if (size == 0)
      return;
  llvm::SmallVector<Dimension, 6> dims =
      simplify(shape, srcStrides, dstStrides);
  switch (width) {
  case 1:
    return copyTyped<uint8_t>(dims, src, dst, threads);
  case 2:
    return copyTyped<uint16_t>(dims, src, dst, threads);
  case 4:
    return copyTyped<uint32_t>(dims, src, dst, threads);
  case 8:
    return copyTyped<uint64_t>(dims, src, dst, threads);
  case 16:
    return copyTyped<Wide16>(dims, src, dst, threads);
  default:
    return copyTyped<Wide32>(dims, src, dst, threads);
  }
}

void fillElements(int64_t width, void *dst, int64_t count,
                  const void *element) {
  int64_t zero = 0, one = 1;
  copyStrided(width, {count}, element, {zero}, dst, {one});
}

} // namespace assay::reference
