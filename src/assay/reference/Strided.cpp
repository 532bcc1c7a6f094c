// Strided copies. The dimensions are first simplified: ones are dropped, the
// others ordered as the destination is written, and neighbours that are
// contiguous in source and destination merged. The innermost loop then runs
// over the last dimension. Where the source is strided there and contiguous
// along another dimension (a transpose), blocks of one cache line in each
// direction keep source and destination in cache; within a block, squares of 16
// bytes by as many rows as 16 bytes have elements are transposed in registers.
#include "assay/reference/Strided.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

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

/// Orders the dimensions by the destination; the one that is contiguous in the
/// source becomes the second to last.
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

/// How many elements 16 bytes hold; 0 where they are too wide to be transposed
/// in registers.
template <typename T>
static constexpr int64_t kSquare = sizeof(T) <= 8 ? 16 / sizeof(T) : 0;

/// 16 bytes, wrapped in a struct because template arguments lose the attribute.
template <typename T> struct Lanes {
  typedef T Vector __attribute__((vector_size(16)));
  Vector v;
};

/// The elements a[h], b[h], a[h + 1], b[h + 1] ... from h = kFirst on.
template <size_t kFirst, typename T, size_t... kLane>
static Lanes<T> interleave(Lanes<T> a, Lanes<T> b,
                           std::index_sequence<kLane...>) {
  return {__builtin_shufflevector(
      a.v, b.v, (kFirst + kLane / 2 + kLane % 2 * sizeof...(kLane))...)};
}

/// Interleaves row j with row j + half for every j < half, kRounds times. Each
/// round rotates the bits of an element's address (row, lane) by one.
template <int kRounds, typename T, size_t kSize, size_t... kRow>
[[gnu::always_inline]] static inline std::array<Lanes<T>, kSize>
rotateAddresses(std::array<Lanes<T>, kSize> rows,
                std::index_sequence<kRow...> order) {
  if constexpr (kRounds == 0)
    return rows;
  else
    return rotateAddresses<kRounds - 1, T, kSize>(
        {interleave<kRow % 2 * kSize / 2>(
            rows[kRow / 2], rows[kRow / 2 + kSize / 2], order)...},
        order);
}

template <typename T>
using Square = std::array<Lanes<T>, static_cast<size_t>(kSquare<T>)>;
template <typename T>
static constexpr auto kOrder = std::make_index_sequence<size_t(kSquare<T>)>();

/// Transposes a square: element i of column j, at from(j) + i, becomes element
/// j of row i. Half of a full rotation exchanges row and lane.
template <typename T, typename From, size_t... kRow>
[[gnu::always_inline]] static inline Square<T>
turned(From from, std::index_sequence<kRow...> order) {
  Square<T> columns;
  (std::memcpy(&columns[kRow], from(int64_t(kRow)), 16), ...);
  return rotateAddresses<std::countr_zero(sizeof...(kRow))>(columns, order);
}

/// Writes every row of a square, in order.
template <typename T, size_t... kRow>
[[gnu::always_inline]] static inline void
store(const Square<T> &square, T *dst, int64_t stride,
      std::index_sequence<kRow...>) {
  (std::memcpy(dst + int64_t(kRow) * stride, &square[kRow], 16), ...);
}

/// Copies leading rows of a plane with few columns whose rows are adjacent in
/// the destination. Each row is written whole and overwrites the excess of the
/// row before. Returns how many rows are copied.
template <typename T>
static int64_t copyFewColumns(const T *src, Dimension rows, Dimension cols,
                              T *dst) {
  constexpr int64_t kSize = kSquare<T>;
  int64_t i = 0;
  for (; (i + kSize - 1) * cols.size + kSize <= rows.size * cols.size;
       i += kSize)
    store(turned<T>(
              [&](int64_t j) {
                return src + i + std::min(j, cols.size - 1) * cols.src;
              },
              kOrder<T>),
          dst + i * cols.size, cols.size, kOrder<T>);
  return i;
}

/// Copies leading columns of a plane with few rows whose columns are adjacent
/// in the source. Returns how many.
template <typename T>
static int64_t copyFewRows(const T *src, Dimension rows, Dimension cols,
                           T *dst) {
  constexpr int64_t kSize = kSquare<T>;
  int64_t j = 0;
  for (; (j + kSize - 1) * rows.size + kSize <= cols.size * rows.size;
       j += kSize) {
    Square<T> square = turned<T>(
        [&](int64_t column) { return src + (j + column) * rows.size; },
        kOrder<T>);
    for (int64_t i = 0; i < rows.size; ++i)
      std::memcpy(dst + i * rows.dst + j, &square[static_cast<size_t>(i)], 16);
  }
  return j;
}

