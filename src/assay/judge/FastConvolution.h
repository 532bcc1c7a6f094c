/// Convolutions by transforms (Winograd's, Fourier's): the same sums with other
/// errors, for kernels that are allowed them.
#pragma once

#include "assay/program/Program.h"

namespace assay::judge {

/// Marks a convolution that transforms may compute.
inline constexpr const char *kFastConvolution = "assay.fast_convolution";

/// Marks every convolution of floats in the program; false: it has none that is
/// not marked already.
bool allowFastConvolutions(const program::Program &program);

/// What transforms add to the error of a sum over `channels` with any number of
/// taps, in unit roundoffs of sum |a||b|, where its terms do not differ much in
/// size. Tiles of 4 x 4 results measured up to 303, 55, 31 and 27 for 1, 8, 32
/// and 512 channels of normal data, and 9/4 of that in corners, which see four
/// of nine taps.
double transformRoundoffs(double channels);

} // namespace assay::judge
