// The emitter of compiled loops: whole vectors first, then the rest under a mask,
// in LLVM IR that any target can lower. Multiply-adds are not fused, so each
// operation gives the bits that the reference's own loops give; exp, tanh and
// logistic are VectorMath.cpp's.
#include "assay/engine/native/ElementLoop.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/VectorFunctions.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"

namespace assay::engine {

using llvm::Value;

static std::optional<ElementOp> comparisonOf(mlir::Operation *op) {
  auto compare = mlir::dyn_cast<stablehlo::CompareOp>(op);
  if (!compare)
    return std::nullopt;
  if (auto type = compare.getCompareType();
      type && *type != stablehlo::ComparisonType::FLOAT)
    return std::nullopt;
  switch (compare.getComparisonDirection()) {
  case stablehlo::ComparisonDirection::EQ:
    return ElementOp::Equal;
  case stablehlo::ComparisonDirection::NE:
    return ElementOp::NotEqual;
  case stablehlo::ComparisonDirection::GE:
    return ElementOp::GreaterEqual;
  case stablehlo::ComparisonDirection::GT:
    return ElementOp::Greater;
  case stablehlo::ComparisonDirection::LE:
    return ElementOp::LessEqual;
  case stablehlo::ComparisonDirection::LT:
    return ElementOp::Less;
  }
  return std::nullopt;
}

static mlir::Type elementOf(mlir::Value value) {
  return mlir::cast<mlir::ShapedType>(value.getType()).getElementType();
}

std::optional<ElementOp> elementOpOf(mlir::Operation *op, bool quick) {
  using Op = std::optional<ElementOp>;
  llvm::StringRef name = op->getName().getStringRef();
  auto all = [&](auto &&values, auto is) {
    return llvm::all_of(values, [&](auto v) { return is(elementOf(v)); });
  };
  auto isF32 = [](mlir::Type type) { return type.isF32(); };
  auto isTruth = [](mlir::Type type) { return type.isInteger(1); };
  if (all(op->getOperands(), isTruth))
    return all(op->getResults(), isTruth)
               ? llvm::StringSwitch<Op>(name)
                     .Case("stablehlo.and", ElementOp::And)
                     .Case("stablehlo.or", ElementOp::Or)
                     .Case("stablehlo.not", ElementOp::Not)
                     .Default(std::nullopt)
               : std::nullopt;
  if (name == "stablehlo.select")
    return isF32(elementOf(op->getResult(0))) ? Op(ElementOp::Select)
                                              : std::nullopt;
  if (!all(op->getOperands(), isF32))
    return std::nullopt;
  if (Op comparison = comparisonOf(op))
    return comparison;
  if (!all(op->getResults(), isF32))
    return std::nullopt;
  if (quick)
    if (Op function = llvm::StringSwitch<Op>(name)
                          .Case("stablehlo.exponential", ElementOp::Exponential)
                          .Case("stablehlo.logistic", ElementOp::Logistic)
                          .Case("stablehlo.tanh", ElementOp::Tanh)
                          .Case("chlo.erf", ElementOp::Erf)
                          .Case("chlo.erfc", ElementOp::Erfc)
                          .Default(std::nullopt))
      return function;
  return llvm::StringSwitch<Op>(name)
      .Case("stablehlo.add", ElementOp::Add)
      .Case("stablehlo.subtract", ElementOp::Subtract)
      .Case("stablehlo.multiply", ElementOp::Multiply)
      .Case("stablehlo.divide", ElementOp::Divide)
      .Case("stablehlo.maximum", ElementOp::Maximum)
      .Case("stablehlo.minimum", ElementOp::Minimum)
      .Case("stablehlo.clamp", ElementOp::Clamp)
      .Case("stablehlo.negate", ElementOp::Negate)
      .Case("stablehlo.abs", ElementOp::Abs)
      .Case("stablehlo.sqrt", ElementOp::Sqrt)
      .Default(std::nullopt);
}

static bool isTruthOp(ElementOp op) {
  return (op >= ElementOp::Equal && op <= ElementOp::Less) ||
         op == ElementOp::And || op == ElementOp::Or || op == ElementOp::Not;
}

bool ElementLoop::isTruth(int value) const {
  auto inputs = static_cast<int>(inputIsTruth.size());
  return value < inputs
             ? inputIsTruth[static_cast<size_t>(value)]
             : isTruthOp(nodes[static_cast<size_t>(value - inputs)].op);
}

std::string ElementLoop::text() const {
  std::string text = columnsOutside ? "loop 4 columns " : "loop 4 ";
  for (size_t i = 0; i < inputIsTruth.size(); ++i)
    text += (inputIsTruth[i] ? "tTrR" : "fFgG")[static_cast<int>(readsOf(i))];
  for (const Node &node : nodes) {
    text += ";" + std::to_string(static_cast<int>(node.op));
    for (int input : node.inputs)
      text += "," + std::to_string(input);
  }
  text += ">";
  for (int output : outputs)
    text += std::to_string(output) + ",";
  return text;
}

namespace {
class LoopEmitter {
public:
  LoopEmitter(const ElementLoop &loop, const std::string &name,
              llvm::Module &module, const kernels::Isa &isa);
  void run();

private:
  /// One number for many elements, and a term that reproduces its effect on zeros and
  /// NaN and changes nothing else.
  struct Scalar {
    Value *value = nullptr; ///< in all lanes
    Value *ofGreatest = nullptr, *ofLeast = nullptr;
  };
  /// The address of a vector of elements.
  struct Place {
    Value *row, *column;
    Value *mask; ///< null: all lanes
  };
  void hold(ElementReads kind, const Place &place);
  Scalar scalar(size_t i, Value *at);
  Value *loadVector(size_t i, Value *at, Value *mask);
  Value *loadInput(size_t i, Value *at, const Place &place);
  void body(const Place &place);
  void forEach(Value *count, uint64_t step,
               llvm::function_ref<void(Value *)> body);
  void forColumns(llvm::function_ref<void(Value *column, Value *mask)> body);
  llvm::BasicBlock *block(const char *name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function_);
  }
  Value *compute(const ElementLoop::Node &node, llvm::ArrayRef<Value *> x);
  Value *computeReal(ElementOp op, llvm::ArrayRef<Value *> x);
  Value *extreme(Value *a, Value *b, bool greatest);
  Value *extremeOfOne(Value *x, const Scalar &one, bool greatest);
  const Scalar *scalarOf(Value *value) const {
    auto *found = llvm::find_if(
        held_, [&](const Scalar &one) { return one.value == value; });
    return found == held_.end() || !found->ofGreatest ? nullptr : found;
  }

