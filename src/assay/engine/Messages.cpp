// A message is a list of texts and numbers; a text follows its length. Both
// ends are the same program, so numbers are in the processor's byte order.
#include "assay/engine/Messages.h"
#include "llvm/Support/JSON.h"

#include <cstring>

using namespace assay;
using namespace assay::engine;

static void put(std::string &out, llvm::StringRef text) {
  uint32_t size = static_cast<uint32_t>(text.size());
  out.append(reinterpret_cast<const char *>(&size), sizeof size);
  out.append(text.data(), text.size());
}
static void put(std::string &out, int64_t value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}
static void put(std::string &out, llvm::ArrayRef<int64_t> values) {
  out.append(reinterpret_cast<const char *>(values.data()),
             values.size() * sizeof(int64_t));
}

std::string engine::createMessage(const ProblemDescription &problem) {
  std::string payload;
  put(payload, problem.driver);
  put(payload, problem.json);
  put(payload, problem.program);
  put(payload, problem.entry);
  put(payload, int64_t(problem.arguments.size()));
  put(payload, llvm::ArrayRef<int64_t>(problem.arguments));
  put(payload, int64_t(problem.threads));
  put(payload, int64_t(problem.tensors.size()));
  for (const TensorDescription &tensor : problem.tensors) {
    put(payload, tensor.role);
    put(payload, tensor.type);
    put(payload, int64_t(tensor.isOutput));
    put(payload, int64_t(tensor.dims.size()));
    put(payload, llvm::ArrayRef<int64_t>(tensor.dims));
    put(payload, llvm::ArrayRef<int64_t>(tensor.strides));
  }
  return payload;
}

namespace {
/// Reads values from the front; `whole` becomes false when one is missing.
struct Reader {
  llvm::StringRef rest;
  bool whole = true;

  void bytes(void *to, size_t size) {
    whole &= size <= rest.size();
    if (whole) {
      if (size > 0)
        std::memcpy(to, rest.data(), size);
      rest = rest.drop_front(size);
    }
  }
  int64_t number() {
    int64_t value = 0;
    bytes(&value, sizeof value);
    return value;
  }
  /// A number of items of at least `least` bytes each; 0 if the rest cannot
  /// hold them.
  size_t count(size_t least) {
    int64_t value = number();
    whole &= value >= 0 && static_cast<uint64_t>(value) <= rest.size() / least;
    return whole ? static_cast<size_t>(value) : 0;
  }
  std::string text() {
    uint32_t size = 0;
    bytes(&size, sizeof size);
    whole &= size <= rest.size();
    std::string value = whole ? rest.take_front(size).str() : std::string();
    rest = rest.drop_front(value.size());
    return value;
  }
  std::vector<int64_t> numbers(size_t count) {
    std::vector<int64_t> values(count);
    bytes(values.data(), count * sizeof(int64_t));
    return values;
  }
};
} // namespace

static TensorDescription readTensor(Reader &in) {
  TensorDescription tensor;
  tensor.role = in.text();
  tensor.type = in.text();
  tensor.isOutput = in.number() != 0;
  size_t rank = in.count(2 * sizeof(int64_t)); // a size and a stride
  tensor.dims = in.numbers(rank);
  tensor.strides = in.numbers(rank);
  return tensor;
}

std::optional<ProblemDescription> engine::readCreate(llvm::StringRef payload) {
  Reader in{payload};
  ProblemDescription problem;
  problem.driver = in.text();
  problem.json = in.text();
  problem.program = in.text();
  problem.entry = in.text();
  problem.arguments = in.numbers(in.count(sizeof(int64_t)));
  problem.threads = static_cast<int>(in.number());
  constexpr size_t kLeast = 2 * sizeof(uint32_t) + 2 * sizeof(int64_t);
  size_t tensors = in.count(kLeast);
  for (size_t i = 0; i < tensors && in.whole; ++i)
    problem.tensors.push_back(readTensor(in));
  if (!in.whole || !in.rest.empty())
    return std::nullopt;
  return problem;
}

/// The codes of assay_plugin.h, and the worker's own.
static void setKind(int code, llvm::StringRef subject, WorkerResult &out) {
  static constexpr WorkerResult::Kind kKinds[] = {
      WorkerResult::Kind::Ok,      WorkerResult::Kind::Unsupported,
      WorkerResult::Kind::Invalid, WorkerResult::Kind::Failed,
      WorkerResult::Kind::NotHere, WorkerResult::Kind::NoMemory};
  bool isKnown = code >= 0 && code < static_cast<int>(std::size(kKinds));
  out.kind = isKnown ? kKinds[code] : WorkerResult::Kind::Failed;
  if (code == kChildReturned)
    out.reason = (subject + " forked, and its child process returned from the "
                            "call too")
                     .str();
  else if (!isKnown)
    out.reason =
        llvm::formatv("{0} returned the undefined code {1}", subject, code)
            .str();
  if (out.kind == WorkerResult::Kind::Ok)
    std::swap(out.report, out.reason);
}

std::optional<WorkerResult> engine::readResult(llvm::StringRef message,
                                               llvm::StringRef subject) {
  Reader in{message};
  MessageHeader header{};
  ResultHeader result{};
  in.bytes(&header, sizeof header);
  in.bytes(&result, sizeof result);
  if (!in.whole || header.kind != MessageKind::Result)
    return std::nullopt;
  WorkerResult out;
  out.seconds = result.seconds;
  out.alignment = static_cast<int>(result.alignment);
  out.grownBytes = result.grownBytes;
  out.watchedCalls = result.watchedCalls;
  if (in.rest.size() != result.samples * sizeof(double) + result.whyBytes)
    return std::nullopt;
  out.samples.resize(result.samples);
  in.bytes(out.samples.data(), result.samples * sizeof(double));
  out.reason = llvm::json::fixUTF8(in.rest); // an engine may say anything
  setKind(result.code, subject, out);
  return out;
}
