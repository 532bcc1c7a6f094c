// Logical row-major floats to a slot's own type and strides, and back. Dense
// slots are converted in one pass, others row by row through a small buffer.
// Conversions are exact: fills only generate values that the type holds.
// Elements that share bytes are written by one thread.
#include "assay/judge/contraction/Fill.h"
#include "assay/numerics/Convert.h"

#include <cstring>

using namespace assay;
using namespace assay::judge;

/// Converts neighbouring elements; out-of-line loops in numerics pick the
/// instruction set.
static void toType(ElementType type, const float *from, void *to, int64_t n) {
  numerics::convertArray(types::F32, from, type, to, n);
}

template <typename T>
static void scatter(const std::byte *from, std::byte *to, int64_t stride,
                    int64_t n) {
  const T *source = reinterpret_cast<const T *>(from);
  T *target = reinterpret_cast<T *>(to);
  for (int64_t i = 0; i < n; ++i)
    target[i * stride] = source[i];
}
template <typename T>
static void gather(const std::byte *from, std::byte *to, int64_t stride,
                   int64_t n) {
  const T *source = reinterpret_cast<const T *>(from);
  T *target = reinterpret_cast<T *>(to);
  for (int64_t i = 0; i < n; ++i)
    target[i] = source[i * stride];
}
static void moveStrided(bool isScatter, int bytes, const std::byte *from,
                        std::byte *to, int64_t stride, int64_t n) {
  switch (bytes) {
  case 1:
    return isScatter ? scatter<uint8_t>(from, to, stride, n)
                     : gather<uint8_t>(from, to, stride, n);
  case 2:
    return isScatter ? scatter<uint16_t>(from, to, stride, n)
                     : gather<uint16_t>(from, to, stride, n);
  case 4:
    return isScatter ? scatter<uint32_t>(from, to, stride, n)
                     : gather<uint32_t>(from, to, stride, n);
  default:
    return isScatter ? scatter<uint64_t>(from, to, stride, n)
                     : gather<uint64_t>(from, to, stride, n);
  }
}

static void packShared(const Slot &slot, const float *values, void *data);
static void unpackShared(const Slot &slot, const void *data, float *values);

/// Calls body(first logical element, physical offset of it) for every innermost
/// row in [begin, end) rows.
template <typename Body>
static void forEachRow(const Slot &slot, int64_t begin, int64_t end,
                       Body body) {
  int64_t width = slot.dims.empty() ? 1 : slot.dims.back();
  for (int64_t row = begin; row < end; ++row) {
    int64_t rest = row, offset = 0;
    for (size_t d = slot.dims.size(); d-- > 1;) {
      offset += rest % slot.dims[d - 1] * slot.strides[d - 1];
      rest /= slot.dims[d - 1];
    }
    body(row * width, offset);
  }
}

static void packShared(const Slot &slot, const float *values, void *data) {
  int64_t width = slot.dims.empty() ? 1 : slot.dims.back(),
          stride = slot.dims.empty() ? 1 : slot.strides.back();
  std::vector<std::byte> row(static_cast<size_t>(width));
  forEachRow(slot, 0, slot.elements() / width,
             [&](int64_t first, int64_t offset) {
               toType(slot.type, values + first, row.data(), width);
               numerics::packElements(slot.type, row.data(), data, offset,
                                      stride, width);
             });
}

static void unpackShared(const Slot &slot, const void *data, float *values) {
  int64_t width = slot.dims.empty() ? 1 : slot.dims.back(),
          stride = slot.dims.empty() ? 1 : slot.strides.back();
  std::vector<std::byte> row(static_cast<size_t>(width));
  forEachRow(slot, 0, slot.elements() / width,
             [&](int64_t first, int64_t offset) {
               numerics::unpackElements(slot.type, data, offset, stride, width,
                                        row.data());
               numerics::convertArray(slot.type, row.data(), types::F32,
                                      values + first, width);
             });
}

void judge::pack(const Slot &slot, const float *values, void *data,
                 ThreadPool &pool) {
  int64_t count = slot.elements(), bytes = bytesOf(slot.type);
  std::byte *to = static_cast<std::byte *>(data);
  if (numerics::isPacked(slot.type))
    return packShared(slot, values, data);
  if (slot.isDense())
    return pool.parallelFor(count, 1 << 16, [&](int64_t begin, int64_t end) {
      toType(slot.type, values + begin, to + begin * bytes, end - begin);
    });
  int64_t width = slot.dims.back(), stride = slot.strides.back();
  pool.parallelFor(
      count / width, std::max<int64_t>(1, 65536 / width),
      [&](int64_t begin, int64_t end) {
        std::vector<std::byte> row(width * bytes);
        forEachRow(slot, begin, end, [&](int64_t first, int64_t offset) {
          toType(slot.type, values + first, row.data(), width);
          moveStrided(true, static_cast<int>(bytes), row.data(),
                      to + offset * bytes, stride, width);
        });
      });
}

void judge::unpack(const Slot &slot, const void *data, float *values,
                   ThreadPool &pool) {
  int64_t count = slot.elements(), bytes = bytesOf(slot.type);
  const std::byte *from = static_cast<const std::byte *>(data);
  if (numerics::isPacked(slot.type))
    return unpackShared(slot, data, values);
  int64_t width = slot.dims.empty() ? 1 : slot.dims.back(),
          stride = slot.dims.empty() ? 1 : slot.strides.back();
  pool.parallelFor(
      count / width, std::max<int64_t>(1, 65536 / width),
      [&](int64_t begin, int64_t end) {
        std::vector<std::byte> row(width * bytes);
        forEachRow(slot, begin, end, [&](int64_t first, int64_t offset) {
          moveStrided(false, static_cast<int>(bytes), from + offset * bytes,
                      row.data(), stride, width);
          numerics::convertArray(slot.type, row.data(), types::F32,
                                 values + first, width);
        });
      });
}

void judge::packAbsolute(const Slot &slot, const void *from, void *to,
                         ThreadPool &pool) {
  int64_t bytes = slot.elements() * bytesOf(slot.type);
  // Clearing the sign bit of every element: the mask repeats within 8 bytes.
  uint64_t mask = bytesOf(slot.type) == 2   ? 0x7fff7fff7fff7fffull
                  : bytesOf(slot.type) == 4 ? 0x7fffffff7fffffffull
                                            : 0x7fffffffffffffffull;
  const char *source = static_cast<const char *>(from);
  char *target = static_cast<char *>(to);
  pool.parallelFor((bytes + 7) / 8, 1 << 15, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      uint64_t word = 0;
      int64_t n = std::min<int64_t>(8, bytes - i * 8);
      std::memcpy(&word, source + i * 8, n);
      word &= mask;
      std::memcpy(target + i * 8, &word, n);
    }
  });
}
