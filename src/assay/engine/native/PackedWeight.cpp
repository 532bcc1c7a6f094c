// Weights, packed at the first run that sees them. Which tensor it was is known
// by its buffer: tensors are immutable while anyone else holds them, and the
// weight is held here.
#include "assay/engine/native/PackedWeight.h"

namespace assay::engine {

static llvm::Expected<WeightPanels>
pack(StepContext &context, NativeContext &native,
     llvm::ArrayRef<kernels::GemmProblem> problems, int64_t offset,
     llvm::function_ref<llvm::Expected<Tensor>()> arrange, int vectors) {
  WeightPanels panels;
  for (const kernels::GemmProblem &problem : problems) {
    auto product = kernels::PackedProduct::create(problem, native.registry, vectors);
    if (!product)
      return product.takeError();
    panels.products.push_back(std::move(*product));
  }
  llvm::Expected<Tensor> b = arrange();
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
  if (auto made = pack(context, native, problems, offset, arrange,
                       vectors))
    panels_ = std::move(*made);
  else
    llvm::consumeError(made.takeError()); // the ordinary kernels serve
  return panels_;
}

} // namespace assay::engine
