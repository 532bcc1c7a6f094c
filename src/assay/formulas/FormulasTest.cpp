// The formulas on the reference engine in f64: forward passes
// against plain loops, backward passes against the difference quotient of the
// forward pass.
#include "assay/program/Executor.h"
#include "assay/reference/Reference.h"
#include "assay/formulas/Folds.h"
#include "assay/formulas/Norms.h"
#include "assay/formulas/Softmax.h"
#include "assay/formulas/Tensors.h"
#include "assay/formulas/Windows.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::formulas;
using mlir::Value;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Builder;
using program::Dims;
using tensor::Tensor;
using tensor::TensorType;

namespace {
using Values = std::vector<double>;
struct Input {
  Dims dims;
  Values values;
};
using Build =
    std::function<llvm::SmallVector<Value>(Builder &, llvm::ArrayRef<Value>)>;
} // namespace

static int64_t count(const Dims &dims) {
  int64_t n = 1;
  for (int64_t d : dims)
    n *= d;
  return n;
}

/// Numbers without ties, of both signs.
static Input input(const Dims &dims, double seed) {
  Input in{dims, {}};
  for (int64_t i = 0; i < count(dims); ++i)
    in.values.push_back(2 * std::sin(seed + 1.7 * static_cast<double>(i)) +
                        0.3);
  return in;
}

static Input positive(Input in) {
  for (double &x : in.values)
    x = std::fabs(x) + 0.2;
  return in;
}

static std::vector<Values> run(const Build &build,
                               llvm::ArrayRef<Input> inputs) {
  ElementType f64 = ElementType::floating(FloatFormat::F64);
  Builder builder;
  llvm::SmallVector<Value> values;
  std::vector<Tensor> arguments;
  for (const Input &in : inputs) {
    TensorType type{f64, tensor::Shape(in.dims)};
    values.push_back(builder.argument(type));
    arguments.push_back(llvm::cantFail(Tensor::allocate(type)));
    llvm::copy(in.values, arguments.back().mutableData<double>());
  }
  auto program = llvm::cantFail(builder.finish(build(builder, values), "test"));
  auto plan = llvm::cantFail(
      program::buildPlan(program, reference::ReferenceCompiler(), {}));
  ThreadPool pool(1);
  program::RunContext context(pool);
  std::vector<Values> results;
  for (const program::Value &value :
       llvm::cantFail(program::execute(*plan, arguments, context))) {
    Tensor dense = llvm::cantFail(value.tensor().dense());
    results.emplace_back(dense.data<double>(),
                         dense.data<double>() + dense.size());
  }
  return results;
}

static void expectNear(const Values &got, const Values &expected,
                       double tolerance = 1e-12) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], tolerance * (1 + std::fabs(expected[i])))
        << "element " << i;
}

/// sum(weights * forward(inputs)) differentiated by every element of one input.
static Values quotient(const Build &forward, std::vector<Input> inputs,
                       size_t which, const Values &weights) {
  constexpr double kStep = 1e-6;
  Values slope;
  for (size_t i = 0; i < inputs[which].values.size(); ++i) {
    double sums[2] = {0, 0}, at = inputs[which].values[i];
    for (int side = 0; side < 2; ++side) {
      inputs[which].values[i] = at + (side ? kStep : -kStep);
      Values dst = run(forward, inputs)[0];
      for (size_t k = 0; k < dst.size(); ++k)
        sums[side] += weights[k] * dst[k];
    }
    inputs[which].values[i] = at;
    slope.push_back((sums[1] - sums[0]) / (2 * kStep));
  }
  return slope;
}

//===--- Normalisations --------------------------------------------------===//

static NormTensors normTensors(llvm::ArrayRef<Value> v) {
  NormTensors t;
  t.src = v[0], t.scale = v[1], t.shift = v[2];
  return t;
}

static Build normForwardBuild(const NormOptions &options) {
  return [options](Builder &b, llvm::ArrayRef<Value> v) {
    NormForward f = normForward(b, options, normTensors(v));
    llvm::SmallVector<Value> results{f.dst, f.var};
    if (f.mean)
      results.push_back(f.mean);
    return results;
  };
}

