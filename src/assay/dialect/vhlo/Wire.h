/// How VHLO's types and attributes are encoded in bytecode: the codes, and the
/// writer. (The reader is Bytecode.cpp.) Private to the dialect.
#pragma once

#include "assay/dialect/vhlo/Version.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/AttributeSupport.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/TypeSupport.h"
#include "mlir/IR/Types.h"

namespace assay::vhlo {

/// Types with parameters; those without are in Types.def.
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

/// Attributes; enumerations are in Enums.def.
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
/// Comparison types are an enum in Enums.def, and one more.
inline constexpr uint64_t kComparisonTypes = 4;
/// The API version is an enum in Enums.def; a number here.
inline constexpr uint64_t kApiVersion = 5;

/// The type without parameters that has the code; null: none has.
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

/// A type as VHLO writes it: i32 of a value is VHLO's own, i32 of a module's
/// attribute is not.
class ValueType : public mlir::Type::TypeBase<ValueType, mlir::Type,
                                              detail::ValueTypeStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.type";
  static ValueType get(mlir::Type type);
  mlir::Type getType() const;
};

/// An attribute as VHLO writes it: numbers, text and lists of an operation of
/// VHLO are VHLO's own in bytecode, those of locations and modules are not.
class ValueAttr : public mlir::Attribute::AttrBase<ValueAttr, mlir::Attribute,
                                                   detail::ValueStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.value";
  /// A number whose kind does not tell its form has a code of Enums.def.
  static ValueAttr get(mlir::Attribute value, uint64_t code = 0);
  mlir::Attribute getValue() const;
  uint64_t getCode() const;
};

/// The version that a type or an attribute requires of an artifact: the latest that its parts
/// require.
struct Need {
  Version version = kOldest;
  void raise(llvm::StringRef since);
};

/// Writes in VHLO's form, and raises `need`; failure: VHLO has no such type or
/// attribute.
mlir::LogicalResult writeType(ValueType type,
                              mlir::DialectBytecodeWriter &writer, Need &need);
mlir::LogicalResult writeAttribute(ValueAttr attribute,
                                   mlir::DialectBytecodeWriter &writer,
                                   Need &need);

} // namespace assay::vhlo

MLIR_DECLARE_EXPLICIT_TYPE_ID(assay::vhlo::ValueAttr)
MLIR_DECLARE_EXPLICIT_TYPE_ID(assay::vhlo::ValueType)
