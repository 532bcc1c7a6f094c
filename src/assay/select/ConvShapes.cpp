// Lists of convolutions: tables by the names of their columns, or a problem a
// line in words. What a line says of its direction (-F) may leave it out.
#include "assay/select/Shapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace assay;
using namespace assay::select;
using kernels::ConvDirection;
using kernels::ConvProblem;

namespace {
struct Line {
  llvm::StringRef path, text;
  size_t number;
  llvm::Error refuse(const llvm::Twine &why) const {
    return makeError(ErrorCode::InvalidArgument, "'{0}' line {1}: {2}", path,
                     number, why.str());
  }
};
} // namespace

static std::optional<size_t> columnOf(llvm::ArrayRef<llvm::StringRef> header,
                                      llvm::StringRef name) {
  for (size_t i = 0; i < header.size(); ++i)
    if (header[i].trim() == name)
      return i;
  return std::nullopt;
}

/// -F of MIOpen's driver: 0 all directions, else the sum of 1 forward, 2 backward
/// data, 4 backward weights.
static bool isOfDirection(llvm::StringRef line, ConvDirection direction) {
  llvm::SmallVector<llvm::StringRef> parts;
  line.split(parts, ' ', -1, /*KeepEmpty=*/false);
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    unsigned directions = 0;
    if ((parts[i] == "-F" || parts[i] == "--forw") &&
        !parts[i + 1].getAsInteger(10, directions) && directions != 0)
      return (directions >> static_cast<int>(direction)) & 1;
  }
  return true;
}

/// A row of CK Tile's columns as words; columns that are missing are left out.
static std::string wordsOf(llvm::ArrayRef<llvm::StringRef> header,
                           llvm::ArrayRef<llvm::StringRef> cells) {
  static constexpr struct {
    const char *column, *word;
    bool isDilation;
  } kColumns[] = {{"N", "mb", false},        {"G", "g", false},
                  {"C", "ic", false},        {"Di", "id", false},
                  {"Hi", "ih", false},       {"Wi", "iw", false},
                  {"K", "oc", false},        {"Z", "kd", false},
                  {"Y", "kh", false},        {"X", "kw", false},
                  {"stride_d", "sd", false}, {"stride_h", "sh", false},
                  {"stride_w", "sw", false}, {"pad_d", "pd", false},
                  {"pad_h", "ph", false},    {"pad_w", "pw", false},
                  {"dilation_d", "dd", true}, {"dilation_h", "dh", true},
                  {"dilation_w", "dw", true}};
  std::string words;
  for (const auto &entry : kColumns) {
    std::optional<size_t> at = columnOf(header, entry.column);
    if (!at || *at >= cells.size())
      continue;
    int64_t value = 0;
    llvm::StringRef cell = cells[*at].trim();
    bool number = !cell.getAsInteger(10, value);
    words += entry.word;
    words += number ? std::to_string(entry.isDilation ? value - 1 : value)
                    : cell.str();
  }
  return words;
}

static llvm::Expected<std::string>
problemText(const Line &line, llvm::ArrayRef<llvm::StringRef> header) {
  if (header.empty())
    return line.text.str();
  llvm::SmallVector<llvm::StringRef> cells;
  line.text.split(cells, ',');
  std::optional<size_t> problem = columnOf(header, "problem");
  if (!problem)
    return wordsOf(header, cells);
  if (*problem >= cells.size())
    return line.refuse("there is no problem");
  return cells[*problem].trim().str();
}

llvm::Expected<std::vector<ConvProblem>>
select::readConvolutions(llvm::StringRef path, ConvDirection direction,
                         kernels::DataType type) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     buffer.getError().message());
  llvm::SmallVector<llvm::StringRef> lines, header;
  (*buffer)->getBuffer().split(lines, '\n');
  lines[0].split(header, ',');
  bool isTable = columnOf(header, "problem") ||
                 (columnOf(header, "N") && columnOf(header, "Hi"));
  if (!isTable)
    header.clear();
  std::vector<ConvProblem> problems;
  for (size_t i = isTable ? 1 : 0; i < lines.size(); ++i) {
    Line line{path, lines[i].split('#').first.trim(), i + 1};
    if (line.text.empty() || !isOfDirection(line.text, direction))
      continue;
    llvm::Expected<std::string> text = problemText(line, header);
    if (!text)
      return text.takeError();
    // benchdnn's names of problems are no part of them.
    llvm::StringRef words = llvm::StringRef(*text).split("n\"").first;
    auto problem = kernels::parseConvProblem(words, direction, type);
    if (!problem)
      return line.refuse(takeError(problem.takeError()).message);
    problems.push_back(*problem);
  }
  if (problems.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' lists no convolution of {1}", path,
                     toString(direction));
  return problems;
}
