// Driver `deconv`: a transposed convolution. Sizes as in conv, with src the
// small and dst the large side: dst[n, o, x*s - p + k*(d+1)] += src[n, i, x] *
// wei[o, i, k]. It is the backward-data pass of a convolution whose input is
// dst and whose output is src (Contraction.cpp uses that).
#include "assay/verify/drivers/ConvolutionDriver.h"

using namespace assay::verify;

const Driver drivers::kDeconv = drivers::convolutionDriver<true>();
