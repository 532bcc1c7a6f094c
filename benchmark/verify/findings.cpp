// Faults of oneDNN 2.6 that `assay verify` found, reproduced with only its C++
// API, without Assay: each case makes a primitive and compares its result with
// plain loops. A case that crashes runs in a child process.
// docs/engine_onednn.md lists them.
#include "findings.h"

#include "oneapi/dnnl/dnnl.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using dnnl::memory;
using DataType = memory::data_type;
using Tag = memory::format_tag;

namespace {
struct Case {
  const char *what;
  int64_t m, k, n;
  DataType type, result;
  Tag weights, output;
  dnnl::post_ops ops;
  std::function<float(float)> follow = [](float x) { return x; };
  bool prelu = false, half = false; ///< half: the post-op adds an f16 row of 1
};
} // namespace

static float valueAt(int64_t i) { return static_cast<float>(i * 7 % 5) - 2; }

/// Row-major f32 data as `type` and `tag`.
static memory converted(std::vector<float> &values, int64_t rows,
                        int64_t columns, DataType type, Tag tag,
                        const dnnl::engine &engine, dnnl::stream &stream) {
  memory plain({{rows, columns}, DataType::f32, Tag::ab}, engine,
               values.data()),
      result({{rows, columns}, type, tag}, engine);
  dnnl::reorder(plain, result).execute(stream, plain, result);
  stream.wait();
  return result;
}

static void run(const Case &c) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<float> a(c.m * c.k), b(c.k * c.n), got(c.m * c.n), slopes{0.5f};
  std::vector<uint16_t> ones(2 * c.n, 0x3c00);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = valueAt(static_cast<int64_t>(i));
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = valueAt(static_cast<int64_t>(3 * i + 1));
  memory source = converted(a, c.m, c.k, c.type, Tag::ab, engine, stream),
         weights = converted(b, c.k, c.n, c.type, c.weights, engine, stream);
  memory result({{c.m, c.n}, c.result, c.output}, engine),
      plain({{c.m, c.n}, DataType::f32, Tag::ab}, engine, got.data());
  std::memset(result.get_data_handle(), 0xff, result.get_desc().get_size());
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(c.ops);
  dnnl::matmul::primitive_desc primitive(
      {source.get_desc(), weights.get_desc(), result.get_desc()}, attributes,
      engine);
  std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, source},
                                            {DNNL_ARG_WEIGHTS, weights},
                                            {DNNL_ARG_DST, result}};
  if (c.prelu)
    arguments[DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_WEIGHTS] =
        memory({{1, 1}, DataType::f32, Tag::ab}, engine, slopes.data());
  if (c.half)
    arguments[DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1] =
        memory({{1, c.n}, DataType::f16, Tag::ab}, engine, ones.data());
  std::printf("%s (%s): ", c.what, primitive.impl_info_str());
  std::fflush(stdout);
  try {
    dnnl::matmul(primitive).execute(stream, arguments);
    stream.wait();
  } catch (const dnnl::error &error) {
    std::printf("%s, status %d\n", error.what(), error.status);
    return;
  }
  dnnl::reorder(result, plain).execute(stream, result, plain);
  stream.wait();
  int64_t wrong = 0;
  for (int64_t i = 0; i < c.m; ++i)
    for (int64_t j = 0; j < c.n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < c.k; ++k)
        sum += a[i * c.k + k] * b[k * c.n + j];
      wrong += !(std::abs(got[i * c.n + j] - c.follow(sum)) <= 1e-3f);
    }
  std::printf("%ld of %ld wrong\n", static_cast<long>(wrong),
              static_cast<long>(c.m * c.n));
}

