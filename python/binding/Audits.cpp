// Audits of acceptances for Python: the cases of a program, a report by a rule
// or by a callable, and wrong outputs for an assertion that has just passed.
#include "Binding.h"
#include "assay/judge/audit/Audit.h"
#include "assay/judge/audit/WrongOutputs.h"
#include "assay/support/ThreadPool.h"

namespace nb = nanobind;
using namespace assay;
using python::valueOf;
using tensor::Tensor;

/// (NumPy's dtype, sizes, bytes).
static nb::tuple toPython(const Tensor &tensor) {
  python::TypeText type = python::textOf(tensor.type());
  return nb::make_tuple(
      type.first, type.second,
      nb::bytes(tensor.bytes(), static_cast<size_t>(tensor.denseBytes())));
}

static nb::list toPython(llvm::ArrayRef<Tensor> tensors) {
  nb::list out;
  for (const Tensor &tensor : tensors)
    out.append(toPython(tensor));
  return out;
}

static Tensor viewOf(const std::string &dtype,
                     const std::vector<int64_t> &shape, uintptr_t address) {
  static const std::shared_ptr<const void> kept = std::make_shared<int>();
  tensor::TensorType type = valueOf(python::typeOf(dtype, shape));
  int64_t bytes =
      valueOf(tensor::elementCount(shape)) * type.element.storageBytes();
  return valueOf(Tensor::fromBuffer(
      type, tensor::Buffer::view(reinterpret_cast<const void *>(address), bytes,
                                 kept)));
}

/// The report of an acceptance as JSON text and as a table. `accepts` is a
/// rule's name, or is called with (got, expected), two lists of (dtype, sizes,
/// bytes).
static std::pair<std::string, std::string>
auditProgram(const std::string &text, const std::string &name,
             const std::vector<std::pair<python::TypeText, uintptr_t>> &inputs,
             nb::object accepts, double maxSeconds) {
  std::vector<Tensor> tensors;
  for (const auto &[type, address] : inputs)
    tensors.push_back(viewOf(type.first, type.second, address));
  ThreadPool pool;
  judge::Audit audit = valueOf(
      judge::Audit::make(valueOf(program::Program::parse(text, "audit.mlir")),
                         "", tensors, pool, maxSeconds));
  judge::AuditReport report =
      nb::isinstance<nb::str>(accepts)
          ? valueOf(audit.runRule(nb::cast<std::string>(accepts)))
          : valueOf(audit.run(
                name, [&](const judge::AuditCase &one) -> llvm::Expected<bool> {
                  return nb::cast<bool>(
                      accepts(toPython(one.got), toPython(one.expected)));
                }));
  std::string json, table;
  llvm::raw_string_ostream jsonStream(json), tableStream(table);
  jsonStream << report.toJson();
  report.print(tableStream, true);
  return {json, table};
}

/// [(name, (dtype, sizes, bytes) of the wrong or right output, and of the expected one)].
static nb::list wrongOutputs(const std::string &dtype,
                             const std::vector<int64_t> &shape,
                             uintptr_t expected) {
  nb::list out;
  std::vector<judge::WrongOutput> wrong =
      valueOf(judge::wrongOutputs(viewOf(dtype, shape, expected), {}, {}));
  for (const judge::WrongOutput &one : wrong)
    out.append(
        nb::make_tuple(one.name, toPython(one.got), toPython(one.expected)));
  return out;
}

void python::bindAudits(nb::module_ &module) {
  module.def("audit", &auditProgram, nb::arg("text"), nb::arg("name"),
             nb::arg("inputs"), nb::arg("accepts"),
             nb::arg("max_seconds") = 0.0,
             "How good an acceptance is: (JSON, table).");
  module.def("wrong_outputs", &wrongOutputs, nb::arg("dtype"), nb::arg("shape"),
             nb::arg("expected"), "Wrong results made from a right one.");
}