TEST(Norms, LayerNormIsItsFormula) {
  Input src = input({3, 5}, 0.1), scale = input({5}, 1), shift = input({5}, 2);
  NormOptions options{NormLayout::layer(src.dims)};
  std::vector<Values> got = run(normForwardBuild(options), {src, scale, shift});
  Values dst, means, vars;
  for (size_t r = 0; r < 3; ++r) {
    double mean = 0, var = 0;
    for (size_t c = 0; c < 5; ++c)
      mean += src.values[5 * r + c] / 5;
    for (size_t c = 0; c < 5; ++c)
      var += std::pow(src.values[5 * r + c] - mean, 2) / 5;
    for (size_t c = 0; c < 5; ++c)
      dst.push_back(scale.values[c] * (src.values[5 * r + c] - mean) /
                        std::sqrt(var + 0.0625) +
                    shift.values[c]);
    means.push_back(mean), vars.push_back(var);
  }
  expectNear(got[0], dst);
  expectNear(got[1], vars);
  expectNear(got[2], means);
}

TEST(Norms, GroupsShareStatisticsAndChannelsScales) {
  // Groups {0, 1} and {2, 3}; one group of all channels is a layer norm, as
  // many groups as channels an instance norm.
  Input src = input({2, 4, 3}, 0.4), scale = input({4}, 1),
        shift = input({4}, 2);
  NormOptions options{NormLayout::group(src.dims, 2)};
  std::vector<Values> got = run(normForwardBuild(options), {src, scale, shift});
  ASSERT_EQ(got[2].size(), 4u);
  for (size_t n = 0; n < 2; ++n)
    for (size_t g = 0; g < 2; ++g) {
      double mean = 0;
      for (size_t i = 0; i < 6; ++i)
        mean += src.values[12 * n + 6 * g + i] / 6;
      EXPECT_NEAR(got[2][2 * n + g], mean, 1e-12);
      size_t at = 12 * n + 6 * g + 4; // second channel of the group
      EXPECT_NEAR(got[0][at],
                  scale.values[2 * g + 1] * (src.values[at] - mean) /
                          std::sqrt(got[1][2 * n + g] + 0.0625) +
                      shift.values[2 * g + 1],
                  1e-12);
    }
}

TEST(Norms, RmsHasNoMean) {
  Input src = input({2, 4}, 0.7), one{{4}, {1, 1, 1, 1}},
        zero{{4}, {0, 0, 0, 0}};
  NormOptions options{NormLayout::layer(src.dims)};
  options.rms = true;
  std::vector<Values> got = run(normForwardBuild(options), {src, one, zero});
  ASSERT_EQ(got.size(), 2u);
  double squares = 0;
  for (size_t c = 0; c < 4; ++c)
    squares += src.values[c] * src.values[c] / 4;
  EXPECT_NEAR(got[1][0], squares, 1e-12);
  EXPECT_NEAR(got[0][0], src.values[0] / std::sqrt(squares + 0.0625), 1e-12);
}

static void checkNormGradients(const NormOptions &options, const Input &src,
                               int64_t channels) {
  Input scale = input({channels}, 1), shift = input({channels}, 2),
        dy = input(src.dims, 5);
  std::vector<Input> inputs{src, scale, shift};
  Build forward = normForwardBuild(options);
  Build backward = [&](Builder &b, llvm::ArrayRef<Value> v) {
    NormTensors t = normTensors(v);
    NormForward f = normForward(b, options, t);
    t.mean = f.mean, t.var = f.var, t.diffDst = v[3];
    NormBackward g = normBackward(b, options, t);
    return llvm::SmallVector<Value>{g.diffSrc, g.diffScale, g.diffShift};
  };
  std::vector<Values> got = run(backward, {src, scale, shift, dy});
  for (size_t which = 0; which < 3; ++which)
    expectNear(got[which], quotient(forward, inputs, which, dy.values), 1e-6);
}

