// Driver `conv`: src [mb, ic, id, ih, iw], wei [g, oc/g, ic/g, kd, kh, kw], dst
// [mb, oc, od, oh, ow] (the dimensions that the descriptor has). dst[n,o,x] =
// sum over i, k of src[n, i, x*s - p + k*(d+1)] * wei[o, i, k].
#include "assay/verify/drivers/ConvolutionDriver.h"

using namespace assay::verify;

const Driver drivers::kConv = drivers::convolutionDriver<false>();
