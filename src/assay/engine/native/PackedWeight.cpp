// Weights that are packed at the first run that reads them.
#include "assay/engine/native/PackedWeight.h"

namespace assay::engine {

Tensor SharedPanels::find(const Tensor &weight, llvm::StringRef layout) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const Entry &entry : entries_)
    if (entry.layout == layout && entry.weight.lock() == weight.buffer())
      if (std::shared_ptr<tensor::Buffer> panels = entry.panels.lock())
        return llvm::cantFail(Tensor::fromBuffer(entry.type, panels));
  return {};
}

void SharedPanels::add(const Tensor &weight, std::string layout,
                       const Tensor &panels) {
  std::lock_guard<std::mutex> lock(mutex_);
  llvm::erase_if(entries_, [](const Entry &entry) {
    return entry.weight.expired() || entry.panels.expired();
  });
  entries_.push_back(
      {weight.buffer(), panels.buffer(), std::move(layout), panels.type()});
}

std::shared_ptr<SharedPanels> makeSharedPanels() {
  return std::make_shared<SharedPanels>();
}

/// The key of the panels' layout, without the weight.
static std::string layoutOf(const kernels::GemmProblem &problem, int64_t offset,
                            const kernels::PackedProduct &product) {
  return llvm::formatv("{0} {1} {2}x{3} by {4}, {5} from {6}",
                       toString(problem.types()), product.panelLayout(),
                       problem.k, problem.n, problem.bStrides.row,
                       problem.bStrides.column, offset)
      .str();
}

static llvm::Expected<WeightPanels>
pack(StepContext &context, NativeContext &native, const Tensor &weight,
     llvm::ArrayRef<kernels::GemmProblem> problems, int64_t offset,
     llvm::function_ref<llvm::Expected<Tensor>()> arrange, int vectors) {
  WeightPanels panels;
  if (vectors == 0) // one number for all, because they read the same panels
    vectors = kernels::PackedProduct::vectorsFor(problems.front(),
                                                 native.registry.machine().isa);
  for (const kernels::GemmProblem &problem : problems) {
    auto product =
        kernels::PackedProduct::create(problem, native.registry, vectors);
    if (!product)
      return product.takeError();
    panels.products.push_back(std::move(*product));
  }
  std::string layout =
      layoutOf(problems.front(), offset, *panels.products.front());
  if (!arrange)
    panels.memory = native.panels->find(weight, layout);
  if (panels)
    return panels;
  llvm::Expected<Tensor> b = arrange ? arrange() : weight;
  if (!b)
    return b.takeError();
  const kernels::PackedProduct &product = *panels.products.front();
  const std::byte *from =
      b->bytes() + offset * kernels::sizeOf(problems.front().b);
  auto memory = native.panelMemory.make(
      context, product.packedBytes(), [&](std::byte *to) {
        product.pack(from, to, context.run.threads);
      });
  if (!memory)
    return memory.takeError();
  panels.memory = std::move(*memory);
  if (!arrange)
    native.panels->add(weight, std::move(layout), panels.memory);
  ++native.packings;
  return panels;
}

/// Whether the panels fit products with these numbers of rows, which may depend
/// on the run's threads.
static bool areFor(const WeightPanels &panels,
                   llvm::ArrayRef<kernels::GemmProblem> problems) {
  if (panels.products.size() != problems.size())
    return false;
  for (auto [product, problem] : llvm::zip(panels.products, problems))
    if (product->rows() != problem.m)
      return false;
  return true;
}

WeightPanels PackedWeight::find(
    StepContext &context, NativeContext &native, const Tensor &weight,
    llvm::ArrayRef<kernels::GemmProblem> problems, int64_t offset,
    llvm::function_ref<llvm::Expected<Tensor>()> arrange, int vectors) {
  auto make = [&]() -> llvm::Expected<WeightPanels> {
    auto made =
        pack(context, native, weight, problems, offset, arrange, vectors);
    if (made)
      return made;
    llvm::consumeError(made.takeError());
    return WeightPanels(); // the ordinary kernels are used
  };
  return llvm::cantFail(
      panels_.get(weight, make, [&](const WeightPanels &panels) {
        return !panels || areFor(panels, problems);
      }));
}

} // namespace assay::engine
