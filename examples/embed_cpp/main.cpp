// A program with Assay inside: it runs a StableHLO program on its own arrays, on
// both engines, and shows what an error looks like.
#include <assay/assay.hpp>

#include <iostream>

static const char *kText = R"(
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %1 = stablehlo.add %0, %one : tensor<3xf32>
  return %1 : tensor<3xf32>
}
)";

static void runOn(const std::string &engine) {
  assay::Options options;
  options.engine = engine;
  assay::Program program = assay::Program::parse(kText, options);
  std::vector<float> x{1, 2, 3}, y{2, 2, 2};
  std::vector<assay::Array> results = program.run({x.data(), y.data()});
  for (size_t i = 0; i < results[0].count<float>(); ++i)
    std::cout << results[0].data<float>()[i] << " ";
  std::cout << "(" << results[0].type.dtype << ", "
            << results[0].type.shape[0] << " elements; engine " << engine
            << ")\n";
}

int main() {
  runOn("reference");
  runOn("native");
  try {
    assay::Options options;
    options.entry = "other";
    assay::Program::parse(kText, options);
  } catch (const assay::Failure &failure) {
    std::cout << "refused: " << failure.what() << "\n";
    return failure.code == ASSAY_BAD_INPUT ? 0 : 1;
  }
  return 1;
}
