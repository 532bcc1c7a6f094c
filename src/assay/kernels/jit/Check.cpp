// Correctness before speed: every compiled micro-kernel is tested on this
// machine before anyone gets its address. The data are small integers, so that
// each partial sum in any order is exact; the expected value is then unique and
// the tolerance is zero. C has a margin of sentinels that must not change.
#include "assay/kernels/jit/Check.h"

#include "assay/numerics/Convert.h"
#include "assay/support/Random.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

namespace assay::kernels {

namespace {
constexpr int64_t kSentinel = 77;

/// One operand of one trial: integer values by (lane, k), and their bytes in
/// memory.
struct Operand {
  int64_t lanes, k;
  std::vector<int32_t> values;
  std::vector<char> bytes;
  int64_t start = 0; // of the first byte, so that vectors are aligned
  int32_t at(int64_t lane, int64_t p) const {
    return p < k ? values[static_cast<size_t>(lane * k + p)] : 0;
  }
  char *data() { return bytes.data() + start; }
};
} // namespace

static void put(char *to, DataType type, bool asShort, int32_t value) {
  if (asShort) {
    auto narrow = static_cast<int16_t>(value);
    std::memcpy(to, &narrow, 2);
  } else if (type == DataType::F32) {
    auto real = static_cast<float>(value);
    std::memcpy(to, &real, 4);
  } else if (type == DataType::F64) {
    auto real = static_cast<double>(value);
    std::memcpy(to, &real, 8);
  } else if (type == DataType::BF16) { // small integers are exact: the upper
                                       // half of the f32
    auto real = static_cast<float>(value);
    std::memcpy(to, reinterpret_cast<char *>(&real) + 2, 2);
  } else if (type == DataType::F16) {
    auto real = static_cast<_Float16>(value);
    std::memcpy(to, &real, 2);
  } else {
    auto byte = static_cast<uint8_t>(value);
    std::memcpy(to, &byte, 1);
  }
}

/// The range of an operand's values, signed or unsigned.
static Operand makeOperand(int64_t lanes, int64_t k, bool bytes,
                           bool isUnsigned, uint64_t stream) {
  Operand operand{
      lanes, k, std::vector<int32_t>(static_cast<size_t>(lanes * k)), {}, 0};
  CounterRandom random(20260101, stream);
  int64_t low = !bytes       ? -8
                : isUnsigned ? 0
                             : -128,
          high = !bytes       ? 8
                 : isUnsigned ? 255
                              : 127;
  for (size_t index = 0; index < operand.values.size(); ++index) {
    int64_t pick = random.integer(index, 0, 7);
    // Uses the ends of the range often: they find sums that saturate.
    operand.values[index] = static_cast<int32_t>(
        pick == 0   ? low
        : pick == 1 ? high
                    : random.integer(index + (1 << 20), low, high));
  }
  return operand;
}

static void reserve(Operand &operand, int64_t bytes) {
  operand.bytes.assign(static_cast<size_t>(bytes + 256), 0);
  auto address = reinterpret_cast<uintptr_t>(operand.bytes.data());
  operand.start = static_cast<int64_t>((64 - address % 64) % 64);
}

namespace {
/// C with its margin: a row before and a row after the block, and the end of
/// each row.
class Target {
public:
  Target(DataType type, int64_t rows, int64_t row, bool turned);
  void pointTo(MicroArguments &arguments);
  /// Element (i, j), i from -1 to rows.
  double at(int64_t i, int64_t j);

private:
  int64_t indexOf(int64_t i, int64_t j) const {
    return turned_ ? j * (rows_ + 2) + i + 1 : (i + 1) * row_ + j;
  }
  DataType type_;
  int64_t size_, rows_, row_;
  bool turned_;
  Operand c_;
};

class Trial {
public:
  Trial(const MicroKey &key, MicroFunction function, const Isa &isa)
      : key_(key), function_(function), accumulator_(accumulatorOf(key.math)),
        group_(groupOf(key.math)), multiple_(depthMultipleOf(key.math)),
        lanes_(isa.lanes(accumulator_)),
        width_(key.form == MicroForm::Tile ? key.columns * lanes_
                                           : key.columns) {}

