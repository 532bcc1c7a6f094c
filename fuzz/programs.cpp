// Whole programs, from bytes to results: the bytes choose operations over a few
// values of small shapes; the resulting text is parsed, planned by both
// engines and run. A program that parses runs on both or is refused by both, and
// results are judged by the derived bound of the program (so an engine may round
// in its own way), integers and predicates exactly.
//
// A program is its own description: FUZZ_SHOW=1 prints it, with the findings.
#include "assay/engine/all/LoadedProgram.h"
#include "assay/judge/program/ProgramTruth.h"
#include "assay/numerics/Convert.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace assay;
using tensor::Tensor;

namespace {
/// Choices out of the input; zeros after its end.
class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  uint32_t below(uint32_t count) { return (at_ == end_ ? 0u : *at_++) % count; }

private:
  const uint8_t *at_, *end_;
};

struct Value {
  std::string name;
  std::vector<int64_t> shape;
  std::string element;
  std::string type() const {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element + ">";
  }
  bool isFloat() const { return element[0] == 'f' || element[0] == 'b'; }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
};

/// A program under construction.
class Text {
public:
  explicit Text(Bytes &bytes) : bytes_(bytes) {}
  std::string make();

private:
  Value &any() {
    return values_[bytes_.below(static_cast<uint32_t>(values_.size()))];
  }
  std::string say(Value made, const std::string &operation) {
    made.name = "%" + std::to_string(values_.size());
    body_ += "  " + made.name + " = " + operation + "\n";
    values_.push_back(made);
    return made.name;
  }
  Value like(const Value &value, std::string element = {}) {
    Value other = value;
    if (!element.empty())
      other.element = std::move(element);
    return other;
  }
  /// A value of that shape and element type: converted, then its first
  /// element everywhere; ones where it has none.
  Value fitted(const Value &value, const Value &wanted);
  void step();
  void elementwise();
  void convert();
  void dot();
  void reduce();
  void move();
  void slice();
  void pad();
  void choose();
  void loop();
  void gather();

  Bytes &bytes_;
  std::vector<Value> values_;
  std::string body_, arguments_;
};
} // namespace

static constexpr const char *kElements[] = {"f32", "f64", "bf16", "i32",
                                            "i8",  "ui8", "f16",  "i64"};
static constexpr int64_t kSizes[] = {1, 2, 3, 4, 7, 8, 17, 0};

static std::string listed(llvm::ArrayRef<int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}
static std::string array(llvm::ArrayRef<int64_t> values) {
  std::string list = listed(values);
  return values.empty() ? "array<i64>"
                        : "array<i64: " + list.substr(1, list.size() - 2) + ">";
}

Value Text::fitted(const Value &value, const Value &wanted) {
  Value now = value;
  if (now.element != wanted.element) {
    Value made = like(now, wanted.element);
    made.name = say(made, "stablehlo.convert " + now.name + " : (" +
                              now.type() + ") -> " + made.type());
    now = made;
  }
  if (now.shape == wanted.shape)
    return now;
  if (llvm::is_contained(now.shape, 0)) { // there is no element to take
    Value ones = wanted;
    ones.name =
        say(ones, std::string("stablehlo.constant dense<1") +
                      (ones.isFloat() ? ".0" : "") + "> : " + ones.type());
    return ones;
  }
  Value one = now;
  one.shape.assign(now.shape.size(), 1);
  std::vector<int64_t> zeros(now.shape.size(), 0), ones(now.shape.size(), 1);
  one.name = say(one, "\"stablehlo.slice\"(" + now.name +
                          ") {start_indices = " + array(zeros) +
                          ", limit_indices = " + array(ones) +
                          ", strides = " + array(ones) + "} : (" + now.type() +
                          ") -> " + one.type());
  Value scalar = one;
  scalar.shape.clear();
  scalar.name = say(scalar, "stablehlo.reshape " + one.name + " : (" +
                                one.type() + ") -> " + scalar.type());
  Value wide = like(wanted);
  wide.name =
      say(wide, "stablehlo.broadcast_in_dim " + scalar.name +
                    ", dims = [] : (" + scalar.type() + ") -> " + wide.type());
  return wide;
}

