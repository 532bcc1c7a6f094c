// Maps HDF5 datatypes to Assay's element types and back. HDF5 1.10 has neither
// bf16 nor float8. They are stored as raw unsigned integers with a `dtype`
// attribute. All forms in use are read: that one, custom floats (recognised by
// the position of their fields), and the opaque bytes that h5py writes for
// ml_dtypes. Booleans and complex numbers follow h5py.
#include "assay/formats/Hdf5Types.h"
#include "assay/numerics/FloatFormats.h"
#include "llvm/ADT/StringSwitch.h"

#include <cerrno>
#include <cstring>

namespace assay::formats::hdf5 {

using numerics::FloatFormat;
using numerics::Kind;

static herr_t firstDescription(unsigned, const H5E_error2_t *entry, void *out) {
  if (entry->desc && *entry->desc)
    *static_cast<std::string *>(out) = entry->desc;
  return 0;
}

std::string lastError() {
  std::string
      text; // the walk ends at the innermost entry, the most precise one
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, firstDescription, &text);
  return text.empty() ? "unknown reason" : llvm::StringRef(text).lower();
}

bool hasFailed(hid_t minor) {
  std::pair<hid_t, bool> search{minor, false};
  auto visit = [](unsigned, const H5E_error2_t *entry, void *out) -> herr_t {
    auto &[sought, found] = *static_cast<std::pair<hid_t, bool> *>(out);
    found |= entry->min_num == sought;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, visit, &search);
  return search.second;
}

int systemErrno() {
  int number = 0;
  llvm::StringRef rest = llvm::StringRef(lastError()).split("errno = ").second;
  rest.consumeInteger(10, number);
  return number;
}

static llvm::Expected<StoredElement> floatOf(hid_t datatype) {
  size_t sign, exponent, exponentBits, mantissa, mantissaBits;
  size_t bytes = H5Tget_size(datatype);
  bool ok = H5Tget_fields(datatype, &sign, &exponent, &exponentBits, &mantissa,
                          &mantissaBits) >= 0;
  size_t bias = H5Tget_ebias(datatype);
  // HDF5 does not say which codes are NaN. Of f8E4M3 and f8E4M3FN, which have
  // the same fields, f8E4M3FN is assumed.
  FloatFormat found = FloatFormat::None;
  for (const numerics::FormatInfo &row : numerics::kFormatTable)
    if (ok && row.hasSign() && row.bits <= 64 &&
        static_cast<size_t>(row.bits) == bytes * 8 &&
        static_cast<size_t>(row.exponentBits) == exponentBits &&
        static_cast<size_t>(row.mantissaBits) == mantissaBits &&
        static_cast<size_t>(row.bias) == bias && sign + 1 == bytes * 8 &&
        mantissa == 0 && exponent == mantissaBits)
      found = row.format;
  if (found != FloatFormat::None)
    return StoredElement{ElementType::floating(found), false,
                         bytes > 1 && H5Tget_order(datatype) == H5T_ORDER_BE};
  return makeError(ErrorCode::Unsupported,
                   "a float type of {0} bytes that is not f64, f32, f16, "
                   "bf16 or float8",
                   bytes);
}

static llvm::Expected<StoredElement> complexOf(hid_t datatype) {
  if (H5Tget_nmembers(datatype) == 2) {
    Handle real(H5Tget_member_type(datatype, 0)),
        imaginary(H5Tget_member_type(datatype, 1));
    bool equal = H5Tequal(real, imaginary) > 0 &&
                 H5Tget_member_offset(datatype, 0) == 0 &&
                 H5Tget_member_offset(datatype, 1) * 2 == H5Tget_size(datatype);
    if (equal && H5Tget_class(real) == H5T_FLOAT) {
      llvm::Expected<StoredElement> part = floatOf(real);
      if (!part)
        return part.takeError();
      if (part->type.bits == 32 || part->type.bits == 64)
        return StoredElement{ElementType::complex(part->type.format), false,
                             part->swapBytes};
    }
  }
  return makeError(ErrorCode::Unsupported,
                   "a compound type that is not a complex number");
}

static bool isBooleanEnum(hid_t datatype) {
  if (H5Tget_nmembers(datatype) != 2 || H5Tget_size(datatype) != 1)
    return false;
  bool result = true;
  for (unsigned i = 0; i < 2; ++i) {
    char *name = H5Tget_member_name(datatype, i);
    int8_t value = -1;
    H5Tget_member_value(datatype, i, &value);
    llvm::StringRef text = name ? name : "";
    result &= (value == 0 && text.equals_insensitive("false")) ||
              (value == 1 && text.equals_insensitive("true"));
    H5free_memory(name);
  }
  return result;
}

