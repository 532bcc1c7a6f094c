/// Arguments of a whole program for each kind of data that verify fills with.
#pragma once

#include "assay/judge/FillKind.h"
#include "assay/program/Program.h"

namespace assay::judge {

/// One tensor per parameter of `entry`, keyed by seed, kind, argument and
/// element.
///   exact    floats: integers times a power of two, none zero, small enough
///            that the sums of the program's products are exact in 24 bits;
///            integers from -3 to 12, so that most indices are inside
///   range    floats at the edges of the ranges that the operations accept, by
///            the argument's uses (EdgeData.h); 8-bit factors of products: also
///            the ends of their type
///   special  the same with NaN, infinities, zeros, subnormals (SpecialData.h),
///            if the engine supports them
///   others   floats: normal, uniform in (0, 1), heavy-tailed, pairs that
///            nearly cancel, sparse small integers; integers: the whole range
///            for 8 bits and less, +-1000 above
/// Real data resemble a model's (ArgumentRoles.h): factors of summed products
/// are scaled by 1/sqrt(fan-in), scales of normalisations are near one,
/// variances positive.
/// Errors: a parameter that is not a static tensor.
llvm::Expected<std::vector<tensor::Tensor>>
fillProgram(const program::Program &program, llvm::StringRef entry,
            FillKind kind, uint64_t seed, int draw = 0,
            const KeptNumbers &kept = {});

/// How many draws a kind of data needs, so that each of its patterns is met: 1
/// except for few lines of Range and Special data, and for ties.
int drawsOf(const program::Program &program, llvm::StringRef entry,
            FillKind kind);

} // namespace assay::judge
