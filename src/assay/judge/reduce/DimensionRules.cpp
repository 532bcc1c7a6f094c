// The demands of each operation on the sizes around it.
#include "assay/dialect/Windows.h"
#include "assay/judge/reduce/Dimensions.h"
#include "assay/program/Types.h"
#include "assay/reference/Attributes.h"
#include "assay/reference/DotDimensions.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

using namespace assay;
using namespace assay::judge;
using stablehlo::WindowDim;

static mlir::RankedTensorType typeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

static const llvm::StringSet<> &elementwiseNames() {
  static const llvm::StringSet<> kNames = {
#define ASSAY_ELEMENTWISE(NAME, FUNCTION) NAME,
#include "assay/reference/Elementwise.def"
#undef ASSAY_ELEMENTWISE
      "stablehlo.convert",
      "stablehlo.reduce_precision",
      "stablehlo.optimization_barrier",
  };
  return kNames;
}

static bool allTensors(mlir::Operation *op) {
  auto isTensor = [](mlir::Type type) {
    return mlir::isa<mlir::RankedTensorType>(type);
  };
  return llvm::all_of(op->getOperandTypes(), isTensor) &&
         llvm::all_of(op->getResultTypes(), isTensor);
}

void Dimensions::addOperation(mlir::Operation *op) {
  if (!allTensors(op))
    return pinAll(op);
  llvm::StringRef name = op->getName().getStringRef();
  using Rule = void (Dimensions::*)(mlir::Operation *);
  static const llvm::StringMap<Rule> kRules = {
      {"stablehlo.broadcast_in_dim", &Dimensions::broadcast},
      {"stablehlo.transpose", &Dimensions::broadcast},
      {"stablehlo.reshape", &Dimensions::reshape},
      {"stablehlo.dot_general", &Dimensions::product},
      {"stablehlo.dot", &Dimensions::product},
      {"stablehlo.convolution", &Dimensions::convolution},
      {"stablehlo.reduce", &Dimensions::reduce},
      {"stablehlo.reduce_window", &Dimensions::reduceWindow},
      {"stablehlo.concatenate", &Dimensions::concatenate},
      {"stablehlo.slice", &Dimensions::sliceOrPad},
      {"stablehlo.pad", &Dimensions::sliceOrPad},
      {"stablehlo.reverse", &Dimensions::sameShape},
      {"stablehlo.sort", &Dimensions::sameShape},
      {"stablehlo.iota", &Dimensions::sameShape},
  };
  auto found = kRules.find(name);
  if (found != kRules.end())
    return (this->*found->second)(op);
  if (elementwiseNames().contains(name))
    return sameShape(op);
  pinAll(op);
}

/// All operands and results that have a rank have one shape.
void Dimensions::sameShape(mlir::Operation *op) {
  mlir::Value result = op->getResult(0);
  int64_t rank = typeOf(result).getRank();
  for (auto range : {mlir::ValueRange(op->getOperands()),
                     mlir::ValueRange(op->getResults())})
    for (mlir::Value value : range)
      if (typeOf(value).getRank() == rank)
        for (int64_t d = 0; d < rank; ++d)
          tie(result, d, value, d);
}

/// broadcast_in_dim and transpose: each dimension of one side is one of the
/// other, except for sizes of one that are repeated.
void Dimensions::broadcast(mlir::Operation *op) {
  mlir::Value operand = op->getOperand(0), result = op->getResult(0);
  bool turns = op->getName().getStringRef() == "stablehlo.transpose";
  reference::Ints to =
      reference::intsOf(op, turns ? "permutation" : "broadcast_dimensions");
  for (size_t i = 0; i < to.size(); ++i) {
    int64_t of = turns ? to[i] : static_cast<int64_t>(i),
            at = turns ? static_cast<int64_t>(i) : to[i];
    if (typeOf(operand).getDimSize(of) == typeOf(result).getDimSize(at))
      tie(operand, of, result, at);
    else
      pin(operand, of);
  }
}

