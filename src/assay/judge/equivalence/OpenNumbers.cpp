// Both programs run with their f64 shadows. Where these differ, the first
// program runs once more on arguments whose shadows are off by a relative 2^-48
// (2^-24 where constants may be rounded): the change shows how well the results
// can be known.
#include "assay/judge/equivalence/OpenNumbers.h"
#include "assay/judge/equivalence/EquivDraws.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Types.h"
#include "assay/reference/Reference.h"
#include "assay/support/Random.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

namespace {
/// Numbers of every result, with tuples decomposed.
using Results = std::vector<std::vector<double>>;
} // namespace

static llvm::Error addNumbers(const Value &value, Results &results) {
  if (value.isTuple()) {
    for (const Value &member : value.tuple())
      if (llvm::Error error = addNumbers(member, results))
        return error;
    return llvm::Error::success();
  }
  results.emplace_back();
  if (!value.isTensor())
    return llvm::Error::success();
  llvm::Expected<Tensor> dense = value.shadowOrTensor().dense();
  if (!dense)
    return dense.takeError();
  results.back() = valuesOf(*dense);
  return llvm::Error::success();
}

/// An argument, in the program's own type, with the given number as its shadow,
/// moved up or down by 2^nudge times itself.
static llvm::Expected<Value>
argumentWithShadow(const Tensor &own, const Tensor &input,
                   std::optional<int> nudge, uint64_t stream) {
  Value value(own);
  std::optional<numerics::ElementType> wide =
      program::shadowTypeOf(own.elementType());
  if (!wide || !input.elementType().isFloat() || input.size() == 0)
    return value;
  llvm::Expected<Tensor> dense = input.dense(),
                         shadow =
                             Tensor::allocate({*wide, input.type().shape});
  if (!dense || !shadow)
    return llvm::joinErrors(dense.takeError(), shadow.takeError());
  std::vector<double> numbers = valuesOf(*dense);
  CounterRandom random(0, stream);
  for (size_t i = 0; nudge && i < numbers.size(); ++i)
    numbers[i] += std::ldexp(numbers[i], *nudge) * (random.bits(i) & 1 ? 1 : -1);
  numerics::convertArray(
      numerics::ElementType::floating(numerics::FloatFormat::F64),
      reinterpret_cast<const std::byte *>(numbers.data()), *wide,
      shadow->mutableBytes(), input.size());
  value.setShadow(std::move(*shadow));
  return value;
}

static llvm::Expected<std::unique_ptr<program::Plan>>
planOf(const EquivRequest &request, bool second) {
  program::PlanOptions options;
  options.entry = second ? request.entryB : request.entryA;
  options.shadow = true;
  return program::buildPlan(second ? request.b : request.a,
                            reference::ReferenceCompiler(), options);
}

static llvm::Expected<Results>
shadowsOf(const program::Plan &plan, const EquivRequest &request,
          llvm::ArrayRef<Tensor> inputs, std::optional<int> nudge,
          ThreadPool &pool) {
  program::RunContext context(pool);
  std::string printed;
  llvm::raw_string_ostream prints(printed);
  context.printStream = &prints;
  context.shadow = true;
  if (request.maxSeconds > 0)
    context.interrupt.setTimeLimit(request.maxSeconds);
  std::vector<Value> arguments;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    llvm::Expected<Tensor> own =
        asArgument(plan, static_cast<unsigned>(i), input);
    if (!own)
      return own.takeError();
    llvm::Expected<Value> argument =
        argumentWithShadow(*own, input, nudge, 9000 + i);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  auto execution = program::Execution::create(plan, context);
  if (llvm::Error error = execution->start(plan.entry, std::move(arguments)))
    return error;
  if (auto progress = execution->advance(); !progress)
    return progress.takeError();
  Results results;
  for (const Value &value : execution->takeResults())
    if (llvm::Error error = addNumbers(value, results))
      return error;
  return results;
}

static double largestOf(llvm::ArrayRef<double> numbers) {
  double largest = 0;
  for (double x : numbers)
    if (std::isfinite(x))
      largest = std::max(largest, std::fabs(x));
  return largest;
}

/// Whether both are finite, both NaN or the same infinity.
static bool haveSameKind(double x, double y) {
  return std::isfinite(x) ? std::isfinite(y)
                          : x == y || (std::isnan(x) && std::isnan(y));
}

/// Whether all numbers agree to 2^-36, relative to themselves or to the
/// largest.
static bool agree(const Results &a, const Results &b) {
  for (auto [left, right] : llvm::zip(a, b)) {
    double largest = largestOf(left);
    for (auto [x, y] : llvm::zip(left, right))
      if (!haveSameKind(x, y) ||
          (std::isfinite(x) &&
           std::fabs(x - y) > std::ldexp(std::fabs(x) + 1e-3 * largest, -36)))
        return false;
  }
  return true;
}

/// The largest distance of finite numbers in a result.
static double distance(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  double most = 0;
  for (auto [x, y] : llvm::zip(a, b))
    if (std::isfinite(x) && std::isfinite(y))
      most = std::max(most, std::fabs(x - y));
  return most;
}

llvm::Expected<InShadow>
judge::compareShadows(const EquivRequest &request,
                      llvm::ArrayRef<Tensor> inputs, bool rounds,
                      ThreadPool &pool) {
  auto first = planOf(request, false), second = planOf(request, true);
  if (!first || !second)
    return llvm::joinErrors(first.takeError(), second.takeError());
  if (!(*first)->noShadow.empty() || !(*second)->noShadow.empty())
    return InShadow::Unknown;
  auto a = shadowsOf(**first, request, inputs, std::nullopt, pool),
       b = shadowsOf(**second, request, inputs, std::nullopt, pool);
  if (!a || !b)
    return llvm::joinErrors(a.takeError(), b.takeError());
  if (agree(*a, *b))
    return InShadow::Same;
  auto off = shadowsOf(**first, request, inputs, rounds ? -24 : -48, pool);
  if (!off)
    return off.takeError();
  // An algorithm's own rounding may count for more than that of the arguments.
  constexpr double kTimes = 64;
  // Integers are not moved, and exp may enlarge a rounding 2^8 times.
  bool moves = llvm::any_of(inputs, [](const Tensor &input) {
    return input.elementType().isFloat();
  });
  int least = !rounds ? -44 : moves ? -18 : -10;
  for (auto [x, y, z] : llvm::zip(*a, *b, *off)) {
    double apart = distance(x, y), moved = distance(x, z);
    bool isClear = apart > kTimes * moved && apart > std::ldexp(largestOf(x), least);
    if (isClear)
      return InShadow::Unlike;
  }
  return InShadow::Unknown;
}
