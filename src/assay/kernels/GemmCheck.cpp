// The second check: a configuration's loops run on small awkward problems
// before its first use. The data are small integers in every type, so every
// order of summation gives the same number and equality is required.
#include "assay/kernels/GemmCheck.h"

#include "assay/kernels/Family.h"
#include "assay/support/Random.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::kernels {

namespace {
/// Memory of one operand with typed access by element index.
class Field {
public:
  Field(DataType type, int64_t elements)
      : type_(type), bytes_(static_cast<size_t>(std::max<int64_t>(1, elements) *
                                                sizeOf(type))) {}
  char *data() { return bytes_.data(); }
  const char *data() const { return bytes_.data(); }
  void set(int64_t index, double value);
  double get(int64_t index) const;

private:
  template <typename T> void put(int64_t index, T value) {
    std::memcpy(at(index), &value, sizeof(T));
  }
  template <typename T> T take(int64_t index) const {
    T value;
    std::memcpy(&value, bytes_.data() + index * sizeOf(type_), sizeof(T));
    return value;
  }
  char *at(int64_t index) { return bytes_.data() + index * sizeOf(type_); }
  DataType type_;
  std::vector<char> bytes_;
};
} // namespace

void Field::set(int64_t index, double value) {
  float real = static_cast<float>(value);
  switch (type_) {
  case DataType::F32:
    return put(index, real);
  case DataType::F64:
    return put(index, value);
  case DataType::F16:
    return put(index, static_cast<_Float16>(value));
  case DataType::BF16: {
    uint32_t bits;
    std::memcpy(&bits, &real, 4);
    return put(index,
               static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
  }
  case DataType::S8:
    return put(index, static_cast<int8_t>(value));
  case DataType::U8:
    return put(index, static_cast<uint8_t>(value));
  case DataType::S32:
    return put(index, static_cast<int32_t>(value));
  }
}

double Field::get(int64_t index) const {
  switch (type_) {
  case DataType::F32:
    return take<float>(index);
  case DataType::F64:
    return take<double>(index);
  case DataType::F16:
    return take<_Float16>(index);
  case DataType::BF16: {
    uint32_t bits = uint32_t(take<uint16_t>(index)) << 16;
    float real;
    std::memcpy(&real, &bits, 4);
    return real;
  }
  case DataType::S8:
    return take<int8_t>(index);
  case DataType::U8:
    return take<uint8_t>(index);
  case DataType::S32:
    return take<int32_t>(index);
  }
  return 0;
}

/// The number of elements from the first to the last element that is accessed.
static int64_t extent(int64_t rows, int64_t columns, int64_t batch,
                      const Strides &s) {
  if (rows == 0 || columns == 0 || batch == 0)
    return 0;
  return (rows - 1) * s.row + (columns - 1) * s.column + (batch - 1) * s.batch +
         1;
}

static void fill(Field &field, int64_t elements, DataType type, uint64_t seed,
                 uint64_t stream) {
  CounterRandom random(seed, stream);
  // Small enough that 16-bit results are also exact for the depths of the
  // checks; bytes use their whole range.
  int64_t low = sizeOf(type) == 1 ? (type == DataType::U8 ? 0 : -128) : -2;
  int64_t high = sizeOf(type) == 1 ? (type == DataType::U8 ? 255 : 127) : 2;
  for (int64_t index = 0; index < elements; ++index)
    field.set(index,
              double(random.integer(static_cast<uint64_t>(index), low, high)));
}

static double roundTo(DataType type, double value) {
  if (sizeOf(type) == 1 || type == DataType::S32) {
    double low = type == DataType::U8   ? 0
                 : type == DataType::S8 ? -128
                                        : -2147483648.0;
    double high = type == DataType::U8   ? 255
                  : type == DataType::S8 ? 127
                                         : 2147483647.0;
    return std::clamp(std::nearbyint(value), low, high);
  }
  Field one(type, 1);
  one.set(0, value);
  return one.get(0);
}

llvm::Error compareWithNaive(const GemmProblem &problem,
                             const PreparedGemm &gemm, ThreadPool &pool,
                             uint64_t seed) {
  const GemmProblem &p = problem;
  int64_t aCount = extent(p.m, p.k, p.batch, p.aStrides),
          bCount = extent(p.k, p.n, p.batch, p.bStrides),
          cCount = extent(p.m, p.n, p.batch, p.cStrides);
  Field a(p.a, aCount), b(p.b, bCount), c(p.c, cCount);
  DataType biasType =
      p.acc == DataType::S32 && p.scale != Scale::None ? DataType::F32 : p.acc;
  Field bias(biasType, std::max(p.m, p.n));
  std::vector<float> scale(static_cast<size_t>(std::max<int64_t>(p.n, 1)));
  fill(a, aCount, p.a, seed, 1);
  fill(b, bCount, p.b, seed, 2);
  fill(c, cCount, p.c, seed, 3);
  fill(bias, std::max(p.m, p.n), biasType, seed, 4);
  for (size_t index = 0; index < scale.size(); ++index)
    scale[index] = index % 3 == 0 ? 0.5f : index % 3 == 1 ? 1.0f : 2.0f;
  std::vector<double> expected(static_cast<size_t>(cCount));
  for (int64_t index = 0; index < cCount; ++index)
    expected[static_cast<size_t>(index)] = c.get(index);
  for (int64_t batch = 0; batch < p.batch; ++batch)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        double sum = 0;
        for (int64_t q = 0; q < p.k; ++q)
          sum += a.get(batch * p.aStrides.batch + i * p.aStrides.row +
                       q * p.aStrides.column) *
                 b.get(batch * p.bStrides.batch + q * p.bStrides.row +
                       j * p.bStrides.column);
        int64_t at = batch * p.cStrides.batch + i * p.cStrides.row +
                     j * p.cStrides.column;
        double value =
            p.alpha * sum *
            (p.scale == Scale::PerColumn ? scale[static_cast<size_t>(j)] : 1.0);
        if (p.beta != 0)
          value += p.beta * expected[static_cast<size_t>(at)];
        value += p.bias == Bias::PerColumn ? bias.get(j)
                 : p.bias == Bias::PerRow  ? bias.get(i)
                                           : 0;
        if (p.activation == Activation::Relu)
          value = std::max(value, 0.0);
        expected[static_cast<size_t>(at)] = roundTo(p.c, value);
      }
  GemmPointers pointers{a.data(), b.data(), c.data(), bias.data(),
                        scale.data()};
  gemm.run(pointers, pool);
  for (int64_t index = 0; index < cCount; ++index)
    if (c.get(index) != expected[static_cast<size_t>(index)])
      return makeError(ErrorCode::Mismatch,
                       "{0}: element {1} of C: got {2}, expected {3}",
                       toString(p), index, c.get(index),
                       expected[static_cast<size_t>(index)]);
  return llvm::Error::success();
}

