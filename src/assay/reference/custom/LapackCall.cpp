// A call of a LAPACK routine: its row is found by the target's name, its
// dimensions are bound by the row's signature, and the batch is processed
// matrix by matrix. Operands are copied into the layout that the call requests
// (JAX requests column-major) and results are copied back; a kernel sees the
// memory of one matrix.
#include "assay/program/Types.h"
#include "assay/reference/Strided.h"
#include "assay/reference/custom/Lapack.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace assay::reference {

namespace {
using Kernel = llvm::Error (*)(const LapackProblem &);

/// How the shadow is computed (Lapack.def).
enum class LapackShadow : uint8_t { None, Wide, Pivots };

struct Row {
  llvm::StringRef name, letters, symbol, signature;
  LapackShadow shadow;
  Kernel (*kernel)(char letter);
};

/// One operand or result: its layout in memory, and its size per matrix.
struct Part {
  TensorType type;
  Shape strides;      ///< strides of the layout, in elements
  int64_t matrix = 1; ///< number of elements of one matrix
  int64_t bytes() const { return matrix * type.element.storageBytes(); }
};

struct Call {
  Kernel kernel;
  LapackProblem problem; ///< memory pointers are filled in later
  std::vector<Part> operands, results;
  int64_t batch = 1;
};
} // namespace

#define ASSAY_LAPACK(name, letters, symbol, signature, routine, shadow)        \
  {name,                                                                       \
   letters,                                                                    \
   symbol,                                                                     \
   signature,                                                                  \
   LapackShadow::shadow,                                                       \
   [](char letter) -> Kernel {                                                 \
     constexpr std::string_view kLetters = letters;                            \
     if constexpr (kLetters.find('s') != std::string_view::npos) {             \
       if (letter == 's')                                                      \
         return &routine<float>;                                               \
       if (letter == 'd')                                                      \
         return &routine<double>;                                              \
     }                                                                         \
     if constexpr (kLetters.find('c') != std::string_view::npos) {             \
       if (letter == 'c')                                                      \
         return &routine<std::complex<float>>;                                 \
       if (letter == 'z')                                                      \
         return &routine<std::complex<double>>;                                \
     }                                                                         \
     return nullptr;                                                           \
   }},
static const Row kRows[] = {
#include "assay/reference/custom/Lapack.def"
};
#undef ASSAY_LAPACK

/// The row of a target and the letter of its type; null for another target.
static const Row *findRow(llvm::StringRef target, char &letter) {
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") ||
      target.size() < 2)
    return nullptr;
  letter = target.front();
  for (const Row &row : kRows)
    if (row.name == target.drop_front() && row.letters.contains(letter))
      return &row;
  return nullptr;
}

static ElementType elementOf(char kind, char letter) {
  bool wide = letter == 'd' || letter == 'z',
       complex =
           kind == 'C' || (kind == 'T' && (letter == 'c' || letter == 'z'));
  numerics::FloatFormat format =
      wide ? numerics::FloatFormat::F64 : numerics::FloatFormat::F32;
  if (kind == 'I')
    return ElementType::integer(32);
  return complex ? ElementType::complex(format) : ElementType::floating(format);
}

static llvm::Error misfit(const TensorType &type, llvm::StringRef name) {
  return makeError(ErrorCode::InvalidArgument,
                   "{0} does not fit the operands and results of '{1}'",
                   tensor::toString(type), name);
}

/// The strides of a tensor in a layout (dimensions from minor to major).
static llvm::Error layOut(mlir::Operation *op, llvm::StringRef attribute,
                          size_t index, size_t batchRank, Part &part) {
  size_t rank = part.type.shape.size();
  Ints order;
  for (size_t d = rank; d-- > 0;)
    order.push_back(static_cast<int64_t>(d));
  auto layouts = op->getAttrOfType<mlir::ArrayAttr>(attribute);
  if (layouts && index < layouts.size())
    if (auto given = mlir::dyn_cast<mlir::DenseIntElementsAttr>(
            layouts[unsigned(index)]))
      for (size_t d = 0; d < rank && given.getNumElements() == int64_t(rank);
           ++d)
        order[d] = given.getValues<llvm::APInt>()[d].getSExtValue();
  Ints sorted = order;
  llvm::sort(sorted);
  bool valid = true;
  for (size_t d = 0; d < rank; ++d)
    valid &= sorted[d] == static_cast<int64_t>(d);
  for (size_t d = 0; valid && d < batchRank; ++d)
    valid &= order[rank - 1 - d] == static_cast<int64_t>(d);
  if (!valid)
    return makeError(ErrorCode::Unsupported,
                     "the layout of {0} does not keep the matrices of the "
                     "batch together",
                     tensor::toString(part.type));
  part.strides.assign(rank, 1);
  int64_t stride = 1;
  for (int64_t d : order) {
    part.strides[static_cast<size_t>(d)] = stride;
    stride *= part.type.shape[static_cast<size_t>(d)];
  }
  return llvm::Error::success();
}