void Text::elementwise() {
  static constexpr const char *kBinary[] = {"add",      "subtract", "multiply",
                                            "maximum",  "minimum",  "divide",
                                            "remainder"};
  static constexpr const char *kUnary[] = {"negate",      "abs",  "sign",
                                           "exponential", "tanh", "logistic",
                                           "sqrt",        "floor"};
  Value a = any();
  if (bytes_.below(2)) {
    uint32_t which = bytes_.below(a.isFloat() ? 8 : 3);
    if (a.element[0] == 'u')
      which = 2; // sign
    say(like(a), std::string("stablehlo.") + kUnary[which] + " " + a.name +
                     " : " + a.type());
    return;
  }
  Value b = fitted(any(), a);
  say(like(a), std::string("stablehlo.") + kBinary[bytes_.below(7)] + " " +
                   a.name + ", " + b.name + " : " + a.type());
}

void Text::convert() {
  Value a = any(), made = like(a, kElements[bytes_.below(8)]);
  if (a.isFloat() && !made.isFloat()) // out of range: undefined, so not compared
    return;
  say(made, "stablehlo.convert " + a.name + " : (" + a.type() + ") -> " +
                made.type());
}

void Text::dot() {
  Value a = any();
  if (a.rank() == 0)
    return;
  auto summed = static_cast<int64_t>(bytes_.below(uint32_t(a.rank())));
  Value b = a;
  b.shape = {a.shape[size_t(summed)], kSizes[bytes_.below(7)]};
  b = fitted(any(), b);
  Value made = a;
  made.shape.erase(made.shape.begin() + summed);
  made.shape.push_back(b.shape[1]);
  say(made, "stablehlo.dot_general " + a.name + ", " + b.name +
                ", contracting_dims = [" + std::to_string(summed) +
                "] x [0] : (" + a.type() + ", " + b.type() + ") -> " +
                made.type());
}

void Text::reduce() {
  static constexpr const char *kFolds[] = {"add", "maximum", "minimum",
                                           "multiply"};
  Value a = any();
  if (a.rank() == 0)
    return;
  auto dimension = static_cast<int64_t>(bytes_.below(uint32_t(a.rank())));
  Value scalar = a, made = a;
  scalar.shape.clear();
  Value init = fitted(any(), scalar);
  made.shape.erase(made.shape.begin() + dimension);
  say(made, "stablehlo.reduce(" + a.name + " init: " + init.name +
                ") applies stablehlo." + kFolds[bytes_.below(4)] +
                " across dimensions = [" + std::to_string(dimension) + "] : (" +
                a.type() + ", " + scalar.type() + ") -> " + made.type());
}

void Text::move() {
  Value a = any();
  if (a.rank() == 0)
    return;
  auto turn = static_cast<int64_t>(bytes_.below(uint32_t(a.rank())));
  Value made = a;
  if (bytes_.below(2)) {
    say(made, "stablehlo.reverse " + a.name + ", dims = [" +
                  std::to_string(turn) + "] : " + a.type());
    return;
  }
  std::vector<int64_t> order;
  for (int64_t d = 0; d < a.rank(); ++d) {
    order.push_back((d + turn) % a.rank());
    made.shape[size_t(d)] = a.shape[size_t(order.back())];
  }
  say(made, "stablehlo.transpose " + a.name + ", dims = " + listed(order) +
                " : (" + a.type() + ") -> " + made.type());
}

void Text::slice() {
  Value a = any(), made = a;
  std::vector<int64_t> starts, limits, strides;
  for (int64_t d = 0; d < a.rank(); ++d) {
    int64_t size = a.shape[size_t(d)];
    starts.push_back(bytes_.below(uint32_t(size) + 1));
    limits.push_back(starts.back() +
                     bytes_.below(uint32_t(size - starts.back()) + 1));
    strides.push_back(1 + bytes_.below(3));
    made.shape[size_t(d)] =
        (limits.back() - starts.back() + strides.back() - 1) / strides.back();
  }
  say(made, "\"stablehlo.slice\"(" + a.name + ") {start_indices = " +
                array(starts) + ", limit_indices = " + array(limits) +
                ", strides = " + array(strides) + "} : (" + a.type() + ") -> " +
                made.type());
}

