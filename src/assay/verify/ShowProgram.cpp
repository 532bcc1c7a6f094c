// Writes the program of a case: factors less their zero points, one product (a
// dot or a convolution, backward passes as the convolution that computes them),
// scales, bias, post-ops and the rounding into the destination's type, all in
// f32 (f64 for f64 problems; sums of integers in i32). Convolutions with lhs
// dilation are backward data, with batch groups backward weights, as JAX writes
// them.
#include "assay/verify/ShowProgram.h"
#include "assay/verify/Options.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using judge::Contraction;

static const char *mlirName(ElementType type) {
  return type == types::S8    ? "i8"
         : type == types::U8  ? "ui8"
         : type == types::S32 ? "i32"
                              : nameOf(type);
}

static std::string typeText(llvm::ArrayRef<int64_t> dims,
                            llvm::StringRef element) {
  std::string text = "tensor<";
  for (int64_t size : dims)
    text += std::to_string(size) + "x";
  return text + element.str() + ">";
}

static std::string listText(llvm::ArrayRef<int64_t> values,
                            const char *separator = ", ") {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : separator) + std::to_string(value);
  return text;
}

namespace {
/// One value of the program under way.
struct Named {
  std::string name;
  Dims dims;
  std::string element;
  std::string type() const { return typeText(dims, element); }
};

class Writer {
public:
  explicit Writer(const Lowered &c)
      : c_(c), wide_(c.slots[c.a].type == types::F64 ? "f64" : "f32") {}
  std::string write();

private:
  Named op(llvm::StringRef name, const std::vector<Named> &operands, Dims dims,
           llvm::StringRef element, llvm::StringRef attributes = "");
  Named convert(const Named &x, llvm::StringRef element) {
    return x.element == element ? x : op("convert", {x}, x.dims, element);
  }
  Named binary(const char *name, const Named &a, const Named &b) {
    return op(name, {a, b}, a.dims, a.element);
  }
  Named unary(const char *name, const Named &a) {
    return op(name, {a}, a.dims, a.element);
  }
  Named constant(double value, const Named &like);
  Named reshape(const Named &x, Dims dims) {
    return x.dims == dims ? x : op("reshape", {x}, dims, x.element);
  }
  Named spread(const Named &x, const Dims &dims, llvm::ArrayRef<int64_t> where);
  Named argument(int slot) {
    return {"%" + c_.slots[slot].role, c_.slots[slot].dims,
            mlirName(c_.slots[slot].type)};
  }
  /// Along the output: same rank, or along its channels.
  Named alongOutput(int slot);
  Named factor(int slot, int which, bool integers);
  Named product();
  Named dot(Named a, Named b);
  Named convolution(const Named &a, Named b);
  Named eltwise(const PostOp &op, const Named &x);
  Named postOp(size_t index, const Named &x);
  Named epilogue(Named x);
  Named biasGradient();
  void bindings();

  const Lowered &c_;
  std::string wide_, text_;
  int next_ = 0;
};
} // namespace

Named Writer::op(llvm::StringRef name, const std::vector<Named> &operands,
                 Dims dims, llvm::StringRef element,
                 llvm::StringRef attributes) {
  Named result{"%" + std::to_string(next_++), std::move(dims), element.str()};
  std::string names, types;
  for (const Named &operand : operands) {
    names += (names.empty() ? "" : ", ") + operand.name;
    types += (types.empty() ? "" : ", ") + operand.type();
  }
  std::string full =
      name.contains('.') ? name.str() : "stablehlo." + name.str();
  text_ += "  " + result.name + " = \"" + full + "\"(" + names + ")" +
           (attributes.empty() ? "" : " {" + attributes.str() + "}") + " : (" +
           types + ") -> " + result.type() + "\n";
  return result;
}

Named Writer::constant(double value, const Named &like) {
  std::string number = llvm::formatv("{0}", llvm::format("%.17e", value)).str();
  return op("constant", {}, like.dims, like.element,
            "value = dense<" + number + "> : " + like.type());
}

Named Writer::spread(const Named &x, const Dims &dims,
                     llvm::ArrayRef<int64_t> where) {
  if (x.dims == dims)
    return x;
  return op("broadcast_in_dim", {x}, dims, x.element,
            "broadcast_dimensions = array<i64" +
                (where.empty() ? std::string() : ": " + listText(where)) + ">");
}