namespace {
/// Binds the dimensions of a signature to those of the tensors.
class Binder {
public:
  Binder(llvm::StringRef name, char letter) : name_(name), letter_(letter) {}

  /// `token`, such as `Tmn`, is a type and the dimensions after those of the
  /// batch.
  llvm::Error bind(llvm::StringRef token, const TensorType &type) {
    size_t own = token.size() - 1, rank = type.shape.size();
    if (rank < own || type.element != elementOf(token[0], letter_))
      return misfit(type, name_);
    llvm::ArrayRef<int64_t> batch =
        llvm::ArrayRef<int64_t>(type.shape).drop_back(own);
    if (!batch_)
      batch_ = Shape(batch.begin(), batch.end());
    if (llvm::ArrayRef<int64_t>(*batch_) != batch)
      return misfit(type, name_);
    for (size_t d = 0; d < own; ++d)
      if (valueOf(token[d + 1], type.shape[rank - own + d]) !=
          type.shape[rank - own + d])
        return misfit(type, name_);
    return llvm::Error::success();
  }
  size_t batchRank() const { return batch_->size(); }
  llvm::Expected<int64_t> batch() const {
    return tensor::elementCount(*batch_);
  }
  llvm::Error fill(LapackProblem &problem) const;

private:
  int64_t valueOf(char dimension, int64_t given) {
    if (dimension == 'k')
      return std::min(values_['m'], values_['n']);
    if (dimension == 'e')
      return std::max<int64_t>(values_['n'] - 1, 0);
    return values_.try_emplace(dimension, given).first->second;
  }
  llvm::StringRef name_;
  char letter_;
  std::optional<Shape> batch_;
  std::map<char, int64_t> values_;
};
} // namespace

llvm::Error Binder::fill(LapackProblem &problem) const {
  auto put = [&](char dimension, int &to) {
    auto found = values_.find(dimension);
    to = found == values_.end() ? 0 : static_cast<int>(found->second);
  };
  for (auto [dimension, value] : values_)
    if (value > std::numeric_limits<int>::max() / 2)
      return makeError(ErrorCode::Unsupported,
                       "dimension {0} is too large for LAPACK's 32-bit sizes", value);
  put('m', problem.m);
  put('n', problem.n);
  put('q', problem.q);
  put('r', problem.r);
  put('u', problem.u);
  put('v', problem.v);
  problem.k = std::min(problem.m, problem.n);
  return llvm::Error::success();
}

/// Binds and lays out the operands or the results.
static llvm::Error bindAll(Binder &binder, mlir::Operation *op,
                           llvm::StringRef tokens, llvm::StringRef attribute,
                           llvm::ArrayRef<TensorType> types,
                           llvm::StringRef name, std::vector<Part> &parts) {
  llvm::SmallVector<llvm::StringRef> each;
  tokens.split(each, ' ', -1, false);
  if (each.size() != types.size())
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' has {1} of {2}, got {3}", name, each.size(),
                     attribute.split('_').first, types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    if (llvm::Error error = binder.bind(each[i], types[i]))
      return error;
    Part part{types[i], {}, 1};
    for (int64_t size :
         llvm::ArrayRef<int64_t>(types[i].shape).drop_front(binder.batchRank()))
      part.matrix *= size;
    if (llvm::Error error = layOut(op, attribute, i, binder.batchRank(), part))
      return error;
    parts.push_back(std::move(part));
  }
  return llvm::Error::success();
}

/// Copies a tensor into the call's layout, or with `out` back to row-major
/// order.
static void move(const Part &part, const void *from, void *to, bool out) {
  Shape plain = tensor::rowMajorStrides(part.type.shape);
  copyStrided(part.type.element.storageBytes(), part.type.shape, from,
              out ? part.strides : plain, to, out ? plain : part.strides);
}

/// Allocates memory for an operand or result, under the run's budget.
static llvm::Error addTensor(const Part &part, StepContext &context,
                             std::vector<Tensor> &tensors) {
  llvm::Expected<Tensor> tensor = context.allocate(part.type);
  if (!tensor)
    return tensor.takeError();
  tensors.push_back(std::move(*tensor));
  return llvm::Error::success();
}