TEST(Norms, GradientsAreTheDifferenceQuotients) {
  Input src = input({2, 4, 3}, 0.3);
  NormOptions layer{NormLayout::layer(src.dims)},
      batch{NormLayout::batch(src.dims)}, group{NormLayout::group(src.dims, 2)};
  checkNormGradients(layer, src, 3);
  checkNormGradients(batch, src, 4);
  checkNormGradients(group, src, 4);
  batch.relu = true;
  checkNormGradients(batch, src, 4);
  layer.rms = true;
  checkNormGradients(layer, src, 3);
}

TEST(Norms, GivenStatisticsAreConstants) {
  Input src = input({3, 2}, 0.3), mean = input({2}, 1),
        var = positive(input({2}, 2)), dy = input({3, 2}, 4);
  NormOptions options{NormLayout::batch(src.dims)};
  options.given = true;
  Build backward = [&](Builder &b, llvm::ArrayRef<Value> v) {
    NormTensors t;
    t.src = v[0], t.mean = v[1], t.var = v[2], t.diffDst = v[3];
    return llvm::SmallVector<Value>{normBackward(b, options, t).diffSrc};
  };
  Values expected;
  for (size_t i = 0; i < 6; ++i)
    expected.push_back(dy.values[i] / std::sqrt(var.values[i % 2] + 0.0625));
  expectNear(run(backward, {src, mean, var, dy})[0], expected);
}

//===--- Windows ---------------------------------------------------------===//

/// One list per property, one number per dimension; dilation: taps skipped.
struct PoolLists {
  std::array<int64_t, 2> kernel, strides, padding, dilation, input, output;
};

static PoolWindow poolOf(const PoolLists &w, PoolRule rule = PoolRule::Max) {
  PoolWindow window;
  window.rule = rule;
  for (size_t d = 0; d < 2; ++d)
    window.axes.push_back({w.input[d], w.output[d], w.kernel[d], w.strides[d],
                           w.dilation[d] + 1, 1, w.padding[d]});
  return window;
}

static Values poolLoops(const PoolLists &w, PoolRule rule, const Input &src) {
  Values dst;
  int64_t planes = src.dims[0] * src.dims[1];
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t y = 0; y < w.output[0]; ++y)
      for (int64_t x = 0; x < w.output[1]; ++x) {
        double max = -INFINITY, sum = 0, inside = 0;
        for (int64_t i = 0; i < w.kernel[0]; ++i)
          for (int64_t j = 0; j < w.kernel[1]; ++j) {
            int64_t h = y * w.strides[0] - w.padding[0] +
                        i * (w.dilation[0] + 1),
                    v = x * w.strides[1] - w.padding[1] +
                        j * (w.dilation[1] + 1);
            if (h < 0 || h >= w.input[0] || v < 0 || v >= w.input[1])
              continue;
            double value = src.values[static_cast<size_t>(
                (plane * w.input[0] + h) * w.input[1] + v)];
            max = std::fmax(max, value), sum += value, ++inside;
          }
        dst.push_back(rule == PoolRule::Max ? max
                      : rule == PoolRule::MeanOfInside
                          ? sum / inside
                          : sum /
                                static_cast<double>(w.kernel[0] * w.kernel[1]));
      }
  return dst;
}

static Build poolBuild(const PoolWindow &w) {
  return [w](Builder &b, llvm::ArrayRef<Value> v) {
    return llvm::SmallVector<Value>{poolForward(b, w, v[0])};
  };
}

static void checkPool(const PoolLists &lists) {
  Input src = input({2, 2, lists.input[0], lists.input[1]}, 0.9),
        dy = input({2, 2, lists.output[0], lists.output[1]}, 3);
  for (PoolRule rule :
       {PoolRule::Max, PoolRule::MeanOfAll, PoolRule::MeanOfInside}) {
    PoolWindow w = poolOf(lists, rule);
    ASSERT_EQ(poolBackwardRefusal(w), "");
    expectNear(run(poolBuild(w), {src})[0], poolLoops(lists, rule, src));
    Build backward = [&](Builder &b, llvm::ArrayRef<Value> v) {
      return llvm::SmallVector<Value>{poolBackward(b, w, v[0], v[1])};
    };
    expectNear(run(backward, {src, dy})[0],
               quotient(poolBuild(w), {src}, 0, dy.values), 1e-6);
  }
}

