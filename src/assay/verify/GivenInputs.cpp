// Reading --input=ROLE=FILE for contractions, whose values are floats, and for
// programs, whose values are tensors.
#include "assay/verify/GivenInputs.h"
#include "assay/formats/TensorFile.h"
#include "assay/numerics/Convert.h"
#include "assay/support/Error.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace assay;
using namespace assay::verify;
using tensor::Tensor;
using tensor::TensorType;

llvm::Expected<Tensor> verify::readGiven(llvm::StringRef role,
                                         llvm::StringRef file,
                                         const TensorType &type) {
  llvm::Expected<Tensor> tensor = formats::readTensor(file, type);
  if (!tensor)
    return addContext(tensor.takeError(), "--input=" + role);
  return tensor;
}

llvm::Expected<std::vector<float>>
verify::readGivenFloats(llvm::StringRef role, llvm::StringRef file,
                        const TensorType &type) {
  llvm::Expected<Tensor> tensor = readGiven(role, file, type);
  if (!tensor)
    return tensor.takeError();
  auto count = static_cast<size_t>(tensor->size());
  std::vector<double> wide(count);
  numerics::convertArray(
      type.element, tensor->bytes(),
      numerics::ElementType::floating(numerics::FloatFormat::F64), wide.data(),
      tensor->isSplat() ? std::min<int64_t>(1, tensor->size())
                        : tensor->size());
  if (tensor->isSplat() && count)
    std::fill(wide.begin(), wide.end(), wide[0]);
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(wide[i]);
    if (static_cast<double>(values[i]) != wide[i] && !std::isnan(wide[i]))
      return makeError(ErrorCode::InvalidArgument,
                       "--input={0}: element {1} of '{2}' is not a float; the "
                       "truth is made from values that are",
                       role, i, file);
  }
  return values;
}

llvm::Error verify::checkRoles(const std::map<std::string, std::string> &inputs,
                               llvm::ArrayRef<std::string> roles) {
  for (const auto &[role, file] : inputs)
    if (!llvm::is_contained(roles, role))
      return makeError(ErrorCode::InvalidArgument,
                       "--input: the problem has no tensor '{0}' to be filled; "
                       "it has {1}",
                       role, llvm::join(roles, ", "));
  return llvm::Error::success();
}
