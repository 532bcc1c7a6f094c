// The operations in bytecode: a name, and the attributes as a list of values.
// There is one class per row of Ops.def; all are instances of one template.
//
// Reading turns the list into plain attributes. Writing takes it from the
// operation's properties, because bytecode only has such a list for MLIR's
// properties.
#include "assay/dialect/vhlo/Ops.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/StringExtras.h"

#include <string_view>
#include <utility>

namespace assay::vhlo {

using namespace mlir;

static constexpr Row kRows[] = {
#define VHLO_OP(NAME, SINCE, ATTRIBUTES) {"vhlo." NAME, SINCE, ATTRIBUTES},
#include "assay/dialect/vhlo/Ops.def"
#undef VHLO_OP
};

llvm::SmallVector<llvm::StringRef> Row::attributeNames() const {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SplitString(attributes, names);
  return names;
}

llvm::StringRef stemOf(llvm::StringRef name) {
  if (!name.consume_front("vhlo."))
    return "";
  auto [stem, version] = name.rsplit("_v");
  bool versioned = !version.empty() && llvm::all_of(version, llvm::isDigit);
  return versioned ? stem : "";
}

llvm::SmallVector<const Row *> rowsOf(llvm::StringRef stem) {
  llvm::SmallVector<const Row *> rows;
  for (const Row &row : kRows)
    if (stemOf(row.name) == stem)
      rows.push_back(&row);
  return rows;
}

namespace {
/// Whether a block may end with this operation.
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

/// The functions that MLIR requires for properties. No property can be accessed
/// as an attribute by name, except in old bytecode without lists.
template <typename Concrete, size_t I>
class WithValues : public BaseOf<Concrete, I> {
public:
  using BaseOf<Concrete, I>::BaseOf;
  using Properties = Values;
  static std::optional<Attribute> getInherentAttr(MLIRContext *, const Values &,
                                                  llvm::StringRef) {
    return std::nullopt;
  }
  static void setInherentAttr(Values &, llvm::StringRef, Attribute) {}
  static void populateInherentAttrs(MLIRContext *, const Values &values,
                                    NamedAttrList &attributes) {
    for (auto [name, value] : llvm::zip(kRows[I].attributeNames(), values.list))
      attributes.append(name, value);
  }
  static LogicalResult verifyInherentAttrs(OperationName, NamedAttrList &,
                                           function_ref<InFlightDiagnostic()>) {
    return success();
  }
  static LogicalResult
  setPropertiesFromAttr(Values &, Attribute,
                        function_ref<InFlightDiagnostic()>) {
    return success();
  }
  static Attribute getPropertiesAsAttr(MLIRContext *context,
                                       const Values &values) {
    return ArrayAttr::get(context, values.list);
  }
  static llvm::hash_code computePropertiesHash(const Values &values) {
    return llvm::hash_combine_range(values.list);
  }
  static void populateDefaultProperties(OperationName, Values &) {}
};
template <typename Concrete, size_t I>
using ParentOf =
    std::conditional_t<kRows[I].attributes.size() == 0, BaseOf<Concrete, I>,
                       WithValues<Concrete, I>>;

template <size_t I> class VhloOp : public ParentOf<VhloOp<I>, I> {
public:
  using Base = ParentOf<VhloOp<I>, I>;
  using Base::Base;
  static llvm::StringRef getOperationName() { return kRows[I].name; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  static LogicalResult readProperties(DialectBytecodeReader &reader,
                                      OperationState &state) {
    for (llvm::StringRef name : kRows[I].attributeNames()) {
      Attribute value;
      if (failed(reader.readAttribute(value)))
        return failure();
      state.addAttribute(name, value);
    }
    return success();
  }
  void writeProperties(DialectBytecodeWriter &writer) {
    if constexpr (kRows[I].attributes.size() != 0)
      for (Attribute value : this->getProperties().list)
        writer.writeAttribute(value);
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
