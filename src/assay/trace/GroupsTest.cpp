// Modules that the other side fuses into one: their tensors are parts of the
// fused ones, side by side or by heads. Modules that one side calls in chunks.
#include "assay/trace/Compare.h"
#include "assay/trace/TestDumps.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace assay;
using namespace assay::trace;
using formats::Hdf5Reader;
using tensor::Tensor;

static Tensor f32(const std::vector<float> &values, tensor::Shape shape) {
  Tensor tensor = llvm::cantFail(Tensor::allocate(
      {tensor::ElementType::floating(numerics::FloatFormat::F32),
       std::move(shape)}));
  std::memcpy(tensor.mutableBytes(), values.data(), 4 * values.size());
  return tensor;
}

/// Numbers that have nothing in common with those of another seed.
static std::vector<float> numbers(int64_t n, uint32_t seed) {
  std::vector<float> values(static_cast<size_t>(n));
  uint32_t state = seed * 2654435761u + 12345;
  for (float &value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / (1 << 23) - 1;
  }
  return values;
}

namespace {
struct Groups : DumpFolder {
  static constexpr int64_t kRows = 3, kIn = 4, kHeads = 2, kWidth = 4;
  std::vector<std::vector<float>> outputs, weights;

  Groups() {
    for (uint32_t seed : {1, 2, 3}) {
      outputs.push_back(numbers(kRows * kWidth, seed));
      weights.push_back(numbers(kWidth * kIn, 10 * seed));
    }
  }
  /// Three projections with one input.
  Named single(std::vector<std::string> names) const {
    Named tensors;
    for (size_t i = 0; i < 3; ++i) {
      std::string call = "/1/block.attn." + names[i] + ".Linear.0.";
      tensors.emplace_back(call + "forward_params.weight",
                           f32(weights[i], {kWidth, kIn}));
      tensors.emplace_back(call + "forward_input.0",
                           f32(numbers(kRows * kIn, 0), {kRows, kIn}));
      tensors.emplace_back(call + "forward_output.0",
                           f32(outputs[i], {kRows, kWidth}));
    }
    return tensors;
  }
  /// Joins parts of [outer, width] into [outer, 3 width], in blocks.
  static std::vector<float>
  sideBySide(const std::vector<std::vector<float>> &parts, int64_t outer,
             int64_t inner, int64_t blocks) {
    std::vector<float> all;
    int64_t width = kWidth * inner / blocks;
    for (int64_t row = 0; row < outer * blocks; ++row)
      for (const std::vector<float> &part : parts)
        all.insert(all.end(), part.begin() + row * width,
                   part.begin() + (row + 1) * width);
    return all;
  }
  Named fused(const std::string &name, int64_t blocks) const {
    std::string call = "/1/block.attn." + name + ".QKVParallelLinear.0.";
    return {
        {call + "forward_params.weight",
         f32(sideBySide(weights, 1, kIn, blocks), {3 * kWidth, kIn})},
        {call + "forward_input.0", f32(numbers(kRows * kIn, 0), {kRows, kIn})},
        {call + "forward_output.0",
         f32(sideBySide(outputs, kRows, 1, blocks), {kRows, 3 * kWidth})}};
  }
  Comparison compare(const Named &target, const Named &bench,
                     const NameMap &map = {}) const {
    auto left = llvm::cantFail(Hdf5Reader::open(write("target.h5", target))),
         right = llvm::cantFail(Hdf5Reader::open(write("bench.h5", bench)));
    ThreadPool pool(2);
    CompareOptions options;
    options.map = map;
    return llvm::cantFail(compareDumps(*left, *right, options, pool));
  }
};
} // namespace

TEST_F(Groups, ProjectionsAreComparedWithTheirPartsOfTheFusedOne) {
  for (int64_t blocks : {int64_t{1}, kHeads})
    for (const char *one : {"qkv_proj", "query_key_value"}) {
      Named many = single({"to_q", "to_k", "to_v"}), joint = fused(one, blocks);
      Comparison there = compare(many, joint), back = compare(joint, many);
      for (const Comparison *found : {&there, &back}) {
        EXPECT_EQ(found->passed, 9) << one << " " << blocks;
        EXPECT_EQ(found->failed, 0) << one << " " << blocks;
        EXPECT_EQ(found->unmatchedTarget + found->unmatchedBench, 0);
      }
    }
}

TEST_F(Groups, AWrongPartFailsAndNoOther) {
  Named joint = fused("qkv_proj", 1);
  outputs[1][5] += 1;
  Named many = single({"q_proj", "k_proj", "v_proj"});
  Comparison found = compare(many, joint);
  EXPECT_EQ(found.failed, 1);
  for (const ComparedRow &row : found.rows)
    if (row.status == RowStatus::Fail) {
      const DumpName &name =
          found.target[static_cast<size_t>(row.pair.target)].name;
      EXPECT_EQ(name.module, "block.attn.k_proj");
      EXPECT_EQ(row.mismatches, 1);
    }
}

