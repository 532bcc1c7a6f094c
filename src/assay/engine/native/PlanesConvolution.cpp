// convolution of tensors that keep each feature's plane together (NCHW). One
// group and batch entry at a time it is a product with an unfolded plane, in
// one of three ways, none of which multiplies by the zeros that dilation puts
// into the input:
//   unfold      out[o, p] = sum over i, t of filter[o, i t] * window(in)[i t, p]
//   fold        matrix[o t, x] = sum over i of filter[o t, i] * in[i, x], added
//               up into out where tap t puts position x: dilated inputs, and
//               filters that are stored as their transposes (gradients of the data)
//   accumulate  out[o, b p] += filter_i[o, t] * window(in_i)[b p, t] for each i:
//               inputs whose outermost dimension is the feature (gradients of
//               the filter)
// Work is cut so that a window matrix stays in the second-level cache. A filter's
// number that is not finite makes NaN of the zeros that folding leaves out.
#include "assay/engine/native/Pieces.h"
#include "assay/engine/native/PlanarGeometry.h"
#include "assay/kernels/Finite.h"
#include "assay/reference/Strided.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

namespace assay::engine {

using tensor::Shape;

namespace {
/// The filter as the products read it: element [row, column] of group g and,
/// when accumulating, feature i.
struct Matrix {
  int64_t group = 0, feature = 0, row = 0, column = 1;
};

class PlanarConvolution final : public Step {
public:
  PlanarConvolution(std::shared_ptr<NativeContext> context, PlanarGeometry geometry,
                    const TensorType &lhs, const TensorType &rhs,
                    const TensorType &result);
  llvm::Error run(StepContext &context) const override;

private:
  class Run;
  void arrangeFilter();
  kernels::GemmProblem product(int64_t m, int64_t n, int64_t k) const;