/// Copies one block of a plane whose source is contiguous along its rows.
template <typename T>
static void copyBlock(const T *src, Dimension rows, Dimension cols, T *dst) {
  int64_t wholeRows = 0, wholeCols = 0; // the part copied in squares
  if constexpr (constexpr int64_t kSize = kSquare<T>; kSize > 0) {
    wholeCols = cols.dst == 1 ? cols.size / kSize * kSize : 0;
    wholeRows = wholeCols > 0 ? rows.size / kSize * kSize : 0;
    // Prefetch the lines of the next block. Each is in another page, so
    // hardware prefetchers do not predict it.
    for (int64_t j = 0; j < wholeCols; ++j)
      __builtin_prefetch(src + j * cols.src + 2 * (64 / sizeof(T)) - 1);
    for (int64_t i = 0; i < wholeRows; i += kSize)
      for (int64_t j = 0; j < wholeCols; j += kSize)
        store(turned<T>(
                  [&](int64_t column) {
                    return src + i + (j + column) * cols.src;
                  },
                  kOrder<T>),
              dst + i * rows.dst + j, rows.dst, kOrder<T>);
  }
  int64_t first = wholeCols == cols.size ? wholeRows : 0;
  for (int64_t i = first; i < rows.size; ++i)
    for (int64_t j = i < wholeRows ? wholeCols : 0; j < cols.size; ++j)
      dst[i * rows.dst + j * cols.dst] = src[i + j * cols.src];
}

/// Copies the part of a plane that fills whole squares although the plane is
/// narrower than one. Afterwards the plane and the pointers describe the rest.
template <typename T>
static void copyNarrow(const T *&src, Dimension &rows, Dimension &cols,
                       T *&dst) {
  if (cols.dst != 1)
    return;
  if (cols.size < kSquare<T> && rows.dst == cols.size) {
    int64_t done = copyFewColumns(src, rows, cols, dst);
    src += done, dst += done * rows.dst, rows.size -= done;
  } else if (rows.size < kSquare<T> && cols.src == rows.size) {
    int64_t done = copyFewRows(src, rows, cols, dst);
    src += done * cols.src, dst += done, cols.size -= done;
  }
}

template <typename T>
static void copyPlane(const T *src, Dimension rows, Dimension cols, T *dst) {
  constexpr int64_t kBlock = 64 / std::min<size_t>(8, sizeof(T));
  if (cols.src == 1 || cols.src == 0 || rows.src != 1) {
    for (int64_t i = 0; i < rows.size; ++i)
      copyRow(src + i * rows.src, cols.src, dst + i * rows.dst, cols.dst,
              cols.size);
    return;
  }
  if constexpr (kSquare<T> > 0)
    copyNarrow(src, rows, cols, dst);
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
  // Distribute planes among threads, or rows if there is only one plane.
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

void copyBroadcast(mlir::Operation *op, int64_t width,
                   llvm::ArrayRef<int64_t> shape, const void *operand,
                   llvm::ArrayRef<int64_t> resultShape, void *result,
                   ThreadPool *threads) {
  auto dimensions =
      op->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions");
  size_t rank = shape.size();
  bool mapped = dimensions && static_cast<size_t>(dimensions.size()) == rank &&
                rank < resultShape.size();
  llvm::SmallVector<int64_t> from(resultShape.size(), 0),
      to(resultShape.size(), 1);
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0; stride *= shape[d]) {
    size_t target = mapped ? static_cast<size_t>(dimensions[d])
                           : d + resultShape.size() - rank;
    from[target] = shape[d] == 1 ? 0 : stride;
  }
  for (size_t d = to.size(); d-- > 1;)
    to[d - 1] = to[d] * resultShape[d];
  copyStrided(width, resultShape, operand, from, result, to, threads);
}

void fillElements(int64_t width, void *dst, int64_t count,
                  const void *element) {
  int64_t zero = 0, one = 1;
  copyStrided(width, {count}, element, {zero}, dst, {one});
}

} // namespace assay::reference
