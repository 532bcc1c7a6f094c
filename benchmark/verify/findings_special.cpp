// Faults of oneDNN 2.6 on special numbers, with only its C++ API: a line of
// infinity in a reduction, an infinite weight of prelu, a bf16 number of at
// least 2^31 converted to s8 or u8, relu of minus infinity, gradients near 0.
// docs/engine_onednn.md lists them.
#include "findings.h"

#include "oneapi/dnnl/dnnl.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

using dnnl::memory;
using DataType = memory::data_type;
using Tag = memory::format_tag;

static const float kInf = std::numeric_limits<float>::infinity();

static void say(const char *what, const char *implementation,
                const std::vector<float> &got, const std::vector<float> &due) {
  std::string numbers;
  long wrong = 0;
  for (size_t i = 0; i < due.size(); ++i)
    if (!(got[i] == due[i])) {
      ++wrong;
      char text[64];
      std::snprintf(text, sizeof text, ", %g is %g", due[i], got[i]);
      numbers += text;
    }
  std::printf("%s (%s): %ld of %ld wrong%s\n", what, implementation, wrong,
              static_cast<long>(due.size()), numbers.c_str());
}

/// The extreme of two lines: one with only `worst`, one that also contains a 1.
static void reduceLines(const char *what, dnnl::algorithm kind, float worst) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<float> src(32, worst), dst(2);
  src[20] = 1;
  memory::desc from({2, 16}, DataType::f32, Tag::ab),
      to({2, 1}, DataType::f32, Tag::ab);
  dnnl::reduction::primitive_desc primitive({kind, from, to, 0, 0}, engine);
  dnnl::reduction(primitive).execute(
      stream, {{DNNL_ARG_SRC, memory(from, engine, src.data())},
               {DNNL_ARG_DST, memory(to, engine, dst.data())}});
  stream.wait();
  say(what, primitive.impl_info_str(), dst, {worst, 1});
}

/// x where x > 0, else weight * x.
static void runPrelu(const char *what, float weight) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<float> src{1, 2, -1, -2}, weights(4, weight), dst(4);
  memory::desc desc({1, 4}, DataType::f32, Tag::ab);
  dnnl::prelu_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference, desc, desc}, engine);
  dnnl::prelu_forward(primitive).execute(
      stream, {{DNNL_ARG_SRC, memory(desc, engine, src.data())},
               {DNNL_ARG_WEIGHTS, memory(desc, engine, weights.data())},
               {DNNL_ARG_DST, memory(desc, engine, dst.data())}});
  stream.wait();
  say(what, primitive.impl_info_str(), dst, {1, 2, -weight, -2 * weight});
}

/// Converts to a type of 8 bits, with saturation, and back to f32: by a
/// reorder, or by a concatenation with itself.
static void toBytes(const char *what, DataType type, DataType bytes,
                    bool concatenates, const std::vector<float> &values,
                    std::vector<float> due) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  auto count = static_cast<memory::dim>(values.size());
  std::vector<float> src = values;
  if (concatenates)
    due.insert(due.end(), due.begin(), due.end());
  std::vector<float> got(due.size());
  auto to = static_cast<memory::dim>(got.size());
  memory::desc from({1, count}, type, Tag::ab), narrow({1, to}, bytes, Tag::ab);
  memory wide({{1, count}, DataType::f32, Tag::ab}, engine, src.data()),
      given(from, engine), made(narrow, engine),
      back({{1, to}, DataType::f32, Tag::ab}, engine, got.data());
  dnnl::reorder(wide, given).execute(stream, wide, given);
  std::string implementation;
  if (concatenates) {
    dnnl::concat::primitive_desc primitive(narrow, 1, {from, from}, engine);
    implementation = primitive.impl_info_str();
    dnnl::concat(primitive).execute(stream, {{DNNL_ARG_MULTIPLE_SRC, given},
                                             {DNNL_ARG_MULTIPLE_SRC + 1, given},
                                             {DNNL_ARG_DST, made}});
  } else {
    dnnl::reorder::primitive_desc primitive(engine, from, engine, narrow);
    implementation = primitive.impl_info_str();
    dnnl::reorder(primitive).execute(stream, given, made);
  }
  dnnl::reorder(made, back).execute(stream, made, back);
  stream.wait();
  say(what, implementation.c_str(), got, due);
}

