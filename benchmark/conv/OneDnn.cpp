// One convolution by oneDNN's own interface, in a separate process, for
// bench.py.
//
// usage: bench_conv_onednn --version
//        bench_conv_onednn DIRECTION TYPE LAYOUT THREADS FOLDER BATCH INPUTS
//                          OUTPUTS GROUPS KERNEL STRIDE PAD DILATION SIZE...
//
// Reads image.bin, filter.bin and gradient.bin of FOLDER (those that the
// direction needs), which have the order of memory: images [batch, size...,
// channels] or [batch, channels, size...] by LAYOUT (last, first), filters
// [outputs, size..., inputs] or [outputs, inputs, size...]. Writes result.bin
// in the same order and prints "ready", or why it cannot. For each number N
// that it reads, it makes N calls and prints the milliseconds per call: on one
// thread in processor time; on more threads in wall time, after a call that is
// not timed.
//
// Tries all of the library's algorithms: direct, Winograd's, and its own
// choice. Images have the layout in which they are given, or the library's
// choice with reorders inside the call, whichever is faster. Filters always
// have the library's choice: they are reordered inside the call, as in PyTorch;
// those of bytes are reordered before it, as there.
#include "assay/engine/onednn/Version.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>

using namespace assay::engine::onednn;
using Dims = dnnl::memory::dims;
using DataType = dnnl::memory::data_type;

namespace {
struct Case {
  std::string direction, type, folder;
  bool isLast = false;
  int threads = 1;
  int64_t batch, inputs, outputs, groups, kernel, stride, pad, dilation;
  Dims size;