  const ElementLoop &loop_;
  llvm::IRBuilder<> b_;
  llvm::Function *function_;
  unsigned lanes_;
  VectorFunctions f_;
  llvm::FixedVectorType *real_, *truth_, *bytes_;
  llvm::SmallVector<Value *, 8> pointers_;
  Value *length_ = nullptr;
  /// For each input, the value kept in a register; its terms are null where it is a
  /// row's.
  llvm::SmallVector<Scalar, 8> held_;
};
} // namespace

LoopEmitter::LoopEmitter(const ElementLoop &loop, const std::string &name,
                         llvm::Module &module, const kernels::Isa &isa)
    : loop_(loop), b_(module.getContext()),
      lanes_(static_cast<unsigned>(isa.vectorBytes / 4)),
      f_(b_, lanes_, isa.fma, isa.vectorBytes == 64), real_(f_.real()),
      truth_(llvm::FixedVectorType::get(b_.getInt1Ty(), lanes_)),
      bytes_(llvm::FixedVectorType::get(b_.getInt8Ty(), lanes_)) {
  auto *type = llvm::FunctionType::get(
      b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty(), b_.getInt64Ty()}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                     name, module);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr("target-cpu", isa.cpu);
  function_->addFnAttr("target-features", isa.features);
  std::string width = std::to_string(isa.vectorBytes * 8);
  function_->addFnAttr("min-legal-vector-width", width);
  function_->addFnAttr("prefer-vector-width", width);
  b_.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "entry", function_));
}