/// A problem of the given sizes with the order of strides of `model`, and gaps
/// between rows.
static GemmProblem resized(const GemmProblem &model, int64_t m, int64_t n,
                           int64_t k) {
  GemmProblem problem = model;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.batch = 1;
  problem.aStrides =
      model.aStrides.column == 1 ? Strides{k + 3, 1, 0} : Strides{1, m + 3, 0};
  problem.bStrides =
      model.bStrides.column == 1 ? Strides{n + 3, 1, 0} : Strides{1, k + 3, 0};
  problem.cStrides = {n + 3, 1, 0};
  problem.c = problem.acc;
  problem.alpha = 1;
  problem.beta = 0;
  problem.bias = Bias::None;
  problem.scale = Scale::None;
  problem.activation = Activation::None;
  problem.threads = model.threads;
  return problem;
}

std::vector<std::array<int64_t, 3>> checkedSizes(const GemmConfig &config) {
  auto sizes = [](int64_t t) {
    return std::array<int64_t, 6>{1, t - 1, t, t + 1, 2 * t - 1, 2 * t + 1};
  };
  std::vector<std::array<int64_t, 3>> all;
  // Every size of each dimension occurs three times, with different sizes of
  // the other two.
  for (size_t round = 0; round < 3; ++round)
    for (size_t i = 0; i < 6; ++i)
      all.push_back({sizes(config.mr)[i],
                     sizes(config.nr)[(i + 2 * round + 1) % 6],
                     sizes(2 * config.kr)[(5 * i + 2 * round) % 6]});
  return all;
}

llvm::Error checkGemm(const GemmProblem &problem, const GemmConfig &config,
                      const Machine &machine, Jit &jit) {
  GemmConfig small = config;
  // Blocks so small that small problems cross their borders.
  small.mc = config.mc > 0 ? config.mr : 0;
  small.nc = config.nc > 0 ? config.nr : 0;
  small.kc = config.kc > 0 ? 2 * config.kr : 0;
  const FamilyFunctions &family = familyFunctions(config.family);
  ThreadPool pool(std::min(2, problem.threads));
  uint64_t trial = 0;
  for (auto [m, n, k] : checkedSizes(config)) {
    uint64_t number = trial++;
    if (config.splitK > 1)
      k += int64_t(config.splitK) * config.kr * 4;
    if (m < 1 || n < 1 || k < 1)
      continue;
    GemmProblem probe = resized(problem, m, n, k);
    probe.beta = number % 3 == 0 ? 1 : 0;
    if (family.supports(probe, small, machine))
      continue;
    auto gemm = family.prepare(probe, small, machine, jit);
    if (!gemm)
      return gemm.takeError();
    if (llvm::Error error = compareWithNaive(probe, **gemm, pool, 100 + number))
      return addContext(std::move(error),
                        "kernel " + small.name() +
                            " failed its check on this machine");
  }
  return llvm::Error::success();
}

} // namespace assay::kernels