Named Writer::alongOutput(int slot) {
  const Dims &out = c_.slots[c_.out].dims;
  Named x = convert(argument(slot), wide_);
  if (x.dims.size() == out.size() && slot != c_.scaleSlots[1]) {
    Dims identity;
    for (size_t d = 0; d < out.size(); ++d)
      identity.push_back(static_cast<int64_t>(d));
    return spread(x, out, identity);
  }
  int64_t count = c_.slots[slot].elements();
  int64_t channel = c_.problem->driver == DriverKind::Matmul
                        ? static_cast<int64_t>(out.size()) - 1
                        : 1;
  return count == 1 ? spread(reshape(x, {}), out, {})
                    : spread(reshape(x, {count}), out, {channel});
}

Named Writer::factor(int slot, int which, bool integers) {
  Named x = convert(argument(slot), integers ? "i32" : wide_);
  if (c_.zeroPointSlots[which] < 0)
    return x;
  Named zero = convert(argument(c_.zeroPointSlots[which]), x.element);
  Dims identity;
  for (size_t d = 0; d < x.dims.size(); ++d)
    identity.push_back(static_cast<int64_t>(d));
  return binary("subtract", x, spread(zero, x.dims, identity));
}

Named Writer::dot(Named a, Named b) {
  const Contraction &k = c_.contraction;
  if (c_.problem->driver ==
      DriverKind::InnerProduct) { // matrices [rows, columns] of the flattened
                                  // tensors
    Dims out = c_.slots[c_.out].dims;
    a = reshape(a, {c_.slots[c_.a].dims[0],
                    c_.slots[c_.a].elements() / c_.slots[c_.a].dims[0]});
    b = reshape(b, {c_.slots[c_.b].dims[0],
                    c_.slots[c_.b].elements() / c_.slots[c_.b].dims[0]});
    int64_t left = k.aK == 1 ? 1 : 0, right = k.bK == 1 ? 1 : 0;
    std::string numbers =
        llvm::formatv("dot_dimension_numbers = "
                      "#stablehlo.dot<lhs_contracting_dimensions = [{0}], "
                      "rhs_contracting_dimensions = [{1}]>",
                      left, right)
            .str();
    return reshape(op("dot_general", {a, b}, {k.m, k.n}, a.element, numbers),
                   out);
  }
  const MatmulSizes &mm = c_.problem->matmul;
  size_t rank = mm.dst.size();
  Dims batch, identity;
  for (size_t d = 0; d < rank; ++d)
    identity.push_back(static_cast<int64_t>(d));
  Dims left = mm.dst, right = mm.dst;
  left[rank - 1] = mm.k, right[rank - 2] = mm.k;
  for (size_t d = 0; d + 2 < rank; ++d)
    batch.push_back(static_cast<int64_t>(d));
  a = spread(a, left, identity), b = spread(b, right, identity);
  std::string numbers =
      llvm::formatv(
          "dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = "
          "[{0}], rhs_batching_dimensions = [{0}], "
          "lhs_contracting_dimensions = [{1}], rhs_contracting_dimensions = "
          "[{2}]>",
          listText(batch), rank - 1, rank - 2)
          .str();
  return op("dot_general", {a, b}, mm.dst, a.element, numbers);
}

