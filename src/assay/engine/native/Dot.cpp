// dot_general on the kernels: every form is a list of batch, row, column and
// contracted dimensions with a stride in each operand. Adjacent dimensions that
// continue each other are merged; a form with one dimension per list is then a
// batched strided product. The remaining batch dimensions are loops around it.
// An operand whose rows or contracted dimensions do not merge is first copied
// into order.
#include "assay/engine/native/DotParts.h"
#include "assay/engine/native/PackedWeight.h"
#include "assay/engine/native/Pieces.h"
#include "assay/engine/native/Steps.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/reference/Strided.h"
#include "assay/support/Math.h"

#include <algorithm>

namespace assay::engine {

using kernels::DataType;
using tensor::Shape;

namespace {
/// One dimension of the product with its stride in lhs, rhs and result (0 if it
/// does not occur there).
struct Dim {
  int64_t size, a, b, c;
};
using Dims = llvm::SmallVector<Dim, 4>;

struct Product {
  Dims batch, rows, columns, depth;
};
} // namespace

bool kernelTakes(numerics::ElementType lhs, numerics::ElementType rhs,
                 numerics::ElementType result) {
  auto a = kernels::dataTypeOf(lhs), b = kernels::dataTypeOf(rhs),
       c = kernels::dataTypeOf(result);
  if (!a || !b || !c)
    return false;
  kernels::GemmProblem problem;
  problem.a = *a;
  problem.b = *b;
  problem.acc = kernels::accumulatorOf(*a);
  problem.c = *c;
  // Kernels saturate 8-bit results, StableHLO wraps them.
  return kernels::sizeOf(*c) > 1 &&
         !(problem.acc == DataType::S32 && *c != DataType::S32) &&
         !kernels::validate(problem);
}

/// Drops dimensions of size 1 and merges those that continue each other in all
/// operands.
static Dims merged(const Dims &dims) {
  Dims result;
  for (const Dim &dim : dims) {
    if (dim.size == 1)
      continue;
    if (!result.empty()) {
      Dim &last = result.back();
      if (last.a == dim.a * dim.size && last.b == dim.b * dim.size &&
          last.c == dim.c * dim.size) {
        last = {last.size * dim.size, dim.a, dim.b, dim.c};
        continue;
      }
    }
    result.push_back(dim);
  }
  return result;
}

/// If rows (or columns) are not evenly spaced in the result, all of their
/// dimensions but the longest become batches, with stride 0 in the other
/// operand.
static void splitForResult(Dims &free, Dims &batch) {
  Dims inResult = free;
  for (Dim &dim : inResult)
    dim.a = dim.b = 0;
  if (merged(inResult).size() < 2)
    return;
  Dim longest = *llvm::max_element(
      free, [](const Dim &x, const Dim &y) { return x.size < y.size; });
  llvm::stable_sort(free, [](const Dim &x, const Dim &y) { return x.c > y.c; });
  for (const Dim &dim : free)
    if (dim.c != longest.c || dim.size != longest.size)
      batch.push_back(dim);
  free = {longest};
}

static Product productOf(const DotDimensions &d, const Layout &lhs,
                         const Layout &rhs, const Shape &result) {
  Product p;
  auto isFree = [](llvm::ArrayRef<int64_t> batch,
                   llvm::ArrayRef<int64_t> contracted, int64_t dim) {
    return !llvm::is_contained(batch, dim) &&
           !llvm::is_contained(contracted, dim);
  };
  for (auto [l, r] : llvm::zip(d.lhsBatch, d.rhsBatch))
    p.batch.push_back({lhs.shape[l], lhs.strides[l], rhs.strides[r], 0});
  for (int64_t dim = 0; dim < static_cast<int64_t>(lhs.shape.size()); ++dim)
    if (isFree(d.lhsBatch, d.lhsContracted, dim))
      p.rows.push_back({lhs.shape[dim], lhs.strides[dim], 0, 0});
  for (int64_t dim = 0; dim < static_cast<int64_t>(rhs.shape.size()); ++dim)
    if (isFree(d.rhsBatch, d.rhsContracted, dim))
      p.columns.push_back({rhs.shape[dim], 0, rhs.strides[dim], 0});
  for (auto [l, r] : llvm::zip(d.lhsContracted, d.rhsContracted))
    p.depth.push_back({lhs.shape[l], lhs.strides[l], rhs.strides[r], 0});
  // The result's dimensions: batch, rows, columns.
  size_t next = 0;
  for (Dims *dims : {&p.batch, &p.rows, &p.columns})
    for (Dim &dim : *dims)
      dim.c = result[next++];
  splitForResult(p.rows, p.batch);
  splitForResult(p.columns, p.batch);
  // The order of summation is free: the outermost dimension of lhs comes first,
  // so that dimensions merge if they can.
  llvm::stable_sort(p.depth,
                    [](const Dim &x, const Dim &y) { return x.a > y.a; });
  return p;
}

static int64_t countOf(const Dims &dims) {
  int64_t count = 1;
  for (const Dim &dim : dims)
    count *= dim.size;
  return count;
}

/// Sets the strides after a copy: dense in the order batch, first, second.
static void makeDense(Dims &batch, Dims &first, Dims &second,
                      int64_t Dim::*member) {
  int64_t stride = 1;
  for (Dims *dims : {&second, &first, &batch})
    for (Dim &dim : llvm::reverse(*dims)) {
      dim.*member = stride;
      stride *= dim.size;
    }
}

/// Collects the arguments of copyStrided that bring an operand into the order
/// batch, first, second.
static void appendCopy(const Dims &dims, int64_t Dim::*member, Shape &shape,
                       Shape &strides) {
  for (const Dim &dim : dims) {
    shape.push_back(dim.size);
    strides.push_back(dim.*member);
  }
}

namespace {
class DotStep final : public ProductStep {
public:
  DotStep(std::shared_ptr<NativeContext> context, Product product,
          int64_t lhsOffset, int64_t rhsOffset, TensorType lhs, TensorType rhs,
          TensorType result, DotEpilogue epilogue);
  llvm::Error runPieces(StepContext &context, Ready ready) const override;
  int64_t unit() const override;
  void setConstantWeight() override { constantRhs_ = true; }
  std::optional<DotParts> parts() const override;
  llvm::Expected<Tensor> arranged(StepContext &context, const Tensor &value,
                                  size_t index) const override;

private:
  struct Copy {
    bool needed = false;
    Shape shape, strides;
    int64_t offset = 0; ///< elements
  };
  WeightPanels panelsFor(StepContext &context, const Tensor &rhs,
                         llvm::ArrayRef<kernels::GemmProblem> problems) const;
  bool runPacked(StepContext &context, const Tensor &rhs,
                 kernels::GemmPointers pointers, Ready ready) const;
  llvm::Error runKernels(StepContext &context,
                         kernels::GemmPointers pointers) const;