TEST(Windows, PoolingIsItsLoopsForwardAndBackward) {
  // kernel, strides, padding, dilation, input, output
  checkPool({{3, 2}, {2, 1}, {1, 0}, {0, 0}, {5, 4}, {3, 3}});
  checkPool({{3, 3}, {2, 2}, {1, 1}, {0, 0}, {4, 4}, {2, 2}});
  checkPool({{2, 2}, {1, 2}, {0, 1}, {1, 0}, {6, 5}, {4, 3}});
  checkPool({{2, 2}, {3, 3}, {0, 0}, {0, 0}, {7, 6}, {2, 2}}); // unused end
}

TEST(Windows, GradientOfATieGoesToTheFirstMaximum) {
  for (int64_t dilation : {0, 1}) {
    PoolWindow w = poolOf(
        {{1, 2}, {1, 1}, {0, 0}, {0, dilation}, {1, 3}, {1, 2 - dilation}});
    Build backward = [&](Builder &b, llvm::ArrayRef<Value> v) {
      return llvm::SmallVector<Value>{poolBackward(b, w, v[0], v[1])};
    };
    Input src{{1, 1, 1, 3}, {4, 4, 4}};
    Input dy{{1, 1, 1, 2 - dilation}, dilation ? Values{10} : Values{10, 20}};
    expectNear(run(backward, {src, dy})[0],
               dilation ? Values{10, 0, 0} : Values{10, 20, 0});
  }
}

TEST(Windows, LargeDilatedMaximumHasNoGradient) {
  PoolWindow w = poolOf({{9, 9}, {1, 1}, {0, 0}, {1, 1}, {20, 20}, {4, 4}});
  EXPECT_EQ(poolBackwardRefusal(w),
            "the gradient of a dilated maximum over more than 64 taps");
}

TEST(Windows, ResponseNormIsItsFormula) {
  for (bool across : {true, false}) {
    ResponseNorm norm{across, 3, 0.5, 0.75, 1.5};
    Input src = input({1, 4, 5}, 0.2), dy = input({1, 4, 5}, 3);
    Build forward = [&](Builder &b, llvm::ArrayRef<Value> v) {
      return llvm::SmallVector<Value>{responseNormForward(b, norm, v[0])};
    };
    Build backward = [&](Builder &b, llvm::ArrayRef<Value> v) {
      return llvm::SmallVector<Value>{
          responseNormBackward(b, norm, v[0], v[1])};
    };
    Values dst;
    for (int c = 0; c < 4; ++c)
      for (int x = 0; x < 5; ++x) {
        double sum = 0;
        for (int k = -1; k <= 1; ++k) {
          int cc = across ? c + k : c, xx = across ? x : x + k;
          if (cc >= 0 && cc < 4 && xx >= 0 && xx < 5)
            sum += std::pow(src.values[static_cast<size_t>(5 * cc + xx)], 2);
        }
        dst.push_back(src.values[static_cast<size_t>(5 * c + x)] *
                      std::pow(1.5 + 0.5 / 3 * sum, -0.75));
      }
    expectNear(run(forward, {src})[0], dst);
    expectNear(run(backward, {src, dy})[0],
               quotient(forward, {src}, 0, dy.values), 1e-6);
  }
}

static double resampled(bool linear, const Values &x, double at) {
  auto last = static_cast<double>(x.size()) - 1;
  if (!linear)
    return x[static_cast<size_t>(std::round(at))];
  double low = std::floor(at), weight = at - low;
  auto element = [&](double i) {
    return x[static_cast<size_t>(std::fmin(std::fmax(i, 0), last))];
  };
  return (1 - weight) * element(low) + weight * element(low + 1);
}