Named Writer::convolution(const Named &a, Named b) {
  const Contraction &k = c_.contraction;
  size_t spatial = c_.slots[c_.a].dims.size() - 2;
  bool transposed = k.weiOut < k.weiIn;
  auto last = [&](const int64_t (&all)[3]) {
    return Dims(all + 3 - spatial, all + 3);
  };
  Dims in = last(k.in), out = last(k.out), taps = last(k.kernel),
       stride = last(k.stride), pad = last(k.pad), dil = last(k.dil);
  Dims low = pad, high(spatial), window(spatial, 1), left(spatial, 1),
       right = dil;
  Dims result, kernel;
  std::string letters;
  for (size_t d = 0; d < spatial; ++d)
    letters += ", " + std::to_string(d);
  std::string numbers =
      "[b, f" + letters + "]x[o, i" + letters + "]->[b, f" + letters + "]";
  int64_t featureGroups = k.groups, batchGroups = 1;
  Dims swapped{0, 2, 1}, spatialDims;
  for (size_t d = 0; d < spatial; ++d) {
    swapped.push_back(static_cast<int64_t>(d) + 3);
    spatialDims.push_back(static_cast<int64_t>(d) + 2);
  }
  auto with = [&](std::initializer_list<int64_t> front, const Dims &tail) {
    Dims all(front);
    all.append(tail);
    return all;
  };
  if (k.form != Contraction::Form::BackwardWeights) {
    bool backward = k.form == Contraction::Form::BackwardData;
    int64_t first = transposed ? k.inPerGroup : k.outPerGroup,
            second = transposed ? k.outPerGroup : k.inPerGroup;
    b = reshape(b, with({k.groups, first, second}, taps));
    if (transposed != backward) // the output's features first
      b = op("transpose", {b}, with({k.groups, second, first}, taps), b.element,
             "permutation = array<i64: " + listText(swapped) + ">");
    int64_t o = backward ? k.inPerGroup : k.outPerGroup,
            i = backward ? k.outPerGroup : k.inPerGroup;
    b = reshape(b, with({k.groups * o, i}, taps));
    if (backward)
      b = op("reverse", {b}, b.dims, b.element,
             "dimensions = array<i64: " + listText(spatialDims) + ">");
    for (size_t d = 0; d < spatial; ++d) {
      int64_t reach = (taps[d] - 1) * dil[d];
      if (backward) {
        low[d] = reach - pad[d];
        high[d] = in[d] - 1 - (out[d] - 1) * stride[d] - low[d] + reach;
        left[d] = stride[d];
      } else {
        high[d] = (out[d] - 1) * stride[d] + reach + 1 - in[d] - pad[d];
        window[d] = stride[d];
      }
    }
    result = with({k.mb, k.groups * o}, backward ? in : out);
  } else {
    numbers =
        "[f, b" + letters + "]x[i, o" + letters + "]->[b, f" + letters + "]";
    featureGroups = 1, batchGroups = k.groups;
    for (size_t d = 0; d < spatial; ++d) {
      window[d] = dil[d];
      right[d] = stride[d];
      high[d] = (taps[d] - 1) * dil[d] + (out[d] - 1) * stride[d] + 1 - in[d] -
                pad[d];
    }
    result = with({k.inPerGroup, k.groups * k.outPerGroup}, taps);
  }
  std::string padding;
  for (size_t d = 0; d < spatial; ++d)
    padding +=
        llvm::formatv("{0}[{1}, {2}]", d ? ", " : "", low[d], high[d]).str();
  std::string attributes =
      llvm::formatv(
          "window_strides = array<i64: {0}>, padding = dense<[{1}]> : "
          "tensor<{2}x2xi64>, lhs_dilation = array<i64: {3}>, rhs_dilation = "
          "array<i64: {4}>, "
          "dimension_numbers = #stablehlo.conv<{5}>, feature_group_count = {6} "
          ": i64, batch_group_count = {7} : i64",
          listText(window), padding, spatial, listText(left), listText(right),
          numbers, featureGroups, batchGroups)
          .str();
  Named sums = op("convolution", {a, b}, result, a.element, attributes);
  if (k.form != Contraction::Form::BackwardWeights)
    return sums;
  // [in, groups * out, taps] -> [groups, out, in, taps], or with in and out
  // exchanged
  sums = reshape(sums, with({k.inPerGroup, k.groups, k.outPerGroup}, taps));
  Dims order = transposed ? Dims{1, 0, 2} : Dims{1, 2, 0};
  order.append(swapped.begin() + 3, swapped.end());
  Dims ordered = transposed
                     ? with({k.groups, k.inPerGroup, k.outPerGroup}, taps)
                     : with({k.groups, k.outPerGroup, k.inPerGroup}, taps);
  sums = op("transpose", {sums}, ordered, sums.element,
            "permutation = array<i64: " + listText(order) + ">");
  return reshape(sums, c_.slots[c_.out].dims);
}

Named Writer::product() {
  bool integers =
      c_.slots[c_.a].type.isInteger() && c_.slots[c_.b].type.isInteger();
  Named a = factor(c_.a, 0, integers), b = factor(c_.b, 1, integers);
  bool isMatrix = c_.problem->driver == DriverKind::Matmul ||
                  c_.problem->driver == DriverKind::InnerProduct;
  Named sums = isMatrix ? dot(a, b) : convolution(a, b);
  return convert(sums, wide_);
}

