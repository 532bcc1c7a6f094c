// Draws convolutions at random, and reads lists of them: tables, by the names
// of their columns, or one problem per line. A line's direction (-F) decides
// whether it is used.
#include "assay/select/Shapes.h"
#include "assay/support/ByteOrderMark.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

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

/// Whether a line's -F, of MIOpen's driver, includes the direction: 0 means all
/// directions, otherwise the sum of 1 forward, 2 backward data, 4 backward
/// weights.
static bool hasDirection(llvm::StringRef line, ConvDirection direction) {
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

/// A row of CK Tile's columns as words; missing columns are left out.
static std::string wordsOf(llvm::ArrayRef<llvm::StringRef> header,
                           llvm::ArrayRef<llvm::StringRef> cells) {
  static constexpr struct {
    const char *column, *word;
    bool isDilation;
  } kColumns[] = {{"N", "mb", false},         {"G", "g", false},
                  {"C", "ic", false},         {"Di", "id", false},
                  {"Hi", "ih", false},        {"Wi", "iw", false},
                  {"K", "oc", false},         {"Z", "kd", false},
                  {"Y", "kh", false},         {"X", "kw", false},
                  {"stride_d", "sd", false},  {"stride_h", "sh", false},
                  {"stride_w", "sw", false},  {"pad_d", "pd", false},
                  {"pad_h", "ph", false},     {"pad_w", "pw", false},
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

namespace {
/// The random numbers of one problem, each used once, in order.
class Draw {
public:
  Draw(const CounterRandom &random, uint64_t problem)
      : random_(random), at_(problem << 5) {}
  /// A size whose logarithm is spread evenly.
  int64_t size(double low, double high) {
    double exponent = low + (high - low) * random_.uniform(at_++);
    return static_cast<int64_t>(std::lround(std::exp2(exponent)));
  }
  template <size_t N> int64_t of(const int64_t (&choices)[N]) {
    return choices[random_.integer(at_++, 0, int64_t(N) - 1)];
  }
  bool happens(double share) { return random_.uniform(at_++) < share; }

private:
  const CounterRandom &random_;
  uint64_t at_;
};
} // namespace

/// Draws the channels of both sides, and the groups.
static void drawChannels(Draw &draw, ConvProblem &p) {
  bool one = draw.happens(0.6), depthwise = !one && draw.happens(0.5),
       whole = draw.happens(0.5);
  int64_t in = draw.size(1.6, 9), out = draw.size(2, 9),
          each = draw.size(4, 9.5), few = draw.size(1.5, 5.5),
          fewer = draw.size(1.5, 5.5), groups = draw.of({2, 4, 8, 16, 32});
  auto rounded = [&](int64_t channels) {
    return whole ? std::max<int64_t>(8, channels / 8 * 8) : channels;
  };
  if (one)
    p.channels = rounded(in), p.outChannels = rounded(out);
  else if (depthwise)
    p.channels = p.outChannels = p.groups = each;
  else
    p.groups = groups, p.channels = groups * few,
    p.outChannels = groups * fewer;
}

std::vector<ConvProblem> select::drawConvolutions(double gflop,
                                                  ConvDirection direction,
                                                  kernels::DataType type,
                                                  uint64_t seed,
                                                  uint32_t stream) {
  CounterRandom random(seed, stream);
  std::vector<ConvProblem> problems;
  for (uint64_t i = 0; problems.size() < 10000 && i < 1000000; ++i) {
    Draw draw(random, i);
    ConvProblem p;
    p.direction = direction, p.type = type;
    p.batch = draw.of({1, 1, 2, 4, 8});
    int64_t side = draw.of({1, 1, 3, 3, 3, 5, 7}),
            stride = draw.of({1, 1, 1, 2}),
            dilation = draw.happens(0.1) ? 2 : 1, high = draw.size(2.5, 7),
            wide = draw.size(2.5, 7);
    bool square = draw.happens(0.7);
    drawChannels(draw, p);
    int64_t reach = (side - 1) * dilation + 1;
    for (size_t d : {1, 2}) {
      p.image[d] = d == 1 || square ? high : wide;
      p.filter[d] = side, p.stride[d] = stride, p.dilation[d] = dilation;
      p.low[d] = (reach - 1) / 2;
      p.result[d] = (p.image[d] + 2 * p.low[d] - reach) / stride + 1;
    }
    if (p.image[1] >= reach && p.image[2] >= reach && p.flops() <= gflop * 1e9)
      problems.push_back(p);
  }
  return problems;
}

llvm::Expected<std::vector<ConvProblem>>
select::readConvolutions(llvm::StringRef path, ConvDirection direction,
                         kernels::DataType type) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     buffer.getError().message());
  llvm::SmallVector<llvm::StringRef> lines, header;
  withoutByteOrderMark((*buffer)->getBuffer()).split(lines, '\n');
  lines[0].split(header, ',');
  bool isTable = columnOf(header, "problem") ||
                 (columnOf(header, "N") && columnOf(header, "Hi"));
  if (!isTable)
    header.clear();
  std::vector<ConvProblem> problems;
  for (size_t i = isTable ? 1 : 0; i < lines.size(); ++i) {
    Line line{path, lines[i].split('#').first.trim(), i + 1};
    if (line.text.empty() || !hasDirection(line.text, direction))
      continue;
    llvm::Expected<std::string> text = problemText(line, header);
    if (!text)
      return text.takeError();
    // A problem's name in benchdnn's syntax is not part of the problem.
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

llvm::Expected<std::vector<ConvProblem>>
select::readConvolutions(llvm::StringRef path, ConvDirection direction,
                         kernels::DataType type, const ShapeLimits &limits) {
  llvm::Expected<std::vector<ConvProblem>> list =
      readConvolutions(path, direction, type);
  if (!list)
    return list;
  llvm::erase_if(*list, [&](const ConvProblem &problem) {
    return (limits.gflop > 0 && problem.flops() > limits.gflop * 1e9) ||
           (limits.bytes > 0 && problem.bytes() > limits.bytes);
  });
  if (list->empty())
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' holds no problem within --cap and --max-memory",
                     path);
  return list;
}