  std::shared_ptr<NativeContext> context_;
  Dims outer_; ///< batch dimensions that are loops
  kernels::GemmProblem problem_;
  Copy copies_[2];
  int64_t offsets_[2] = {0, 0}; ///< elements, of operands that are not copied
  DotEpilogue epilogue_;
  bool constantRhs_ = false;
  mutable PackedWeight weight_;
};
} // namespace

DotStep::DotStep(std::shared_ptr<NativeContext> context, Product p,
                 int64_t lhsOffset, int64_t rhsOffset, TensorType lhs,
                 TensorType rhs, TensorType result, DotEpilogue epilogue)
    : context_(std::move(context)), epilogue_(epilogue) {
  auto copyInto = [&](Copy &copy, Dims &first, Dims &second,
                      int64_t Dim::*member) {
    copy.needed = true;
    appendCopy(p.batch, member, copy.shape, copy.strides);
    appendCopy(first, member, copy.shape, copy.strides);
    appendCopy(second, member, copy.shape, copy.strides);
    makeDense(p.batch, first, second, member);
  };
  if (merged(p.rows).size() > 1)
    copyInto(copies_[0], p.rows, p.depth, &Dim::a);
  if (merged(p.columns).size() > 1)
    copyInto(copies_[1], p.columns, p.depth, &Dim::b);
  if (merged(p.depth).size() > 1 && !copies_[0].needed)
    copyInto(copies_[0], p.rows, p.depth, &Dim::a);
  if (merged(p.depth).size() > 1 && !copies_[1].needed)
    copyInto(copies_[1], p.columns, p.depth, &Dim::b);
  Dims batch = merged(p.batch), rows = merged(p.rows),
       columns = merged(p.columns), depth = merged(p.depth);
  problem_.a = *kernels::dataTypeOf(lhs.element);
  problem_.b = *kernels::dataTypeOf(rhs.element);
  problem_.c = *kernels::dataTypeOf(result.element);
  problem_.acc = kernels::accumulatorOf(problem_.a);
  problem_.m = countOf(p.rows);
  problem_.n = countOf(p.columns);
  problem_.k = countOf(p.depth);
  int64_t n = problem_.n;
  Dim row = rows.empty() ? Dim{1, 1, 0, n} : rows[0],
      column = columns.empty() ? Dim{1, 0, 1, 1} : columns[0];
  offsets_[0] = copies_[0].needed ? 0 : lhsOffset;
  offsets_[1] = copies_[1].needed ? 0 : rhsOffset;
  copies_[0].offset = lhsOffset;
  copies_[1].offset = rhsOffset;
  Dim inner = depth.empty() ? Dim{1, 1, 1, 0} : depth[0];
  problem_.aStrides = {row.a, inner.a, 0};
  problem_.bStrides = {inner.b, column.b, 0};
  problem_.cStrides = {row.c, column.c, 0};
  // A single row or column has no stride of its own, so this states which
  // dimension is contiguous.
  if (rows.empty())
    problem_.aStrides.row = std::max<int64_t>(1, inner.a * inner.size);
  if (columns.empty())
    problem_.bStrides.column =
        inner.b == 1 ? std::max<int64_t>(1, inner.size) : 1;
  if (!batch.empty()) {
    problem_.batch = batch.back().size;
    problem_.aStrides.batch = batch.back().a;
    problem_.bStrides.batch = batch.back().b;
    problem_.cStrides.batch = batch.back().c;
    outer_.assign(batch.begin(), batch.end() - 1);
  }
  problem_.bias = epilogue.bias;
  problem_.activation = epilogue.activation;
}

llvm::Expected<Tensor> DotStep::arranged(StepContext &context,
                                         const Tensor &value,
                                         size_t index) const {
  const Copy &copy = copies_[index];
  llvm::Expected<Tensor> source = value.dense();
  if (!source || !copy.needed)
    return source;
  llvm::Expected<Tensor> packed =
      context.allocate({value.elementType(), copy.shape});
  int64_t width = value.elementType().storageBytes();
  if (packed)
    reference::copyStrided(width, copy.shape,
                           source->bytes() + copy.offset * width, copy.strides,
                           packed->mutableBytes(),
                           tensor::rowMajorStrides(copy.shape),
                           &context.run.threads);
  return packed;
}

/// The weight's panels, or none if the right operand is not a weight or packing
/// would not pay.
WeightPanels
DotStep::panelsFor(StepContext &context, const Tensor &rhs,
                   llvm::ArrayRef<kernels::GemmProblem> problems) const {
  // With few rows, packing only pays if B exceeds the second-level cache: its
  // panels are contiguous, on large pages.
  constexpr int64_t kFewRows = 16, kFewestWeights = 1 << 14,
                    kFewestForFewRows = 1 << 18;
  if (!constantRhs_ || problem_.batch != 1 || !outer_.empty() ||
      copies_[1].needed ||
      problem_.n * problem_.k <
          (problem_.m < kFewRows ? kFewestForFewRows : kFewestWeights))
    return {};
  return weight_.find(context, *context_, rhs, problems, offsets_[1],
                      /*arrange=*/nullptr);
}

/// The elements of a row, if the result's rows are contiguous and do not all
/// fit the second-level cache; else 0.
int64_t DotStep::unit() const {
  const kernels::GemmProblem &p = problem_;
  bool dense = outer_.empty() && p.batch == 1 && p.cStrides.column == 1 &&
               p.cStrides.row == p.n;
  return dense && p.m * p.n * kernels::sizeOf(p.c) >
                      context_->registry.machine().caches.l2
             ? p.n
             : 0;
}

/// Runs with the weight in panels; if a loop reads the result at once, each
/// thread computes pieces of it. False if there are no panels.
bool DotStep::runPacked(StepContext &context, const Tensor &rhs,
                        kernels::GemmPointers pointers, Ready ready) const {
  if (problem_.m == 0)
    return false;
  ThreadPool &pool = context.run.threads;
  int64_t m = problem_.m, n = problem_.n, size = kernels::sizeOf(problem_.c),
          rows = ready ? rowsOfAPiece(m, n * size, pool.threads(),
                                      context_->registry.machine().caches)
                       : m,
          pieces = ceilDiv(m, rows);
  if (pieces < pool.threads())
    rows = m, pieces = 1;
  llvm::SmallVector<kernels::GemmProblem, 2> problems{problem_};
  problems.front().m = rows;
  if (m % rows) {
    problems.push_back(problem_);
    problems.back().m = m % rows;
  }
  WeightPanels panels = panelsFor(context, rhs, problems);
  if (!panels)
    return false;
  pointers.b = panels.memory.bytes();
  auto multiply = [&](int64_t first) {
    kernels::GemmPointers here = pointers;
    here.a = static_cast<const std::byte *>(pointers.a) +
             first * problem_.aStrides.row * kernels::sizeOf(problem_.a);
    here.c = static_cast<std::byte *>(pointers.c) +
             first * problem_.cStrides.row * size;
    int64_t end = std::min(m, first + rows);
    panels.products[end - first == rows ? 0 : 1]->run(here, pool);
    if (ready && pieces > 1)
      ready(first * n, end * n);
  };
  if (pieces == 1)
    multiply(0);
  else
    pool.parallelFor(pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece)
        multiply(piece * rows);
    });
  if (ready && pieces == 1)
    sayAllReady(pool, m * n, n, ready);
  return true;
}

