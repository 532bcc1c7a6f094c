// Reads lists of shapes. Columns are found by their names in the header line,
// so a list may have columns that are not needed here.
#include "assay/select/Shapes.h"
#include "assay/support/ByteOrderMark.h"
#include "assay/support/ThreadPool.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::select;

static int columnOf(llvm::ArrayRef<llvm::StringRef> header,
                    llvm::StringRef name) {
  for (size_t i = 0; i < header.size(); ++i)
    if (header[i].trim().equals_insensitive(name))
      return static_cast<int>(i);
  return -1;
}

llvm::Expected<std::vector<Shape>> select::readShapes(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     buffer.getError().message());
  llvm::SmallVector<llvm::StringRef> lines, header;
  withoutByteOrderMark((*buffer)->getBuffer()).split(lines, '\n');
  lines[0].split(header, ',');
  int columns[] = {columnOf(header, "m"), columnOf(header, "n"),
                   columnOf(header, "k"), columnOf(header, "batch")};
  if (columns[0] < 0 || columns[1] < 0 || columns[2] < 0)
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' begins with '{1}', expected the header m,n,k or m,n,k,batch",
        path, lines[0].take_front(60).rtrim());
  std::vector<Shape> shapes;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].trim().empty())
      continue;
    llvm::SmallVector<llvm::StringRef> cells;
    lines[i].split(cells, ',');
    Shape shape;
    int64_t *fields[] = {&shape.m, &shape.n, &shape.k, &shape.batch};
    for (int f = 0; f < 4; ++f) {
      if (columns[f] < 0)
        continue;
      if (columns[f] >= static_cast<int>(cells.size()) ||
          cells[columns[f]].trim().getAsInteger(10, *fields[f]) ||
          *fields[f] < 1 || *fields[f] > std::numeric_limits<int32_t>::max())
        return makeError(
            ErrorCode::InvalidArgument,
            "'{0}' line {1}: '{2}' has no {3} from 1 to 2147483647", path,
            i + 1, lines[i].take_front(60).rtrim(),
            llvm::StringRef("m\0n\0k\0b", 7).substr(2 * f, 1));
    }
    shapes.push_back(shape);
  }
  if (shapes.empty())
    return makeError(ErrorCode::InvalidArgument, "'{0}' lists no shape", path);
  return shapes;
}

llvm::Expected<std::vector<Shape>>
select::readShapes(llvm::StringRef path, const ShapeLimits &limits) {
  llvm::Expected<std::vector<Shape>> list = readShapes(path);
  if (!list)
    return list;
  llvm::erase_if(*list, [&](const Shape &shape) {
    return (limits.gflop > 0 && shape.flops() > limits.gflop * 1e9) ||
           (limits.bytes > 0 && shape.elements() * 8 > limits.bytes);
  });
  if (list->empty())
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' holds no problem within --cap and --max-memory",
                     path);
  return list;
}

llvm::Expected<std::vector<int>> select::parseThreadList(llvm::StringRef text) {
  if (text.empty())
    return availableCores() > 1 ? std::vector<int>{1, availableCores()}
                                : std::vector<int>{1};
  std::vector<int> list;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    int threads = 0;
    if (part.getAsInteger(10, threads) || threads < 1 || threads > 4096)
      return makeError(ErrorCode::InvalidArgument,
                       "--threads is '{0}', expected numbers like 1 or 1,2",
                       text);
    list.push_back(threads);
  }
  return list;
}

std::vector<Shape> select::drawShapes(double gflop, uint64_t seed,
                                      uint32_t stream) {
  CounterRandom random(seed, stream);
  std::vector<Shape> shapes;
  for (uint64_t i = 0; shapes.size() < 10000 && i < 1000000; ++i) {
    Shape shape;
    int64_t *sizes[] = {&shape.m, &shape.n, &shape.k};
    for (int d = 0; d < 3; ++d) {
      auto size =
          static_cast<int64_t>(std::exp2(13 * random.uniform(4 * i + d)));
      *sizes[d] = i % 2 && size > 16 ? size / 16 * 16 : size;
    }
    if (shape.flops() <= gflop * 1e9)
      shapes.push_back(shape);
  }
  return shapes;
}
