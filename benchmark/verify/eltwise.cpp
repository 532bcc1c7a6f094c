// The evidence for the allowances of judge/contraction/Eltwise.cpp. For every
// eltwise post-op: the errors of oneDNN's own eltwise primitive (the code that
// its post-ops use) and of plain float arithmetic with the C library, over all
// bf16 values, all f16 values and every 509th float, compared with the formula
// in double. Per function and side: the largest error, the largest multiple of
// 2^-23 |y| beyond the absolute allowance, and the largest share of the whole
// allowance. Exit code 1 when a share is above 1.
#include "assay/judge/contraction/Epilogue.h"
#include "oneapi/dnnl/dnnl.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace assay::judge;
using dnnl::algorithm;

namespace {
struct Function {
  const char *name;
  algorithm kind;
  float alpha, beta;
};
struct Share {
  double error = 0, ulps = 0, share = 0;
  float at = 0;
};
} // namespace

static const Function kFunctions[] = {
    {"exp", algorithm::eltwise_exp, 0, 0},
    {"log", algorithm::eltwise_log, 0, 0},
    {"tanh", algorithm::eltwise_tanh, 0, 0},
    {"logistic", algorithm::eltwise_logistic, 0, 0},
    {"swish", algorithm::eltwise_swish, 1, 0},
    {"gelu_tanh", algorithm::eltwise_gelu_tanh, 0, 0},
    {"gelu_erf", algorithm::eltwise_gelu_erf, 0, 0},
    {"elu", algorithm::eltwise_elu, 1, 0},
    {"soft_relu", algorithm::eltwise_soft_relu, 0, 0},
    {"mish", algorithm::eltwise_mish, 0, 0},
    {"hardswish", algorithm::eltwise_hardswish, 1.0f / 6, 0.5f},
    {"sqrt", algorithm::eltwise_sqrt, 0, 0},
    {"square", algorithm::eltwise_square, 0, 0},
    {"pow", algorithm::eltwise_pow, 1, 0.3f},
    {"pow", algorithm::eltwise_pow, 1, 2},
    {"linear", algorithm::eltwise_linear, 1.7f, 0.3f},
};

/// The same in float, in plain form.
static float plain(const Function &f, float x) {
  float e;
  switch (f.kind) {
  case algorithm::eltwise_exp:
    return std::exp(x);
  case algorithm::eltwise_log:
    return std::log(x);
  case algorithm::eltwise_tanh:
    return std::tanh(x);
  case algorithm::eltwise_logistic:
    return 1 / (1 + std::exp(-x));
  case algorithm::eltwise_swish:
    return x / (1 + std::exp(-f.alpha * x));
  case algorithm::eltwise_gelu_tanh:
    return 0.5f * x *
           (1 + std::tanh(0.79788456f * x * (1 + 0.044715f * x * x)));
  case algorithm::eltwise_gelu_erf:
    return 0.5f * x * (1 + std::erf(x * 0.70710678f));
  case algorithm::eltwise_elu:
    return x > 0 ? x : f.alpha * std::expm1(x);
  case algorithm::eltwise_soft_relu:
    return x > 30 ? x : std::log1p(std::exp(x));
  case algorithm::eltwise_mish:
    e = x > 30 ? x : std::log1p(std::exp(x));
    return x * std::tanh(e);
  case algorithm::eltwise_hardswish:
    return x * std::max(0.0f, std::min(1.0f, f.alpha * x + f.beta));
  case algorithm::eltwise_sqrt:
    return std::sqrt(x);
  case algorithm::eltwise_square:
    return x * x;
  case algorithm::eltwise_pow:
    return f.alpha * std::pow(x, f.beta);
  default:
    return f.alpha * x + f.beta;
  }
}

static std::vector<float> arguments(int set) {
  std::vector<float> values;
  uint64_t stride = set == 0 ? 1 << 16 : set == 1 ? 1 << 13 : 509;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += stride) {
    float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    bool half = set != 1 || x == 0 ||
                (std::abs(x) >= 0x1p-14f &&
                 std::abs(x) <= 65504); // normal values of f16
    if (std::isfinite(x) && half)
      values.push_back(x);
  }
  return values;
}

