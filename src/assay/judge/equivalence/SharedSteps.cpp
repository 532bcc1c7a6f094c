// Value numbering: a key combines the operation's hash with the addresses of
// its operands' shadows; operands without one (constants and integers) are
// compared by their bytes. Values with the same shadow are equal: they come
// from one step, or from steps with the same key.
#include "assay/judge/equivalence/SharedSteps.h"
#include "assay/judge/equivalence/Field.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

/// The most bytes of all kept shadows, and of one operand that is compared.
static constexpr int64_t kMostBytes = int64_t{1} << 29,
                         kMostCompared = int64_t{1} << 20;

static uint64_t hashOf(llvm::StringRef text) {
  return llvm::xxh3_64bits(llvm::arrayRefFromStringRef(text));
}

template <typename T> static uint64_t hashOfPrinted(const T &what) {
  std::string text;
  llvm::raw_string_ostream os(text);
  what.print(os);
  return hashOf(text);
}

namespace {
/// A hash of the structure of an operation and its regions.
class Structure {
public:
  uint64_t of(mlir::Operation &op);
  bool isClosed() const { return closed_; }

private:
  void add(uint64_t word) { word_ = mixWords(word_, word); }
  void addBody(mlir::Operation &op);
  void addOperation(mlir::Operation &op);
  void number(mlir::Value value) {
    numbers_.try_emplace(value, numbers_.size() + 1);
    add(hashOfPrinted(value.getType()));
  }

  uint64_t word_ = 0;
  bool closed_ = true;
  llvm::DenseMap<mlir::Value, uint64_t> numbers_;
};
} // namespace

void Structure::addOperation(mlir::Operation &op) {
  add(hashOf(op.getName().getStringRef()));
  for (mlir::NamedAttribute attribute : op.getAttrs()) {
    add(hashOf(attribute.getName().strref()));
    add(hashOfPrinted(attribute.getValue()));
  }
  // A symbol stands for another function in another program.
  closed_ &= op.getName().getDialectNamespace() != "func";
}

void Structure::addBody(mlir::Operation &op) {
  for (mlir::Region &region : op.getRegions())
    for (mlir::Block &block : region) {
      add(block.getNumArguments());
      for (mlir::Value argument : block.getArguments())
        number(argument);
      for (mlir::Operation &inner : block) {
        addOperation(inner);
        for (mlir::Value operand : inner.getOperands()) {
          auto found = numbers_.find(operand);
          closed_ &= found != numbers_.end();
          add(found == numbers_.end() ? 0 : found->second);
        }
        addBody(inner);
        for (mlir::Value result : inner.getResults())
          number(result);
      }
    }
}

uint64_t Structure::of(mlir::Operation &op) {
  addOperation(op);
  for (mlir::Type type : op.getOperandTypes())
    add(hashOfPrinted(type));
  for (mlir::Type type : op.getResultTypes())
    add(hashOfPrinted(type));
  addBody(op);
  return word_;
}

uint64_t OperationHashes::of(mlir::Operation *op) {
  auto [at, isNew] = known_.try_emplace(op, 0);
  if (!isNew)
    return at->second;
  Structure structure;
  uint64_t word = structure.of(*op);
  return known_[op] = structure.isClosed() ? word | 1 : 0;
}

/// Whether operands may change places: the value stays the same, except for the
/// bits of a NaN.
static bool commutes(mlir::Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  return name == "stablehlo.add" || name == "stablehlo.multiply";
}

std::optional<uint64_t> SharedSteps::wordOf(const Value &operand) const {
  if (!operand.isTensor())
    return std::nullopt;
  const Tensor &tensor = operand.tensor();
  uint64_t word = 0;
  for (int64_t size : tensor.shape()) // the type may be dynamic
    word = mixWords(word, static_cast<uint64_t>(size));
  if (operand.shadow().valid()) {
    const void *where = operand.shadow().bytes();
    if (!kept_.contains(where))
      return std::nullopt;
    return mixWords(word, reinterpret_cast<uintptr_t>(where));
  }
  int64_t bytes = tensor.isSplat() ? tensor.elementType().storageBytes()
                                   : tensor.denseBytes();
  if (bytes > kMostCompared)
    return std::nullopt;
  return mixWords(word + (tensor.isSplat() ? 1 : 2),
                  llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
                      reinterpret_cast<const uint8_t *>(tensor.bytes()),
                      static_cast<size_t>(bytes))));
}

std::optional<uint64_t> SharedSteps::keyOf(mlir::Operation *op,
                                           llvm::ArrayRef<Value> operands) {
  uint64_t word = hashes_.of(op);
  if (word == 0)
    return std::nullopt;
  llvm::SmallVector<uint64_t, 4> words;
  for (const Value &operand : operands) {
    std::optional<uint64_t> next = wordOf(operand);
    if (!next)
      return std::nullopt;
    words.push_back(*next);
  }
  if (commutes(op))
    llvm::sort(words);
  for (uint64_t next : words)
    word = mixWords(word, next);
  return word;
}

uint64_t SharedSteps::keyOfArgument(unsigned number,
                                    const tensor::TensorType &type) {
  return mixWords(hashOf(tensor::toString(type)), number);
}

bool SharedSteps::find(std::optional<uint64_t> key,
                       llvm::MutableArrayRef<Value> results) const {
  if (!key)
    return false;
  auto found = steps_.find(*key);
  if (found == steps_.end() || found->second.size() != results.size())
    return false;
  for (auto [result, shadow] : llvm::zip(results, found->second))
    result.setShadow(shadow);
  return true;
}

void SharedSteps::keep(std::optional<uint64_t> key,
                       llvm::ArrayRef<Value> results) {
  if (!key)
    return;
  std::vector<Tensor> shadows;
  int64_t bytes = 0;
  for (const Value &result : results) {
    shadows.push_back(result.shadow());
    if (result.shadow().valid())
      bytes += result.shadow().heldBytes();
  }
  if (bytes_ + bytes > kMostBytes)
    return;
  bytes_ += bytes;
  for (const Tensor &shadow : shadows)
    if (shadow.valid())
      kept_.insert(shadow.bytes());
  steps_.try_emplace(*key, std::move(shadows));
}