TEST(Windows, ResamplingIsItsFormulaForwardAndBackward) {
  for (bool linear : {false, true})
    for (auto [inputs, outputs] : {std::pair{4, 7}, {7, 4}, {3, 6}, {6, 3}}) {
      Input line = input({1, 1, inputs}, 0.6), dy = input({1, 1, outputs}, 3);
      Build forward = [&](Builder &b, llvm::ArrayRef<Value> v) {
        return llvm::SmallVector<Value>{
            resampleForward(b, linear, v[0], {outputs})};
      };
      Build backward = [&](Builder &b, llvm::ArrayRef<Value> v) {
        return llvm::SmallVector<Value>{
            resampleBackward(b, linear, v[0], {inputs})};
      };
      Values dst;
      for (int o = 0; o < outputs; ++o)
        dst.push_back(
            resampled(linear, line.values, (o + 0.5) * inputs / outputs - 0.5));
      expectNear(run(forward, {line})[0], dst);
      expectNear(run(backward, {dy})[0],
                 quotient(forward, {line}, 0, dy.values), 1e-6);
    }
}

TEST(Windows, ResamplingTakesEveryDimensionOfItsOwn) {
  Input src{{1, 1, 1, 2}, {0, 8}};
  Build forward = [](Builder &b, llvm::ArrayRef<Value> v) {
    return llvm::SmallVector<Value>{resampleForward(b, true, v[0], {2, 4})};
  };
  expectNear(run(forward, {src})[0], {0, 2, 6, 8, 0, 2, 6, 8});
}

//===--- Folds -----------------------------------------------------------===//

TEST(Folds, ReductionsAreTheirFormulas) {
  Input src{{2, 3}, {1, -2, 3, -4, 5, -6}};
  auto fold = [&](Fold f) {
    return run(
        [f](Builder &b, llvm::ArrayRef<Value> v) {
          return llvm::SmallVector<Value>{foldForward(b, f, v[0], {2, 1})};
        },
        {src})[0];
  };
  expectNear(fold({FoldRule::Sum}), {2, -5});
  expectNear(fold({FoldRule::Product}), {-6, 120});
  expectNear(fold({FoldRule::Max}), {3, 5});
  expectNear(fold({FoldRule::Min}), {-2, -6});
  expectNear(fold({FoldRule::Mean}), {2.0 / 3, -5.0 / 3});
  expectNear(fold({FoldRule::Norm, 1, 0.5}), {6.5, 15.5});
  expectNear(fold({FoldRule::Norm, 2, 20, true}), {20, 77});
  expectNear(fold({FoldRule::Norm, 2, 0.5, false, true}),
             {std::sqrt(14.5), std::sqrt(77.5)});
  expectNear(fold({FoldRule::Norm, 3, 0, false, true}),
             {std::cbrt(36.0), std::cbrt(405.0)});
}

static Values attentionLoops(const Input &q, const Input &k, const Input &v,
                             MaskForm form, const Input *mask, double scale) {
  Values dst;
  int64_t heads = q.dims[1], shared = k.dims[1], s = q.dims[2], d = q.dims[3],
          t = k.dims[3], e = v.dims[3];
  auto at = [](const Input &x, int64_t i) {
    return x.values[static_cast<size_t>(i)];
  };
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < s; ++i) {
      int64_t kv = h / (heads / shared),
              shift = form == MaskForm::BottomRight ? t - s : 0;
      Values weights;
      double sum = 0;
      for (int64_t j = 0; j < t; ++j) {
        double score = 0;
        for (int64_t x = 0; x < d; ++x)
          score += at(q, (h * s + i) * d + x) * at(k, (kv * d + x) * t + j);
        score = score * scale + (mask ? at(*mask, i * t + j) : 0);
        bool counts = form == MaskForm::None || form == MaskForm::Buffer ||
                      j <= i + shift;
        weights.push_back(counts ? std::exp(score) : 0);
        sum += weights.back();
      }
      for (int64_t x = 0; x < e; ++x) {
        double out = 0;
        for (int64_t j = 0; j < t; ++j)
          out += sum ? weights[static_cast<size_t>(j)] / sum *
                           at(v, (kv * t + j) * e + x)
                     : 0;
        dst.push_back(out);
      }
    }
  return dst;
}