/// Runs the kernels chosen for the problem, for each entry of the batch
/// dimensions that are loops.
llvm::Error DotStep::runKernels(StepContext &context,
                                kernels::GemmPointers pointers) const {
  kernels::GemmProblem problem = problem_;
  problem.threads = context.run.threads.threads();
  Shape index(outer_.size(), 0), sizes;
  for (const Dim &dim : outer_)
    sizes.push_back(dim.size);
  const auto *a = static_cast<const std::byte *>(pointers.a),
             *b = static_cast<const std::byte *>(pointers.b);
  auto *c = static_cast<std::byte *>(pointers.c);
  do {
    int64_t at = 0, bt = 0, ct = 0;
    for (size_t d = 0; d < outer_.size(); ++d) {
      at += index[d] * outer_[d].a;
      bt += index[d] * outer_[d].b;
      ct += index[d] * outer_[d].c;
    }
    pointers.a = a + at * kernels::sizeOf(problem.a);
    pointers.b = b + bt * kernels::sizeOf(problem.b);
    pointers.c = c + ct * kernels::sizeOf(problem.c);
    if (llvm::Error error =
            kernels::gemm(problem, pointers, context_->registry,
                          *context_->selector, context.run.threads))
      return error;
  } while (reference::nextIndex(index, sizes));
  return llvm::Error::success();
}