/// Dimensions that a reshape keeps are tied; groups that merge or split are
/// pinned, and so are sizes of one that appear or vanish.
void Dimensions::reshape(mlir::Operation *op) {
  mlir::Value from = op->getOperand(0), to = op->getResult(0);
  llvm::ArrayRef<int64_t> a = typeOf(from).getShape(),
                          b = typeOf(to).getShape();
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      tie(from, static_cast<int64_t>(i++), to, static_cast<int64_t>(j++));
      continue;
    }
    int64_t left = 1, right = 1;
    do {
      bool takesLeft = j >= b.size() || (i < a.size() && left <= right);
      if (takesLeft) {
        pin(from, static_cast<int64_t>(i));
        left *= a[i++];
      } else {
        pin(to, static_cast<int64_t>(j));
        right *= b[j++];
      }
    } while (left != right && (i < a.size() || j < b.size()));
  }
}

void Dimensions::product(mlir::Operation *op) {
  mlir::Value lhs = op->getOperand(0), rhs = op->getOperand(1),
              result = op->getResult(0);
  llvm::Expected<tensor::TensorType> type =
      program::tensorTypeOf(lhs.getType());
  std::optional<reference::DotDimensions> dot;
  if (type)
    dot = reference::dotDimensions(op, *type);
  else
    llvm::consumeError(type.takeError());
  if (!dot)
    return pinAll(op);
  for (auto [i, j] : llvm::zip(dot->lhsContracted, dot->rhsContracted))
    tie(lhs, i, rhs, j);
  int64_t at = 0;
  for (auto [i, j] : llvm::zip(dot->lhsBatch, dot->rhsBatch)) {
    tie(lhs, i, rhs, j);
    tie(lhs, i, result, at++);
  }
  for (auto &[value, batch, contracted] :
       {std::tie(lhs, dot->lhsBatch, dot->lhsContracted),
        std::tie(rhs, dot->rhsBatch, dot->rhsContracted)})
    for (int64_t d = 0; d < typeOf(value).getRank(); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracted, d))
        tie(value, d, result, at++);
}

/// countWindows without a diagnostic; 0 where it fails.
static int64_t windowsIn(int64_t base, int64_t size, WindowDim window,
                         mlir::Operation *op) {
  mlir::ScopedDiagnosticHandler silent(op->getContext(),
                                       [](mlir::Diagnostic &) {});
  window.size = size;
  mlir::FailureOr<int64_t> count =
      stablehlo::countWindows(base, window, [&] { return op->emitError(); });
  return mlir::succeeded(count) ? *count : 0;
}

void Dimensions::convolution(mlir::Operation *op) {
  auto convolution = mlir::cast<stablehlo::ConvolutionOp>(op);
  auto windows = stablehlo::windowsOf(convolution);
  if (mlir::failed(windows) ||
      reference::intOf(op, "batch_group_count", 1) != 1)
    return pinAll(op);
  auto dims = convolution.getDimensionNumbers();
  mlir::Value in = op->getOperand(0), kernel = op->getOperand(1),
              out = op->getResult(0);
  tie(in, dims.getInputBatchDimension(), out, dims.getOutputBatchDimension());
  tie(kernel, dims.getKernelOutputFeatureDimension(), out,
      dims.getOutputFeatureDimension());
  int64_t groups = reference::intOf(op, "feature_group_count", 1);
  if (groups == 1)
    tie(in, dims.getInputFeatureDimension(), kernel,
        dims.getKernelInputFeatureDimension());
  else
    derive(in, dims.getInputFeatureDimension(),
           {{kernel, dims.getKernelInputFeatureDimension()}},
           [groups](llvm::ArrayRef<int64_t> from) { return groups * from[0]; });
  for (size_t i = 0; i < windows->size(); ++i)
    derive(out, dims.getOutputSpatialDimensions()[i],
           {{in, dims.getInputSpatialDimensions()[i]},
            {kernel, dims.getKernelSpatialDimensions()[i]}},
           [window = (*windows)[i], op](llvm::ArrayRef<int64_t> from) {
             return windowsIn(from[0], from[1], window, op);
           });
}

