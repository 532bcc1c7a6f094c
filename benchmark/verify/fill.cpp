// The speed of making test data: elements per second of every fill, for
// products in f32, bf16 and s8, the best of five rounds. bench.py starts it and
// prints its rows; by hand: bench_verify_fill [threads].
#include "assay/judge/contraction/Fill.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Reader.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;

static double bestSeconds(const Lowered &c, const FillPlan &plan,
                          std::vector<float> &values, ThreadPool &pool) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    auto start = std::chrono::steady_clock::now();
    fillSlot(c, plan, c.a, values.data(), pool);
    best = std::min(best, std::chrono::duration<double>(
                              std::chrono::steady_clock::now() - start)
                              .count());
  }
  return best;
}

int main(int argc, char **argv) {
  ThreadPool pool(argc > 1 ? std::atoi(argv[1]) : 0);
  const FillKind kinds[] = {FillKind::Exact, FillKind::Normal,
                            FillKind::Uniform, FillKind::Heavy,
                            FillKind::Cancel};
  for (const char *type : {"--dt=f32", "--dt=bf16", "--dt=s8"}) {
    Problem problem;
    Reader reader({}, [&](Problem p) {
      problem = std::move(p);
      return llvm::Error::success();
    });
    if (llvm::Error error =
            reader.readArguments({"--matmul", type, "4096x4096:4096x64"})) {
      llvm::consumeError(std::move(error));
      return 2;
    }
    Lowered c = llvm::cantFail(lower(problem));
    std::vector<float> values(c.slots[c.a].elements());
    for (FillKind kind : kinds)
      std::printf("fill %s %s %.3f\n", type + 5, nameOf(kind),
                  static_cast<double>(values.size()) /
                      bestSeconds(c, planFill(c, kind, 1), values, pool) *
                      1e-9);
  }
}
