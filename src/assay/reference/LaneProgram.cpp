// Lane programs. Compilation turns a region's body into a list of instructions
// over registers: arguments (the caller's memory, never copied), constants (one
// element each, read with stride 0) and temporaries. Evaluation runs each
// instruction for a chunk of lanes at a time, so that all temporaries stay in a
// small arena on the stack. There is no allocation per call, and a single lane
// costs one loop call per operation.
//
// With a shadow, each float register also has a shadow in a wider type. It is
// made by the same operation compiled for wider types or, where there is none,
// by widening the value. Predicates and integers have no shadow: a comparison
// uses the values, and a select of shadows follows it.
#include "assay/reference/LaneProgram.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Types.h"
#include "assay/reference/Elementwise.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cstring>

namespace assay::reference {

using program::Lanes;
using program::TensorType;

static constexpr int kMaxInlineDepth = 16;
static constexpr int64_t kMaxInstructions = 4096;
static constexpr int64_t kArenaBytes = 32 * 1024;
static constexpr int64_t kMaxLanes = 1024;
static constexpr int64_t kMinLanes = 64; // at least, for long bodies
static constexpr int64_t kAlignment = 64;

namespace {

struct Register {
  enum class Home : uint8_t { Argument, Constant, Temporary };
  Home home = Home::Temporary;
  ElementType type, shadowType;
  bool hasShadow = false;
  uint32_t index = 0; ///< number of the argument or the constant
  int64_t offset = 0,
          shadowOffset = 0; ///< offset in the arena, in bytes per lane
};

struct Instruction {
  std::optional<ElementwiseFunction> value,
      shadow; ///< without `value`, the instruction copies operand 0
  llvm::SmallVector<uint32_t, 3> operands;
  uint32_t result;
};

/// One element and its shadow.
struct Constant {
  alignas(16) char value[16] = {};
  alignas(16) char shadow[32] = {};
};

/// The location of a register's elements.
struct Place {
  const void *values = nullptr;
  int64_t stride = 0;
};

class LaneProgram final : public program::LaneFunction {
public:
  llvm::Error evaluate(llvm::ArrayRef<Lanes> arguments,
                       llvm::ArrayRef<Lanes> results,
                       int64_t lanes) const override;

  std::vector<Register> registers;
  std::vector<Instruction> instructions;
  std::vector<Constant> constants;
  llvm::SmallVector<uint32_t, 2> returns;
  int64_t bytesPerLane = 0;
  int64_t capacity =
      kMaxLanes; ///< lanes whose temporaries fit the arena on the stack
  bool withShadow = false;

private:
  void evaluateChunk(llvm::ArrayRef<Lanes> arguments,
                     llvm::ArrayRef<Lanes> results, int64_t first,
                     int64_t count, char *arena, int64_t capacity,
                     bool direct) const;
  void run(const Instruction &instruction,
           const std::optional<ElementwiseFunction> &function,
           llvm::ArrayRef<Lanes> arguments, int64_t first, int64_t count,
           char *arena, int64_t capacity, bool shadow, char *out) const;
  llvm::Error evaluateAll(llvm::ArrayRef<Lanes> arguments,
                          llvm::ArrayRef<Lanes> results, int64_t lanes,
                          char *arena, int64_t chunk) const;
  bool writesDirectly(llvm::ArrayRef<Lanes> arguments,
                      llvm::ArrayRef<Lanes> results) const;
  Place place(uint32_t reg, llvm::ArrayRef<Lanes> arguments, int64_t first,
              char *arena, int64_t capacity, bool shadow) const;
  void widen(const Register &reg, const void *value, void *shadow,
             int64_t count) const {
    numerics::convertArray(reg.type, value, reg.shadowType, shadow, count);
  }
};

/// Walks a body and emits its instructions; every function returns false where
/// the body is not a lane program.
class Compiler {
public:
  explicit Compiler(bool withShadow)
      : program_(std::make_unique<LaneProgram>()) {
    program_->withShadow = withShadow;
  }
  std::unique_ptr<LaneProgram> compile(mlir::Region &region,
                                       mlir::Value wanted = {});

private:
  bool arguments(mlir::Block &body);
  bool valueOf(mlir::Value value);
  bool block(mlir::Block &block, int depth,
             llvm::SmallVectorImpl<uint32_t> &returns);
  bool operation(mlir::Operation &op, int depth);
  bool call(mlir::func::CallOp op, int depth);
  bool constant(mlir::Operation &op);
  bool elementwise(mlir::Operation &op);
  void copyReturnedArguments();
  std::optional<uint32_t> registerOf(mlir::Value value);
  std::optional<uint32_t> newRegister(mlir::Type type, Register::Home home);

