// Reads shape lists. Columns are found by name in the header line, so a list
// may have more than is needed here.
#include "assay/select/Shapes.h"
#include "assay/support/Random.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
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
  (*buffer)->getBuffer().split(lines, '\n');
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

std::vector<Shape> select::sampleShapes(std::vector<Shape> shapes, size_t count,
                                        uint64_t seed) {
  CounterRandom random(seed, 0x5a4e);
  for (size_t i = shapes.size(); i > 1; --i)
    std::swap(shapes[i - 1],
              shapes[random.integer(i, 0, static_cast<int64_t>(i) - 1)]);
  if (shapes.size() > count)
    shapes.resize(count);
  return shapes;
}
