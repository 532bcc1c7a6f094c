// The integers that a program compares with are written in it: its constants and
// the sizes that it indexes. Ordinary random integers almost never equal one of
// these.
#include "assay/judge/equivalence/EdgeDraws.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Random.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <set>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using tensor::Tensor;

static constexpr int64_t kMostEdges = 64, kMostDraws = 32, kFewDraws = 4;
/// Longer programs get few draws.
static constexpr int64_t kMostOperations = 400;

/// Numbers of an integer constant, where they are few.
static void addConstants(mlir::Operation *op, std::set<int64_t> &edges) {
  constexpr int64_t kMostNumbers = 16;
  mlir::DenseIntElementsAttr constant;
  if (!mlir::matchPattern(op, mlir::m_Constant(&constant)))
    return;
  auto add = [&](const llvm::APInt &value) {
    if (value.getSignificantBits() <= 32 && value.getBitWidth() > 1)
      edges.insert(value.getSExtValue());
  };
  if (constant.isSplat())
    add(constant.getSplatValue<llvm::APInt>());
  else if (constant.getNumElements() <= kMostNumbers)
    for (const llvm::APInt &value : constant.getValues<llvm::APInt>())
      add(value);
}

/// Sizes of tensors that are read or written at an index.
static void addSizes(mlir::Operation *op, std::set<int64_t> &edges) {
  if (!mlir::isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp,
                 stablehlo::GatherOp, stablehlo::ScatterOp>(op))
    return;
  if (auto type =
          mlir::dyn_cast<mlir::RankedTensorType>(op->getOperand(0).getType()))
    edges.insert(type.getShape().begin(), type.getShape().end());
}

/// Sorted by size; `operations` of both programs are counted.
static std::vector<int64_t> edgesOf(const EquivRequest &request,
                                    int64_t &operations) {
  std::set<int64_t> centres{0};
  for (const auto &program : {request.a, request.b})
    program->module().walk([&](mlir::Operation *op) {
      ++operations;
      addConstants(op, centres);
      addSizes(op, centres);
    });
  std::set<int64_t> edges;
  for (int64_t centre : centres)
    edges.insert({centre - 1, centre, centre + 1});
  std::vector<int64_t> sorted(edges.begin(), edges.end());
  llvm::stable_sort(
      sorted, [](int64_t x, int64_t y) { return std::abs(x) < std::abs(y); });
  if (sorted.size() > kMostEdges)
    sorted.resize(kMostEdges);
  return sorted;
}

static bool isInteger(const Tensor &tensor) {
  return tensor.elementType().isInteger() && tensor.elementType().bits > 1;
}

static llvm::Expected<Draw> ordinary(const EquivRequest &request,
                                     const char *name, uint64_t seed) {
  Draw draw{name, seed, {}, true};
  if (llvm::Error error =
          fillProgram(*request.a, request.entryA, FillKind::Normal, seed)
              .moveInto(draw.inputs))
    return error;
  return draw;
}

/// The arguments of one round: each element of an integer argument is the next
/// edge, in its own order, so that none is repeated.
static llvm::Expected<Tensor> integersAt(const Tensor &like,
                                         llvm::ArrayRef<int64_t> edges,
                                         int64_t turn, CounterRandom random) {
  llvm::Expected<Tensor> made = Tensor::allocate(like.type());
  if (!made)
    return made;
  auto size = static_cast<int64_t>(edges.size());
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < like.size(); ++i)
    numbers.push_back(edges[static_cast<size_t>(
        (random.integer(static_cast<uint64_t>(i), 0, size - 1) + turn) %
        size)]);
  numerics::convertArray(ElementType::integer(64),
                         reinterpret_cast<const std::byte *>(numbers.data()),
                         like.elementType(), made->mutableBytes(), like.size());
  return made;
}

/// The least and the largest integers of a type, and those at which halves and
/// sums overflow.
static std::vector<int64_t> endsOf(ElementType type) {
  int64_t least = type.isSigned() ? -(int64_t{1} << (type.bits - 1)) : 0,
          most = type.isSigned() ? -(least + 1)
                 : type.bits >= 63
                     ? std::numeric_limits<int64_t>::max()
                     : (int64_t{1} << type.bits) - 1;
  return {least, least + 1, least / 2 - 1, -1, 0, 1, most / 2 + 1, most - 1, most};
}

/// Whether an argument may set a loop's number of iterations.
static bool hasLoop(const EquivRequest &request) {
  for (const auto &program : {request.a, request.b})
    if (program->module()
            .walk([](stablehlo::WhileOp) { return mlir::WalkResult::interrupt(); })
            .wasInterrupted())
      return true;
  return false;
}