  /// The layouts of C: rows with an odd stride; rows that begin on cache lines,
  /// written past the caches; or column-major.
  enum class Place { Rows, Streamed, Columns };
  llvm::Error run(int64_t k, int64_t n, double alpha, double beta,
                  Place place = Place::Rows);

private:
  bool bytesMath() const { return accumulator_ == DataType::S32; }
  bool aUnsigned() const;
  bool bUnsigned() const;
  DataType packedType(bool ofB) const;
  void layOutTile(Operand &a, Operand &b, MicroArguments &arguments);
  int64_t placeInA(int64_t row, int64_t p, int64_t aRow) const;
  void layOutDot(Operand &a, Operand &b, MicroArguments &arguments);

  MicroKey key_;
  MicroFunction function_;
  DataType accumulator_;
  int64_t group_, multiple_, lanes_, width_;
  std::vector<int32_t> init_;
  std::vector<int64_t> taps_;
  int64_t perTap_ = 1; // elements along k
};
} // namespace

bool Trial::bUnsigned() const {
  if (key_.math == MicroMath::ByteQuads)
    return key_.bUnsigned;
  return (key_.form == MicroForm::Dot || isAmx(key_.math)) &&
         key_.bType == DataType::U8;
}

bool Trial::aUnsigned() const {
  if (key_.math == MicroMath::ByteQuads)
    return key_.flipA ? key_.bUnsigned : !key_.bUnsigned;
  return (key_.form == MicroForm::Dot || isAmx(key_.math)) &&
         key_.aType == DataType::U8;
}

DataType Trial::packedType(bool ofB) const {
  if (key_.form == MicroForm::Dot)
    return ofB ? key_.bType : key_.aType;
  return key_.math == MicroMath::F64   ? DataType::F64
         : key_.math == MicroMath::F32 ? DataType::F32
         : key_.math == MicroMath::BF16Pairs || key_.math == MicroMath::AmxBf16
             ? DataType::BF16
             : DataType::S8;
}

/// The bytes from the beginning of A to element (row, p). The places of Windows
/// are stored in another order than they are visited.
int64_t Trial::placeInA(int64_t row, int64_t p, int64_t aRow) const {
  int64_t size = packedBytesOf(key_.math);
  // A row of a tile register holds 64 bytes along k.
  int64_t inner = isAmx(key_.math) ? multiple_ : group_;
  switch (key_.aForm) {
  case AForm::Packed:
    return ((p / inner * key_.rows + row) * inner + p % inner) * size;
  case AForm::RowMajor:
    return row * aRow + p * size;
  case AForm::ColumnMajor:
    return p * aRow + row * size;
  case AForm::ColumnWindows:
    return taps_[static_cast<size_t>(p / perTap_)] + p % perTap_ * aRow +
           row * size;
  case AForm::Windows:
    break;
  }
  return taps_[static_cast<size_t>(p / perTap_)] + row * aRow +
         p % perTap_ * size;
}

void Trial::layOutTile(Operand &a, Operand &b, MicroArguments &arguments) {
  int64_t size = packedBytesOf(key_.math), depth = a.k,
          groups = depth / multiple_;
  bool shorts = key_.math == MicroMath::ShortPairs;
  int64_t aRow = depth * size + 2 * size,
          bStep = (width_ + 3) *
                  size; // strides of unpacked operands that are not a multiple
                        // of anything
  bool byColumns = isColumnMajor(key_.aForm);
  if (byColumns)
    aRow = (key_.rows + 1) * size;
  int64_t places = depth / perTap_,
          place = aRow * (byColumns ? perTap_ : key_.rows);
  taps_.clear();
  for (int64_t t = places; t-- > 0;)
    taps_.push_back(t * place);
  reserve(a, key_.aForm == AForm::Packed
                 ? (key_.rows + 1) * (depth + 1) * size
                 : place * places);
  for (int64_t row = 0; row < key_.rows; ++row)
    for (int64_t p = 0; p < depth; ++p) {
      // The bits of a packed panel are flipped already.
      int32_t value =
          a.at(row, p) ^ (key_.flipA && key_.aForm == AForm::Packed ? 0x80 : 0);
      put(a.data() + placeInA(row, p, aRow), packedType(false), shorts, value);
    }
  reserve(b, (key_.bPacked ? width_ * size * multiple_ : bStep) * (groups + 1));
  for (int64_t column = 0; column < width_; ++column)
    for (int64_t p = 0; p < depth; ++p)
      put(b.data() + (key_.bPacked ? ((p / group_ * width_ + column) * group_ +
                                      p % group_) *
                                         size
                                   : p * bStep + column * size),
          packedType(true), shorts, b.at(column, p));
  arguments.aStride = aRow;
  arguments.bStride = bStep;
  arguments.taps = taps_.data();
  arguments.tapCount = places;
  init_.assign(static_cast<size_t>(width_), 0);
  for (int64_t column = 0; column < width_; ++column)
    for (int64_t p = 0; p < depth; ++p)
      init_[static_cast<size_t>(column)] +=
          (key_.bUnsigned ? 128 : -128) * b.at(column, p);
  arguments.init = init_.data();
}

void Trial::layOutDot(Operand &a, Operand &b, MicroArguments &arguments) {
  auto layOut = [&](Operand &operand, DataType type, int64_t &stride) {
    int64_t size = sizeOf(type);
    stride = (operand.k + 3) * size;
    reserve(operand, stride * operand.lanes);
    for (int64_t lane = 0; lane < operand.lanes; ++lane)
      for (int64_t p = 0; p < operand.k; ++p)
        put(operand.data() + lane * stride + p * size, type, false,
            operand.at(lane, p));
  };
  layOut(a, key_.aType, arguments.aStride);
  layOut(b, key_.bType, arguments.bStride);
}

Target::Target(DataType type, int64_t rows, int64_t row, bool turned)
    : type_(type), size_(sizeOf(type)), rows_(rows), row_(row),
      turned_(turned) {
  reserve(c_, (rows + 2) * row * size_);
  for (int64_t index = 0; index < (rows + 2) * row; ++index) {
    char *to = c_.data() + index * size_;
    if (type == DataType::S32) {
      auto word = static_cast<int32_t>(kSentinel);
      std::memcpy(to, &word, 4);
    } else {
      put(to, type, false, static_cast<int32_t>(kSentinel));
    }
  }
}

void Target::pointTo(MicroArguments &arguments) {
  arguments.c = c_.data() + indexOf(0, 0) * size_;
  arguments.cRow = turned_ ? size_ : row_ * size_;
  arguments.cColumn = turned_ ? (rows_ + 2) * size_ : size_;
}

double Target::at(int64_t i, int64_t j) {
  const char *from = c_.data() + indexOf(i, j) * size_;
  float real;
  double wide;
  int32_t word;
  if (size_ == 2) {
    numerics::convertArray(elementTypeOf(type_), from, elementTypeOf(DataType::F32),
                           &real, 1);
    return double(real);
  }
  if (type_ == DataType::F64)
    return std::memcpy(&wide, from, 8), wide;
  if (type_ == DataType::F32)
    return std::memcpy(&real, from, 4), double(real);
  return std::memcpy(&word, from, 4), double(word);
}

/// The value after it is stored in memory.
static double stored(DataType type, double value) {
  if (sizeOf(type) != 2)
    return value;
  char bytes[2];
  auto real = static_cast<float>(value);
  numerics::convertArray(elementTypeOf(DataType::F32), &real, elementTypeOf(type), bytes,
                         1);
  numerics::convertArray(elementTypeOf(type), bytes, elementTypeOf(DataType::F32), &real,
                         1);
  return double(real);
}

/// Element (i, j) of A B.
static int64_t productAt(const Operand &a, const Operand &b, int64_t i,
                         int64_t j) {
  int64_t sum = 0;
  for (int64_t p = 0; p < a.k; ++p)
    sum += int64_t(a.at(i, p)) * b.at(j, p);
  return sum;
}

llvm::Error Trial::run(int64_t k, int64_t n, double alpha, double beta,
                       Place place) {
  int64_t depth = key_.form == MicroForm::Tile ? k * multiple_ : k;
  perTap_ = depth;
  if (isOfWindows(key_.aForm))
    depth *= 1 + k % 3;
  Operand a = makeOperand(key_.rows, depth, bytesMath(), aUnsigned(), 1);
  Operand b = makeOperand(width_, depth, bytesMath(), bUnsigned(), 2);
  MicroArguments arguments;
  arguments.k = k;
  if (key_.form == MicroForm::Tile)
    layOutTile(a, b, arguments);
  else
    layOutDot(a, b, arguments);
  bool rounds = key_.form == MicroForm::Tile && key_.tileRounds();
  DataType type = rounds ? key_.cType : accumulator_;
  int64_t size = sizeOf(type), row = width_ + 5;
  if (place == Place::Streamed)
    row = (row * size + 63) / 64 * 64 / size;
  Target c(type, key_.rows, row, place == Place::Columns);
  Target sums(accumulator_, key_.rows, row, false);
  arguments.a = a.data();
  arguments.b = b.data();
  if (rounds) {
    sums.pointTo(arguments);
    arguments.sums = arguments.c, arguments.sumsRow = arguments.cRow;
  }
  c.pointTo(arguments);
  arguments.stream = place == Place::Streamed;
  arguments.n = n;
  setScalars(arguments, accumulator_, alpha, beta);
  function_(&arguments);
  int64_t valid = key_.form == MicroForm::Tile ? std::min(n, width_) : width_;
  for (int64_t i = -1; i <= key_.rows; ++i)
    for (int64_t j = 0; j < row; ++j) {
      double expected = kSentinel;
      if (i >= 0 && i < key_.rows && j < valid)
        expected = stored(
            type, alpha * double(productAt(a, b, i, j)) + beta * kSentinel);
      double got = c.at(i, j);
      if (got != expected)
        return makeError(ErrorCode::Mismatch,
                         "kernel {0} failed its check on this machine: k {1}, "
                         "n {2}, element ({3}, {4}): got {5}, "
                         "expected {6}",
                         key_.text(), depth, n, i, j, got, expected);
    }
  return llvm::Error::success();
}

llvm::Error checkMicroKernel(const MicroKey &key, MicroFunction function,
                             const Isa &isa) {
  if (key.form == MicroForm::Depthwise)
    return checkDepthwiseKernel(key, function, isa);
  Trial trial(key, function, isa);
  int64_t lanes = isa.lanes(accumulatorOf(key.math));
  int64_t u = key.form == MicroForm::Tile
                  ? key.unroll
                  : int64_t(key.unroll) * lanes * groupOf(key.math);
  int64_t width = key.columns * lanes;
  std::set<int64_t> depths, columns{width};
  for (int64_t depth :
       {int64_t(1), u - 1, u, u + 1, 2 * u - 1, 2 * u + 1, lanes + 1})
    if (depth > 0)
      depths.insert(depth);
  if (key.form == MicroForm::Tile)
    columns.insert({1, width - 1, lanes, lanes + 1 > width ? 1 : lanes + 1});
  bool integer = accumulatorOf(key.math) == DataType::S32;
  for (int64_t depth : depths)
    for (int64_t n : columns) {
      if (n < 1)
        continue;
      if (llvm::Error error = trial.run(depth, n, 1, 0))
        return error;
      if (llvm::Error error =
              trial.run(depth, n, integer ? 1 : 2, integer ? 1 : -3))
        return error;
      auto other = key.form == MicroForm::Tile ? Trial::Place::Streamed
                                               : Trial::Place::Columns;
      if (llvm::Error error = trial.run(depth, n, 1, 0, other))
        return error;
    }
  return llvm::Error::success();
}

} // namespace assay::kernels