static llvm::Expected<StoredElement> integerOf(hid_t datatype, bool isSigned) {
  size_t bytes = H5Tget_size(datatype);
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    return makeError(ErrorCode::Unsupported, "integers of {0} bytes", bytes);
  int bits = static_cast<int>(8 * bytes);
  bool swap = bytes > 1 && H5Tget_order(datatype) == H5T_ORDER_BE;
  return StoredElement{isSigned ? ElementType::integer(bits)
                                : ElementType::unsignedInteger(bits),
                       false, swap};
}

llvm::Expected<StoredElement> elementOf(hid_t datatype) {
  size_t bytes = H5Tget_size(datatype);
  switch (H5Tget_class(datatype)) {
  case H5T_INTEGER:
    return integerOf(datatype, H5Tget_sign(datatype) == H5T_SGN_2);
  case H5T_BITFIELD:
    return integerOf(datatype, false);
  case H5T_FLOAT:
    return floatOf(datatype);
  case H5T_COMPOUND:
    return complexOf(datatype);
  case H5T_ENUM: {
    if (isBooleanEnum(datatype))
      return StoredElement{ElementType::boolean(), false, false};
    Handle base(H5Tget_super(datatype));
    return integerOf(base, H5Tget_sign(base) == H5T_SGN_2);
  }
  case H5T_OPAQUE:
    if (bytes == 1 || bytes == 2)
      return StoredElement{
          ElementType::unsignedInteger(static_cast<int>(8 * bytes)), true,
          false};
    return makeError(ErrorCode::Unsupported, "opaque elements of {0} bytes",
                     bytes);
  case H5T_STRING:
    return makeError(ErrorCode::Unsupported, "text");
  default:
    return makeError(ErrorCode::Unsupported, "a datatype that is not a number");
  }
}

static Handle halfType() {
  Handle type(H5Tcopy(H5T_IEEE_F32LE));
  H5Tset_fields(type, 15, 10, 5, 0, 10);
  H5Tset_size(type, 2);
  H5Tset_ebias(type, 15);
  return type;
}

static Handle booleanType() {
  Handle type(H5Tenum_create(H5T_STD_I8LE));
  int8_t no = 0, yes = 1;
  H5Tenum_insert(type, "FALSE", &no);
  H5Tenum_insert(type, "TRUE", &yes);
  return type;
}

static Handle complexType(ElementType part) {
  size_t bytes = static_cast<size_t>(part.storageBytes());
  hid_t partType = bytes == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * bytes));
  H5Tinsert(type, "r", 0, partType);
  H5Tinsert(type, "i", bytes, partType);
  return type;
}

Handle datatypeFor(ElementType type) {
  if (type.isBool())
    return booleanType();
  if (type.isComplex())
    return complexType(type.part());
  if (type.isFloat() && type.format == FloatFormat::F16)
    return halfType();
  if (type.isFloat() && type.bits >= 32)
    return Handle(H5Tcopy(type.bits == 32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE));
  bool isSigned = type.kind == Kind::Int;
  switch (type.storageBytes()) {
  case 1:
    return Handle(H5Tcopy(isSigned ? H5T_STD_I8LE : H5T_STD_U8LE));
  case 2:
    return Handle(H5Tcopy(isSigned ? H5T_STD_I16LE : H5T_STD_U16LE));
  case 4:
    return Handle(H5Tcopy(isSigned ? H5T_STD_I32LE : H5T_STD_U32LE));
  default:
    return Handle(H5Tcopy(isSigned ? H5T_STD_I64LE : H5T_STD_U64LE));
  }
}

std::optional<ElementType> elementFromName(llvm::StringRef name) {
  name.consume_front("torch.");
  // Short names of PyTorch and others that neither NumPy nor MLIR has.
  name = llvm::StringSwitch<llvm::StringRef>(name)
             .Case("half", "float16")
             .Case("float", "float32")
             .Case("double", "float64")
             .Case("cfloat", "complex64")
             .Case("cdouble", "complex128")
             .Case("short", "int16")
             .Case("int", "int32")
             .Case("long", "int64")
             .Default(name);
  if (std::optional<ElementType> type =
          numerics::elementTypeFromNumpyName(name))
    return type;
  return numerics::parseElementType(name);
}

} // namespace assay::formats::hdf5
