// Matrix products of a program's own: which kernels there are for a problem,
// which one Assay takes, the product itself beside three loops, and what a
// repeated choice costs.
#include <assay/assay_dispatch.hpp>

#include <chrono>
#include <cmath>
#include <iostream>
#include <thread>

/// Small integers, so that sums are exact in f32.
static std::vector<float> numbers(size_t count, int seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * 7 + seed * 5) % 9) - 4;
  return values;
}

/// Whether relu(A B + bias) is right; C in rows, or in columns.
static bool isRight(assay::Dispatcher &dispatcher, int m, int n, int k,
                    bool columns, bool biased) {
  assay::Gemm gemm("f32", "rrr", m, n, k);
  if (columns)
    gemm.c = {1, m, int64_t(m) * n};
  if (biased) {
    gemm.bias = ASSAY_BIAS_PER_COLUMN;
    gemm.activation = ASSAY_RELU;
  }
  std::vector<float> a = numbers(size_t(m) * k, 1),
                     b = numbers(size_t(k) * n, 2), bias = numbers(n, 3),
                     c(size_t(m) * n);
  dispatcher.choose(gemm).run(a.data(), b.data(), c.data(), bias.data());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = biased ? bias[j] : 0;
      for (int p = 0; p < k; ++p)
        sum += a[size_t(i) * k + p] * b[size_t(p) * n + j];
      if (biased)
        sum = std::max(sum, 0.0f);
      if (c[size_t(i) * gemm.c.row + size_t(j) * gemm.c.column] != sum)
        return false;
    }
  return true;
}

/// Nanoseconds that choosing takes when the problem was seen before.
static double repeatedNs(assay::Dispatcher &dispatcher,
                         const assay::Gemm &gemm) {
  const int times = 1000000;
  dispatcher.choose(gemm);
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i)
    dispatcher.choose(gemm);
  std::chrono::duration<double, std::nano> took =
      std::chrono::steady_clock::now() - begin;
  return took.count() / times;
}

int main() {
  assay::Dispatcher dispatcher;
  assay::Gemm gemm("f32", "rcr", 64, 512, 768);
  std::cout << "the best of the candidates:\n";
  for (const assay::Candidate &one : dispatcher.candidates(gemm, 3))
    std::cout << "  " << one.name << "  " << one.score << "\n";
  assay::Kernel kernel = dispatcher.choose(gemm);
  std::cout << "chosen: " << kernel.name() << " by " << kernel.chosenBy()
            << "\nby the cost model alone: "
            << assay::Dispatcher("", true).choose(gemm).name() << "\n";

  std::vector<std::string> names(8);
  std::vector<std::thread> threads;
  for (std::string &name : names)
    threads.emplace_back([&] {
      name = dispatcher.choose(assay::Gemm("f32", "rcr", 33, 70, 129)).name();
    });
  for (std::thread &thread : threads)
    thread.join();
  int same = 0;
  for (const std::string &name : names)
    same += name == names[0];
  std::cout << "8 threads: " << same << " of 8 had one kernel\n";

  int right = 0;
  for (int size : {1, 37, 130})
    right += isRight(dispatcher, size, size + 3, size + 5, false, true) +
             isRight(dispatcher, size + 2, size, size + 1, true, false);
  std::cout << "right: " << right << " of 6 products\n"
            << "a repeated choice takes " << repeatedNs(dispatcher, gemm)
            << " ns\n";
  try {
    dispatcher.named(gemm, "no_kernel");
  } catch (const assay::Failure &failure) {
    std::cout << "refused: " << failure.what() << "\n";
    return failure.code == ASSAY_BAD_INPUT && right == 6 ? 0 : 1;
  }
  return 1;
}