  std::unique_ptr<LaneProgram> program_;
  llvm::DenseMap<mlir::Value, uint32_t> values_;
};

} // namespace

std::optional<uint32_t> Compiler::newRegister(mlir::Type type,
                                              Register::Home home) {
  auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!ranked || ranked.getRank() != 0)
    return std::nullopt;
  std::optional<ElementType> element = program::elementTypeOf(type);
  if (!element || element->quantization)
    return std::nullopt;
  Register reg;
  reg.home = home;
  reg.type = *element;
  if (program_->withShadow)
    if (std::optional<ElementType> wide = program::shadowTypeOf(*element)) {
      reg.hasShadow = true;
      reg.shadowType = *wide;
    }
  program_->registers.push_back(reg);
  return static_cast<uint32_t>(program_->registers.size() - 1);
}

std::optional<uint32_t> Compiler::registerOf(mlir::Value value) {
  auto known = values_.find(value);
  if (known != values_.end())
    return known->second;
  // A captured constant is treated like one in the body.
  mlir::Operation *definition = value.getDefiningOp();
  if (definition && constant(*definition))
    return values_.lookup(value);
  return std::nullopt;
}

static bool isReturn(mlir::Operation &op) {
  llvm::StringRef name = op.getName().getStringRef();
  return name == "stablehlo.return" || name == "func.return";
}

bool Compiler::arguments(mlir::Block &body) {
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    std::optional<uint32_t> reg =
        newRegister(argument.getType(), Register::Home::Argument);
    if (!reg)
      return false;
    program_->registers[*reg].index = static_cast<uint32_t>(i);
    values_[argument] = *reg;
  }
  return true;
}

/// Emits only the operations that the value needs.
bool Compiler::valueOf(mlir::Value value) {
  if (registerOf(value))
    return true;
  mlir::Operation *op = value.getDefiningOp();
  return op && llvm::all_of(op->getOperands(),
                            [&](mlir::Value each) { return valueOf(each); }) &&
         operation(*op, 0);
}

std::unique_ptr<LaneProgram> Compiler::compile(mlir::Region &region,
                                               mlir::Value wanted) {
  if (!region.hasOneBlock() || !arguments(region.front()))
    return nullptr;
  if (!wanted && !block(region.front(), 0, program_->returns))
    return nullptr;
  if (wanted) {
    if (!valueOf(wanted))
      return nullptr;
    program_->returns.push_back(*registerOf(wanted));
  }
  copyReturnedArguments();
  // Temporaries are consecutive. Chunks are multiples of 16 lanes, so that each
  // temporary starts aligned.
  auto claim = [&](int64_t bytes) {
    int64_t offset = program_->bytesPerLane;
    program_->bytesPerLane += bytes;
    return offset;
  };
  for (Register &reg : program_->registers) {
    if (reg.home == Register::Home::Temporary)
      reg.offset = claim(reg.type.storageBytes());
    if (reg.hasShadow && reg.home != Register::Home::Constant)
      reg.shadowOffset = claim(reg.shadowType.storageBytes());
  }
  if (program_->bytesPerLane > 0)
    program_->capacity =
        std::min(kMaxLanes, kArenaBytes / program_->bytesPerLane) &
        ~int64_t{15};
  return std::move(program_);
}