static std::vector<float> byOneDnn(const Function &f, std::vector<float> &x) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<float> y(x.size());
  dnnl::memory::desc desc({static_cast<int64_t>(x.size())},
                          dnnl::memory::data_type::f32,
                          dnnl::memory::format_tag::a);
#if DNNL_VERSION_MAJOR >= 3
  dnnl::eltwise_forward::primitive_desc primitive(
      engine, dnnl::prop_kind::forward_inference, f.kind, desc, desc, f.alpha,
      f.beta);
#else
  dnnl::eltwise_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, f.kind, desc, f.alpha, f.beta},
      engine);
#endif
  dnnl::memory source(desc, engine, x.data()), result(desc, engine, y.data());
  dnnl::eltwise_forward(primitive).execute(
      stream, {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, result}});
  stream.wait();
  return y;
}

static Share compare(const Function &f, const std::vector<float> &x,
                     const std::vector<float> &got) {
  PostOp op;
  op.kind = PostOp::Kind::Eltwise;
  op.name = f.name;
  op.alpha = f.alpha, op.beta = f.beta;
  Share worst;
  for (size_t i = 0; i < x.size(); ++i) {
    Bounded y = eltwise(op, x[i], 0);
    if (std::isnan(y.value) || std::abs(y.value) > 3.4e38 ||
        !std::isfinite(y.error))
      continue;
    // The rounding of the result, and results below the normal numbers, have
    // their own allowance elsewhere.
    double error = std::abs(got[i] - y.value),
           free = 0x1p-24 * std::abs(y.value) +
                  (std::abs(y.value) < 0x1p-125 ? 0x1p-126 : 0);
    double relative = 0x1p-23 * std::abs(y.value),
           absolute = eltwiseAbsolute(op);
    double excess = std::max(0.0, error - free);
    worst.error =
        std::max(worst.error, error / std::max(1.0, std::abs(y.value)));
    if (relative > 0)
      worst.ulps = std::max(worst.ulps, (excess - absolute) / relative);
    double share = excess == 0 ? 0 : y.error > 0 ? excess / y.error : 1e9;
    if (!(share <= worst.share))
      worst.share = share, worst.at = x[i];
  }
  return worst;
}

/// Prints the greatest share over the three sets, with the error there, as a
/// row of the table.
static void printMarkdown(const Function &f, const Share &library,
                          const Share &straight) {
  PostOp op;
  op.kind = PostOp::Kind::Eltwise;
  op.name = f.name, op.alpha = f.alpha, op.beta = f.beta;
  std::printf("| %s%s | %.2g | %.3g | %.2f | %.6g | %.3g | %.2f | %.6g |\n",
              f.name, f.beta == 2 ? " (x^2)" : "", eltwiseAbsolute(op),
              library.error, library.share, library.at, straight.error,
              straight.share, straight.at);
}

int main(int argc, char **argv) {
  static const char *kSets[] = {"bf16", "f16", "f32"};
  bool good = true, markdown = argc > 1 && !std::strcmp(argv[1], "--markdown");
  if (markdown)
    std::printf(
        "| function | absolute part | oneDNN: error | share | at | float: "
        "error | share | at |\n|---|---|---|---|---|---|---|---|\n");
  for (const Function &f : kFunctions) {
    Share most[2];
    for (int set = 0; set < 3; ++set) {
      std::vector<float> x = arguments(set), y(x.size());
      Share both[2] = {compare(f, x, byOneDnn(f, x)), {}};
      for (size_t i = 0; i < x.size(); ++i)
        y[i] = plain(f, x[i]);
      both[1] = compare(f, x, y);
      for (int side = 0; side < 2; ++side) {
        double error = std::max(most[side].error, both[side].error);
        if (both[side].share >= most[side].share)
          most[side] = both[side];
        most[side].error = error;
        good = good && both[side].share <= 1;
        if (!markdown)
          std::printf("%-10s %-4s %-6s error %.3g ulps %.3g share %.3f at %g\n",
                      f.name, kSets[set], side ? "float" : "oneDNN",
                      both[side].error, both[side].ulps, both[side].share,
                      both[side].at);
      }
    }
    if (markdown)
      printMarkdown(f, most[0], most[1]);
  }
  return good ? 0 : 1;
}
