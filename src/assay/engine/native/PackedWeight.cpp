// Weights, packed at the first run that sees them. Which tensor it was is known
// by its buffer: tensors are immutable while anyone else holds them, and the
// weight is held here.
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

/// What says how the panels lie, the weight aside.
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
  auto memory = context.allocate({*numerics::parseElementType("ui8"),
                                  {panels.products.front()->packedBytes()}});
  if (!memory)
    return memory.takeError();
  panels.products.front()->pack(
      b->bytes() + offset * kernels::sizeOf(problems.front().b),
      memory->mutableBytes(), context.run.threads);
  panels.memory = std::move(*memory);
  if (!arrange)
    native.panels->add(weight, std::move(layout), panels.memory);
  ++native.packings;
  return panels;
}

WeightPanels PackedWeight::find(
    StepContext &context, NativeContext &native, const Tensor &weight,
    llvm::ArrayRef<kernels::GemmProblem> problems, int64_t offset,
    llvm::function_ref<llvm::Expected<Tensor>()> arrange, int vectors) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (weight_.valid() && weight_.buffer() == weight.buffer())
    return panels_;
  weight_ = weight;
  panels_ = WeightPanels();
  if (auto made = pack(context, native, weight, problems, offset, arrange,
                       vectors))
    panels_ = std::move(*made);
  else
    llvm::consumeError(made.takeError()); // the ordinary kernels serve
  return panels_;
}

} // namespace assay::engine
