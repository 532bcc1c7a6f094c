// The operations as bytecode sees them: a name, and attributes that stand in it
// as a list of values. One class a row of Ops.def, all alike.
#include "assay/dialect/vhlo/Ops.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/StringExtras.h"

#include <string_view>
#include <utility>

namespace assay::vhlo {

using namespace mlir;

namespace {
struct Row {
  llvm::StringLiteral name, attributes;
};
} // namespace

static constexpr Row kRows[] = {
#define VHLO_OP(NAME, ATTRIBUTES) {"vhlo." NAME, ATTRIBUTES},
#include "assay/dialect/vhlo/Ops.def"
#undef VHLO_OP
};

static llvm::SmallVector<llvm::StringRef> attributesOf(size_t row) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SplitString(kRows[row].attributes, names);
  return names;
}

namespace {
/// Whether a block may end with the operation.
constexpr bool isTerminator(size_t row) {
  return std::string_view(kRows[row].name.data(), kRows[row].name.size()) ==
         "vhlo.return_v1";
}
template <typename Concrete, size_t I>
using BaseOf =
    std::conditional_t<isTerminator(I),
                       Op<Concrete, BytecodeOpInterface::Trait,
                          OpTrait::ZeroSuccessors, OpTrait::IsTerminator>,
                       Op<Concrete, BytecodeOpInterface::Trait>>;

template <size_t I> class VhloOp : public BaseOf<VhloOp<I>, I> {
public:
  using Base = BaseOf<VhloOp<I>, I>;
  using Base::Base;
  static llvm::StringRef getOperationName() { return kRows[I].name; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  static LogicalResult readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
    for (llvm::StringRef name : attributesOf(I)) {
      Attribute value;
      if (failed(reader.readAttribute(value)))
        return failure();
      state.addAttribute(name, value);
    }
    return success();
  }
  void writeProperties(DialectBytecodeWriter &writer) {
    for (llvm::StringRef name : attributesOf(I))
      writer.writeAttribute(this->getOperation()->getAttr(name));
  }
};
} // namespace

template <size_t... I>
static void addAll(Dialect &dialect, std::index_sequence<I...>) {
  (RegisteredOperationName::insert<VhloOp<I>>(dialect), ...);
}

void registerOps(Dialect &dialect) {
  addAll(dialect, std::make_index_sequence<std::size(kRows)>());
}

} // namespace assay::vhlo
