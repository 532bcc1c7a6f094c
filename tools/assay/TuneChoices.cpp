// Where an operation's name becomes its kernels: products by the registry,
// convolutions by the native engine.
#include "TuneChoices.h"
#include "assay/engine/native/ConvolutionContest.h"

using namespace assay;
using namespace assay::tools;

std::unique_ptr<select::Choices>
ChoiceMaker::convolutions(kernels::ConvDirection direction) {
  return std::make_unique<select::ConvChoices>(
      std::make_unique<engine::ConvolutionSource>(
          direction, kernels::DataType::F32, context_),
      registry());
}

llvm::Expected<std::unique_ptr<select::Choices>>
ChoiceMaker::of(const KernelFlags &flags) {
  auto direction = flags.direction();
  if (!direction)
    return direction.takeError();
  if (*direction)
    return convolutions(**direction);
  auto kind = flags.kind();
  if (!kind)
    return kind.takeError();
  return std::make_unique<select::GemmChoices>(registry(), *kind);
}

llvm::Expected<std::unique_ptr<select::Choices>>
ChoiceMaker::ofModel(llvm::StringRef folder) {
  llvm::Expected<select::Model> model = select::loadDescription(folder);
  if (!model)
    return model.takeError();
  const select::Subject &subject = model->spec.subject;
  if (auto direction = kernels::parseConvDirection(subject.op))
    return convolutions(*direction);
  kernels::KernelKind kind;
  kind.types = kernels::parseTypePair(subject.dtype).value_or(kind.types);
  kind.layout = kernels::parseLayout(model->spec.layout).value_or(kind.layout);
  return std::make_unique<select::GemmChoices>(registry(), kind);
}