/// extreme() with one number for all elements: x unless the number is greater (less),
/// also where x is NaN. The added term makes NaN if the number is one, and mends the
/// sign of a zero.
Value *LoopEmitter::extremeOfOne(Value *x, const Scalar &one, bool greatest) {
  Value *taken = b_.CreateSelect(greatest ? b_.CreateFCmpOGT(one.value, x)
                                          : b_.CreateFCmpOLT(one.value, x),
                                 one.value, x);
  return greatest ? b_.CreateFAdd(taken, one.ofGreatest)
                  : b_.CreateFNeg(b_.CreateFSub(one.ofLeast, taken));
}

/// As in the reference: NaN if either operand is; of two zeros the sum decides the sign.
Value *LoopEmitter::extreme(Value *a, Value *b, bool greatest) {
  if (const Scalar *one = scalarOf(a))
    return extremeOfOne(b, *one, greatest);
  if (const Scalar *one = scalarOf(b))
    return extremeOfOne(a, *one, greatest);
  Value *zero = f_.number(0),
        *better = b_.CreateSelect(greatest ? b_.CreateFCmpOGT(a, b)
                                           : b_.CreateFCmpOLT(a, b),
                                  a, b),
        *sum = greatest ? b_.CreateFAdd(a, b)
                        : b_.CreateFNeg(b_.CreateFSub(b_.CreateFNeg(a), b)),
        *zeros = b_.CreateAnd(b_.CreateFCmpOEQ(a, zero),
                              b_.CreateFCmpOEQ(b, zero)),
        *odd = b_.CreateOr(b_.CreateFCmpUNO(a, b), zeros);
  return b_.CreateSelect(odd, sum, better);
}

Value *LoopEmitter::computeReal(ElementOp op, llvm::ArrayRef<Value *> x) {
  switch (op) {
  case ElementOp::Add:
    return b_.CreateFAdd(x[0], x[1]);
  case ElementOp::Subtract:
    return b_.CreateFSub(x[0], x[1]);
  case ElementOp::Multiply:
    return b_.CreateFMul(x[0], x[1]);
  case ElementOp::Divide:
    return b_.CreateFDiv(x[0], x[1]);
  case ElementOp::Maximum:
    return extreme(x[0], x[1], true);
  case ElementOp::Minimum:
    return extreme(x[0], x[1], false);
  case ElementOp::Clamp:
    return extreme(extreme(x[1], x[0], true), x[2], false);
  case ElementOp::Negate:
    return b_.CreateFNeg(x[0]);
  case ElementOp::Abs:
    return f_.absolute(x[0]);
  case ElementOp::Sqrt:
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x[0]);
  case ElementOp::Exponential:
    return f_.exponential(x[0]);
  case ElementOp::Logistic:
    return f_.logistic(x[0]);
  case ElementOp::Tanh:
    return f_.tanh(x[0]);
  case ElementOp::Erf:
    return f_.erf(x[0]);
  case ElementOp::Erfc:
    return f_.erfc(x[0]);
  case ElementOp::Square:
    return b_.CreateFMul(x[0], x[0]);
  case ElementOp::Cube:
    return b_.CreateFMul(b_.CreateFMul(x[0], x[0]), x[0]);
  default:
    return b_.CreateSelect(x[0], x[1], x[2]);
  }
}

Value *LoopEmitter::compute(const ElementLoop::Node &node,
                            llvm::ArrayRef<Value *> x) {
  switch (node.op) {
  case ElementOp::Equal:
    return b_.CreateFCmpOEQ(x[0], x[1]);
  case ElementOp::NotEqual:
    return b_.CreateFCmpUNE(x[0], x[1]);
  case ElementOp::GreaterEqual:
    return b_.CreateFCmpOGE(x[0], x[1]);
  case ElementOp::Greater:
    return b_.CreateFCmpOGT(x[0], x[1]);
  case ElementOp::LessEqual:
    return b_.CreateFCmpOLE(x[0], x[1]);
  case ElementOp::Less:
    return b_.CreateFCmpOLT(x[0], x[1]);
  case ElementOp::And:
    return b_.CreateAnd(x[0], x[1]);
  case ElementOp::Or:
    return b_.CreateOr(x[0], x[1]);
  case ElementOp::Not:
    return b_.CreateNot(x[0]);
  default:
    return computeReal(node.op, x);
  }
}

