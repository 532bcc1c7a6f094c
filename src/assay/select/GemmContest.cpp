// Products whose operands are filled once: all kernels of a race read the same
// numbers and write to the same C.
#include "assay/select/GemmContest.h"
#include "assay/kernels/CostModel.h"
#include "assay/support/Random.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// Fills an operand with small random numbers of its type. The bit patterns of
/// 16-bit floats are in [1, 2), so that none is slow or NaN.
static void fill(std::byte *at, DataType type, int64_t count,
                 const CounterRandom &random) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = (uint64_t(i) * 0x9e3779b97f4a7c15u) ^ random.bits(i / 4096);
    bits ^= bits >> 29;
    float value =
        static_cast<float>(static_cast<int64_t>(bits & 0xffff) - 32768) / 32768;
    double wide = value;
    uint16_t half =
        static_cast<uint16_t>(type == DataType::BF16 ? 0x3f80 | (bits & 0x7f)
                                                     : 0x3c00 | (bits & 0x3ff));
    switch (type) {
    case DataType::F32:
      std::memcpy(at + i * 4, &value, 4);
      break;
    case DataType::F64:
      std::memcpy(at + i * 8, &wide, 8);
      break;
    case DataType::BF16:
    case DataType::F16:
      std::memcpy(at + i * 2, &half, 2);
      break;
    case DataType::S32:
      std::memcpy(at + i * 4, &bits, 4);
      break;
    default:
      at[i] = static_cast<std::byte>(bits);
    }
  }
}

/// The number of elements from the first to the last of an operand, gaps
/// included.
static int64_t extent(int64_t rows, int64_t columns, int64_t batch,
                      const Strides &strides) {
  if (rows == 0 || columns == 0 || batch == 0)
    return 0;
  return (rows - 1) * strides.row + (columns - 1) * strides.column +
         (batch - 1) * strides.batch + 1;
}

GemmContest::GemmContest(Registry &registry, ThreadPool &pool,
                         const GemmProblem &problem, Layout layout,
                         llvm::ArrayRef<GemmConfig> configs, uint64_t seed)
    : registry_(registry), pool_(pool), problem_(problem), layout_(layout),
      configs_(configs) {
  constexpr int64_t kAlign = 4096;
  int64_t a = extent(problem.m, problem.k, problem.batch, problem.aStrides),
          b = extent(problem.k, problem.n, problem.batch, problem.bStrides),
          c = extent(problem.m, problem.n, problem.batch, problem.cStrides);
  auto rounded = [&](int64_t bytes) {
    return (bytes + 64 + kAlign - 1) / kAlign * kAlign;
  };
  int64_t sizeA = rounded(a * sizeOf(problem.a)),
          sizeB = rounded(b * sizeOf(problem.b)),
          sizeC = rounded(c * sizeOf(problem.c));
  memory_.resize(sizeA + sizeB + sizeC + kAlign);
  auto address = (reinterpret_cast<uintptr_t>(memory_.data()) + kAlign - 1) /
                 kAlign * kAlign;
  auto *base = reinterpret_cast<std::byte *>(address);
  fill(base, problem.a, a, CounterRandom(seed, 0));
  fill(base + sizeA, problem.b, b, CounterRandom(seed, 1));
  pointers_.a = base;
  pointers_.b = base + sizeA;
  pointers_.c = base + sizeA + sizeB;
}

/// The number of choices in which two configurations differ; a register tile, a
/// set of cache blocks and a thread grid count as one choice each.
static int differences(const GemmConfig &a, const GemmConfig &b) {
  auto differ = [&](auto member) { return a.*member != b.*member; };
  return differ(&GemmConfig::family) +
         (differ(&GemmConfig::mr) || differ(&GemmConfig::nr) ||
          differ(&GemmConfig::mc) || differ(&GemmConfig::nc) ||
          differ(&GemmConfig::order)) +
         differ(&GemmConfig::kr) + differ(&GemmConfig::kc) +
         differ(&GemmConfig::packA) + differ(&GemmConfig::packB) +
         (differ(&GemmConfig::pipeline) || differ(&GemmConfig::prefetch)) +
         differ(&GemmConfig::splitK) +
         (differ(&GemmConfig::gridM) || differ(&GemmConfig::gridN)) +
         differ(&GemmConfig::edge) + differ(&GemmConfig::epilogue);
}

/// The supported kernels by analytic time, ascending; equal times by number.
static std::vector<int32_t> byEstimate(Registry &registry,
                                       const GemmProblem &problem,
                                       llvm::ArrayRef<GemmConfig> configs) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < configs.size(); ++i)
    if (!registry.supports(problem, configs[i]))
      order.push_back(static_cast<int32_t>(i));
  std::map<int32_t, double> cost;
  for (int32_t kernel : order)
    cost[kernel] =
        estimate(problem, configs[kernel], registry.machine()).totalNs();
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return cost[a] < cost[b]; });
  return order;
}

namespace {
class GemmContender final : public Contender {
public:
  GemmContender(std::shared_ptr<const PreparedGemm> kernel,
                const GemmPointers &pointers, ThreadPool &pool)
      : kernel_(std::move(kernel)), pointers_(pointers), pool_(pool) {}
  void run() const override { kernel_->run(pointers_, pool_); }

private:
  std::shared_ptr<const PreparedGemm> kernel_;
  const GemmPointers &pointers_;
  ThreadPool &pool_;
};
} // namespace

std::vector<int32_t> GemmContest::candidates() const {
  return byEstimate(registry_, problem_, configs_);
}

std::string GemmContest::name(int32_t kernel) const {
  return config(kernel).name();
}

int GemmContest::differences(int32_t a, int32_t b) const {
  return ::differences(config(a), config(b));
}

llvm::Expected<std::shared_ptr<const Contender>>
GemmContest::prepare(int32_t kernel) {
  auto prepared = registry_.prepare(problem_, config(kernel));
  if (!prepared)
    return prepared.takeError();
  return std::make_shared<GemmContender>(std::move(*prepared), pointers_,
                                         pool_);
}
