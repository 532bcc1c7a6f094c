// Finds the kernels for a model's folder.
#include "TuneChoices.h"

using namespace assay;
using namespace assay::tools;

llvm::Expected<std::unique_ptr<select::KernelSet>>
KernelSets::ofModel(llvm::StringRef folder) {
  llvm::Expected<select::Model> model = select::loadDescription(folder);
  if (!model)
    return model.takeError();
  const select::Subject &subject = model->spec.subject;
  const select::LocalSpace *space = select::findLocal(subject.op);
  if (space && space->has(subject.dtype, model->spec.layout))
    return space->open(subject.dtype, model->spec.layout, context());
  space = space ? space : &select::defaultSpace();
  return space->open("f32", space->defaultLayout(), context());
}