void Text::pad() {
  Value a = any(), made = a, scalar = a;
  scalar.shape.clear();
  Value filler = fitted(any(), scalar);
  std::vector<int64_t> low, high, inner;
  for (int64_t d = 0; d < a.rank(); ++d) {
    int64_t size = a.shape[size_t(d)];
    inner.push_back(bytes_.below(3));
    low.push_back(int64_t(bytes_.below(5)) - 2);
    high.push_back(int64_t(bytes_.below(5)) - 2);
    int64_t all = low.back() + high.back() +
                  (size > 0 ? size + (size - 1) * inner.back() : 0);
    if (all < 0)
      return;
    made.shape[size_t(d)] = all;
  }
  say(made, "stablehlo.pad " + a.name + ", " + filler.name +
                ", low = " + listed(low) + ", high = " + listed(high) +
                ", interior = " + listed(inner) + " : (" + a.type() + ", " +
                scalar.type() + ") -> " + made.type());
}

void Text::choose() {
  Value a = any(), b = fitted(any(), a), truth = like(a, "i1");
  truth.name =
      say(truth, "stablehlo.compare LT, " + a.name + ", " + b.name + " : (" +
                     a.type() + ", " + a.type() + ") -> " + truth.type());
  values_.pop_back(); // i1 is an operand only of the choice
  Value made = like(a);
  std::string name = "%t" + truth.name.substr(1);
  size_t at = body_.rfind("  " + truth.name + " = ");
  body_.replace(at + 2, truth.name.size(), name);
  say(made, "stablehlo.select " + name + ", " + a.name + ", " + b.name + " : " +
                truth.type() + ", " + a.type());
}

void Text::loop() {
  Value a = any();
  std::string id = std::to_string(values_.size()), t = a.type();
  body_ += "  %z" + id + " = stablehlo.constant dense<0> : tensor<i32>\n  %n" +
           id + " = stablehlo.constant dense<" +
           std::to_string(bytes_.below(4)) + "> : tensor<i32>\n  %o" + id +
           " = stablehlo.constant dense<1> : tensor<i32>\n";
  std::string state = "tensor<i32>, " + t;
  body_ += "  %w" + id + ":2 = \"stablehlo.while\"(%z" + id + ", " + a.name +
           ") ({\n  ^bb0(%i: tensor<i32>, %x: " + t +
           "):\n    %l = stablehlo.compare LT, %i, %n" + id +
           " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    "
           "stablehlo.return %l : tensor<i1>\n  }, {\n  ^bb0(%i: tensor<i32>, "
           "%x: " +
           t + "):\n    %s = stablehlo.add %i, %o" + id +
           " : tensor<i32>\n    %y = stablehlo." +
           (bytes_.below(2) ? "maximum" : "subtract") + " %x, " + a.name +
           " : " + t + "\n    stablehlo.return %s, %y : " + state +
           "\n  }) : (" + state + ") -> (" + state + ")\n";
  say(like(a), "stablehlo.optimization_barrier %w" + id + "#1 : " + t);
}

void Text::gather() {
  Value a = any();
  if (a.rank() == 0)
    return;
  Value index{"", {kSizes[bytes_.below(7)]}, "i32"};
  index = fitted(any(), index);
  Value made = a;
  std::vector<int64_t> sizes = a.shape, offsets;
  if (a.shape[0] == 0)
    return;
  sizes[0] = 1;
  made.shape[0] = index.shape[0];
  for (int64_t d = 1; d < a.rank(); ++d)
    offsets.push_back(d);
  say(made, "\"stablehlo.gather\"(" + a.name + ", " + index.name +
                ") {dimension_numbers = #stablehlo.gather<offset_dims = " +
                listed(offsets) +
                ", collapsed_slice_dims = [0], start_index_map = [0], "
                "index_vector_dim = 1>, slice_sizes = " +
                array(sizes) + ", indices_are_sorted = false} : (" + a.type() +
                ", " + index.type() + ") -> " + made.type());
}