  DataType image() const {
    return type == "f32" ? DataType::f32
                         : type == "bf16" ? DataType::bf16 : DataType::u8;
  }
  DataType filter() const { return type == "u8s8" ? DataType::s8 : image(); }
  DataType sums() const { return type == "u8s8" ? DataType::s32 : image(); }
  Dims along(int64_t value) const { return Dims(size.size(), value); }
  Dims resultSize() const {
    Dims result;
    for (int64_t n : size)
      result.push_back((n + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1);
    return result;
  }
};

/// A tensor of the convolution, in the given layout and in the primitive's.
struct Operand {
  const char *file;
  int argument;
  Desc given, wanted;
};

/// Primitives with their arguments, run in order.
struct Step {
  dnnl::primitive primitive;
  std::unordered_map<int, dnnl::memory> arguments;
};

/// A convolution with one choice of layouts.
struct Way {
  std::vector<Step> steps;
  dnnl::memory result;
};
} // namespace

static int64_t product(const Dims &dims, size_t from = 0) {
  int64_t all = 1;
  for (size_t d = from; d < dims.size(); ++d)
    all *= dims[d];
  return all;
}

/// The descriptor of gapless memory. dims: `outer` of them, channels, space;
/// channels come after space if `isLast`.
static Desc dense(const Dims &dims, size_t outer, DataType type, bool isLast) {
  Dims strides(dims.size());
  for (size_t d = 0; d < dims.size(); ++d)
    strides[d] = product(dims, d + 1);
  if (isLast) {
    for (size_t d = outer + 1; d < dims.size(); ++d)
      strides[d] *= dims[outer];
    strides[outer] = 1;
  }
  return Desc(dims, type, strides);
}

static Desc images(const Case &c, int64_t channels, const Dims &size,
                   DataType type) {
  Dims dims = {c.batch, channels};
  dims.insert(dims.end(), size.begin(), size.end());
  return dense(dims, 1, type, c.isLast);
}

static Desc filters(const Case &c) {
  Dims dims = {c.outputs / c.groups, c.inputs / c.groups};
  if (c.groups > 1)
    dims.insert(dims.begin(), c.groups);
  size_t outer = dims.size() - 1;
  dims.resize(dims.size() + c.size.size(), c.kernel);
  return dense(dims, outer, c.filter(), c.isLast);
}

static Desc anyOf(const Desc &desc, DataType type) {
  return Desc(dimsOf(desc), type, dnnl::memory::format_tag::any);
}

//===--- A way: reorders around the primitive -----------------------------===//

static void readInto(const dnnl::memory &memory, const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  auto bytes = static_cast<std::streamsize>(memory.get_desc().get_size());
  if (!file.read(static_cast<char *>(memory.get_data_handle()), bytes))
    throw std::runtime_error("cannot read " + path);
}

/// The last operand is the result. Reorders of filters of bytes are done here.
static Way wayOf(const Case &c, const dnnl::engine &engine,
                 dnnl::stream &stream, dnnl::primitive primitive,
                 const std::array<Operand, 3> &operands) {
  Way way;
  Step main{std::move(primitive), {}}, after;
  for (const Operand &one : operands) {
    bool isResult = &one == &operands.back();
    dnnl::memory given(one.given, engine), wanted = given;
    if (!isResult)
      readInto(given, c.folder + "/" + one.file);
    else
      way.result = given;
    if (one.given != one.wanted) {
      wanted = dnnl::memory(one.wanted, engine);
      const dnnl::memory &from = isResult ? wanted : given,
                         &to = isResult ? given : wanted;
      Step reorder{dnnl::reorder(from, to),
                   {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}};
      if (isResult)
        after = reorder;
      else if (c.type == "u8s8" && one.argument == DNNL_ARG_WEIGHTS)
        reorder.primitive.execute(stream, reorder.arguments);
      else
        way.steps.push_back(reorder);
    }
    main.arguments[one.argument] = wanted;
  }
  stream.wait();
  way.steps.push_back(main);
  if (after.primitive)
    way.steps.push_back(after);
  return way;
}

static Way makeWay(const Case &c, const dnnl::engine &engine,
                   dnnl::stream &stream, bool isFree,
                   dnnl::algorithm algorithm) {
  using namespace dnnl;
  Desc image = images(c, c.inputs, c.size, c.image()), filter = filters(c),
       result = images(c, c.outputs, c.resultSize(), c.sums());
  Desc imageAs = isFree ? anyOf(image, c.image()) : image,
       resultAs = isFree ? anyOf(result, c.sums()) : result,
       filterAs = anyOf(filter, c.filter());
  Dims strides = c.along(c.stride), dilates = c.along(c.dilation - 1),
       pads = c.along(c.pad);
  auto forward = describe<convolution_forward>(
      engine, {},
      c.direction == "forward" ? prop_kind::forward_inference
                               : prop_kind::forward_training,
      algorithm, imageAs, filterAs, resultAs, strides, dilates, pads, pads);
  if (c.direction == "forward")
    return wayOf(
        c, engine, stream, convolution_forward(forward),
        {{{"image.bin", DNNL_ARG_SRC, image, forward.src_desc()},
          {"filter.bin", DNNL_ARG_WEIGHTS, filter, forward.weights_desc()},
          {"", DNNL_ARG_DST, result, forward.dst_desc()}}});
  if (c.direction == "data") {
    auto back = describeBackward<convolution_backward_data>(
        engine, {}, forward, algorithm, imageAs, filterAs, resultAs, strides,
        dilates, pads, pads);
    return wayOf(
        c, engine, stream, convolution_backward_data(back),
        {{{"filter.bin", DNNL_ARG_WEIGHTS, filter, back.weights_desc()},
          {"gradient.bin", DNNL_ARG_DIFF_DST, result, back.diff_dst_desc()},
          {"", DNNL_ARG_DIFF_SRC, image, back.diff_src_desc()}}});
  }
  auto back = describeBackward<convolution_backward_weights>(
      engine, {}, forward, algorithm, imageAs, filterAs, resultAs, strides,
      dilates, pads, pads);
  return wayOf(
      c, engine, stream, convolution_backward_weights(back),
      {{{"image.bin", DNNL_ARG_SRC, image, back.src_desc()},
        {"gradient.bin", DNNL_ARG_DIFF_DST, result, back.diff_dst_desc()},
        {"", DNNL_ARG_DIFF_WEIGHTS, filter, back.diff_weights_desc()}}});
}

//===--- Turns -------------------------------------------------------------===//

static void call(const Way &way, dnnl::stream &stream) {
  for (const Step &step : way.steps)
    step.primitive.execute(stream, step.arguments);
  stream.wait();
}

static double millisecondsOf(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 +
         static_cast<double>(now.tv_nsec) * 1e-6;
}

/// The milliseconds of a call, after a call to warm up.
static double turn(const Way &way, dnnl::stream &stream, int repeats,
                   int threads) {
  call(way, stream);
  clockid_t clock =
      threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
  double start = millisecondsOf(clock);
  for (int i = 0; i < repeats; ++i)
    call(way, stream);
  return (millisecondsOf(clock) - start) / repeats;
}

/// The fastest of the ways that the library has: its algorithms, each with the
/// given layouts and with its own.
static Way fastest(const Case &c, const dnnl::engine &engine,
                   dnnl::stream &stream) {
  Way best;
  double least = 0;
  std::string why;
  for (auto algorithm : {dnnl::algorithm::convolution_direct,
                         dnnl::algorithm::convolution_winograd,
                         dnnl::algorithm::convolution_auto})
    for (bool isFree : {false, true})
      try {
        Way way = makeWay(c, engine, stream, isFree, algorithm);
        call(way, stream);
        double time = turn(way, stream, 3, c.threads);
        if (best.steps.empty() || time < least)
          best = way, least = time;
      } catch (const dnnl::error &error) {
        why = why.empty() ? error.message : why; // the reason of the direct
                                                 // algorithm
      }
  if (best.steps.empty())
    throw std::runtime_error(versionName() + ": " + why);
  return best;
}

static void serve(const Case &c) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  Way way = fastest(c, engine, stream);
  std::ofstream(c.folder + "/result.bin", std::ios::binary)
      .write(static_cast<const char *>(way.result.get_data_handle()),
             static_cast<std::streamsize>(way.result.get_desc().get_size()));
  std::cout << "ready" << std::endl;
  for (int repeats; std::cin >> repeats;)
    std::cout << turn(way, stream, repeats, c.threads) << std::endl;
}

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words == std::vector<std::string>{"--version"}) {
    std::cout << versionName() << std::endl;
    return 0;
  }
  if (words.size() < 14) {
    std::cerr << "bench_conv_onednn: too few arguments; see OneDnn.cpp\n";
    return 2;
  }
  Case c;
  c.direction = words[0], c.type = words[1], c.isLast = words[2] == "last";
  c.threads = std::stoi(words[3]), c.folder = words[4];
  int64_t *numbers[] = {&c.batch,  &c.inputs, &c.outputs, &c.groups,
                        &c.kernel, &c.stride, &c.pad,     &c.dilation};
  for (size_t i = 0; i < std::size(numbers); ++i)
    *numbers[i] = std::stoll(words[5 + i]);
  for (size_t i = 13; i < words.size(); ++i)
    c.size.push_back(std::stoll(words[i]));
  try {
    serve(c);
  } catch (const std::exception &error) {
    std::cout << error.what() << std::endl;
    return 1;
  }
}