Named Writer::eltwise(const PostOp &p, const Named &x) {
  const std::string &name = p.name;
  auto number = [&](double v) { return constant(v, x); };
  Named alpha = number(static_cast<float>(p.alpha)),
        beta = number(static_cast<float>(p.beta));
  auto clampTo = [&](const Named &v, double low, double high) {
    return op("clamp", {number(low), v, number(high)}, v.dims, v.element);
  };
  auto positive = [&](const Named &yes, const Named &no) {
    Named zero = number(0);
    Named where =
        op("compare", {x, zero}, x.dims, "i1",
           "comparison_direction = #stablehlo<comparison_direction GT>");
    return op("select", {where, yes, no}, x.dims, x.element);
  };
  auto softRelu = [&](const Named &v) {
    return unary("log_plus_one", unary("exponential", v));
  };
  if (name == "relu")
    return positive(x, binary("multiply", alpha, x));
  if (name == "linear")
    return binary("add", binary("multiply", alpha, x), beta);
  if (name == "clip" || name == "clip_v2")
    return op("clamp", {alpha, x, beta}, x.dims, x.element);
  if (name == "abs" || name == "sqrt" || name == "log" || name == "tanh" ||
      name == "logistic")
    return unary(name.c_str(), x);
  if (name == "exp")
    return unary("exponential", x);
  if (name == "round")
    return unary("round_nearest_even", x);
  if (name == "square")
    return binary("multiply", x, x);
  if (name == "elu")
    return positive(
        x, binary("multiply", alpha, unary("exponential_minus_one", x)));
  if (name == "swish")
    return binary("multiply", x,
                  unary("logistic", binary("multiply", alpha, x)));
  if (name == "pow")
    return binary("multiply", alpha, binary("power", x, beta));
  if (name == "hardsigmoid" || name == "hardswish") {
    Named inner =
        clampTo(binary("add", binary("multiply", alpha, x), beta), 0, 1);
    return name == "hardswish" ? binary("multiply", x, inner) : inner;
  }
  if (name == "soft_relu" || name == "srelu") {
    Named scale = number(p.alpha == 0 ? 1 : p.alpha);
    return binary("divide", softRelu(binary("multiply", scale, x)), scale);
  }
  if (name == "mish")
    return binary("multiply", x, unary("tanh", softRelu(x)));
  Named half = binary("multiply", number(0.5), x);
  if (name == "gelu_tanh") {
    Named cube = binary("multiply", number(0.044715),
                        binary("multiply", x, binary("multiply", x, x)));
    Named inner = unary("tanh", binary("multiply", number(std::sqrt(2 / M_PI)),
                                       binary("add", x, cube)));
    return binary("multiply", half, binary("add", number(1), inner));
  }
  return binary(
      "multiply", half,
      binary("add", number(1),
             unary("chlo.erf",
                   binary("divide", x, number(std::sqrt(2.0)))))); // gelu_erf
}

Named Writer::postOp(size_t index, const Named &x) {
  const PostOp &p = c_.problem->attributes.postOps[index];
  if (p.kind == PostOp::Kind::Eltwise)
    return eltwise(p, x);
  if (p.kind == PostOp::Kind::Sum) {
    Named before = convert(Named{"%before", c_.slots[c_.out].dims,
                                 mlirName(c_.slots[c_.out].type)},
                           wide_);
    before = binary("subtract", before,
                    constant(static_cast<double>(p.sumZeroPoint), before));
    return binary("add", x,
                  binary("multiply", constant(p.sumScale, before), before));
  }
  Named other = alongOutput(c_.postOpSlots[index]);
  if (p.kind == PostOp::Kind::Prelu) {
    Named where =
        op("compare", {x, constant(0, x)}, x.dims, "i1",
           "comparison_direction = #stablehlo<comparison_direction GT>");
    return op("select", {where, x, binary("multiply", x, other)}, x.dims,
              x.element);
  }
  static constexpr std::pair<const char *, const char *> kNames[] = {
      {"add", "add"},    {"sub", "subtract"}, {"mul", "multiply"},
      {"div", "divide"}, {"max", "maximum"},  {"min", "minimum"}};
  for (auto [ours, theirs] : kNames)
    if (p.name == ours)
      return binary(theirs, x, other);
  std::string direction = llvm::StringRef(p.name).upper();
  return convert(op("compare", {x, other}, x.dims, "i1",
                    "comparison_direction = #stablehlo<comparison_direction " +
                        direction + ">"),
                 wide_);
}

