// Faults of oneDNN 2.6 that `assay verify` found, shown again by its C++ API
// alone, without Assay: each case makes one matrix product and compares it with
// plain loops. A case that crashes is run in a child process. docs/verify.md
// lists them.
#include "oneapi/dnnl/dnnl.hpp"

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
  bool prelu = false;
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

static void runApart(const Case &c) {
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    run(c);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    std::printf("%s\n", strsignal(WTERMSIG(status)));
}

int main() {
  dnnl::post_ops twice, prelu;
  twice.append_eltwise(1, dnnl::algorithm::eltwise_linear, 2, 1);
  twice.append_eltwise(1, dnnl::algorithm::eltwise_linear, 3, 5);
  prelu.append_prelu(0);
  const Case cases[] = {{"plain f32 product 65x63:63x7",
                         65,
                         63,
                         7,
                         DataType::f32,
                         DataType::f32,
                         Tag::ab,
                         Tag::ab,
                         {}},
                        {"two linear post-ops, 2x+1 then 3x+5", 4, 8, 16,
                         DataType::f32, DataType::f32, Tag::ab, Tag::ab, twice,
                         [](float x) { return 3 * (2 * x + 1) + 5; }},
                        {"the same against 2(2x+1)+1", 4, 8, 16, DataType::f32,
                         DataType::f32, Tag::ab, Tag::ab, twice,
                         [](float x) { return 2 * (2 * x + 1) + 1; }},
                        {"prelu behind a product", 4, 8, 16, DataType::f32,
                         DataType::f32, Tag::ab, Tag::ab, prelu,
                         [](float x) { return x > 0 ? x : 0.5f * x; }, true},
                        {"f32 1x8:8x31, dst column-major",
                         1,
                         8,
                         31,
                         DataType::f32,
                         DataType::f32,
                         Tag::ab,
                         Tag::ba,
                         {}},
                        {"s8 1x8:8x31 to f32, dst column-major",
                         1,
                         8,
                         31,
                         DataType::s8,
                         DataType::f32,
                         Tag::ab,
                         Tag::ba,
                         {}},
                        {"bf16 65x63:63x7 to f32, weights column-major",
                         65,
                         63,
                         7,
                         DataType::bf16,
                         DataType::f32,
                         Tag::ba,
                         Tag::ab,
                         {}},
                        {"bf16 65x64:64x7 to f32, weights column-major",
                         65,
                         64,
                         7,
                         DataType::bf16,
                         DataType::f32,
                         Tag::ba,
                         Tag::ab,
                         {}}};
  for (const Case &c : cases)
    runApart(c);
}