  std::shared_ptr<NativeContext> context_;
  PlanarGeometry g_;
  kernels::GemmProblem types_;
  int64_t width_, filterWidth_, outWidth_;
  Matrix filter_;
  /// Where no strides describe the matrix, the filter is copied, dense in this
  /// order.
  Shape copyShape_, copyStrides_;
};
} // namespace

//===--- The step --------------------------------------------------------===//

PlanarConvolution::PlanarConvolution(std::shared_ptr<NativeContext> context,
                                     PlanarGeometry geometry, const TensorType &lhs,
                                     const TensorType &rhs,
                                     const TensorType &result)
    : context_(std::move(context)), g_(std::move(geometry)),
      width_(lhs.element.storageBytes()),
      filterWidth_(rhs.element.storageBytes()),
      outWidth_(result.element.storageBytes()) {
  types_.a = *kernels::dataTypeOf(rhs.element);
  types_.b = *kernels::dataTypeOf(lhs.element);
  types_.c = *kernels::dataTypeOf(result.element);
  types_.acc = kernels::accumulatorOf(types_.a);
  arrangeFilter();
}

void PlanarConvolution::arrangeFilter() {
  const FilterDim(&t)[3] = g_.filterTap;
  auto merged = [&](const FilterDim &outer) {
    return mergedStride({outer, t[0], t[1], t[2]});
  };
  int64_t all = g_.w.groups() * g_.w.groupOut(), depth = g_.w.groupIn() * g_.w.taps();
  // A single row or column has no stride of its own.
  auto strideOf = [](const FilterDim &dim, int64_t otherwise) {
    return dim.size == 1 ? otherwise : dim.stride;
  };
  std::optional<int64_t> row, column;
  if (g_.way == PlanarWay::Fold)
    row = merged(g_.filterOut), column = strideOf(g_.filterIn, 1);
  else if (g_.way == PlanarWay::Unfold)
    row = strideOf(g_.filterOut, depth), column = merged(g_.filterIn);
  else
    row = strideOf(g_.filterOut, g_.w.taps()), column = merged({1, 0});
  filter_.group = g_.w.groupOut() * g_.filterOut.stride;
  filter_.feature = g_.filterIn.stride;
  if (row && column && *row > 0 && *column > 0 && (*row == 1 || *column == 1)) {
    filter_.row = *row, filter_.column = *column;
    return;
  }
  copyShape_ = {all, g_.w.groupIn()};
  copyStrides_ = {g_.filterOut.stride, g_.filterIn.stride};
  if (g_.way == PlanarWay::Fold) {
    std::swap(copyShape_[0], copyShape_[1]);
    std::swap(copyStrides_[0], copyStrides_[1]);
    filter_ = {g_.w.groupOut() * g_.w.taps(), 0, 1, all * g_.w.taps()};
  } else {
    filter_ = {g_.w.groupOut() * depth, g_.w.taps(), depth, 1};
  }
  for (const FilterDim &tap : t) {
    copyShape_.push_back(tap.size);
    copyStrides_.push_back(tap.stride);
  }
}

kernels::GemmProblem PlanarConvolution::product(int64_t m, int64_t n,
                                                int64_t k) const {
  kernels::GemmProblem p = types_;
  p.m = m, p.n = n, p.k = k;
  p.aStrides = {filter_.row, filter_.column, 0};
  p.bStrides = {n, 1, 0};
  p.cStrides = {n, 1, 0};
  return p;
}

/// About what a second-level cache holds beside the other operands.
static constexpr int64_t kMatrixBytes = int64_t(3) << 19;

/// A product with fewer columns reads its filter for too little.
static constexpr int64_t kFewestColumns = 64;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// One execution: the operands, and memory for each thread's matrix.
class PlanarConvolution::Run {
public:
  Run(const PlanarConvolution &step, StepContext &context)
      : s_(step), g_(step.g_), context_(context), pool_(context.run.threads) {}
  llvm::Error all();

private:
  struct Blocks {
    int64_t size, count;
    bool together; ///< each on all threads
  };
  Blocks blocksOfLines(int64_t items, int64_t lineBytes) const;
  llvm::Error prepareFilter();
  llvm::Error unfolded();
  llvm::Error folded();
  bool isFiniteFilter() const;
  bool isFiniteTap(int64_t group, int64_t out, int64_t tap) const;
  void writeNan(int64_t group, int64_t out, std::byte *plane) const;
  llvm::Error accumulated();
  llvm::Error multiply(const kernels::GemmProblem &problem, const void *a,
                       const void *b, void *c) {
    kernels::GemmPointers pointers;
    pointers.a = a, pointers.b = b, pointers.c = c;
    return kernels::gemm(problem, pointers, s_.context_->registry,
                         *s_.context_->selector, pool_);
  }
  const std::byte *plane(int64_t group, int64_t entry, int64_t feature) const {
    return lhs_.bytes() + (group * g_.lhsGroup + entry * g_.lhsBatch +
                           feature * g_.lhsFeature) *
                              s_.width_;
  }
  std::byte *result(int64_t group, int64_t entry, int64_t feature) const {
    return out_ + (group * g_.outGroup + entry * g_.outBatch +
                   feature * g_.outFeature) *
                      s_.outWidth_;
  }
  const std::byte *filter(int64_t group, int64_t feature, int64_t row) const {
    return filter_ + (group * s_.filter_.group + feature * s_.filter_.feature +
                      row * s_.filter_.row) *
                         s_.filterWidth_;
  }

