/// Converts elements to text and back. Numbers print as the shortest decimal
/// that parses to the same element of their type (0.1 in f16 is "0.1"); i1 as
/// true and false; complex as (re, im); NaN and infinities as nan, inf, -inf.
#pragma once

#include "assay/numerics/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace assay::numerics {

/// The text of the element at `element`, of any type (f128: 36 digits).
std::string printElement(ElementType type, const void *element);

/// The shortest decimal that parses to the same double: 0.1, 1e-07, 3, inf,
/// nan.
std::string printDouble(double value);

/// The element as MLIR writes it in a literal, which parses to the same bits:
/// floats with six decimals (1.500000e+00) if that is exact, else with as many
/// digits as necessary; NaN and infinities by their bits (0x7FC00000); integers
/// and i1 like printElement; complex as (re,im).
std::string printLiteral(ElementType type, const void *element);

/// Parses `text` and writes the element to `element` (storageBytes bytes).
/// Accepts the output of printElement; also integers in hexadecimal (0x1F), and
/// floats as their bits in hexadecimal (0x7FC0), as MLIR writes NaN. Decimals
/// are rounded once. Errors: InvalidArgument for any other text and for
/// integers outside the type's range.
llvm::Error parseElement(ElementType type, llvm::StringRef text, void *element);

/// "[1, 0, 2]": the multi-dimensional index of a flat, row-major one.
std::string printIndex(int64_t flatIndex, llvm::ArrayRef<int64_t> shape);

} // namespace assay::numerics