/// A 1x1 deconvolution of one pixel, u8 by s8 to s32, with a zero point of src
/// for each channel: sum (src - zero) * weight.
static void runDeconvolution(const char *what, std::vector<int32_t> zeros) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  constexpr int64_t kIn = 4, kOut = 6;
  std::vector<uint8_t> src{5, 3, 7, 1};
  std::vector<int8_t> wei(kIn * kOut);
  std::vector<int32_t> dst(kOut, -1);
  for (size_t i = 0; i < wei.size(); ++i)
    wei[i] = static_cast<int8_t>(valueAt(static_cast<int64_t>(i)));
  memory::desc s({1, kIn, 1, 1}, DataType::u8, Tag::nhwc),
      w({kOut, kIn, 1, 1}, DataType::s8, Tag::oihw),
      d({1, kOut, 1, 1}, DataType::s32, Tag::nhwc);
  dnnl::primitive_attr attributes;
  attributes.set_zero_points(DNNL_ARG_SRC, 2, {DNNL_RUNTIME_S32_VAL});
  dnnl::deconvolution_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference,
       dnnl::algorithm::deconvolution_direct,
       s,
       w,
       d,
       {1, 1},
       {0, 0},
       {0, 0}},
      attributes, engine);
  dnnl::deconvolution_forward(primitive).execute(
      stream, {{DNNL_ARG_SRC, memory(s, engine, src.data())},
               {DNNL_ARG_WEIGHTS, memory(w, engine, wei.data())},
               {DNNL_ARG_DST, memory(d, engine, dst.data())},
               {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
                memory({{kIn}, DataType::s32, Tag::a}, engine, zeros.data())}});
  stream.wait();
  int64_t wrong = 0;
  for (int64_t o = 0; o < kOut; ++o) {
    int32_t sum = 0;
    for (int64_t i = 0; i < kIn; ++i)
      sum += (src[i] - zeros[i]) * wei[o * kIn + i];
    wrong += dst[o] != sum;
  }
  std::printf("%s (%s): %ld of %ld wrong\n", what, primitive.impl_info_str(),
              static_cast<long>(wrong), static_cast<long>(kOut));
}

/// The number of results of runDeconvolutionSum that differ from those of the
/// operations.
static int64_t countWrongSums(const std::vector<float> &a,
                              const std::vector<float> &before,
                              const std::vector<float> &got, int64_t channels,
                              int64_t pixels, bool sumFirst) {
  int64_t wrong = 0;
  for (int64_t o = 0; o < channels; ++o)
    for (int64_t x = 0; x < pixels; ++x) {
      int64_t at = o * pixels + x;
      float sum = a[at] - a[(o + 1) % channels * pixels + x],
            held = 0.5f * before[at];
      wrong += got[at] != (sumFirst ? std::max(sum + held, 0.0f)
                                    : std::max(sum, 0.0f) + held);
    }
  return wrong;
}

/// An s8 deconvolution, 1x1, one pixel, weights 1 on the diagonal and -1 next
/// to it, with a sum of the previous content of dst (times 0.5) before or after
/// a relu.
static void runDeconvolutionSum(const char *what, bool sumFirst,
                                DataType type) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  constexpr int64_t kChannels = 16, kPixels = 9;
  dnnl::post_ops ops;
  if (sumFirst)
    ops.append_sum(0.5f);
  ops.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  if (!sumFirst)
    ops.append_sum(0.5f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(ops);
  memory::desc src({1, kChannels, 3, 3}, type, Tag::any),
      wei({kChannels, kChannels, 3, 3}, type, Tag::any);
  dnnl::deconvolution_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference,
       dnnl::algorithm::deconvolution_direct,
       src,
       wei,
       src,
       {1, 1},
       {1, 1},
       {1, 1}},
      attributes, engine);
  std::vector<float> a(kChannels * kPixels), b(kChannels * kChannels * 9, 0.0f),
      before(a.size()), got(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = 2 * valueAt(static_cast<int64_t>(i));
    before[i] = 2 * valueAt(static_cast<int64_t>(i + 3)) + 4;
  }
  for (int64_t o = 0; o < kChannels; ++o) // only the middle tap
    for (int64_t i : {o, (o + 1) % kChannels})
      b[(o * kChannels + i) * 9 + 4] = i == o ? 1.0f : -1.0f;
  auto stored = [&](std::vector<float> &values, const memory::dims &sizes,
                    const memory::desc &desc) {
    memory plain({sizes, DataType::f32, Tag::abcd}, engine, values.data()),
        result(desc, engine);
    dnnl::reorder(plain, result).execute(stream, plain, result);
    return result;
  };
  const memory::dims sizes{1, kChannels, 3, 3};
  memory result = stored(before, sizes, primitive.dst_desc()),
         rows({sizes, DataType::f32, Tag::abcd}, engine, got.data());
  dnnl::deconvolution_forward(primitive).execute(
      stream, {{DNNL_ARG_SRC, stored(a, sizes, primitive.src_desc())},
               {DNNL_ARG_WEIGHTS, stored(b, {kChannels, kChannels, 3, 3},
                                         primitive.weights_desc())},
               {DNNL_ARG_DST, result}});
  dnnl::reorder(result, rows).execute(stream, result, rows);
  stream.wait();
  int64_t wrong = countWrongSums(a, before, got, kChannels, kPixels, sumFirst);
  std::printf("%s (%s): %ld of %ld wrong\n", what, primitive.impl_info_str(),
              static_cast<long>(wrong), static_cast<long>(a.size()));
}