/// Element `at` of an input in all lanes.
LoopEmitter::Scalar LoopEmitter::scalar(size_t i, Value *at) {
  bool truth = loop_.inputIsTruth[i];
  llvm::Type *type = truth ? b_.getInt8Ty() : b_.getFloatTy();
  Value *value = b_.CreateAlignedLoad(type, b_.CreateGEP(type, pointers_[i], at),
                                      llvm::Align(truth ? 1 : 4));
  if (truth) {
    Value *is = b_.CreateICmpNE(value, b_.getInt8(0));
    return {b_.CreateVectorSplat(lanes_, is), nullptr, nullptr};
  }
  // +0 turns -0 into +0 where it is added, -0 changes nothing.
  auto term = [&](int32_t zero) {
    Value *isThatZero =
        b_.CreateICmpEQ(b_.CreateBitCast(value, b_.getInt32Ty()),
                        b_.getInt32(static_cast<uint32_t>(zero)));
    Value *one = b_.CreateSelect(isThatZero, llvm::ConstantFP::get(type, 0.0),
                                 llvm::ConstantFP::get(type, -0.0));
    one = b_.CreateSelect(b_.CreateFCmpUNO(value, value), value, one);
    return b_.CreateVectorSplat(lanes_, one);
  };
  return {b_.CreateVectorSplat(lanes_, value), term(0), term(INT32_MIN)};
}

/// A vector of an input from `at` on; `mask` null: all lanes.
Value *LoopEmitter::loadVector(size_t i, Value *at, Value *mask) {
  bool truth = loop_.inputIsTruth[i];
  llvm::FixedVectorType *type = truth ? bytes_ : real_;
  llvm::Align align(truth ? 1 : 4);
  Value *from = b_.CreateGEP(type->getElementType(), pointers_[i], at);
  Value *loaded =
      mask ? static_cast<Value *>(b_.CreateMaskedLoad(
                 type, from, align, mask, llvm::Constant::getNullValue(type)))
           : b_.CreateAlignedLoad(type, from, align);
  return truth
             ? b_.CreateICmpNE(loaded, llvm::Constant::getNullValue(bytes_))
             : loaded;
}

/// Loads the inputs of that kind once, for the loop inside.
void LoopEmitter::hold(ElementReads kind, const Place &place) {
  for (size_t i = 0; i < loop_.inputIsTruth.size(); ++i) {
    if (loop_.readsOf(i) != kind)
      continue;
    if (kind == ElementReads::ARow)
      held_[i] = {loadVector(i, place.column, place.mask), nullptr, nullptr};
    else
      held_[i] = scalar(i, kind == ElementReads::One ? b_.getInt64(0)
                                                     : place.row);
  }
}

Value *LoopEmitter::loadInput(size_t i, Value *at, const Place &place) {
  if (held_[i].value)
    return held_[i].value;
  switch (loop_.readsOf(i)) {
  case ElementReads::ARow:
    return loadVector(i, place.column, place.mask);
  case ElementReads::OneARow:
    return scalar(i, place.row).value;
  default:
    return loadVector(i, at, place.mask);
  }
}