TEST_F(Groups, TheMapNamesOthers) {
  Named many = single({"first", "second", "third"}), joint = fused("all", 1);
  EXPECT_GT(compare(many, joint).unmatchedTarget, 0);
  NameMap map;
  map.groups.push_back(
      {{"attn.first", "attn.second", "attn.third"}, {"attn.all"}, 1});
  EXPECT_EQ(compare(many, joint, map).passed, 9);
  map.groups = {{{"all"}, {"first", "second", "third"}, 1}};
  EXPECT_EQ(compare(joint, many, map).passed, 9);
}

namespace {
struct Chunks : Groups {
  /// Two calls of a module on six rows each, in `sizes` rows a call.
  static Named calls(const std::vector<int64_t> &sizes, int64_t wrong = -1) {
    std::vector<float> in = numbers(12 * kIn, 1), out = numbers(12 * kWidth, 2);
    if (wrong >= 0)
      out[static_cast<size_t>(wrong)] += 1;
    Named tensors;
    int64_t row = 0;
    auto rows = [&](const std::vector<float> &all, int64_t n, int64_t width) {
      auto begin = all.begin() + row * width;
      return f32({begin, begin + n * width}, {n, width});
    };
    for (size_t i = 0; i < sizes.size(); ++i) {
      std::string call = "/1/ff.up.Linear." + std::to_string(i) + ".";
      tensors.emplace_back(call + "forward_params.weight",
                           f32(numbers(kIn * kWidth, 3), {kWidth, kIn}));
      tensors.emplace_back(call + "forward_input.0", rows(in, sizes[i], kIn));
      tensors.emplace_back(call + "forward_output.0",
                           rows(out, sizes[i], kWidth));
      tensors.emplace_back(call + "backward_grad_input.0",
                           rows(in, sizes[i], kIn));
      row += sizes[i];
    }
    tensors.emplace_back("/1/ff.up.Linear.0.params_grad.weight",
                         f32(numbers(kIn * kWidth, 4), {kWidth, kIn}));
    return tensors;
  }
};
} // namespace

TEST_F(Chunks, CallsAreComparedWithTheirPartsOfTheWholeOnes) {
  for (const std::vector<int64_t> &sizes :
       std::vector<std::vector<int64_t>>{{3, 3, 2, 4}, {2, 2, 2, 5, 1}}) {
    Comparison there = compare(calls(sizes), calls({6, 6})),
               back = compare(calls({6, 6}), calls(sizes));
    for (const Comparison *found : {&there, &back}) {
      EXPECT_EQ(found->failed, 0);
      EXPECT_EQ(found->passed, static_cast<int64_t>(4 * sizes.size() + 1));
      EXPECT_EQ(found->unmatchedTarget + found->unmatchedBench, 0);
    }
  }
}

TEST_F(Chunks, AWrongCallFailsAndNoOther) {
  Comparison found = compare(calls({3, 3, 2, 4}, 8 * kWidth), calls({6, 6}));
  EXPECT_EQ(found.failed, 1);
  for (const ComparedRow &row : found.rows)
    if (row.status == RowStatus::Fail) {
      EXPECT_EQ(found.target[static_cast<size_t>(row.pair.target)].name.call,
                3);
      EXPECT_EQ(row.mismatches, 1);
    }
}

TEST_F(Chunks, ALossIsComparedWithTheMeanOrTheSumOfTheParts) {
  auto run = [](const std::vector<int64_t> &sizes,
                const std::vector<float> &losses, float gradient) {
    Named tensors;
    for (size_t i = 0; i < sizes.size(); ++i) {
      std::string call = "/1/loss.Loss." + std::to_string(i) + ".";
      std::vector<float> rows = numbers(12 * kIn, 1);
      auto begin = rows.begin() + (i == 0 ? 0 : sizes[0] * kIn);
      tensors.emplace_back(
          call + "forward_input.0",
          f32({begin, begin + sizes[i] * kIn}, {sizes[i], kIn}));
      tensors.emplace_back(call + "forward_output.0", f32({losses[i]}, {}));
      tensors.emplace_back(call + "backward_grad_output.0",
                           f32({gradient * static_cast<float>(sizes[i])}, {}));
    }
    return tensors;
  };
  Named whole = run({12}, {3}, 1.f / 12),
        mean = run({3, 9}, {1.5, 3.5}, 1.f / 12);
  EXPECT_EQ(compare(mean, whole).failed, 0);
  EXPECT_EQ(compare(whole, mean).failed, 0);
  // The gradients of a sum are equal: they are not added up.
  EXPECT_EQ(compare(run({6, 6}, {1, 2}, 1.f / 6), whole).failed, 0);
  EXPECT_EQ(compare(run({3, 9}, {2, 2.5}, 1.f / 12), whole).failed, 2);
  EXPECT_EQ(compare(run({3, 9}, {1.5, 3.5}, 1), whole).failed, 2);
}

TEST_F(Chunks, CallsThatDoNotMakeUpTheWholeStayByNumber) {
  Comparison found = compare(calls({3, 3, 5, 1}), calls({6, 5}));
  EXPECT_GT(found.failed, 0);
  EXPECT_GT(found.unmatchedTarget, 0);
}