/// A 1x1 convolution of two groups of four channels with a mish post-op: tests
/// whether the primitive can be made that its descriptor promises.
static void makeConvolution(const char *what, DataType type) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::post_ops ops;
  ops.append_eltwise(1, dnnl::algorithm::eltwise_mish, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(ops);
  memory::desc plain({2, 8, 56, 56}, type, Tag::any),
      wei({2, 4, 4, 1, 1}, type, Tag::any), bias({8}, DataType::f32, Tag::a);
  dnnl::convolution_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_training,
       dnnl::algorithm::convolution_direct,
       plain,
       wei,
       bias,
       plain,
       {1, 1},
       {0, 0},
       {0, 0}},
      attributes, engine);
  std::printf("%s (%s): ", what, primitive.impl_info_str());
  try {
    dnnl::convolution_forward made(primitive);
    std::printf("made\n");
  } catch (const dnnl::error &error) {
    std::printf("%s, status %d\n", error.what(),
                static_cast<int>(error.status));
  }
}

/// The backward pass of logsoftmax over the last dimension:
/// diff_src = diff_dst - exp(dst) * sum(diff_dst).
static void runLogSoftmax(const char *what, Tag tag) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  constexpr int64_t kRows = 36, kSize = 8, kCount = kRows * kSize;
  std::vector<float> dst(kCount, -std::log(8.0f)), diff(kCount), got(kCount);
  for (int64_t i = 0; i < kCount; ++i)
    diff[i] = static_cast<float>(i % 7) - 3;
  memory::desc plain({6, 6, kSize}, DataType::f32, Tag::abc),
      other({6, 6, kSize}, DataType::f32, tag);
  auto kind = dnnl::algorithm::softmax_log;
  dnnl::softmax_v2_forward::primitive_desc hint(
      {dnnl::prop_kind::forward_training, kind, plain, plain, 2}, engine);
  dnnl::softmax_v2_backward::primitive_desc primitive(
      {kind, other, plain, plain, 2}, engine, hint);
  memory result(other, engine), rows(plain, engine, got.data());
  dnnl::softmax_v2_backward(primitive).execute(
      stream, {{DNNL_ARG_DST, memory(plain, engine, dst.data())},
               {DNNL_ARG_DIFF_DST, memory(plain, engine, diff.data())},
               {DNNL_ARG_DIFF_SRC, result}});
  dnnl::reorder(result, rows).execute(stream, result, rows);
  stream.wait();
  int64_t wrong = 0;
  for (int64_t r = 0; r < kRows; ++r) {
    float sum = 0;
    for (int64_t i = 0; i < kSize; ++i)
      sum += diff[r * kSize + i];
    for (int64_t i = r * kSize; i < (r + 1) * kSize; ++i)
      wrong += !(std::abs(got[i] - (diff[i] - sum / 8)) <= 1e-4f);
  }
  std::printf("%s (%s): %ld of %ld wrong\n", what, primitive.impl_info_str(),
              static_cast<long>(wrong), static_cast<long>(kCount));
}