TEST(Folds, AttentionIsItsLoopsUnderEveryMask) {
  // More queries than keys: under BottomRight some queries have no key.
  for (int64_t keys : {3, 6})
    for (MaskForm form : {MaskForm::None, MaskForm::Buffer, MaskForm::TopLeft,
                          MaskForm::BottomRight}) {
      Input q = input({1, 4, 5, 2}, 0.1), k = input({1, 2, 2, keys}, 1),
            v = input({1, 2, keys, 3}, 2), mask = input({1, 1, 5, keys}, 3);
      bool buffer = form == MaskForm::Buffer;
      Build build = [&](Builder &b, llvm::ArrayRef<Value> x) {
        Attention a{x[0], x[1], x[2], buffer ? x[3] : Value(), {}, form, false};
        return llvm::SmallVector<Value>{attentionForward(b, a)};
      };
      expectNear(run(build, {q, k, v, mask})[0],
                 attentionLoops(q, k, v, form, buffer ? &mask : nullptr,
                                1 / std::sqrt(2.0)));
    }
}

TEST(Folds, AttentionDividesByTheScaleOrMultiplies) {
  Input q = input({1, 1, 2, 2}, 0.1), k = input({1, 1, 2, 3}, 1),
        v = input({1, 1, 3, 1}, 2), scale{{1}, {4}};
  for (bool divides : {false, true}) {
    Build build = [&](Builder &b, llvm::ArrayRef<Value> x) {
      Attention a{x[0], x[1], x[2], {}, x[3], MaskForm::None, divides};
      return llvm::SmallVector<Value>{attentionForward(b, a)};
    };
    expectNear(
        run(build, {q, k, v, scale})[0],
        attentionLoops(q, k, v, MaskForm::None, nullptr, divides ? 0.25 : 4));
  }
}

//===--- Whole tensors ---------------------------------------------------===//

/// A Build that makes one result of its arguments.
template <typename Make> static Build one(Make make) {
  return [make](Builder &b, llvm::ArrayRef<Value> v) {
    return llvm::SmallVector<Value>{make(b, v)};
  };
}

TEST(Tensors, BinaryOperationsBroadcastBothSides) {
  Input a = input({2, 1, 3}, 0.3), c = input({1, 4, 3}, 1.9);
  c.values[1] = a.values[1]; // one equal pair
  const std::pair<const char *, double (*)(double, double)> rows[] = {
      {"add", [](double x, double y) { return x + y; }},
      {"sub", [](double x, double y) { return x - y; }},
      {"mul", [](double x, double y) { return x * y; }},
      {"div", [](double x, double y) { return x / y; }},
      {"max", [](double x, double y) { return std::fmax(x, y); }},
      {"min", [](double x, double y) { return std::fmin(x, y); }},
      {"eq", [](double x, double y) { return double(x == y); }},
      {"ne", [](double x, double y) { return double(x != y); }},
      {"ge", [](double x, double y) { return double(x >= y); }},
      {"gt", [](double x, double y) { return double(x > y); }},
      {"le", [](double x, double y) { return double(x <= y); }},
      {"lt", [](double x, double y) { return double(x < y); }}};
  for (auto [name, formula] : rows) {
    SCOPED_TRACE(name);
    Values expected;
    for (size_t i = 0; i < 2; ++i)
      for (size_t j = 0; j < 4; ++j)
        for (size_t k = 0; k < 3; ++k)
          expected.push_back(formula(a.values[3 * i + k], c.values[3 * j + k]));
    Build build = one([name = name](Builder &b, llvm::ArrayRef<Value> v) {
      return binaryForward(b, name, spread(b, v[0], {2, 4, 3}),
                           spread(b, v[1], {2, 4, 3}));
    });
    expectNear(run(build, {a, c})[0], expected);
  }
  EXPECT_FALSE(isBinaryFunction("select") || isBinaryFunction("pow"));
}