/// Folded dimensions are free; inputs of one reduction have one shape.
void Dimensions::reduce(mlir::Operation *op) {
  reference::Ints folded = reference::intsOf(op, "dimensions");
  mlir::Value first = op->getOperand(0);
  unsigned inputs = op->getNumOperands() / 2;
  for (unsigned i = 0; i < inputs; ++i) {
    int64_t at = 0;
    for (int64_t d = 0; d < typeOf(first).getRank(); ++d) {
      tie(first, d, op->getOperand(i), d);
      if (!llvm::is_contained(folded, d))
        tie(first, d, op->getResult(i), at++);
    }
  }
}

void Dimensions::reduceWindow(mlir::Operation *op) {
  auto windows =
      stablehlo::windowsOf(mlir::cast<stablehlo::ReduceWindowOp>(op));
  if (mlir::failed(windows))
    return pinAll(op);
  mlir::Value first = op->getOperand(0);
  for (unsigned i = 0; i < op->getNumOperands() / 2; ++i)
    for (int64_t d = 0; d < typeOf(first).getRank(); ++d) {
      tie(first, d, op->getOperand(i), d);
      const WindowDim &window = (*windows)[static_cast<size_t>(d)];
      if (window.size == 1 && window.stride == 1 && window.padLow == 0 &&
          window.padHigh == 0 && window.baseDilation == 1)
        tie(first, d, op->getResult(i), d);
      else
        derive(op->getResult(i), d, {{first, d}},
               [window, op](llvm::ArrayRef<int64_t> from) {
                 return windowsIn(from[0], window.size, window, op);
               });
    }
}

void Dimensions::concatenate(mlir::Operation *op) {
  int64_t along = reference::intOf(op, "dimension");
  mlir::Value result = op->getResult(0);
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> parts;
  for (mlir::Value operand : op->getOperands()) {
    parts.emplace_back(operand, along);
    for (int64_t d = 0; d < typeOf(result).getRank(); ++d)
      if (d != along)
        tie(operand, d, result, d);
  }
  derive(result, along, parts, [](llvm::ArrayRef<int64_t> from) {
    int64_t sum = 0;
    for (int64_t size : from)
      sum += size;
    return sum;
  });
}

/// A dimension that is kept whole, or not padded, is tied; a padded one follows
/// by a formula; a sliced one is pinned.
void Dimensions::sliceOrPad(mlir::Operation *op) {
  bool pads = op->getName().getStringRef() == "stablehlo.pad";
  mlir::Value from = op->getOperand(0), to = op->getResult(0);
  reference::Ints low = reference::intsOf(op, pads ? "edge_padding_low"
                                                   : "start_indices"),
                  high = reference::intsOf(op, pads ? "edge_padding_high"
                                                    : "limit_indices"),
                  step = reference::intsOf(op, pads ? "interior_padding"
                                                    : "strides");
  for (int64_t d = 0; d < typeOf(from).getRank(); ++d) {
    auto i = static_cast<size_t>(d);
    int64_t size = typeOf(from).getDimSize(d);
    if (pads ? low[i] == 0 && high[i] == 0 && step[i] == 0
             : low[i] == 0 && high[i] == size && step[i] == 1) {
      tie(from, d, to, d);
    } else if (pads) {
      derive(to, d, {{from, d}},
             [l = low[i], h = high[i],
              s = step[i]](llvm::ArrayRef<int64_t> sizes) {
               return sizes[0] + l + h + std::max<int64_t>(sizes[0] - 1, 0) * s;
             });
    } else {
      pin(from, d);
      pin(to, d);
    }
  }
}