/// u8 to f32 with the zero point -1 of src: every element plus 1. `strides` of
/// the source; the result is row-major.
static void runReorder(const char *what, const memory::dims &strides) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const memory::dims sizes{1, 12, 128, 33};
  constexpr int64_t kCount = 12 * 128 * 33;
  std::vector<uint8_t> src(kCount, 5);
  std::vector<float> dst(kCount);
  std::vector<int32_t> zero{-1};
  memory::desc from(sizes, DataType::u8, strides),
      to(sizes, DataType::f32, Tag::abcd);
  dnnl::primitive_attr attributes;
  attributes.set_zero_points(DNNL_ARG_SRC, 0, {DNNL_RUNTIME_S32_VAL});
  dnnl::reorder::primitive_desc primitive(engine, from, engine, to, attributes);
  dnnl::reorder(primitive).execute(
      stream, {{DNNL_ARG_SRC, memory(from, engine, src.data())},
               {DNNL_ARG_DST, memory(to, engine, dst.data())},
               {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
                memory({{1}, DataType::s32, Tag::a}, engine, zero.data())}});
  stream.wait();
  int64_t wrong = 0;
  for (float x : dst)
    wrong += x != 6;
  std::printf("%s (%s): %ld of %ld wrong\n", what, primitive.impl_info_str(),
              static_cast<long>(wrong), static_cast<long>(kCount));
}

/// The backward pass of local response normalisation in bf16, channels last,
/// compared with doubles: elements that differ by more than 2 units in the last
/// place.
static void runResponse(const char *what, int64_t channels) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const float alpha = 1.0f / 8192, beta = 0.75f;
  const int64_t pixels = 32, count = pixels * channels;
  std::vector<float> x(count), dy(count), got(count);
  for (int64_t i = 0; i < count; ++i) {
    x[i] = static_cast<float>(i * 37 % 127 - 63) / 16;
    dy[i] = static_cast<float>(i * 53 % 127 - 63) / 16;
  }
  const memory::dims sizes{2, channels, 1, 16};
  memory::desc plain(sizes, DataType::f32, Tag::nhwc),
      narrow(sizes, DataType::bf16, Tag::nhwc);
  auto kind = dnnl::algorithm::lrn_across_channels;
  dnnl::lrn_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kind, narrow, 5, alpha, beta, 1},
      engine);
  dnnl::lrn_backward::primitive_desc backward(
      {kind, narrow, narrow, 5, alpha, beta, 1}, engine, forward);
  memory wideX(plain, engine, x.data()), wideDy(plain, engine, dy.data()),
      wideDx(plain, engine, got.data()), src(narrow, engine),
      diff(narrow, engine), dst(narrow, engine), result(narrow, engine),
      workspace(forward.workspace_desc(), engine);
  dnnl::reorder(wideX, src).execute(stream, wideX, src);
  dnnl::reorder(wideDy, diff).execute(stream, wideDy, diff);
  dnnl::lrn_forward(forward).execute(stream, {{DNNL_ARG_SRC, src},
                                              {DNNL_ARG_DST, dst},
                                              {DNNL_ARG_WORKSPACE, workspace}});
  dnnl::lrn_backward(backward).execute(stream, {{DNNL_ARG_SRC, src},
                                                {DNNL_ARG_DIFF_DST, diff},
                                                {DNNL_ARG_WORKSPACE, workspace},
                                                {DNNL_ARG_DIFF_SRC, result}});
  dnnl::reorder(result, wideDx).execute(stream, result, wideDx);
  stream.wait();
  auto omega = [&](int64_t pixel, int64_t c) {
    double sum = 0;
    for (int64_t k = c - 2; k <= c + 2; ++k)
      if (k >= 0 && k < channels)
        sum += std::pow(x[pixel * channels + k], 2);
    return 1 + alpha / 5 * sum;
  };
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t pixel = i / channels, c = i % channels;
    double cross = 0;
    for (int64_t k = c - 2; k <= c + 2; ++k)
      if (k >= 0 && k < channels)
        cross += dy[pixel * channels + k] * x[pixel * channels + k] *
                 std::pow(omega(pixel, k), -beta - 1.0);
    double due = dy[i] * std::pow(omega(pixel, c), -beta) -
                 2 * alpha * beta / 5 * x[i] * cross;
    double unit = std::ldexp(1.0, std::ilogb(due) - 7);
    wrong += !(std::abs(got[i] - due) <= 2 * unit);
  }
  std::printf("%s (%s): %ld of %ld wrong\n", what, backward.impl_info_str(),
              static_cast<long>(wrong), static_cast<long>(count));
}