TEST(Tensors, PreluIsItsFormulaForwardAndBackward) {
  Input src = input({2, 3, 4}, 0.2), wei = input({1, 3, 1}, 0.8),
        dy = input({2, 3, 4}, 3);
  Build forward = one([](Builder &b, llvm::ArrayRef<Value> v) {
    return preluForward(b, v[0], v[1]);
  });
  Values expected;
  for (size_t i = 0; i < src.values.size(); ++i)
    expected.push_back(src.values[i] *
                       (src.values[i] > 0 ? 1 : wei.values[i / 4 % 3]));
  expectNear(run(forward, {src, wei})[0], expected);
  Build backward = [](Builder &b, llvm::ArrayRef<Value> v) {
    PreluBackward g = preluBackward(b, v[0], v[1], v[2]);
    return llvm::SmallVector<Value>{g.diffSrc, g.diffWei};
  };
  std::vector<Values> got = run(backward, {src, wei, dy});
  for (size_t which : {0u, 1u})
    expectNear(got[which], quotient(forward, {src, wei}, which, dy.values),
               1e-7);
}

TEST(Tensors, ShuffleTransposesTheAxis) {
  Input src{{2, 6, 1}, {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}};
  auto build = [](int64_t rows) {
    return one([rows](Builder &b, llvm::ArrayRef<Value> v) {
      return shuffle(b, v[0], 1, rows);
    });
  };
  Values got = run(build(2), {src})[0];
  EXPECT_EQ(got, (Values{0, 3, 1, 4, 2, 5, 10, 13, 11, 14, 12, 15}));
  EXPECT_EQ(run(build(3), {{src.dims, got}})[0], src.values);
}

TEST(Softmax, IsItsFormulaForwardAndBackward) {
  Input src = input({2, 3, 2}, 0.5), dy = input({2, 3, 2}, 2);
  for (SoftmaxForm form :
       {SoftmaxForm::Plain, SoftmaxForm::Logarithm, SoftmaxForm::InfAsZero}) {
    Build forward = one([=](Builder &b, llvm::ArrayRef<Value> v) {
      Arithmetic a(b);
      return softmaxForward(a, v[0], 1, form);
    });
    Values expected, dst = run(forward, {src})[0];
    for (size_t i = 0; i < 12; ++i) {
      double sum = 0;
      for (size_t k = 0; k < 3; ++k)
        sum += std::exp(src.values[i / 6 * 6 + 2 * k + i % 2]);
      double share = std::exp(src.values[i]) / sum;
      expected.push_back(form == SoftmaxForm::Logarithm ? std::log(share)
                                                        : share);
    }
    expectNear(dst, expected);
    Build backward = one([=](Builder &b, llvm::ArrayRef<Value> v) {
      Arithmetic a(b);
      return softmaxBackward(a, v[0], v[1], 1, form);
    });
    expectNear(run(backward, {{src.dims, dst}, dy})[0],
               quotient(forward, {src}, 0, dy.values), 1e-7);
  }
}

TEST(Softmax, OfLargeAndOfInfiniteNumbers) {
  auto build = [](SoftmaxForm form) {
    return one([form](Builder &b, llvm::ArrayRef<Value> v) {
      Arithmetic a(b);
      return softmaxForward(a, v[0], 0, form);
    });
  };
  EXPECT_EQ(run(build(SoftmaxForm::Plain), {{{2}, {2000, 2000}}})[0],
            (Values{0.5, 0.5}));
  Input empty{{2, 2}, {-INFINITY, 1, -INFINITY, -INFINITY}};
  EXPECT_EQ(run(build(SoftmaxForm::InfAsZero), {empty})[0],
            (Values{0, 1, 0, 0}));
  EXPECT_TRUE(std::isnan(run(build(SoftmaxForm::Plain), {empty})[0][0]));
}
