// Matrix multiplications as data: names of types and layouts, dense strides,
// checks, hash. Every call makes a GemmProblem first: it is all that the
// selector and the registry see.
#include "assay/kernels/Problem.h"

#include <bit>

namespace assay::kernels {

int64_t sizeOf(DataType type) {
  switch (type) {
  case DataType::F64:
    return 8;
  case DataType::F32:
  case DataType::S32:
    return 4;
  case DataType::BF16:
  case DataType::F16:
    return 2;
  case DataType::S8:
  case DataType::U8:
    return 1;
  }
  return 0;
}

static constexpr const char *kTypeNames[] = {"f32", "f64", "bf16", "f16",
                                             "s8",  "u8",  "s32"};

const char *toString(DataType type) {
  return kTypeNames[static_cast<int>(type)];
}

std::optional<DataType> parseDataType(llvm::StringRef text) {
  for (int index = 0; index < 7; ++index)
    if (text == kTypeNames[index])
      return static_cast<DataType>(index);
  return std::nullopt;
}

numerics::ElementType elementTypeOf(DataType type) {
  if (type == DataType::S8)
    return numerics::ElementType::integer(8);
  if (type == DataType::U8)
    return numerics::ElementType::unsignedInteger(8);
  if (type == DataType::S32)
    return numerics::ElementType::integer(32);
  return *numerics::parseElementType(toString(type));
}

std::optional<DataType> dataTypeOf(numerics::ElementType type) {
  using numerics::FloatFormat;
  if (type.quantization)
    return std::nullopt;
  if (type.isFloat())
    switch (type.format) {
    case FloatFormat::F32:
      return DataType::F32;
    case FloatFormat::F64:
      return DataType::F64;
    case FloatFormat::BF16:
      return DataType::BF16;
    case FloatFormat::F16:
      return DataType::F16;
    default:
      return std::nullopt;
    }
  if (type.isInteger() && type.bits == 8)
    return type.isSigned() ? DataType::S8 : DataType::U8;
  if (type.isSigned() && type.bits == 32)
    return DataType::S32;
  return std::nullopt;
}

DataType accumulatorOf(DataType a) {
  if (a == DataType::F64)
    return DataType::F64;
  return a == DataType::S8 || a == DataType::U8 || a == DataType::S32
             ? DataType::S32
             : DataType::F32;
}

static constexpr const char *kLayoutNames[] = {"rcr", "rrr", "crr", "ccr"};

const char *toString(Layout layout) {
  return kLayoutNames[static_cast<int>(layout)];
}

std::optional<Layout> parseLayout(llvm::StringRef text) {
  for (int index = 0; index < 4; ++index)
    if (text == kLayoutNames[index])
      return static_cast<Layout>(index);
  return std::nullopt;
}

std::string toString(TypePair types) {
  std::string text = toString(types.a);
  return types.a == types.b ? text : text + toString(types.b);
}

std::optional<TypePair> parseTypePair(llvm::StringRef text) {
  if (std::optional<DataType> both = parseDataType(text))
    return TypePair{*both, *both};
  for (DataType a : {DataType::S8, DataType::U8})
    if (text.starts_with(toString(a)))
      if (std::optional<DataType> b = parseDataType(text.drop_front(2)))
        if (sizeOf(*b) == 1)
          return TypePair{a, *b};
  return std::nullopt;
}

const char *toString(Activation activation) {
  static constexpr const char *kNames[] = {"none",      "relu",     "tanh",
                                           "gelu_tanh", "gelu_erf", "logistic"};
  return kNames[static_cast<int>(activation)];
}

GemmProblem GemmProblem::make(TypePair types, Layout layout, int64_t m,
                              int64_t n, int64_t k, int64_t batch,
                              int threads) {
  GemmProblem problem;
  problem.a = types.a;
  problem.b = types.b;
  problem.acc = problem.c = accumulatorOf(types.a);
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.batch = batch;
  problem.threads = threads;
  problem.aStrides =
      aIsRowMajor(layout) ? Strides{k, 1, m * k} : Strides{1, m, m * k};
  problem.bStrides =
      bIsRowMajor(layout) ? Strides{n, 1, k * n} : Strides{1, k, k * n};
  problem.cStrides = {n, 1, m * n};
  return problem;
}

double GemmProblem::bytes() const {
  double perEntry = double(m) * double(k) * double(sizeOf(a)) +
                    double(k) * double(n) * double(sizeOf(b)) +
                    double(m) * double(n) * double(sizeOf(c));
  return perEntry * double(batch);
}

std::optional<Layout> GemmProblem::layout() const {
  bool aRow = aStrides.column == 1 || k <= 1,
       aColumn = aStrides.row == 1 || m <= 1;
  bool bRow = bStrides.column == 1 || n <= 1,
       bColumn = bStrides.row == 1 || k <= 1;
  bool cRow = cStrides.column == 1 || n <= 1;
  if (!(aRow || aColumn) || !(bRow || bColumn) || !cRow)
    return std::nullopt;
  if (aRow)
    return bColumn && bStrides.column != 1 ? Layout::RCR
           : bRow                          ? Layout::RRR
                                           : Layout::RCR;
  return bColumn && bStrides.column != 1 ? Layout::CCR
         : bRow                          ? Layout::CRR
                                         : Layout::CCR;
}

bool GemmProblem::isOf(Layout layout) const {
  bool a = aIsRowMajor(layout) ? aStrides.column == 1 || k <= 1
                               : aStrides.row == 1 || m <= 1;
  bool b = bIsRowMajor(layout) ? bStrides.column == 1 || n <= 1
                               : bStrides.row == 1 || k <= 1;
  return a && b && (cStrides.column == 1 || n <= 1);
}

Layout GemmProblem::modelLayout() const {
  return isOf(Layout::RCR) ? Layout::RCR : layout().value_or(Layout::RCR);
}

bool GemmProblem::hasEpilogue() const {
  return c != acc || bias != Bias::None || scale != Scale::None ||
         activation != Activation::None;
}

uint64_t GemmProblem::hash() const {
  uint64_t state = 0x9e3779b97f4a7c15;
  auto mix = [&](uint64_t value) {
    state = (state ^ value) * 0xff51afd7ed558ccd;
    state ^= state >> 32;
  };
  auto bits = [](auto value) { return static_cast<uint64_t>(value); };
  mix(bits(a) | bits(b) << 8 | bits(acc) << 16 | bits(c) << 24 |
      bits(bias) << 32 | bits(scale) << 40 | bits(activation) << 48);
  for (int64_t size : {m, n, k, batch, int64_t(threads)})
    mix(bits(size));
  for (const Strides *s : {&aStrides, &bStrides, &cStrides})
    for (int64_t stride : {s->row, s->column, s->batch})
      mix(bits(stride));
  mix(std::bit_cast<uint64_t>(alpha));
  mix(std::bit_cast<uint64_t>(beta));
  return state;
}

static std::string described(const GemmProblem &problem, const char *layout) {
  return llvm::formatv("{0} {1} {2}x{3}x{4} b{5} t{6}",
                       toString(problem.types()), layout, problem.m, problem.n,
                       problem.k, problem.batch, problem.threads)
      .str();
}

std::string toString(const GemmProblem &problem) {
  std::optional<Layout> layout = problem.layout();
  return described(problem, layout ? toString(*layout) : "strided");
}

std::string toString(const GemmProblem &problem, Layout layout) {
  return described(problem, toString(layout));
}

static Refusal invalid(const char *text) {
  return {ErrorCode::InvalidArgument, text};
}

static std::optional<Refusal> validateTypes(const GemmProblem &problem) {
  bool bytesA = sizeOf(problem.a) == 1, bytesB = sizeOf(problem.b) == 1;
  if (bytesA != bytesB || (!bytesA && problem.a != problem.b) ||
      problem.a == DataType::S32)
    return Refusal{ErrorCode::Unsupported,
                   std::string("no kernel multiplies ") + toString(problem.a) +
                       " by " + toString(problem.b) +
                       "; convert one operand first"};
  if (problem.acc != accumulatorOf(problem.a))
    return Refusal{ErrorCode::Unsupported,
                   std::string("sums of ") + toString(problem.types()) +
                       " are made in " + toString(accumulatorOf(problem.a)) +
                       ", not in " + toString(problem.acc)};
  bool integerC = problem.c == DataType::S32 || sizeOf(problem.c) == 1;
  bool good = problem.acc == DataType::F64 ? problem.c == DataType::F64
              : problem.acc == DataType::F32
                  ? !integerC && problem.c != DataType::F64
                  : integerC || problem.c == DataType::F32;
  if (!good)
    return Refusal{ErrorCode::Unsupported,
                   std::string("sums in ") + toString(problem.acc) +
                       " cannot be written as " + toString(problem.c)};
  return std::nullopt;
}

std::optional<Refusal> validate(const GemmProblem &problem) {
  if (problem.m < 0 || problem.n < 0 || problem.k < 0 || problem.batch < 0)
    return invalid("negative size of a matrix multiplication");
  constexpr int64_t kLimit =
      int64_t(1)
      << 58; // elements; leaves room for 8 bytes each and for padding
  for (auto [x, y] :
       {std::pair(problem.m, problem.k), std::pair(problem.k, problem.n),
        std::pair(problem.m, problem.n)})
    if (x && y &&
        (x > kLimit / y || (problem.batch && x * y > kLimit / problem.batch)))
      return Refusal{
          ErrorCode::ResourceLimit,
          "the operands of the matrix multiplication are too large to address"};
  if (problem.threads < 1)
    return invalid("a matrix multiplication needs at least one thread");
  return validateTypes(problem);
}

} // namespace assay::kernels