/// One vector of elements.
void LoopEmitter::body(const Place &place) {
  Value *at = b_.CreateAdd(b_.CreateMul(place.row, length_), place.column);
  llvm::SmallVector<Value *, 32> values;
  for (size_t i = 0; i < loop_.inputIsTruth.size(); ++i)
    values.push_back(loadInput(i, at, place));
  for (const ElementLoop::Node &node : loop_.nodes) {
    llvm::SmallVector<Value *, 3> inputs;
    for (int input : node.inputs)
      inputs.push_back(values[static_cast<size_t>(input)]);
    values.push_back(compute(node, inputs));
  }
  for (size_t o = 0; o < loop_.outputs.size(); ++o) {
    bool truth = loop_.isTruth(loop_.outputs[o]);
    Value *value = values[static_cast<size_t>(loop_.outputs[o])];
    if (truth)
      value = b_.CreateZExt(value, bytes_);
    auto *type = llvm::cast<llvm::FixedVectorType>(value->getType());
    Value *to = b_.CreateGEP(type->getElementType(),
                             pointers_[loop_.inputIsTruth.size() + o], at);
    llvm::Align align(truth ? 1 : 4);
    if (place.mask)
      b_.CreateMaskedStore(value, to, align, place.mask);
    else
      b_.CreateAlignedStore(value, to, align);
  }
}

/// Emits a loop over 0, step, 2 step, ... below `count`.
void LoopEmitter::forEach(Value *count, uint64_t step,
                          llvm::function_ref<void(Value *)> body) {
  llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = block("loop"),
                   *after = block("after");
  b_.CreateCondBr(b_.CreateICmpSGT(count, b_.getInt64(0)), loop, after);
  b_.SetInsertPoint(loop);
  llvm::PHINode *at = b_.CreatePHI(b_.getInt64Ty(), 2);
  at->addIncoming(b_.getInt64(0), before);
  body(at);
  Value *next = b_.CreateAdd(at, b_.getInt64(step));
  at->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, count), loop, after);
  b_.SetInsertPoint(after);
}

/// Whole vectors of a row, and the rest under a mask.
void LoopEmitter::forColumns(
    llvm::function_ref<void(Value *column, Value *mask)> body) {
  Value *all = b_.CreateAnd(length_, b_.getInt64(~uint64_t{lanes_ - 1}));
  forEach(all, lanes_, [&](Value *column) { body(column, nullptr); });
  llvm::BasicBlock *partial = block("partial"), *done = block("done");
  b_.CreateCondBr(b_.CreateICmpSLT(all, length_), partial, done);
  b_.SetInsertPoint(partial);
  llvm::SmallVector<llvm::Constant *, 16> lanes;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    lanes.push_back(b_.getInt32(lane));
  Value *left = b_.CreateTrunc(b_.CreateSub(length_, all), b_.getInt32Ty());
  body(all, b_.CreateICmpSLT(llvm::ConstantVector::get(lanes),
                             b_.CreateVectorSplat(lanes_, left)));
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

void LoopEmitter::run() {
  Value *table = function_->getArg(0), *rows = function_->getArg(1);
  length_ = function_->getArg(2);
  for (size_t i = 0; i < loop_.inputIsTruth.size() + loop_.outputs.size(); ++i)
    pointers_.push_back(b_.CreateAlignedLoad(
        b_.getPtrTy(),
        b_.CreateGEP(b_.getPtrTy(), table, b_.getInt64(i)), llvm::Align(8)));
  held_.resize(loop_.inputIsTruth.size());
  hold(ElementReads::One, {});
  if (loop_.columnsOutside)
    forColumns([&](Value *column, Value *mask) {
      hold(ElementReads::ARow, {nullptr, column, mask});
      forEach(rows, 1, [&](Value *row) { body({row, column, mask}); });
    });
  else
    forEach(rows, 1, [&](Value *row) {
      hold(ElementReads::OneARow, {row, nullptr, nullptr});
      forColumns([&](Value *column, Value *mask) { body({row, column, mask}); });
    });
  b_.CreateRetVoid();
}

llvm::Expected<ElementFunction> compileLoop(const ElementLoop &loop,
                                            kernels::Jit &jit) {
  std::string text = loop.text(),
              name = "loop_" + std::to_string(llvm::xxh3_64bits(text));
  auto function = jit.getModule(
      name, text, [&](llvm::Module &module, const kernels::Isa &isa) {
        LoopEmitter(loop, name, module, isa).run();
      });
  if (!function)
    return function.takeError();
  return reinterpret_cast<ElementFunction>(*function);
}

} // namespace assay::engine