// With several results, one may share the memory of an argument that is
// returned as another result. Such arguments are copied first.
void Compiler::copyReturnedArguments() {
  if (program_->returns.size() < 2)
    return;
  for (uint32_t &returned : program_->returns) {
    Register copy = program_->registers[returned];
    if (copy.home != Register::Home::Argument)
      continue;
    copy.home = Register::Home::Temporary;
    Instruction instruction;
    instruction.operands = {returned};
    instruction.result = static_cast<uint32_t>(program_->registers.size());
    program_->registers.push_back(copy);
    program_->instructions.push_back(std::move(instruction));
    returned = program_->instructions.back().result;
  }
}

bool Compiler::block(mlir::Block &block, int depth,
                     llvm::SmallVectorImpl<uint32_t> &returns) {
  for (mlir::Operation &op : block) {
    if (!isReturn(op)) {
      if (!operation(op, depth))
        return false;
      continue;
    }
    for (mlir::Value value : op.getOperands()) {
      std::optional<uint32_t> reg = registerOf(value);
      if (!reg)
        return false;
      returns.push_back(*reg);
    }
    return true;
  }
  return false;
}

bool Compiler::operation(mlir::Operation &op, int depth) {
  if (static_cast<int64_t>(program_->instructions.size()) > kMaxInstructions)
    return false;
  if (auto callOp = mlir::dyn_cast<mlir::func::CallOp>(op))
    return call(callOp, depth);
  return constant(op) || elementwise(op);
}

bool Compiler::call(mlir::func::CallOp op, int depth) {
  auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee || depth >= kMaxInlineDepth || !callee.getBody().hasOneBlock())
    return false;
  mlir::Block &body = callee.getBody().front();
  // A function called twice gets new registers, so those of this call are
  // forgotten at its end.
  llvm::DenseMap<mlir::Value, uint32_t> outer = values_;
  llvm::DenseMap<mlir::Value, uint32_t> inner;
  for (auto [argument, operand] :
       llvm::zip(body.getArguments(), op.getOperands())) {
    std::optional<uint32_t> reg = registerOf(operand);
    if (!reg)
      return false;
    inner[argument] = *reg;
  }
  values_ = std::move(inner);
  llvm::SmallVector<uint32_t, 2> returned;
  if (!block(body, depth + 1, returned) ||
      returned.size() != op.getNumResults())
    return false;
  values_ = std::move(outer);
  for (auto [result, reg] : llvm::zip(op.getResults(), returned))
    values_[result] = reg;
  return true;
}

bool Compiler::constant(mlir::Operation &op) {
  llvm::StringRef name = op.getName().getStringRef();
  if (name != "stablehlo.constant" && name != "chlo.constant")
    return false;
  auto attribute =
      mlir::dyn_cast_or_null<mlir::DenseElementsAttr>(op.getAttr("value"));
  if (!attribute || attribute.getNumElements() != 1)
    return false;
  std::optional<uint32_t> reg =
      newRegister(op.getResult(0).getType(), Register::Home::Constant);
  if (!reg)
    return false;
  llvm::Expected<tensor::Tensor> tensor = program::tensorOf(attribute, nullptr);
  if (!tensor) {
    llvm::consumeError(tensor.takeError());
    return false;
  }
  Register &made = program_->registers[*reg];
  made.index = static_cast<uint32_t>(program_->constants.size());
  Constant &element = program_->constants.emplace_back();
  std::memcpy(element.value, tensor->bytes(),
              static_cast<size_t>(made.type.storageBytes()));
  if (made.hasShadow)
    numerics::convertArray(made.type, element.value, made.shadowType,
                           element.shadow, 1);
  values_[op.getResult(0)] = *reg;
  return true;
}