Named Writer::epilogue(Named x) {
  for (int which : {0, 1})
    if (c_.scaleSlots[which] >= 0)
      x = binary("multiply", x, alongOutput(c_.scaleSlots[which]));
  if (c_.bias >= 0)
    x = binary("add", x, alongOutput(c_.bias));
  for (size_t i = 0; i < c_.problem->attributes.postOps.size(); ++i)
    x = postOp(i, x);
  if (c_.scaleSlots[2] >= 0)
    x = binary("divide", x, alongOutput(c_.scaleSlots[2]));
  if (c_.zeroPointSlots[2] >= 0)
    x = binary("add", x, alongOutput(c_.zeroPointSlots[2]));
  ElementType type = c_.slots[c_.out].type;
  if (type.isInteger()) {
    x = unary("round_nearest_even", x);
    x = op("clamp",
           {constant(minValue(type), x), x, constant(maxValue(type), x)},
           x.dims, x.element);
  }
  return convert(x, mlirName(type));
}

Named Writer::biasGradient() {
  int gradient = c_.slots[c_.a].role == "diff_dst" ? c_.a : c_.b;
  Named x = convert(argument(gradient), wide_),
        zero = op("constant", {}, {}, wide_,
                  "value = dense<0.0> : tensor<" + wide_ + ">");
  Named sum{"%" + std::to_string(next_++), c_.slots[c_.diffBias].dims, wide_};
  Dims others;
  for (size_t d = 0; d < x.dims.size(); ++d)
    if (d != 1)
      others.push_back(static_cast<int64_t>(d));
  text_ += "  " + sum.name + " = stablehlo.reduce(" + x.name +
           " init: " + zero.name +
           ") applies stablehlo.add across dimensions = [" + listText(others) +
           "] : (" + x.type() + ", " + zero.type() + ") -> " + sum.type() +
           "\n";
  return convert(sum, mlirName(c_.slots[c_.diffBias].type));
}

void Writer::bindings() {
  std::string fills;
  for (FillKind fill : c_.problem->options->fills)
    fills += std::string(fills.empty() ? "" : ",") + nameOf(fill);
  text_ += "// " + c_.problem->repro + "\n";
  for (const Slot &slot : c_.slots) {
    bool isMain = slot.role == "src" || slot.role == "wei" ||
                  slot.role == "dst" ||
                  llvm::StringRef(slot.role).starts_with("diff_");
    int role = llvm::StringRef(slot.role).ends_with("src")   ? 0
               : llvm::StringRef(slot.role).ends_with("wei") ? 1
                                                             : 2;
    std::string tag = !isMain || slot.role == "diff_bia" ? "any"
                      : c_.problem->strides[role].empty()
                          ? c_.problem->tags[role]
                          : "strided";
    text_ += llvm::formatv("//   {0,-12} {1,-28} tag {2}, strides [{3}], {4}\n",
                           slot.role, typeText(slot.dims, mlirName(slot.type)),
                           tag, listText(slot.strides),
                           slot.isOutput ? "output" : "filled with " + fills)
                 .str();
  }
}

std::string Writer::write() {
  bindings();
  std::string arguments, results = typeText(c_.slots[c_.out].dims,
                                            mlirName(c_.slots[c_.out].type));
  for (const Slot &slot : c_.slots)
    if (!slot.isOutput)
      arguments += (arguments.empty() ? "%" : ", %") + slot.role + ": " +
                   typeText(slot.dims, mlirName(slot.type));
  if (c_.sumInput >= 0)
    arguments += ", %before: " + results;
  if (c_.diffBias >= 0)
    results = "(" + results + ", " +
              typeText(c_.slots[c_.diffBias].dims,
                       mlirName(c_.slots[c_.diffBias].type)) +
              ")";
  text_ += "func.func @main(" + arguments + ") -> " + results + " {\n";
  Named out = epilogue(product());
  if (c_.diffBias >= 0) {
    Named gradient = biasGradient();
    text_ += "  return " + out.name + ", " + gradient.name + " : " +
             out.type() + ", " + gradient.type() + "\n}\n";
  } else {
    text_ += "  return " + out.name + " : " + out.type() + "\n}\n";
  }
  return text_;
}

std::string verify::showProgram(const Lowered &c) { return Writer(c).write(); }
