// Unfolds and folds one line of columns at a time: the row alone determines
// which columns of a line are inside the plane, so the inner loops have no
// conditions.
#include "assay/engine/native/Unfold.h"

#include "assay/numerics/Dispatch.h"

#include <algorithm>
#include <cstring>

namespace assay::engine {

bool UnfoldGrid::isPlane() const {
  if (rowCount() != 1 || columns != plane)
    return false;
  for (int d = 0; d < 3; ++d)
    if (low[d] != 0 || (columns[d] > 1 && columnStep[d] != 1))
      return false;
  return true;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

namespace {
/// The part of a line of columns that is inside the plane, and the element of
/// the plane at column 0.
struct Line {
  int64_t begin, end, first;
};
} // namespace

/// Calls body(line) for every row and, within it, every line of [first, last).
template <typename Body>
static void forEachLine(const UnfoldGrid &g, int64_t first, int64_t last,
                        Body body) {
  for (int64_t r0 = 0; r0 < g.rows[0]; ++r0)
    for (int64_t r1 = 0; r1 < g.rows[1]; ++r1)
      for (int64_t r2 = 0; r2 < g.rows[2]; ++r2) {
        int64_t shift = r2 * g.rowStep[2] - g.low[2], step = g.columnStep[2],
                room = g.plane[2] - shift; // column * step < room
        int64_t begin = std::min(g.columns[2],
                                 shift >= 0 ? 0 : ceilDiv(-shift, step)),
                end =
                    std::max(begin, room <= 0 ? 0
                                              : std::min(g.columns[2],
                                                         ceilDiv(room, step)));
        for (int64_t line = first; line < last; ++line) {
          int64_t c0 = line / g.columns[1], c1 = line % g.columns[1];
          int64_t x0 = r0 * g.rowStep[0] + c0 * g.columnStep[0] - g.low[0],
                  x1 = r1 * g.rowStep[1] + c1 * g.columnStep[1] - g.low[1];
          bool inside =
              x0 >= 0 && x0 < g.plane[0] && x1 >= 0 && x1 < g.plane[1];
          body(Line{begin, inside ? end : begin,
                    (x0 * g.plane[1] + x1) * g.plane[2] + shift});
        }
      }
}

template <typename T>
static void unfoldTyped(const UnfoldGrid &g, const T *plane, int64_t first,
                        int64_t last, T *matrix) {
  int64_t columns = g.columns[2], step = g.columnStep[2];
  forEachLine(g, first, last, [&](Line line) {
    std::fill_n(matrix, line.begin, T());
    const T *from = plane + line.first;
    if (step == 1)
      std::copy(from + line.begin, from + line.end, matrix + line.begin);
    else if (step == 2) // a stride that compilers know how to vectorise
      for (int64_t c = line.begin; c < line.end; ++c)
        matrix[c] = from[c * 2];
    else
      for (int64_t c = line.begin; c < line.end; ++c)
        matrix[c] = from[c * step];
    std::fill(matrix + line.end, matrix + columns, T());
    matrix += columns;
  });
}

void unfold(const UnfoldGrid &grid, int64_t width, const void *plane,
            int64_t firstLine, int64_t lastLine, void *matrix) {
  numerics::dispatchStorage(width, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    unfoldTyped(grid, static_cast<const T *>(plane), firstLine, lastLine,
                static_cast<T *>(matrix));
  });
}

template <typename T>
static void foldTyped(const UnfoldGrid &g, const T *matrix, T *plane) {
  int64_t columns = g.columns[2], step = g.columnStep[2];
  forEachLine(g, 0, g.lines(), [&](Line line) {
    T *to = plane + line.first;
    if (step == 1)
      for (int64_t c = line.begin; c < line.end; ++c)
        to[c] += matrix[c];
    else
      for (int64_t c = line.begin; c < line.end; ++c)
        to[c * step] += matrix[c];
    matrix += columns;
  });
}

void fold(const UnfoldGrid &grid, kernels::DataType type, const void *matrix,
          void *plane) {
  if (type == kernels::DataType::F32)
    foldTyped(grid, static_cast<const float *>(matrix),
              static_cast<float *>(plane));
  else if (type == kernels::DataType::F64)
    foldTyped(grid, static_cast<const double *>(matrix),
              static_cast<double *>(plane));
  else
    foldTyped(grid, static_cast<const uint32_t *>(matrix),
              static_cast<uint32_t *>(plane));
}

} // namespace assay::engine