bool Compiler::elementwise(mlir::Operation &op) {
  if (!ElementwiseFunction::knows(&op) || op.getNumResults() != 1 ||
      op.getNumRegions() != 0)
    return false;
  Instruction instruction;
  llvm::SmallVector<ElementType, 3> types, shadowTypes;
  for (mlir::Value operand : op.getOperands()) {
    std::optional<uint32_t> reg = registerOf(operand);
    if (!reg)
      return false;
    const Register &source = program_->registers[*reg];
    instruction.operands.push_back(*reg);
    types.push_back(source.type);
    shadowTypes.push_back(source.hasShadow ? source.shadowType : source.type);
  }
  std::optional<uint32_t> result =
      newRegister(op.getResult(0).getType(), Register::Home::Temporary);
  if (!result)
    return false;
  const Register &target = program_->registers[*result];
  llvm::Expected<ElementwiseFunction> function =
      ElementwiseFunction::make(&op, types, target.type);
  if (!function) {
    llvm::consumeError(function.takeError());
    return false;
  }
  instruction.value = std::move(*function);
  instruction.result = *result;
  if (target.hasShadow) {
    llvm::Expected<ElementwiseFunction> shadow =
        ElementwiseFunction::make(&op, shadowTypes, target.shadowType);
    if (shadow)
      instruction.shadow = std::move(*shadow);
    else
      llvm::consumeError(shadow.takeError());
  }
  values_[op.getResult(0)] = *result;
  program_->instructions.push_back(std::move(instruction));
  return true;
}

Place LaneProgram::place(uint32_t index, llvm::ArrayRef<Lanes> arguments,
                         int64_t first, char *arena, int64_t capacity,
                         bool shadow) const {
  const Register &reg = registers[index];
  shadow &= reg.hasShadow;
  if (reg.home == Register::Home::Constant)
    return {shadow ? constants[reg.index].shadow : constants[reg.index].value,
            0};
  if (reg.home == Register::Home::Argument) {
    const Lanes &lanes = arguments[reg.index];
    if (!shadow)
      return {static_cast<const char *>(lanes.values) +
                  first * reg.type.storageBytes(),
              1};
    if (lanes.shadows)
      return {static_cast<const char *>(lanes.shadows) +
                  first * reg.shadowType.storageBytes(),
              1};
  }
  return {arena + (shadow ? reg.shadowOffset : reg.offset) * capacity, 1};
}

void LaneProgram::run(const Instruction &instruction,
                      const std::optional<ElementwiseFunction> &function,
                      llvm::ArrayRef<Lanes> arguments, int64_t first,
                      int64_t count, char *arena, int64_t capacity, bool shadow,
                      char *out) const {
  const void *in[3];
  int64_t strides[3];
  size_t arity = instruction.operands.size();
  for (size_t k = 0; k < arity; ++k) {
    Place source = place(instruction.operands[k], arguments, first, arena,
                         capacity, shadow);
    in[k] = source.values;
    strides[k] = source.stride;
  }
  if (!function) { // an instruction that only copies
    const Register &reg = registers[instruction.result];
    int64_t bytes = (shadow ? reg.shadowType : reg.type).storageBytes();
    std::memcpy(out, in[0], static_cast<size_t>(count * bytes));
  } else if (count == 1) {
    function->evaluateOne({in, arity}, out);
  } else {
    function->evaluate({in, arity}, {strides, arity}, out, count);
  }
}

void LaneProgram::evaluateChunk(llvm::ArrayRef<Lanes> arguments,
                                llvm::ArrayRef<Lanes> results, int64_t first,
                                int64_t count, char *arena, int64_t capacity,
                                bool direct) const {
  // 1. Widen arguments that have no shadow.
  if (withShadow)
    for (const Register &reg : registers)
      if (reg.home == Register::Home::Argument && reg.hasShadow &&
          !arguments[reg.index].shadows)
        widen(reg,
              static_cast<const char *>(arguments[reg.index].values) +
                  first * reg.type.storageBytes(),
              arena + reg.shadowOffset * capacity, count);
  // 2. Run the instructions on values and shadows.
  for (const Instruction &instruction : instructions) {
    const Register &target = registers[instruction.result];
    bool last = direct && &instruction == &instructions.back();
    char *value = arena + target.offset * capacity;
    if (last)
      value = static_cast<char *>(results[0].values) +
              first * target.type.storageBytes();
    run(instruction, instruction.value, arguments, first, count, arena,
        capacity, false, value);
    if (!target.hasShadow)
      continue;
    char *shadow = arena + target.shadowOffset * capacity;
    if (instruction.shadow || !instruction.value)
      run(instruction, instruction.shadow, arguments, first, count, arena,
          capacity, true, shadow);
    else
      widen(target, value, shadow, count);
  }
  if (direct && !(registers[returns[0]].hasShadow && results[0].shadows))
    return;
  // 3. Copy the results.
  auto copyOut = [&](uint32_t reg, bool shadow, void *target) {
    Place source = place(reg, arguments, first, arena, capacity, shadow);
    int64_t bytes = (shadow ? registers[reg].shadowType : registers[reg].type)
                        .storageBytes();
    char *out = static_cast<char *>(target) + first * bytes;
    if (source.stride == 1)
      std::memmove(out, source.values, static_cast<size_t>(count * bytes));
    else
      for (int64_t i = 0; i < count; ++i)
        std::memcpy(out + i * bytes, source.values, static_cast<size_t>(bytes));
  };
  for (auto [reg, target] : llvm::zip(returns, results)) {
    if (!direct)
      copyOut(reg, false, target.values);
    if (registers[reg].hasShadow && target.shadows)
      copyOut(reg, true, target.shadows);
  }
}

