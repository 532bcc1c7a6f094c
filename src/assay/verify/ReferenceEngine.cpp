// The reference as an engine under test: the straightforward sums in double,
// then the epilogue, rounded once; and `native`, the same with the sums from
// Assay's own kernels (integers beyond 2^24 and f64 stay with the loops). Both
// read the problem from the words in the plugin's JSON, so it sees exactly what
// the command line said.
#include "assay/verify/ReferenceEngine.h"
#include "assay/judge/contraction/Epilogue.h"
#include "assay/judge/contraction/Fill.h"
#include "assay/numerics/Convert.h"
#include "assay/verify/FastContraction.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Reader.h"

#include <chrono>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;

namespace {
struct ReferenceKernel {
  Problem problem;
  Lowered lowered;
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<FastContraction> fast; ///< `native` only
  double seconds = 0;
};
} // namespace

static void say(char *why, size_t size, const std::string &text) {
  if (size)
    snprintf(why, size, "%s", text.c_str());
}

static const assay_plugin_info_t *referenceInfo() {
  static const assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                           ASSAY_PLUGIN_ABI_VERSION,
                                           "reference",
                                           "1",
                                           0,
                                           0};
  return &info;
}

static llvm::Error readProblem(const char *json, Problem &problem) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(json);
  if (!parsed)
    return parsed.takeError();
  std::string words =
      parsed->getAsObject()->getString("words").value_or("").str();
  Reader reader({}, [&](Problem p) {
    problem = std::move(p);
    return llvm::Error::success();
  });
  llvm::SmallVector<llvm::StringRef, 16> parts;
  llvm::StringRef(words).split(parts, ' ', -1, false);
  std::vector<std::string> copies(parts.begin(), parts.end());
  std::vector<const char *> arguments;
  for (const std::string &copy : copies)
    arguments.push_back(copy.c_str());
  return reader.readArguments(arguments);
}

static int createKernel(const assay_problem_t *description, bool native,
                        void **out, char *why, size_t whySize) {
  auto kernel = std::make_unique<ReferenceKernel>();
  if (native)
    kernel->fast = std::make_unique<FastContraction>();
  if (llvm::Error error =
          readProblem(description->problem_json, kernel->problem)) {
    say(why, whySize, takeError(std::move(error)).message);
    return ASSAY_PLUGIN_INVALID;
  }
  llvm::Expected<Lowered> lowered = lower(kernel->problem);
  if (!lowered) {
    say(why, whySize, takeError(lowered.takeError()).message);
    return ASSAY_PLUGIN_INVALID;
  }
  kernel->lowered = std::move(*lowered);
  kernel->lowered.problem = &kernel->problem;
  kernel->pool = std::make_unique<ThreadPool>(description->threads);
  *out = kernel.release();
  return ASSAY_PLUGIN_OK;
}

/// Folds a zero point into the factor's values.
static void takeOff(const Lowered &c, int which, int slot,
                    std::vector<std::vector<float>> &values) {
  if (c.zeroPointSlots[which] < 0)
    return;
  const Slot &s = c.slots[slot];
  Dims own = maskedDims(s.dims, c.zeroPointMasks[which]), dense = rowMajor(own);
  for (size_t d = 0; d < own.size(); ++d)
    dense[d] = own[d] == 1 ? 0 : dense[d];
  Walk walk = Walk::over(s.dims, {rowMajor(s.dims), dense});
  const std::vector<float> &zero = values[c.zeroPointSlots[which]];
  for (int64_t row = 0; row < walk.rows(); ++row) {
    int64_t at[2];
    walk.at(row, at);
    for (int64_t i = 0; i < walk.width(); ++i)
      values[slot][at[0] + i * walk.inner(0)] -=
          zero[at[1] + i * walk.inner(1)];
  }
}

static void storeBiasGradient(const Lowered &c, const std::vector<float> &grad,
                              const Slot &from, void *data) {
  int64_t mb = from.dims[0], channels = from.dims[1],
          area = from.elements() / mb / channels;
  for (int64_t ch = 0; ch < channels; ++ch) {
    double sum = 0;
    for (int64_t n = 0; n < mb; ++n)
      for (int64_t x = 0; x < area; ++x)
        sum += grad[(n * channels + ch) * area + x];
    const Slot &bias = c.slots[c.diffBias];
    sum = roundTo(bias.type, sum);
    numerics::convertArray(
        types::F64, &sum, bias.type,
        static_cast<std::byte *>(data) + ch * bytesOf(bias.type), 1);
  }
}

