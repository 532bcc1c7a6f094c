// Products and convolutions of a program as problems of the grammar: each
// operation is put into words, the words are read back, and what they lower to
// is what the engine is offered. So the words of a failure's repro line are
// those that were run.
#include "assay/verify/Offers.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/program/Types.h"
#include "assay/reference/Attributes.h"
#include "assay/reference/DotAlgorithm.h"
#include "assay/reference/DotDimensions.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Reader.h"

namespace assay::verify {

using engine::Offer;
using reference::DotDimensions;
using tensor::Shape;
using tensor::TensorType;

namespace {
/// The types of an operation with two operands and one result.
struct Types {
  TensorType operands[2], results[1];
};

/// A tensor of the program as a tensor of the problem: sizes in the problem's
/// order, and the program's strides in it.
struct View {
  Shape shape, strides;
};

/// A problem in the grammar's words, and how its three tensors are read and
/// written.
struct Description {
  std::string driver, types, text;
  View a, b, c;
};
} // namespace

/// The dimensions `order` of a dense tensor.
static View viewOf(const TensorType &type, llvm::ArrayRef<int64_t> order) {
  Shape strides = tensor::rowMajorStrides(type.shape);
  View view;
  for (int64_t dim : order) {
    view.shape.push_back(type.shape[dim]);
    view.strides.push_back(strides[dim]);
  }
  return view;
}

/// "f32:f32:f32". Integer sums that wrap into a narrower result than 32 bits
/// are not the grammar's, which saturates.
static std::optional<std::string> typesText(const Types &spec) {
  if (spec.results[0].element.isInteger() &&
      spec.results[0].element.storageBytes() < 4)
    return std::nullopt;
  std::string text;
  for (const TensorType *type :
       {&spec.operands[0], &spec.operands[1], &spec.results[0]}) {
    std::string name = numerics::toString(type->element);
    static constexpr std::pair<const char *, const char *> kNames[] = {
        {"f32", "f32"}, {"f64", "f64"}, {"bf16", "bf16"}, {"f16", "f16"},
        {"i8", "s8"},   {"ui8", "u8"},  {"i32", "s32"}};
    auto found =
        llvm::find_if(kNames, [&](auto &pair) { return name == pair.first; });
    if (found == std::end(kNames))
      return std::nullopt;
    text += (text.empty() ? "" : ":") + std::string(found->second);
  }
  return text;
}

static int64_t product(const TensorType &type, llvm::ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= type.shape[dim];
  return size;
}

static std::optional<Description> describeDot(const Types &spec,
                                              const DotDimensions &dot) {
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  auto order = [](const TensorType &type, llvm::ArrayRef<int64_t> first,
                  llvm::ArrayRef<int64_t> contracted, bool freeFirst) {
    Shape dims(first.begin(), first.end()), free;
    for (int64_t d = 0; d < static_cast<int64_t>(type.shape.size()); ++d)
      if (!llvm::is_contained(first, d) && !llvm::is_contained(contracted, d))
        free.push_back(d);
    for (llvm::ArrayRef<int64_t> part :
         {freeFirst ? llvm::ArrayRef<int64_t>(free) : contracted,
          freeFirst ? contracted : free})
      dims.append(part.begin(), part.end());
    return dims;
  };
  int64_t batch = product(lhs, dot.lhsBatch),
          k = product(lhs, dot.lhsContracted);
  if (batch * k == 0 || product(result, {}) == 0 ||
      llvm::is_contained(result.shape, 0))
    return std::nullopt; // nothing to compute: the grammar has no empty
                         // products
  int64_t m = 1, n = 1;
  for (int64_t size : lhs.shape)
    m *= size;
  for (int64_t size : rhs.shape)
    n *= size;
  m /= batch * k;
  n /= batch * k;
  Description d;
  d.driver = "matmul";
  std::string prefix = dot.lhsBatch.empty() ? "" : std::to_string(batch) + "x";
  d.text = llvm::formatv("{0}{1}x{2}:{0}{2}x{3}", prefix, m, k, n).str();
  d.a = viewOf(lhs, order(lhs, dot.lhsBatch, dot.lhsContracted, true));
  d.b = viewOf(rhs, order(rhs, dot.rhsBatch, dot.rhsContracted, false));
  d.c = {result.shape, tensor::rowMajorStrides(result.shape)};
  return d;
}

static std::optional<Description>
describeConvolution(const Types &spec, stablehlo::ConvolutionOp op) {
  auto dims = op.getDimensionNumbers();
  const TensorType &lhs = spec.operands[0], &rhs = spec.operands[1],
                   &result = spec.results[0];
  auto rank = static_cast<int64_t>(dims.getInputSpatialDimensions().size());
  auto strides = reference::intsOf(op, "window_strides", rank, 1),
       low = reference::intsOf(op, "padding", 2 * rank, 0),
       base = reference::intsOf(op, "lhs_dilation", rank, 1),
       taps = reference::intsOf(op, "rhs_dilation", rank, 1),
       reversal = reference::intsOf(op, "window_reversal", rank, 0);
  auto groups = reference::intOf(op, "feature_group_count", 1);
  auto isOne = [](int64_t x) { return x == 1; };
  if (rank < 1 || rank > 3 || !llvm::all_of(base, isOne) ||
      llvm::any_of(reversal, [](int64_t x) { return x != 0; }) ||
      reference::intOf(op, "batch_group_count", 1) != 1 ||
      llvm::any_of(low, [](int64_t x) { return x < 0; }) ||
      llvm::is_contained(result.shape, 0) || llvm::is_contained(lhs.shape, 0) ||
      llvm::is_contained(rhs.shape, 0))
    return std::nullopt;
  Description d;
  d.driver = "conv";
  Shape a{dims.getInputBatchDimension(), dims.getInputFeatureDimension()},
      b{dims.getKernelOutputFeatureDimension(),
        dims.getKernelInputFeatureDimension()},
      c{dims.getOutputBatchDimension(), dims.getOutputFeatureDimension()};
  d.text =
      llvm::formatv("{0}mb{1}ic{2}oc{3}",
                    groups > 1 ? "g" + std::to_string(groups) : std::string(),
                    lhs.shape[a[0]], lhs.shape[a[1]], rhs.shape[b[0]])
          .str();
  for (int64_t i = 0; i < rank; ++i) {
    int64_t in = dims.getInputSpatialDimensions()[i],
            window = dims.getKernelSpatialDimensions()[i],
            out = dims.getOutputSpatialDimensions()[i];
    char letter = "dhw"[3 - rank + i];
    d.text +=
        llvm::formatv("i{0}{1}o{0}{2}k{0}{3}s{0}{4}p{0}{5}d{0}{6}", letter,
                      lhs.shape[in], result.shape[out], rhs.shape[window],
                      strides[i], low[2 * i], taps[i] - 1)
            .str();
    a.push_back(in), b.push_back(window), c.push_back(out);
  }
  d.a = viewOf(lhs, a), d.b = viewOf(rhs, b), d.c = viewOf(result, c);
  return d;
}

/// The problem that the words stand for; nullopt when the grammar does not take
/// them.
static std::optional<Problem> readProblem(const Description &d) {
  std::optional<Problem> problem;
  Reader reader({}, [&](Problem read) {
    problem = std::move(read);
    return llvm::Error::success();
  });
  std::string driver = "--" + d.driver, types = "--dt=" + d.types,
              direction = "--dir=FWD_D";
  std::vector<const char *> words{driver.c_str(), types.c_str()};
  if (d.driver == "conv")
    words.push_back(direction.c_str());
  words.push_back(d.text.c_str());
  if (llvm::Error error = reader.readArguments(words)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  if (problem && (!problem->invalid.empty() || !problem->unimplemented.empty()))
    return std::nullopt;
  return problem;
}

/// The types of the operation; nullopt when it has other operands and results
/// than a product.
static std::optional<Types> typesOf(mlir::Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  Types types;
  auto read = [](mlir::Value value, TensorType &type) {
    llvm::Expected<TensorType> found = program::tensorTypeOf(value.getType());
    bool known = static_cast<bool>(found);
    if (known)
      type = std::move(*found);
    else
      llvm::consumeError(found.takeError());
    return known;
  };
  if (!read(op->getOperand(0), types.operands[0]) ||
      !read(op->getOperand(1), types.operands[1]) ||
      !read(op->getResult(0), types.results[0]))
    return std::nullopt;
  return types;
}

static std::optional<Description> describe(mlir::Operation *op,
                                           const Types &types) {
  std::optional<Description> description;
  if (reference::hasAlgorithm(op)) // no descriptor has one
    return std::nullopt;
  if (std::optional<DotDimensions> dot =
          reference::dotDimensions(op, types.operands[0]))
    description = describeDot(types, *dot);
  else if (auto convolution = mlir::dyn_cast<stablehlo::ConvolutionOp>(op))
    description = describeConvolution(types, convolution);
  std::optional<std::string> text =
      description ? typesText(types) : std::nullopt;
  if (!text)
    return std::nullopt;
  description->types = *text;
  return description;
}

std::vector<Offer> offersFor(mlir::Operation *op) {
  std::optional<Types> types = typesOf(op);
  if (!types)
    return {};
  std::optional<Description> description = describe(op, *types);
  if (!description)
    return {};
  std::optional<Problem> problem = readProblem(*description);
  if (!problem)
    return {};
  llvm::Expected<Lowered> lowered = lower(*problem);
  if (!lowered) {
    llvm::consumeError(lowered.takeError());
    return {};
  }
  engine::ProblemDescription described =
      llvm::cantFail(verify::describe(*lowered, 0, /*engine=*/""));
  Offer offer;
  offer.driver = described.driver;
  offer.json = described.json;
  offer.words = "--" + description->driver + " --dt=" + description->types +
                " " + description->text;
  offer.covered = {op};
  offer.tensors.resize(described.tensors.size());
  auto put = [&](int slot, mlir::Value value, const View &view) {
    offer.tensors[slot] = {std::move(described.tensors[slot]),
                           value,
                           view.shape,
                           view.strides,
                           tensor::rowMajorStrides(view.shape),
                           judge::bytesOf(lowered->slots[slot].type)};
  };
  put(lowered->a, op->getOperand(0), description->a);
  put(lowered->b, op->getOperand(1), description->b);
  put(lowered->out, op->getResult(0), description->c);
  return {std::move(offer)};
}

} // namespace assay::verify
