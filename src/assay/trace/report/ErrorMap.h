/// A map of the errors in a tensor, small enough for a page.
#pragma once

#include "assay/formats/Hdf5Reader.h"
#include "llvm/Support/JSON.h"

namespace assay::trace {

/// Two tensors of one shape seen as matrices (the last dimension: columns; all
/// others: rows), reduced to at most 96 by 96 cells.
/// Memory: windows of 8 MiB of each side, whatever the size of the tensors.
/// Members of the result:
///   rows, cols, cell_rows, cell_cols
///   cells    base64, a byte each: 0 equal; 254 the largest |t - b| of the
///            tensor, 8 steps an octave below; 255 a NaN or Inf on one side
///   along    for each dimension {size, errors}: the largest |t - b| of each of
///            its indices (of at most 4096 equal ranges), encoded like `cells`
///   largest  the largest finite |t - b|
///   ulp      the number of elements by distance in ulp (floats of one type)
///   decades  the number of elements by |t - b|
///   window   the elements of both sides around the largest error
/// Errors: those of reading; InvalidArgument for shapes that differ
llvm::Expected<llvm::json::Object> mapErrors(const formats::Hdf5Reader &target,
                                             const formats::Hdf5Dataset &t,
                                             const formats::Hdf5Reader &bench,
                                             const formats::Hdf5Dataset &b);

} // namespace assay::trace
