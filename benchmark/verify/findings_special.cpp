// Faults of oneDNN 2.6 on numbers at the edges, by its C++ API alone: a line of
// infinity in a reduction, an infinite weight of prelu, a bf16 number from 2^31
// on that becomes s8. docs/engine_onednn.md lists them.
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

/// The extreme of two lines: one of `worst` alone, one with a 1 in it.
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

/// To s8, which saturates, and to f32 again.
static void reorderToBytes(const char *what, DataType type,
                           const std::vector<float> &values,
                           const std::vector<float> &due) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  auto count = static_cast<memory::dim>(values.size());
  std::vector<float> src = values, got(values.size());
  auto descOf = [&](DataType of) {
    return memory::desc({1, count}, of, Tag::ab);
  };
  memory wide(descOf(DataType::f32), engine, src.data()),
      from(descOf(type), engine), bytes(descOf(DataType::s8), engine),
      back(descOf(DataType::f32), engine, got.data());
  dnnl::reorder(wide, from).execute(stream, wide, from);
  dnnl::reorder::primitive_desc primitive(engine, descOf(type), engine,
                                          descOf(DataType::s8));
  dnnl::reorder(primitive).execute(stream, from, bytes);
  dnnl::reorder(bytes, back).execute(stream, bytes, back);
  stream.wait();
  say(what, primitive.impl_info_str(), got, due);
}

void findings::showSpecial() {
  reduceLines("max of a line of -infinity, of one with a 1",
              dnnl::algorithm::reduction_max, -kInf);
  reduceLines("min of a line of infinity, of one with a 1",
              dnnl::algorithm::reduction_min, kInf);
  runPrelu("prelu with a weight of 0.5", 0.5f);
  runPrelu("prelu with an infinite weight", kInf);
  const std::vector<float> values{100,      0x1p+20f,  0x1p+30f, 0x1p+31f,
                                  0x1p+40f, -0x1p+31f, -0x1p+40f},
      due{100, 127, 127, 127, 127, -128, -128};
  reorderToBytes("f32 to s8, up to 2^40", DataType::f32, values, due);
  reorderToBytes("the same from bf16", DataType::bf16, values, due);
}