static llvm::Error runCall(const Call &call, StepContext &context) {
  std::vector<Tensor> operands, results;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    llvm::Expected<Tensor> dense = context.dense(i);
    if (!dense)
      return dense.takeError();
    if (llvm::Error error = addTensor(call.operands[i], context, operands))
      return error;
    move(call.operands[i], dense->bytes(), operands.back().mutableBytes(),
         false);
  }
  LapackProblem problem = call.problem;
  problem.operands.resize(operands.size());
  problem.results.resize(call.results.size());
  for (const Part &part : call.results) {
    if (llvm::Error error = addTensor(part, context, results))
      return error;
    std::memset(results.back().mutableBytes(), 0,
                static_cast<size_t>(results.back().denseBytes()));
    problem.resultBytes.push_back(part.bytes());
  }
  for (int64_t b = 0; b < call.batch; ++b) {
    for (size_t i = 0; i < operands.size(); ++i)
      problem.operands[i] = operands[i].bytes() + b * call.operands[i].bytes();
    for (size_t i = 0; i < results.size(); ++i)
      problem.results[i] =
          results[i].mutableBytes() + b * call.results[i].bytes();
    if (llvm::Error error = call.kernel(problem))
      return error;
    if (llvm::Error error = context.run.interrupt.check())
      return error;
  }
  for (size_t i = 0; i < results.size(); ++i)
    if (!context.shadowRun ||
        program::shadowTypeOf(call.results[i].type.element))
      move(call.results[i], results[i].bytes(), context.out(i).mutableBytes(),
           true);
  return llvm::Error::success();
}

/// Factors row-major `a` with given pivots: row i is exchanged with row
/// pivots[i] - 1 and then eliminates its column below.
template <typename T>
static void factorWithPivots(T *a, int m, int n, const int32_t *pivots) {
  for (int i = 0; i < std::min(m, n); ++i) {
    T *row = a + int64_t(i) * n;
    if (int other = pivots[i] - 1; other > i && other < m)
      std::swap_ranges(row, row + n, a + int64_t(other) * n);
    for (int below = i + 1; below < m && row[i] != T(0); ++below) {
      T *to = a + int64_t(below) * n;
      T factor = to[i] /= row[i];
      for (int column = i + 1; column < n; ++column)
        to[column] -= factor * row[column];
    }
  }
}

namespace {
/// An LU factorisation in f32 whose shadow uses the pivots of the value.
class PivotedStep final : public Step {
public:
  explicit PivotedStep(Call call) : call_(std::move(call)) {}
  bool jointShadow() const override { return true; }
  llvm::Error run(StepContext &context) const override {
    if (llvm::Error error = runCall(call_, context))
      return error;
    if (!context.withShadow())
      return llvm::Error::success();
    return call_.operands[0].type.element.isComplex()
               ? factorShadow<std::complex<double>>(context)
               : factorShadow<double>(context);
  }

private:
  template <typename T> llvm::Error factorShadow(StepContext &context) const {
    llvm::Expected<Tensor> matrix = context.shadowOperand(0).dense();
    if (!matrix)
      return matrix.takeError();
    std::byte *to = context.shadowOut(0).mutableBytes();
    std::memcpy(to, matrix->bytes(), static_cast<size_t>(matrix->denseBytes()));
    const auto *pivots = context.out(1).data<int32_t>();
    for (int64_t b = 0; b < call_.batch; ++b)
      factorWithPivots(reinterpret_cast<T *>(to) + b * call_.results[0].matrix,
                       call_.problem.m, call_.problem.n,
                       pivots + b * call_.results[1].matrix);
    return llvm::Error::success();
  }

  Call call_;
};
} // namespace

/// Selects the routine of the wider type. Errors: NotFound where there is no
/// shadow.
static llvm::Error widen(const Row &row, char &letter) {
  if (row.shadow != LapackShadow::Wide || letter == 'd' || letter == 'z')
    return makeError(ErrorCode::NotFound, "'{0}' of LAPACK has no shadow",
                     letter + row.name.str());
  letter = letter == 's' ? 'd' : 'z';
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> lapackCall(const StepSpec &spec,
                                                 llvm::StringRef target) {
  char letter = 0;
  const Row *row = findRow(target, letter);
  if (!row)
    return nullptr;
  if (spec.shadow)
    if (llvm::Error error = widen(*row, letter))
      return error;
  std::string symbol = row->symbol.str();
  symbol[symbol.find('?')] = letter;
  Call call;
  call.kernel = row->kernel(letter);
  call.problem.op = spec.op;
  if (llvm::Error error = lapackRoutine(symbol).moveInto(call.problem.routine))
    return error;
  Binder binder(target, letter);
  auto [operands, results] = row->signature.split(" -> ");
  if (llvm::Error error = bindAll(binder, spec.op, operands, "operand_layouts",
                                  spec.operands, target, call.operands))
    return error;
  if (llvm::Error error = bindAll(binder, spec.op, results, "result_layouts",
                                  spec.results, target, call.results))
    return error;
  if (llvm::Error error = binder.fill(call.problem))
    return error;
  if (llvm::Error error = binder.batch().moveInto(call.batch))
    return error;
  if (row->shadow == LapackShadow::Pivots && (letter == 's' || letter == 'c'))
    return std::make_unique<PivotedStep>(std::move(call));
  return program::makeStep(
      [call = std::move(call)](StepContext &context) -> llvm::Error {
        return runCall(call, context);
      });
}

} // namespace assay::reference