// Whether the last instruction may write the only result directly to its
// destination. Not if that memory holds an argument with elements of another
// size.
bool LaneProgram::writesDirectly(llvm::ArrayRef<Lanes> arguments,
                                 llvm::ArrayRef<Lanes> results) const {
  if (returns.size() != 1 || instructions.empty() ||
      instructions.back().result != returns[0])
    return false;
  int64_t bytes = registers[returns[0]].type.storageBytes();
  for (const Register &reg : registers)
    if (reg.home == Register::Home::Argument &&
        reg.type.storageBytes() != bytes &&
        arguments[reg.index].values == results[0].values)
      return false;
  return true;
}

llvm::Error LaneProgram::evaluate(llvm::ArrayRef<Lanes> arguments,
                                  llvm::ArrayRef<Lanes> results,
                                  int64_t lanes) const {
  alignas(kAlignment) char stack[kArenaBytes];
  std::unique_ptr<char[]> heap;
  if (capacity <
      std::min<int64_t>(lanes,
                        kMinLanes)) { // a long body needs an arena on the heap
    heap =
        std::make_unique<char[]>(static_cast<size_t>(kMinLanes * bytesPerLane));
    return evaluateAll(arguments, results, lanes, heap.get(), kMinLanes);
  }
  return evaluateAll(arguments, results, lanes, stack, capacity);
}

llvm::Error LaneProgram::evaluateAll(llvm::ArrayRef<Lanes> arguments,
                                     llvm::ArrayRef<Lanes> results,
                                     int64_t lanes, char *arena,
                                     int64_t chunk) const {
  bool direct = writesDirectly(arguments, results);
  for (int64_t first = 0; first < lanes; first += chunk) {
    int64_t count = std::min(chunk, lanes - first);
    evaluateChunk(arguments, results, first, count, arena, chunk, direct);
  }
  return llvm::Error::success();
}

std::unique_ptr<program::LaneFunction> compileLaneProgram(mlir::Region &region,
                                                          bool withShadow) {
  return Compiler(withShadow).compile(region);
}

std::unique_ptr<program::LaneFunction> compileLaneValue(mlir::Region &region,
                                                        mlir::Value value) {
  return Compiler(/*withShadow=*/false).compile(region, value);
}

mlir::Operation *singleBinaryOperation(mlir::Region &region) {
  if (!region.hasOneBlock())
    return nullptr;
  mlir::Block &body = region.front();
  if (body.getNumArguments() != 2 || !llvm::hasNItems(body, 2))
    return nullptr;
  mlir::Operation &op = body.front(), &end = body.back();
  bool commutative =
      llvm::StringSwitch<bool>(op.getName().getStringRef())
          .Cases({"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum",
                  "stablehlo.minimum", "stablehlo.and", "stablehlo.or",
                  "stablehlo.xor"},
                 true)
          .Default(false);
  if (!commutative || !isReturn(end) || end.getNumOperands() != 1 ||
      end.getOperand(0) != op.getResult(0))
    return nullptr;
  mlir::Value a = body.getArgument(0), b = body.getArgument(1);
  bool both = (op.getOperand(0) == a && op.getOperand(1) == b) ||
              (op.getOperand(0) == b && op.getOperand(1) == a);
  return both ? &op : nullptr;
}

} // namespace assay::reference
