// Ordinary data as verify's program fills make it; zeros and values that are
// not finite are put among normal data, sparsely: a sum with a NaN hides its
// other terms.
#include "assay/judge/equivalence/EquivDraws.h"
#include "assay/judge/equivalence/EdgeDraws.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Types.h"
#include "assay/support/Random.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using tensor::Tensor;

namespace {
/// Special numbers among ordinary ones: one of `every` is one of `values`.
struct Salt {
  llvm::ArrayRef<double> values;
  int64_t every;
  size_t first = 0; ///< a tensor certainly has this value; a large one has all
};
} // namespace

/// Some elements of a float tensor replaced.
static llvm::Expected<Tensor> salted(const Tensor &tensor, const Salt &salt,
                                     CounterRandom random) {
  ElementType type = tensor.elementType(), part = type.part();
  llvm::Expected<Tensor> dense = tensor.dense();
  if (!dense || (!type.isFloat() && !type.isComplex()))
    return dense;
  llvm::Expected<Tensor> result = Tensor::allocate(tensor.type());
  if (!result)
    return result;
  std::byte *out = result->mutableBytes();
  std::memcpy(out, dense->bytes(), static_cast<size_t>(dense->denseBytes()));
  int64_t numbers = tensor.size() * partsOf(type);
  auto put = [&](int64_t at, size_t which) {
    numerics::convertArray(ElementType::floating(numerics::FloatFormat::F64),
                           &salt.values[which % salt.values.size()], part,
                           out + at * part.storageBytes(), 1);
  };
  auto last = static_cast<int64_t>(salt.values.size()) - 1;
  for (int64_t i = 0; i < numbers; ++i) {
    auto at = static_cast<uint64_t>(i);
    if (random.integer(at, 0, salt.every - 1) == 0)
      put(i, static_cast<size_t>(
                 random.integer(at + (uint64_t{1} << 40), 0, last)));
  }
  constexpr int64_t kLarge = 192; // a few more values change little
  size_t sure = numbers >= kLarge ? salt.values.size() : numbers > 0 ? 1 : 0;
  for (size_t k = 0; k < sure; ++k)
    put(random.integer((uint64_t{1} << 41) + k, 0, numbers - 1),
        salt.first + k);
  return result;
}

/// A float tensor with every number below zero, or zero.
static llvm::Expected<Tensor> negated(const Tensor &tensor) {
  if (!tensor.elementType().isFloat())
    return tensor;
  llvm::Expected<Tensor> dense = tensor.dense(),
                         made = Tensor::allocate(tensor.type());
  if (!dense || !made)
    return llvm::joinErrors(dense.takeError(), made.takeError());
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  ElementType f64 = ElementType::floating(numerics::FloatFormat::F64);
  auto *bytes = reinterpret_cast<std::byte *>(values.data());
  numerics::convertArray(tensor.elementType(), dense->bytes(), f64, bytes,
                         tensor.size());
  for (double &value : values)
    value = -std::fabs(value);
  numerics::convertArray(f64, bytes, tensor.elementType(), made->mutableBytes(),
                         tensor.size());
  return made;
}

static llvm::Error makeNegative(Draw &draw) {
  for (Tensor &input : draw.inputs) {
    llvm::Expected<Tensor> changed = negated(input);
    if (!changed)
      return changed.takeError();
    input = std::move(*changed);
  }
  return llvm::Error::success();
}

/// Whether arguments are so few numbers that a draw may have only one that is
/// not finite.
static bool isSmall(const Draw &draw) {
  constexpr int64_t kFew = 512;
  int64_t numbers = 0;
  for (const Tensor &input : draw.inputs)
    numbers += input.size() * partsOf(input.elementType());
  return numbers <= kFew;
}

llvm::Expected<std::vector<Draw>>
judge::drawInputs(const EquivRequest &request) {
  std::vector<Draw> draws;
  auto add = [&](const char *name, FillKind kind,
                 uint64_t seed) -> llvm::Error {
    Draw draw{name, seed, {}, true};
    if (llvm::Error error = fillProgram(*request.a, request.entryA, kind, seed)
                                .moveInto(draw.inputs))
      return error;
    draws.push_back(std::move(draw));
    return llvm::Error::success();
  };
  uint64_t seed = request.seed * 1000;
  // The program's own data shows what it accepts: no other data is tried.
  if (!request.given.empty()) {
    for (int i = 0; i < request.draws; ++i)
      draws.push_back({"the given data", seed + i, request.given, true});
    return draws;
  }
  for (int i = 0; i < request.draws; ++i, ++seed)
    if (llvm::Error error = i % 2 == 0
                                ? add("normal data", FillKind::Normal, seed)
                                : add("uniform data", FillKind::Uniform, seed))
      return error;
  // A maximum that begins at 0 shows where all numbers of a row are negative.
  if (llvm::Error error = add("negative data", FillKind::Uniform, ++seed))
    return error;
  if (llvm::Error error = makeNegative(draws.back()))
    return error;
  const double zeros[] = {0.0, -0.0}, wild[] = {INFINITY, -INFINITY, NAN};
  size_t turns = 1 + (isSmall(draws.front()) ? std::size(wild) : 1);
  for (size_t turn = 0; turn < turns; ++turn, ++seed) {
    bool finite = turn == 0;
    if (llvm::Error error = add(finite ? "data with zeros of both signs"
                                       : "data with infinities and NaN",
                                FillKind::Normal, seed))
      return error;
    draws.back().finite = finite;
    draws.back().isSalted = true;
    for (auto [i, input] : llvm::enumerate(draws.back().inputs)) {
      Salt salt = finite ? Salt{zeros, 6, i} : Salt{wild, 64, i + turn};
      llvm::Expected<Tensor> changed =
          salted(input, salt, CounterRandom(seed, 7000 + i));
      if (!changed)
        return changed.takeError();
      input = std::move(*changed);
    }
  }
  llvm::Expected<std::vector<Draw>> edges = edgeDraws(request, draws.back().inputs, ++seed);
  if (!edges)
    return edges.takeError();
  llvm::move(*edges, std::back_inserter(draws));
  constexpr uint64_t kSeeds = 800; // after those of edgeDraws
  llvm::Expected<std::vector<Draw>> decisive =
      decisiveDraws(request, request.seed * 1000 + kSeeds);
  if (!decisive)
    return decisive.takeError();
  llvm::move(*decisive, std::back_inserter(draws));
  return draws;
}

llvm::Expected<Tensor> judge::asArgument(const program::Plan &plan, unsigned i,
                                         const Tensor &input) {
  auto function = mlir::cast<mlir::func::FuncOp>(
      plan.functions[plan.entry]->op);
  llvm::Expected<tensor::TensorType> type =
      program::tensorTypeOf(function.getArgumentTypes()[i]);
  if (!type)
    return type.takeError();
  if (type->element == input.elementType())
    return input;
  llvm::Expected<Tensor> dense = input.dense(),
                         converted = Tensor::allocate(*type);
  if (!dense || !converted)
    return llvm::joinErrors(dense.takeError(), converted.takeError());
  numerics::convertArray(input.elementType(), dense->bytes(), type->element,
                         converted->mutableBytes(), dense->size());
  return converted;
}
