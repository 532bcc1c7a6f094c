/// The encoding of VHLO's types and attributes in bytecode: the codes, and the
/// writer. (The reader is Bytecode.cpp.) Private to the dialect.
#pragma once

#include "assay/dialect/vhlo/Version.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/AttributeSupport.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/TypeSupport.h"
#include "mlir/IR/Types.h"

namespace assay::vhlo {

/// Codes of types with parameters; Types.def has those without.
enum TypeCode : uint64_t {
  kComplexType = 1,
  kFunctionType = 8,
  kTensorType = 20,
  kBoundedTensorType = 21,
  kTupleType = 23,
  kQuantizedType = 24,
  kUnrankedType = 25,
  kPerAxisType = 30,
  kBufferType = 41,
  kFutureType = 42
};

/// Codes of attributes; Enums.def has those of enumerations.
enum AttributeCode : uint64_t {
  kArray = 1,
  kBool = 2,
  kDictionary = 6,
  kFloat = 8,
  kInteger = 9,
  kAlias = 10,
  kString = 14,
  kTensor = 15,
  kType = 17,
  kBounds = 18,
  kAccuracy = 20,
  kSubAxis = 21,
  kAxis = 22,
  kMeshGroups = 23,
  kMeshAxis = 24,
  kMesh = 25
};
/// Comparison types are an enumeration in Enums.def, with one additional value.
inline constexpr uint64_t kComparisonTypes = 4;
/// The API version is an enumeration in Enums.def, but a number in StableHLO.
inline constexpr uint64_t kApiVersion = 5;

/// The type without parameters that has this code; null if there is none.
mlir::Type plainType(uint64_t code, mlir::MLIRContext *context);

namespace detail {
struct ValueStorage : public mlir::AttributeStorage {
  using KeyTy = std::pair<mlir::Attribute, uint64_t>;
  explicit ValueStorage(const KeyTy &key)
      : value(key.first), code(key.second) {}
  bool operator==(const KeyTy &other) const {
    return value == other.first && code == other.second;
  }
  static ValueStorage *construct(mlir::AttributeStorageAllocator &allocator,
                                 const KeyTy &key) {
    return new (allocator.allocate<ValueStorage>()) ValueStorage(key);
  }
  mlir::Attribute value;
  uint64_t code;
};
struct ValueTypeStorage : public mlir::TypeStorage {
  using KeyTy = mlir::Type;
  explicit ValueTypeStorage(mlir::Type type) : type(type) {}
  bool operator==(const KeyTy &other) const { return type == other; }
  static ValueTypeStorage *construct(mlir::TypeStorageAllocator &allocator,
                                     const KeyTy &key) {
    return new (allocator.allocate<ValueTypeStorage>()) ValueTypeStorage(key);
  }
  mlir::Type type;
};
} // namespace detail

/// A type that is written as VHLO's. The i32 of a value is written as VHLO's
/// i32, but that of a module's attribute is not.
class ValueType : public mlir::Type::TypeBase<ValueType, mlir::Type,
                                              detail::ValueTypeStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.type";
  static ValueType get(mlir::Type type);
  mlir::Type getType() const;
};

/// An attribute that is written as VHLO's. Numbers, text and lists of an
/// operation of VHLO are written as VHLO's, but those of locations and modules
/// are not.
class ValueAttr : public mlir::Attribute::AttrBase<ValueAttr, mlir::Attribute,
                                                   detail::ValueStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.value";
  /// `code` is a code of Enums.def, for a number whose kind does not determine
  /// its form.
  static ValueAttr get(mlir::Attribute value, uint64_t code = 0);
  mlir::Attribute getValue() const;
  uint64_t getCode() const;
};

/// The version of VHLO that a type or an attribute requires: the latest that
/// any of its parts requires.
struct Need {
  Version version = kOldest;
  void raise(llvm::StringRef since);
};

/// Writes in VHLO's form and raises `need`; failure if VHLO has no such type or
/// attribute.
mlir::LogicalResult writeType(ValueType type,
                              mlir::DialectBytecodeWriter &writer, Need &need);
mlir::LogicalResult writeAttribute(ValueAttr attribute,
                                   mlir::DialectBytecodeWriter &writer,
                                   Need &need);

} // namespace assay::vhlo

MLIR_DECLARE_EXPLICIT_TYPE_ID(assay::vhlo::ValueAttr)
MLIR_DECLARE_EXPLICIT_TYPE_ID(assay::vhlo::ValueType)