static llvm::Error addEnds(const EquivRequest &request,
                           llvm::ArrayRef<Tensor> like, uint64_t seed,
                           std::vector<Draw> &draws) {
  if (hasLoop(request))
    return llvm::Error::success();
  constexpr int64_t kMany = 16;
  bool many = llvm::all_of(like, [&](const Tensor &input) {
    return !isInteger(input) || input.size() >= kMany;
  });
  for (int turn = 0; turn < (many ? 1 : kFewDraws); ++turn, ++seed) {
    llvm::Expected<Draw> draw =
        ordinary(request, "integers at the ends of their types", seed);
    if (!draw)
      return draw.takeError();
    for (auto [i, input] : llvm::enumerate(draw->inputs))
      if (isInteger(input))
        if (llvm::Error error =
                integersAt(input, endsOf(input.elementType()), turn,
                           CounterRandom(seed, 8000 + i))
                    .moveInto(input))
          return error;
    draws.push_back(std::move(*draw));
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<Draw>> judge::edgeDraws(const EquivRequest &request,
                                                   llvm::ArrayRef<Tensor> like,
                                                   uint64_t seed) {
  std::vector<Draw> draws;
  if (llvm::none_of(like, isInteger))
    return draws;
  int64_t operations = 0, fewest = kMostEdges;
  for (const Tensor &input : like)
    if (isInteger(input))
      fewest = std::min(fewest, std::max<int64_t>(1, input.size()));
  std::vector<int64_t> edges = edgesOf(request, operations);
  auto size = static_cast<int64_t>(edges.size());
  int64_t count = std::clamp<int64_t>(
      (size + fewest - 1) / fewest, 1,
      operations > kMostOperations ? kFewDraws : kMostDraws);
  for (int64_t turn = 0; turn < count; ++turn, ++seed) {
    llvm::Expected<Draw> draw =
        ordinary(request, "integers beside the programs' constants", seed);
    if (!draw)
      return draw.takeError();
    for (auto [i, input] : llvm::enumerate(draw->inputs)) {
      if (!isInteger(input))
        continue;
      CounterRandom random(request.seed, 8000 + i);
      if (llvm::Error error =
              integersAt(input, edges, turn, random).moveInto(input))
        return error;
    }
    draws.push_back(std::move(*draw));
  }
  if (llvm::Error error = addEnds(request, like, seed, draws))
    return error;
  return draws;
}

//===--- Floats that decide ------------------------------------------------===//

/// Whether an operation decides by floats, so that equal values or halves matter.
static bool decidesByFloats(mlir::Operation *op) {
  bool takesFloats =
      op->getNumOperands() > 0 &&
      mlir::isa<mlir::FloatType>(
          mlir::getElementTypeOrSelf(op->getOperand(0).getType()));
  if (!takesFloats)
    return false;
  if (mlir::isa<stablehlo::ConvertOp>(op))
    return !mlir::isa<mlir::FloatType>(
        mlir::getElementTypeOrSelf(op->getResult(0).getType()));
  return mlir::isa<stablehlo::CompareOp, stablehlo::FloorOp, stablehlo::CeilOp,
                   stablehlo::RoundNearestAfzOp, stablehlo::RoundNearestEvenOp,
                   stablehlo::SignOp, stablehlo::RemainderOp>(op);
}

/// A real float argument with its numbers changed.
static llvm::Expected<Tensor>
changed(const Tensor &tensor,
        llvm::function_ref<void(std::vector<double> &)> change) {
  llvm::Expected<Tensor> dense = tensor.dense(),
                         made = Tensor::allocate(tensor.type());
  if (!dense || !made)
    return llvm::joinErrors(dense.takeError(), made.takeError());
  std::vector<double> values = valuesOf(*dense);
  change(values);
  numerics::convertArray(ElementType::floating(numerics::FloatFormat::F64),
                         reinterpret_cast<std::byte *>(values.data()),
                         tensor.elementType(), made->mutableBytes(),
                         tensor.size());
  return made;
}

/// Numbers at which the programs' decisions turn: their constants, and quarters
/// about zero.
static std::vector<double> decisiveFloats(const EquivRequest &request) {
  constexpr double kLargest = 1e4;
  std::set<double> constants;
  bool decides = false;
  for (const auto &program : {request.a, request.b})
    program->module().walk([&](mlir::Operation *op) {
      decides |= decidesByFloats(op);
      mlir::DenseFPElementsAttr constant;
      if (!mlir::matchPattern(op, mlir::m_Constant(&constant)) ||
          !constant.isSplat())
        return;
      llvm::APFloat value = constant.getSplatValue<llvm::APFloat>();
      bool loses = false;
      value.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &loses);
      double number = value.convertToDouble();
      if (std::fabs(number) <= kLargest)
        constants.insert(number);
    });
  if (!decides)
    return {};
  std::vector<double> numbers(constants.begin(), constants.end());
  if (numbers.size() > kMostEdges)
    numbers.resize(kMostEdges);
  for (int quarter = -10; quarter <= 10; ++quarter)
    numbers.push_back(quarter * 0.25);
  return numbers;
}

llvm::Expected<std::vector<Draw>>
judge::decisiveDraws(const EquivRequest &request, uint64_t seed) {
  std::vector<Draw> draws;
  std::vector<double> numbers = decisiveFloats(request);
  if (numbers.empty())
    return draws;
  llvm::Expected<Draw> draw =
      ordinary(request, "numbers that the programs decide at", seed);
  if (!draw)
    return draw.takeError();
  draw->isLiteral = true;
  bool changes = false;
  for (auto [i, input] : llvm::enumerate(draw->inputs)) {
    if (!input.elementType().isFloat())
      continue;
    CounterRandom own(seed, 8500 + i), shared(seed, 8499);
    constexpr int64_t kEqual = 4; // every 4th element is equal in all arguments
    llvm::Expected<Tensor> made =
        changed(input, [&](std::vector<double> &values) {
          auto last = static_cast<int64_t>(numbers.size()) - 1;
          for (auto [k, value] : llvm::enumerate(values))
            value = numbers[static_cast<size_t>(
                (k % kEqual ? own : shared).integer(k, 0, last))];
        });
    if (!made)
      return made.takeError();
    input = std::move(*made);
    changes = true;
  }
  if (changes)
    draws.push_back(std::move(*draw));
  return draws;
}

//===--- Narrow data -----------------------------------------------------===//

/// Matrices x become x x^T + n, each n by n.
static void makePositiveDefinite(std::vector<double> &values, int64_t n) {
  std::vector<double> matrix(static_cast<size_t>(n * n));
  for (size_t at = 0; at < values.size(); at += matrix.size()) {
    double *x = values.data() + at;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = i == j ? static_cast<double>(n) : 0;
        for (int64_t k = 0; k < n; ++k)
          sum += x[i * n + k] * x[j * n + k];
        matrix[static_cast<size_t>(i * n + j)] = sum;
      }
    std::copy(matrix.begin(), matrix.end(), x);
  }
}