llvm::Error DotStep::runPieces(StepContext &context, Ready ready) const {
  ++context.run.engineSteps;
  llvm::Expected<Tensor> a = arranged(context, context.operand(0), 0);
  if (!a)
    return a.takeError();
  llvm::Expected<Tensor> b = arranged(context, context.operand(1), 1);
  if (!b)
    return b.takeError();
  llvm::Expected<Tensor> bias =
      epilogue_.bias == kernels::Bias::None ? Tensor() : context.dense(2);
  if (!bias)
    return bias.takeError();
  if (llvm::any_of(outer_, [](const Dim &dim) { return dim.size == 0; }))
    return llvm::Error::success();
  kernels::GemmPointers pointers;
  pointers.a = a->bytes() + offsets_[0] * kernels::sizeOf(problem_.a);
  pointers.b = b->bytes() + offsets_[1] * kernels::sizeOf(problem_.b);
  pointers.c = context.out(0).mutableBytes();
  if (bias->valid())
    pointers.bias = bias->bytes();
  if (runPacked(context, *b, pointers, ready))
    return llvm::Error::success();
  if (llvm::Error error = runKernels(context, pointers))
    return error;
  if (ready)
    sayAllReady(context.run.threads, problem_.m * problem_.n, problem_.n,
                ready);
  return llvm::Error::success();
}

std::unique_ptr<Step> makeDotStep(std::shared_ptr<NativeContext> context,
                                  const DotDimensions &dimensions, Layout lhs,
                                  Layout rhs, TensorType lhsType,
                                  TensorType rhsType, TensorType result,
                                  Shape resultStrides, DotEpilogue epilogue) {
  if (resultStrides.empty())
    resultStrides = tensor::rowMajorStrides(result.shape);
  return std::make_unique<DotStep>(
      std::move(context), productOf(dimensions, lhs, rhs, resultStrides),
      lhs.offset, rhs.offset, std::move(lhsType), std::move(rhsType),
      std::move(result), epilogue);
}

std::optional<DotParts> DotStep::parts() const {
  if (epilogue_.bias != kernels::Bias::None ||
      epilogue_.activation != kernels::Activation::None)
    return std::nullopt;
  DotParts parts;
  parts.problem = problem_;
  parts.problem.batch = 1;
  Dims loops = outer_;
  loops.push_back({problem_.batch, problem_.aStrides.batch,
                   problem_.bStrides.batch, problem_.cStrides.batch});
  Shape index(loops.size(), 0), sizes;
  for (const Dim &dim : loops)
    sizes.push_back(dim.size);
  if (llvm::is_contained(sizes, 0))
    return std::nullopt;
  do {
    DotParts::Entry entry{offsets_[0], offsets_[1], 0};
    for (size_t d = 0; d < loops.size(); ++d) {
      entry.a += index[d] * loops[d].a;
      entry.b += index[d] * loops[d].b;
      entry.c += index[d] * loops[d].c;
    }
    parts.entries.push_back(entry);
  } while (reference::nextIndex(index, sizes));
  for (size_t i : {0, 1})
    parts.isCopied[i] = copies_[i].needed;
  return parts;
}

} // namespace assay::engine