  const PlanarConvolution &s_;
  const PlanarGeometry &g_;
  StepContext &context_;
  ThreadPool &pool_;
  Tensor lhs_, rhs_;
  const std::byte *filter_ = nullptr;
  std::byte *out_ = nullptr;
};

llvm::Error PlanarConvolution::Run::prepareFilter() {
  llvm::Expected<Tensor> dense = context_.dense(1);
  if (!dense)
    return dense.takeError();
  rhs_ = std::move(*dense);
  filter_ = rhs_.bytes() + g_.filterOffset * s_.filterWidth_;
  if (s_.copyShape_.empty())
    return llvm::Error::success();
  llvm::Expected<Tensor> copy =
      context_.allocate({rhs_.elementType(), s_.copyShape_});
  if (!copy)
    return copy.takeError();
  reference::copyStrided(s_.filterWidth_, s_.copyShape_, filter_,
                         s_.copyStrides_, copy->mutableBytes(),
                         tensor::rowMajorStrides(s_.copyShape_), &pool_);
  rhs_ = std::move(*copy);
  filter_ = rhs_.bytes();
  return llvm::Error::success();
}

/// Blocks of lines of output positions: the same work for each thread, or, where
/// there is too little for that, one block after the other on all threads.
PlanarConvolution::Run::Blocks
PlanarConvolution::Run::blocksOfLines(int64_t items, int64_t lineBytes) const {
  int64_t lines = g_.grid.lines(), columns = g_.grid.columns[2],
          threads = pool_.threads();
  Blocks blocks;
  blocks.size = std::clamp<int64_t>(
      std::max(kMatrixBytes / std::max<int64_t>(1, lineBytes),
               ceilDiv(4 * kFewestColumns, columns)),
      1, lines);
  blocks.count = ceilDiv(lines, blocks.size);
  auto isUneven = [&](int64_t count) {
    return items * count < 4 * threads && items * count % threads != 0;
  };
  int64_t most = std::min(lines, lines * columns / kFewestColumns);
  for (int64_t count = blocks.count; isUneven(blocks.count) && count <= most;
       ++count)
    if (!isUneven(count))
      blocks.count = count;
  blocks.together = isUneven(blocks.count);
  blocks.size = ceilDiv(lines, blocks.count);
  return blocks;
}

llvm::Error PlanarConvolution::Run::unfolded() {
  int64_t k = g_.w.groupIn() * g_.w.taps(), lines = g_.grid.lines(),
          columns = g_.grid.columns[2], items = g_.w.groups() * g_.batch();
  const Blocks cut = blocksOfLines(items, k * columns * s_.width_);
  int64_t block = cut.size, blocks = cut.count, pieces = items * blocks;
  bool together = cut.together;
  bool direct = g_.isDirect();
  int64_t planeBytes = block * columns * s_.width_ * g_.w.taps(),
          bytes = direct ? 0 : planeBytes * g_.w.groupIn();
  auto gather = [&](int64_t item, int64_t first, int64_t last, int64_t begin,
                    int64_t end, std::byte *matrix) {
    int64_t row = (last - first) * columns * s_.width_ * g_.w.taps();
    for (int64_t i = begin; i < end; ++i)
      unfold(g_.grid, s_.width_, plane(item / g_.batch(), item % g_.batch(), i),
             first, last, matrix + i * row);
  };
  auto work = [&](int64_t piece, std::byte *matrix) -> llvm::Error {
    int64_t item = piece / blocks, first = piece % blocks * block,
            last = std::min(lines, first + block);
    int64_t group = item / g_.batch(), entry = item % g_.batch();
    if (first >= last)
      return llvm::Error::success();
    kernels::GemmProblem p = s_.product(g_.w.groupOut(), (last - first) * columns, k);
    p.cStrides = {g_.outFeature, 1, 0};
    p.threads = together ? pool_.threads() : 1;
    const std::byte *b = matrix;
    if (direct) {
      p.bStrides = {g_.lhsFeature, 1, 0};
      b = plane(group, entry, 0) + first * columns * s_.width_;
    } else if (together) {
      pool_.parallelFor(g_.w.groupIn(), 1, [&](int64_t begin, int64_t end) {
        gather(item, first, last, begin, end, matrix);
      });
    } else {
      gather(item, first, last, 0, g_.w.groupIn(), matrix);
    }
    return multiply(p, filter(group, 0, 0), b,
                    result(group, entry, 0) + first * columns * s_.outWidth_);
  };
  if (!together)
    return forEachPiece(context_, pieces, bytes, work);
  llvm::Expected<Tensor> matrix = context_.allocate(
      {*numerics::parseElementType("ui8"), {std::max<int64_t>(1, bytes)}});
  if (!matrix)
    return matrix.takeError();
  for (int64_t piece = 0; piece < pieces; ++piece)
    if (llvm::Error error = work(piece, matrix->mutableBytes()))
      return error;
  return llvm::Error::success();
}

bool PlanarConvolution::Run::isFiniteFilter() const {
  std::atomic<bool> finite{true};
  pool_.parallelFor(rhs_.size(), 1 << 16, [&](int64_t begin, int64_t end) {
    if (!kernels::areFinite(s_.types_.a, rhs_.bytes() + begin * s_.filterWidth_,
                            end - begin))
      finite = false;
  });
  return finite;
}

bool PlanarConvolution::Run::isFiniteTap(int64_t group, int64_t out,
                                         int64_t tap) const {
  const std::byte *first = filter(group, 0, out * g_.w.taps() + tap);
  for (int64_t i = 0; i < g_.w.groupIn(); ++i)
    if (!kernels::areFinite(s_.types_.a,
                            first + i * s_.filter_.column * s_.filterWidth_, 1))
      return false;
  return true;
}

/// NaN where such a tap of output feature `out` meets no element of the input.
void PlanarConvolution::Run::writeNan(int64_t group, int64_t out,
                                      std::byte *plane) const {
  std::vector<float> matrix, met;
  for (int64_t tap = 0; tap < g_.w.taps(); ++tap) {
    if (isFiniteTap(group, out, tap))
      continue;
    matrix.assign(static_cast<size_t>(g_.w.taps() * g_.w.inPositions()), 0);
    met.assign(static_cast<size_t>(g_.w.positions()), 0);
    std::fill_n(matrix.begin() + tap * g_.w.inPositions(), g_.w.inPositions(), 1.0F);
    fold(g_.grid, kernels::DataType::F32, matrix.data(), met.data());
    auto write = [&](auto nan) {
      for (int64_t p = 0; p < g_.w.positions(); ++p)
        if (met[static_cast<size_t>(p)] == 0)
          std::memcpy(plane + p * s_.outWidth_, &nan, sizeof(nan));
    };
    if (s_.types_.c == kernels::DataType::F64)
      write(std::numeric_limits<double>::quiet_NaN());
    else
      write(std::numeric_limits<float>::quiet_NaN());
  }
}

/// Pieces are blocks of output features.
llvm::Error PlanarConvolution::Run::folded() {
  int64_t items = g_.w.groups() * g_.batch(), each = g_.w.taps() * g_.w.inPositions();
  bool direct = g_.isDirect();
  int64_t block =
      direct ? g_.w.groupOut()
             : std::clamp<int64_t>(
                   kMatrixBytes / std::max<int64_t>(1, each * s_.outWidth_),
                   std::min<int64_t>(g_.w.groupOut(), ceilDiv(64, g_.w.taps())), g_.w.groupOut());
  const bool finite = isFiniteFilter();
  // Every thread is to get some.
  int64_t share = ceilDiv(pool_.threads(), items),
          blocks = std::min(g_.w.groupOut(), std::max(ceilDiv(g_.w.groupOut(), block), share));
  block = ceilDiv(g_.w.groupOut(), blocks);
  auto work = [&](int64_t piece, std::byte *matrix) -> llvm::Error {
    int64_t item = piece / blocks, first = piece % blocks * block,
            count = std::min(block, g_.w.groupOut() - first);
    int64_t group = item / g_.batch(), entry = item % g_.batch();
    if (count <= 0)
      return llvm::Error::success();
    kernels::GemmProblem p =
        s_.product(count * g_.w.taps(), g_.w.inPositions(), g_.w.groupIn());
    p.bStrides = {g_.lhsFeature, 1, 0};
    std::byte *c = matrix;
    if (direct) {
      p.cStrides = {g_.outFeature, 1, 0};
      c = result(group, entry, first);
    }
    if (llvm::Error error = multiply(p, filter(group, 0, first * g_.w.taps()),
                                     plane(group, entry, 0), c))
      return error;
    for (int64_t o = 0; !direct && o < count; ++o) {
      std::byte *to = result(group, entry, first + o);
      std::memset(to, 0, static_cast<size_t>(g_.w.positions() * s_.outWidth_));
      fold(g_.grid, s_.types_.c, matrix + o * each * s_.outWidth_, to);
      if (!finite)
        writeNan(group, first + o, to);
    }
    return llvm::Error::success();
  };
  return forEachPiece(context_, items * blocks,
                      direct ? 0 : block * each * s_.outWidth_, work);
}

/// Pieces are blocks of batch entries.
llvm::Error PlanarConvolution::Run::accumulated() {
  int64_t each = g_.w.positions() * g_.w.taps() * s_.width_, threads = pool_.threads();
  int64_t block =
      std::clamp<int64_t>(std::max(kMatrixBytes / std::max<int64_t>(1, each),
                                   ceilDiv(64, g_.w.positions())),
                          1, g_.batch());
  int64_t share = ceilDiv(threads, g_.w.groups()),
          blocks =
              std::min(g_.batch(), std::max(ceilDiv(g_.batch(), block), share));
  block = ceilDiv(g_.batch(), blocks);
  bool direct = g_.isDirect(),
       inPlace = g_.batch() == 1 || g_.outBatch == g_.w.positions();
  int64_t matrixBytes = direct ? 0 : block * each,
          sumBytes = inPlace ? 0 : block * g_.w.positions() * g_.w.groupOut() * s_.outWidth_;
  auto work = [&](int64_t piece, std::byte *matrix) -> llvm::Error {
    int64_t group = piece / blocks, first = piece % blocks * block,
            count = std::min(block, g_.batch() - first);
    if (count <= 0)
      return llvm::Error::success();
    int64_t n = count * g_.w.positions();
    kernels::GemmProblem p = s_.product(g_.w.groupOut(), n, g_.w.taps());
    p.bStrides = {1, direct ? g_.lhsBatch : g_.w.taps(), 0};
    std::byte *sums = inPlace ? result(group, first, 0) : matrix + matrixBytes;
    if (inPlace)
      p.cStrides = {g_.outFeature, 1, 0};
    for (int64_t i = 0; i < g_.w.groupIn(); ++i) {
      for (int64_t b = 0; !direct && b < count; ++b)
        unfold(g_.grid, s_.width_, plane(group, first + b, i), 0,
               g_.grid.lines(), matrix + b * each);
      p.beta = i ? 1 : 0;
      if (llvm::Error error =
              multiply(p, filter(group, i, 0),
                       direct ? plane(group, first, i) : matrix, sums))
        return error;
    }
    if (!inPlace)
      reference::copyStrided(s_.outWidth_, {g_.w.groupOut(), count, g_.w.positions()}, sums,
                             {n, g_.w.positions(), 1}, result(group, first, 0),
                             {g_.outFeature, g_.outBatch, 1});
    return llvm::Error::success();
  };
  return forEachPiece(context_, g_.w.groups() * blocks, matrixBytes + sumBytes,
                      work);
}

llvm::Error PlanarConvolution::Run::all() {
  llvm::Expected<Tensor> lhs = context_.dense(0);
  if (!lhs)
    return lhs.takeError();
  lhs_ = std::move(*lhs);
  out_ = context_.out(0).mutableBytes();
  if (llvm::Error error = prepareFilter())
    return error;
  return g_.way == PlanarWay::Unfold ? unfolded()
         : g_.way == PlanarWay::Fold ? folded()
                               : accumulated();
}

llvm::Error PlanarConvolution::run(StepContext &context) const {
  ++context.run.engineSteps;
  return Run(*this, context).all();
}

//===--- The algorithm ----------------------------------------------------===//

static std::optional<Refusal> supports(const ConvRequest &request) {
  numerics::ElementType lhs = request.spec.operands[0].element,
                        result = request.spec.results[0].element;
  if (!kernelTakes(request.spec.operands[1].element, lhs, result))
    return refuse("no kernel takes the operation with these types");
  std::optional<PlanarGeometry> g = planarGeometry(request);
  if (!g)
    return refuse("features have no planes of their own");
  // Partial sums go through the result's type, which must be theirs.
  if (g->way != PlanarWay::Unfold &&
      *kernels::dataTypeOf(result) !=
          kernels::accumulatorOf(*kernels::dataTypeOf(lhs)))
    return refuse("the result's type is not that of the sums");
  return std::nullopt;
}

/// An image of one channel or one position has channels last too: what is chosen for that comes first.
static double cost(const ConvRequest &request) {
  return request.directCost() * (request.sizes ? 1 : 0.7);
}

static Compiled make(const ConvRequest &request,
                     llvm::function_ref<Compiled()> /*next*/) {
  const StepSpec &spec = request.spec;
  return std::make_unique<PlanarConvolution>(
      request.context, *planarGeometry(request), spec.operands[0],
      spec.operands[1], spec.results[0]);
}

const ConvAlgorithm kPlanesConvolution{supports, cost, make};

} // namespace assay::engine