/// The size of square matrices, 0: the argument has none.
static int64_t squareSize(const Tensor &tensor) {
  llvm::ArrayRef<int64_t> shape = tensor.shape();
  bool isSquare = shape.size() >= 2 && shape.back() == shape[shape.size() - 2];
  return isSquare ? shape.back() : 0;
}

llvm::Expected<std::vector<Draw>>
judge::narrowDraws(const EquivRequest &request, uint64_t seed) {
  struct Kind {
    const char *name;
    double least;
    bool isDefinite;
  };
  static constexpr Kind kKinds[] = {
      {"indices of 0 and 1", -HUGE_VAL, false},
      {"positive data", 0, false},
      {"data above one", 1, false},
      {"positive definite matrices", 0, true},
  };
  std::vector<Draw> draws;
  for (const Kind &kind : kKinds) {
    llvm::Expected<Draw> draw = ordinary(request, kind.name, seed++);
    if (!draw)
      return draw.takeError();
    for (Tensor &input : draw->inputs) {
      // What is read at an index beyond a tensor is NaN in JAX's programs.
      if (input.elementType().isInteger() && !input.elementType().isBool()) {
        llvm::Expected<Tensor> made =
            changed(input, [](std::vector<double> &values) {
              for (auto [i, value] : llvm::enumerate(values))
                value = static_cast<double>(i % 3 % 2);
            });
        if (!made)
          return made.takeError();
        input = std::move(*made);
      }
      if (!input.elementType().isFloat() || std::isinf(kind.least))
        continue;
      int64_t n = kind.isDefinite ? squareSize(input) : 0;
      llvm::Expected<Tensor> made =
          changed(input, [&](std::vector<double> &values) {
            if (n > 0)
              return makePositiveDefinite(values, n);
            for (double &value : values)
              value = kind.least + std::fabs(value);
          });
      if (!made)
        return made.takeError();
      input = std::move(*made);
    }
    draws.push_back(std::move(*draw));
  }
  return draws;
}