/// The backward pass of average pooling along a row, windows of 3, in bf16,
/// channels last, compared with doubles: elements that differ by more than 2
/// units in the last place (and 1e-5, for sums that cancel).
static void runPooling(const char *what, DataType type,
                       dnnl::algorithm kind) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const int64_t images = 2, channels = 5, width = 16, windows = 14;
  std::vector<float> dy(images * windows * channels),
      got(images * width * channels);
  for (size_t i = 0; i < dy.size(); ++i)
    dy[i] = static_cast<float>(static_cast<int64_t>(i) * 53 % 127 - 63) / 16;
  const memory::dims in{images, channels, width},
      out{images, channels, windows};
  memory::desc source(in, type, Tag::nwc), target(out, type, Tag::nwc);
  dnnl::pooling_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training,
       kind,
       source,
       target,
       {1},
       {3},
       {0},
       {0}},
      engine);
  dnnl::pooling_backward::primitive_desc backward(
      {kind, source, target, {1}, {3}, {0}, {0}}, engine, forward);
  memory wideDy({out, DataType::f32, Tag::nwc}, engine, dy.data()),
      wideDx({in, DataType::f32, Tag::nwc}, engine, got.data()),
      diff(target, engine), result(source, engine);
  dnnl::reorder(wideDy, diff).execute(stream, wideDy, diff);
  dnnl::pooling_backward(backward).execute(
      stream, {{DNNL_ARG_DIFF_DST, diff}, {DNNL_ARG_DIFF_SRC, result}});
  dnnl::reorder(result, wideDx).execute(stream, result, wideDx);
  stream.wait();
  int64_t wrong = 0, count = static_cast<int64_t>(got.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t channel = i % channels, at = i / channels % width,
            image = i / channels / width;
    double due = 0;
    for (int64_t window = std::max<int64_t>(at - 2, 0);
         window <= std::min(at, windows - 1); ++window)
      due += dy[(image * windows + window) * channels + channel] / 3.0;
    double unit = due == 0 ? 0 : std::ldexp(1.0, std::ilogb(due) - 7);
    wrong += !(std::abs(got[i] - due) <= 2 * unit + 1e-5);
  }
  std::printf("%s (%s): %ld of %ld wrong\n", what, backward.impl_info_str(),
              static_cast<long>(wrong), static_cast<long>(count));
}

static void runApart(const std::function<void()> &run) {
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    run();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    std::printf("%s\n", strsignal(WTERMSIG(status)));
}

/// Products without post-ops: a plain one, and others with a single row, with a
/// result stored by columns, or with weights stored by columns.
static std::vector<Case> plainCases() {
  auto f32 = DataType::f32, bf16 = DataType::bf16, s8 = DataType::s8;
  auto row = Tag::ab, column = Tag::ba;
  return {
      {"plain f32 product 65x63:63x7", 65, 63, 7, f32, f32, row, row, {}},
      {"f32 1x8:8x31, dst column-major", 1, 8, 31, f32, f32, row, column, {}},
      {"s8 1x8:8x31 to f32, dst column-major",
       1,
       8,
       31,
       s8,
       f32,
       row,
       column,
       {}},
      {"bf16 65x63:63x7 to f32, weights column-major",
       65,
       63,
       7,
       bf16,
       f32,
       column,
       row,
       {}},
      {"bf16 65x64:64x7 to f32, weights column-major",
       65,
       64,
       7,
       bf16,
       f32,
       column,
       row,
       {}}};
}