void Text::step() {
  using Step = void (Text::*)();
  static constexpr Step kSteps[] = {
      &Text::elementwise, &Text::convert, &Text::dot,        &Text::reduce,
      &Text::move,        &Text::slice,   &Text::pad,        &Text::choose,
      &Text::loop,        &Text::gather,  &Text::elementwise};
  (this->*kSteps[bytes_.below(std::size(kSteps))])();
}

std::string Text::make() {
  uint32_t arguments = 1 + bytes_.below(3);
  for (uint32_t i = 0; i < arguments; ++i) {
    Value value{"%a" + std::to_string(i), {}, kElements[bytes_.below(8)]};
    for (uint32_t d = bytes_.below(4); d > 0; --d)
      value.shape.push_back(kSizes[bytes_.below(8)]);
    arguments_ += (i ? ", " : "") + value.name + ": " + value.type();
    values_.push_back(value);
  }
  for (int steps = 0; steps < 10 && !bytes_.empty(); ++steps)
    step();
  Value last = values_.back(), other = any();
  return "func.func @main(" + arguments_ + ") -> (" + last.type() + ", " +
         other.type() + ") {\n" + body_ + "  return " + last.name + ", " +
         other.name + " : " + last.type() + ", " + other.type() + "\n}\n";
}

static Tensor filled(const tensor::TensorType &type, uint32_t seed) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(type));
  auto f64 = numerics::ElementType::floating(numerics::FloatFormat::F64);
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    seed = seed * 1664525 + 1013904223;
    values[i] = static_cast<int>(seed >> 24) % 9 / 2.0;
  }
  numerics::convertArray(f64, values.data(), type.element,
                         tensor.mutableBytes(), tensor.size());
  return tensor;
}

[[noreturn]] static void die(const std::string &text, const std::string &why) {
  std::fprintf(stderr, "%s\n%s\n", text.c_str(), why.c_str());
  std::abort();
}

/// Results by one engine; the refusal's text where it does not run.
static llvm::Expected<std::vector<Tensor>>
runOn(const char *engine, std::shared_ptr<const program::Program> program,
      uint32_t seed, std::vector<Tensor> &inputs) {
  engine::LoadedProgram::Options options;
  options.engine = engine;
  options.threads = 1;
  options.maxMemory = int64_t{256} << 20;
  auto loaded = engine::LoadedProgram::create(std::move(program), options);
  if (!loaded)
    return loaded.takeError();
  inputs.clear();
  for (const tensor::TensorType &type : (*loaded)->inputs())
    inputs.push_back(filled(type, seed++));
  return (*loaded)->run(inputs);
}

static void compare(const std::string &text,
                    const std::shared_ptr<const program::Program> &program,
                    uint32_t seed) {
  static ThreadPool pool(1);
  std::vector<Tensor> inputs;
  auto due = runOn("reference", program, seed, inputs);
  auto got = runOn("native", program, seed, inputs);
  std::string refused = due ? "" : llvm::toString(due.takeError());
  std::string other = got ? "" : llvm::toString(got.takeError());
  if (refused.empty() != other.empty())
    die(text, "reference: " + refused + "\nnative: " + other);
  if (!refused.empty())
    return;
  auto truth = judge::computeTruth(program, "main", inputs, pool, 20);
  if (!truth)
    return llvm::consumeError(truth.takeError());
  for (size_t i = 0; i < due->size(); ++i)
    for (auto [name, results] :
         {std::pair("reference", &*due), std::pair("native", &*got)}) {
      judge::Verdict verdict =
          judge::judgeResult(*truth, i, (*results)[i].bytes());
      if (!verdict.passed())
        die(text, std::string(name) + ": out" + std::to_string(i) + " " +
                      judge::pointText((*results)[i].shape(),
                                       verdict.worst.front(), false));
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const bool shows = std::getenv("FUZZ_SHOW") != nullptr;
  Bytes bytes(data, size);
  uint32_t seed = bytes.below(256);
  std::string text = Text(bytes).make();
  if (shows)
    std::fprintf(stderr, "%s", text.c_str());
  auto program = program::Program::parse(text, "input");
  if (!program)
    die(text, llvm::toString(program.takeError())); // it is always valid
  compare(text, *program, seed);
  return 0;
}
