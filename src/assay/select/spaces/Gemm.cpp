// Products of this processor: problems by types, layout and sizes, kernels by the
// names of their configurations, features by Features.def.
#include "assay/select/spaces/Gemm.h"

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

namespace {
class Product final : public Problem {
public:
  Product(const GemmProblem &product, Layout layout)
      : product_(product), layout_(layout) {}
  const GemmProblem &product() const { return product_; }

  const LocalSpace &space() const override {
    return static_cast<const LocalSpace &>(gemmSpace());
  }
  std::string dtype() const override { return toString(product_.types()); }
  std::string layout() const override { return toString(layout_); }
  int threads() const override { return product_.threads; }
  ProblemRef onThreads(int count) const override {
    GemmProblem other = product_;
    other.threads = count;
    return problemOf(other, layout_);
  }
  std::string title() const override { return toString(product_); }
  std::string key() const override { return dtype() + " " + groupKey(); }
  std::string groupKey() const override {
    return llvm::formatv("{0} {1}x{2}x{3} b{4} t{5}", layout(), product_.m,
                         product_.n, product_.k, product_.batch,
                         product_.threads)
        .str();
  }
  Shape sizes() const override {
    return {product_.m, product_.n, product_.k, product_.batch};
  }
  double flops() const override { return product_.flops(); }
  double bytes() const override { return product_.bytes(); }
  uint64_t hash() const override { return product_.hash(); }

private:
  GemmProblem product_;
  Layout layout_;
};

class GemmSpace final : public LocalSpace {
public:
  llvm::StringRef op() const override { return "gemm"; }
  llvm::ArrayRef<FeatureInfo> features() const override {
    return gemmFeatures();
  }
  bool answersTo(llvm::StringRef word) const override {
    return word == op() || word == ckGemmSpace().op();
  }
  bool has(llvm::StringRef dtype, llvm::StringRef layout) const override {
    return parseTypePair(dtype) && parseLayout(layout);
  }
  llvm::Error needColumns(const Rows &rows) const override {
    return need(rows, {"m", "n", "k"}, /*text=*/false);
  }
  llvm::Error checkProblem(const Rows &rows, size_t row) const override {
    return checkWhole(rows, row, {"m", "n", "k", "batch", "threads"});
  }
  llvm::ArrayRef<ProblemColumn> columns() const override {
    static constexpr ProblemColumn kColumns[] = {
        {"m"}, {"n"}, {"k"}, {"batch"}};
    return kColumns;
  }
  llvm::Expected<ProblemRef> parse(const ProblemWords &words) const override {
    std::optional<TypePair> types = parseTypePair(words.dtype);
    std::optional<Layout> layout = parseLayout(words.layout);
    if (!types || !layout)
      return makeError(ErrorCode::InvalidArgument,
                       "{0} has dtype '{1}' and layout '{2}'", words.place,
                       words.dtype, words.layout);
    return problemOf(
        GemmProblem::make(*types, *layout, words.number("m", 0),
                          words.number("n", 0), words.number("k", 0),
                          words.number("batch", 1), words.threads),
        *layout);
  }
  void write(const Problem &problem, TableWriter &out) const override {
    const GemmProblem &p = productOf(problem);
    out.integer("m", p.m), out.integer("n", p.n), out.integer("k", p.k);
    out.integer("batch", p.batch);
  }
  bool writeKernel(llvm::StringRef name, TableWriter *out) const override;
  llvm::Expected<std::vector<float>>
  row(const Problem &problem, llvm::StringRef kernel,
      const Machine &machine) const override {
    llvm::Expected<GemmConfig> config = parseConfig(kernel);
    if (!config)
      return config.takeError();
    const GemmProblem &product = productOf(problem);
    return GemmFeatures(product.types(), *parseLayout(problem.layout()),
                        machine)
        .row(product, *config);
  }
};
} // namespace

const KernelSpace &select::gemmSpace() {
  static const GemmSpace space;
  return space;
}

ProblemRef select::problemOf(const GemmProblem &product, Layout layout) {
  return std::make_shared<Product>(product, layout);
}

const GemmProblem &select::productOf(const Problem &problem) {
  return static_cast<const Product &>(problem).product();
}

std::vector<ProblemRef> select::gemmProblems(TypePair types, Layout layout,
                                             llvm::ArrayRef<Shape> shapes,
                                             llvm::ArrayRef<int> threads) {
  std::vector<ProblemRef> problems;
  for (const Shape &shape : shapes)
    for (int count : threads)
      problems.push_back(
          problemOf(GemmProblem::make(types, layout, shape.m, shape.n, shape.k,
                                      shape.batch, count),
                    layout));
  return problems;
}

bool GemmSpace::writeKernel(llvm::StringRef name, TableWriter *out) const {
  llvm::Expected<GemmConfig> parsed = parseConfig(name);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return false;
  }
  if (!out)
    return true;
  const GemmConfig &c = *parsed;
  out->text("family", toString(c.family));
  out->integer("tile_m", c.mr);
  out->integer("tile_n", c.nr);
  out->integer("tile_k", c.kr);
  out->integer("block_m", c.mc);
  out->integer("block_n", c.nc);
  out->integer("block_k", c.kc);
  out->truth("pack_a", c.packA == Packing::Pack);
  out->truth("pack_b", c.packB == Packing::Pack);
  out->text("scheduler", c.order == LoopOrder::NKM ? "nkm" : "mkn");
  out->text("pipeline", c.pipeline == Pipeline::Plain       ? "plain"
                        : c.pipeline == Pipeline::Pipelined ? "pipelined"
                                                            : "prefetch");
  out->integer("prefetch", c.prefetch);
  out->integer("split_k", c.splitK);
  out->integer("grid_m", c.gridM);
  out->integer("grid_n", c.gridN);
  out->truth("pad", c.edge == Edge::Padded);
  out->text("epilogue",
            c.epilogue == EpilogueMode::Fused ? "fused" : "separate");
  return true;
}