/// Products of 4x8 and 8x16 with post-ops, and what should follow from them.
static std::vector<Case> postOpCases() {
  dnnl::post_ops twice, prelu, twoRelu, addHalf, large;
  twoRelu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0.5f, 0);
  twoRelu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0.25f, 0);
  addHalf.append_binary(dnnl::algorithm::binary_add,
                        {{1, 16}, DataType::f16, Tag::ab});
  large.append_eltwise(1, dnnl::algorithm::eltwise_linear, 0x1p+29f, 0);
  twice.append_eltwise(1, dnnl::algorithm::eltwise_linear, 2, 1);
  twice.append_eltwise(1, dnnl::algorithm::eltwise_linear, 3, 5);
  prelu.append_prelu(0);
  auto of = [](const char *what, const dnnl::post_ops &ops,
               std::function<float(float)> follow,
               DataType type = DataType::f32) {
    DataType result = type == DataType::f32 ? type : DataType::s32;
    return Case{what,   4,       8,       16,  type,
                result, Tag::ab, Tag::ab, ops, std::move(follow)};
  };
  auto clamped = [](float most) {
    return [most](float x) {
      return std::min(std::max(x * 0x1p+29f, -0x1p+31f), most);
    };
  };
  Case half = of("an f16 row added to an f32 product", addHalf,
                 [](float x) { return x + 1; }),
       slope = of("prelu behind a product", prelu,
                  [](float x) { return x > 0 ? x : 0.5f * x; });
  half.half = true;
  slope.prelu = true;
  return {of("two linear post-ops, 2x+1 then 3x+5", twice,
             [](float x) { return 3 * (2 * x + 1) + 5; }),
          of("the same against 2(2x+1)+1", twice,
             [](float x) { return 2 * (2 * x + 1) + 1; }),
          of("two relu post-ops, slopes 0.5 and 0.25", twoRelu,
             [](float x) { return x > 0 ? x : 0.125f * x; }),
          half,
          of("s8 to s32, beyond 2147483647", large, clamped(0x1p+31f),
             DataType::s8),
          of("the same against 2147483520", large, clamped(2147483520.0f),
             DataType::s8),
          slope};
}

int main() {
  for (const std::vector<Case> &cases : {plainCases(), postOpCases()})
    for (const Case &c : cases)
      runApart([&] { run(c); });
  runApart([] {
    runDeconvolution("zero points of src 1 2 3 4", {1, 2, 3, 4});
    runDeconvolution("zero points of src 0 2 3 4", {0, 2, 3, 4});
  });
  runApart([] {
    runDeconvolutionSum("s8 deconvolution, sum then relu", true, DataType::s8);
    runDeconvolutionSum("s8 deconvolution, relu then sum", false, DataType::s8);
    runDeconvolutionSum("the same in f32", false, DataType::f32);
  });
  runApart([] {
    makeConvolution("convolution of two groups with mish in f32",
                    DataType::f32);
    makeConvolution("the same in bf16", DataType::bf16);
  });
  runApart([] {
    runLogSoftmax("logsoftmax backward, diff_src as diff_dst", Tag::abc);
    runLogSoftmax("logsoftmax backward, diff_src transposed", Tag::bac);
  });
  runApart([] {
    runReorder("zero point of a reorder, row-major", {50688, 4224, 33, 1});
    runReorder("the same from adbc", {50688, 128, 1, 1536});
  });
  runApart([] {
    runResponse("lrn backward in bf16, 32 channels", 32);
    runResponse("the same, 31 channels", 31);
  });
  runApart([] {
    for (auto kind : {dnnl::algorithm::pooling_avg_exclude_padding,
                      dnnl::algorithm::pooling_avg_include_padding}) {
      runPooling("average pooling backward in f32", DataType::f32, kind);
      runPooling("the same in bf16", DataType::bf16, kind);
    }
  });
  runApart(findings::showSpecial);
}