/// max(x, 0) of minus infinity: alone, and after another function.
static void runRectifier(const char *what, bool follows) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<float> src{1, -1, -kInf, kInf}, dst(4);
  memory::desc desc({1, 4}, DataType::f32, Tag::ab);
  dnnl::primitive_attr attributes;
  dnnl::post_ops more;
  more.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  if (follows)
    attributes.set_post_ops(more);
  dnnl::eltwise_forward::primitive_desc primitive(
      {dnnl::prop_kind::forward_inference,
       follows ? dnnl::algorithm::eltwise_linear
               : dnnl::algorithm::eltwise_relu,
       desc, follows ? 1.0f : 0.0f, 0},
      attributes, engine);
  dnnl::eltwise_forward(primitive).execute(
      stream, {{DNNL_ARG_SRC, memory(desc, engine, src.data())},
               {DNNL_ARG_DST, memory(desc, engine, dst.data())}});
  stream.wait();
  say(what, primitive.impl_info_str(), dst, {1, 0, 0, kInf});
}

/// The gradient of an elementwise function where the gradient of the result is
/// 1.
static void runGradient(const char *what, dnnl::algorithm kind, float alpha,
                        float beta, std::vector<float> src,
                        const std::vector<float> &due) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<float> gradient(src.size(), 1), result(src.size());
  memory::desc desc({1, static_cast<memory::dim>(src.size())}, DataType::f32,
                    Tag::ab);
  dnnl::eltwise_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kind, desc, alpha, beta}, engine);
  dnnl::eltwise_backward::primitive_desc primitive(
      {kind, desc, desc, alpha, beta}, engine, forward);
  dnnl::eltwise_backward(primitive).execute(
      stream, {{DNNL_ARG_SRC, memory(desc, engine, src.data())},
               {DNNL_ARG_DIFF_DST, memory(desc, engine, gradient.data())},
               {DNNL_ARG_DIFF_SRC, memory(desc, engine, result.data())}});
  stream.wait();
  say(what, primitive.impl_info_str(), result, due);
}

void findings::showSpecial() {
  // alpha (exp(x) - 1) below 0: where exp(x) rounds to 1.
  runGradient("gradient of elu with alpha -2 at 1, 2^-20, 2^-30, 2^-100, 0",
              dnnl::algorithm::eltwise_elu, -2, 0,
              {1, 0x1p-20f, 0x1p-30f, 0x1p-100f, 0}, {1, 1, 1, 1, -2});
  // 1.5 x^0.5 of 1.25^2, whose root is exact, times a power of two: where x^1.5 is
  // below the normal range.
  runGradient("gradient of pow with beta 1.5 at 1, 1.5625 2^-98",
              dnnl::algorithm::eltwise_pow, 1, 1.5f, {1, 0x1.9p-98f},
              {1.5f, 0x1.ep-49f});
  reduceLines("max of a line of -infinity, of one with a 1",
              dnnl::algorithm::reduction_max, -kInf);
  reduceLines("min of a line of infinity, of one with a 1",
              dnnl::algorithm::reduction_min, kInf);
  runPrelu("prelu with a weight of 0.5", 0.5f);
  runPrelu("prelu with an infinite weight", kInf);
  const std::vector<float> values{100,      0x1p+20f,  0x1p+30f, 0x1p+31f,
                                  0x1p+40f, -0x1p+31f, -0x1p+40f},
      due{100, 127, 127, 127, 127, -128, -128};
  for (bool concatenates : {false, true}) {
    std::vector<float> unsignedDue{100, 255, 255, 255, 255, 0, 0};
    const char *by = concatenates ? "concat" : "reorder";
    std::string text = std::string(by) + ", up to 2^40: ";
    auto show = [&](const char *types, DataType type, DataType bytes,
                    const std::vector<float> &expected) {
      toBytes((text + types).c_str(), type, bytes, concatenates, values,
              expected);
    };
    show("f32 to s8", DataType::f32, DataType::s8, due);
    show("bf16 to s8", DataType::bf16, DataType::s8, due);
    show("f32 to u8", DataType::f32, DataType::u8, unsignedDue);
    show("bf16 to u8", DataType::bf16, DataType::u8, unsignedDue);
  }
  runRectifier("relu", false);
  runRectifier("relu behind x", true);
}