/// f32 sums of integers are exact up to 2^24.
static bool fitsFast(const Lowered &c) {
  ElementType a = c.slots[c.a].type, b = c.slots[c.b].type;
  bool integers = a.isInteger() && b.isInteger();
  return a != types::F64 &&
         (!integers ||
          static_cast<double>(c.contraction.depth()) * 256 * 256 <= 0x1p24);
}

static llvm::Error computeSums(ReferenceKernel &kernel, const float *a,
                               const float *b, std::vector<double> &sums) {
  const Lowered &c = kernel.lowered;
  auto start = std::chrono::steady_clock::now();
  if (kernel.fast && fitsFast(c)) {
    std::vector<float> narrow(sums.size());
    if (llvm::Error error =
            kernel.fast->run(c.contraction, a, b, narrow.data(), *kernel.pool))
      return error;
    sums.assign(narrow.begin(), narrow.end());
  } else if (c.slots[c.a].type == types::F64) {
    contractCompensated(c.contraction, a, b, sums.data(), *kernel.pool);
  } else {
    contract(c.contraction, a, b, sums.data(), *kernel.pool);
  }
  kernel.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return llvm::Error::success();
}

static int referenceCreate(const assay_problem_t *description, void **out,
                           char *why, size_t whySize) {
  return createKernel(description, /*native=*/false, out, why, whySize);
}

static int referenceRun(void *opaque, const assay_tensor_t *inputs,
                        const assay_tensor_t *outputs, char *why,
                        size_t whySize) {
  ReferenceKernel &kernel = *static_cast<ReferenceKernel *>(opaque);
  const Lowered &c = kernel.lowered;
  size_t inputCount = c.inputCount();
  std::vector<std::vector<float>> values(c.slots.size());
  std::vector<const float *> pointers(c.slots.size(), nullptr);
  for (size_t i = 0; i < c.slots.size(); ++i) {
    if (i >= inputCount && static_cast<int>(i) != c.sumInput)
      continue;
    values[i].resize(c.slots[i].elements());
    unpack(c.slots[i],
           i < inputCount ? inputs[i].data : outputs[i - inputCount].data,
           values[i].data(), *kernel.pool);
    pointers[i] = values[i].data();
  }
  takeOff(c, 0, c.a, values);
  takeOff(c, 1, c.b, values);
  std::vector<double> sums(c.contraction.cElements());
  if (llvm::Error error =
          computeSums(kernel, pointers[c.a], pointers[c.b], sums)) {
    say(why, whySize, takeError(std::move(error)).message);
    return ASSAY_PLUGIN_FAILED;
  }
  Epilogue epilogue(c, pointers);
  const Slot &out = c.slots[c.out];
  std::byte *data = static_cast<std::byte *>(outputs[c.out - inputCount].data);
  const Walk &walk = epilogue.walk();
  std::vector<double> error(walk.width());
  for (int64_t row = 0; row < walk.rows(); ++row) {
    double *value = sums.data() + row * walk.width();
    std::fill(error.begin(), error.end(), 0.0);
    epilogue.apply(row, 0, walk.width(), value, error.data());
    int64_t at[40];
    walk.at(row, at);
    for (int64_t i = 0; i < walk.width(); ++i) {
      double rounded = roundTo(out.type, value[i]);
      numerics::convertArray(
          types::F64, &rounded, out.type,
          data + (at[0] + i * walk.inner(0)) * bytesOf(out.type), 1);
    }
  }
  for (size_t i = 0; i < inputCount && c.diffBias >= 0; ++i)
    if (c.slots[i].role == "diff_dst")
      storeBiasGradient(c, values[i], c.slots[i],
                        outputs[c.diffBias - inputCount].data);
  return ASSAY_PLUGIN_OK;
}

static void referenceDestroy(void *kernel) {
  delete static_cast<ReferenceKernel *>(kernel);
}
static double referenceSeconds(void *kernel) {
  return static_cast<ReferenceKernel *>(kernel)->seconds;
}

static const assay_plugin_info_t *nativeInfo() {
  static const assay_plugin_info_t info = {sizeof(assay_plugin_info_t),
                                           ASSAY_PLUGIN_ABI_VERSION,
                                           "native",
                                           "1",
                                           0,
                                           0};
  return &info;
}

static int nativeCreate(const assay_problem_t *description, void **out,
                        char *why, size_t whySize) {
  return createKernel(description, /*native=*/true, out, why, whySize);
}

std::unique_ptr<engine::Host> verify::wordsHost(llvm::StringRef name) {
  if (name == "reference")
    return engine::makePluginHost({referenceInfo, referenceCreate, referenceRun,
                                   referenceDestroy, referenceSeconds});
  if (name == "native")
    return engine::makePluginHost({nativeInfo, nativeCreate, referenceRun,
                                   referenceDestroy, referenceSeconds});
  return nullptr;
}
