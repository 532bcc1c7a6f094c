// Support for PrecisionDebugger while a model runs and nothing is written:
// hashes of contents, and verdicts on tensors in memory against a stored dump.
#include "Binding.h"
#include "assay/formats/Hdf5Reader.h"
#include "assay/numerics/Rules.h"

namespace nb = nanobind;
using namespace assay;
using python::raise;
using python::valueOf;

namespace {
/// A stored dump and the rule of comparisons with it.
class StoredBench {
public:
  StoredBench(const std::string &path, const std::string &rule)
      : file_(valueOf(formats::Hdf5Reader::open(path))),
        rules_(valueOf(numerics::RuleSet::parse(rule))) {}

  /// Why the elements at `address` break the rule; empty if they do not.
  std::string judge(const std::string &path, const std::string &dtype,
                    const std::vector<int64_t> &shape, uintptr_t address) {
    const formats::Hdf5Dataset *dataset = file_->find(path);
    if (!dataset)
      return "";
    tensor::TensorType type = valueOf(python::typeOf(dtype, shape));
    if (!(type == dataset->type))
      return "it is " + toString(type) + ", the bench's " +
             toString(dataset->type);
    return valueOf(
        python::unlocked([&] { return verdictOn(*dataset, type, address); }));
  }
  bool has(const std::string &path) const { return file_->find(path); }

private:
  llvm::Expected<std::string> verdictOn(const formats::Hdf5Dataset &dataset,
                                        const tensor::TensorType &type,
                                        uintptr_t address) {
    llvm::Expected<tensor::Tensor> bench = file_->readTensor(dataset);
    if (!bench)
      return bench.takeError();
    if (bench->size() == 0)
      return "";
    numerics::Judgement pair{.type = type.element,
                             .got = reinterpret_cast<const void *>(address),
                             .expected = bench->bytes(),
                             .n = bench->size()};
    llvm::Expected<numerics::Verdict> verdict =
        rules_.ruleFor(dataset.path, type.element).judge(pair);
    if (!verdict)
      return verdict.takeError();
    verdict->shape = type.shape;
    return verdict->passed ? "" : verdict->text();
  }

  std::unique_ptr<formats::Hdf5Reader> file_;
  numerics::RuleSet rules_;
};
} // namespace

void python::bindLiveUse(nb::module_ &module) {
  module.def(
      "hash_bytes",
      [](uintptr_t address, int64_t size) {
        return python::unlocked([&] {
          return formats::hashBytes({reinterpret_cast<const uint8_t *>(address),
                                    static_cast<size_t>(size)});
        });
      },
      nb::arg("address"), nb::arg("size"),
      "The hash that a dump has of such bytes (XXH3-128).");
  nb::class_<StoredBench>(module, "StoredBench",
                          "A stored dump, for verdicts on tensors in memory.")
      .def(nb::init<const std::string &, const std::string &>(),
           nb::arg("path"), nb::arg("rule") = "dtype")
      .def("__contains__", &StoredBench::has)
      .def("judge", &StoredBench::judge, nb::arg("path"), nb::arg("dtype"),
           nb::arg("shape"), nb::arg("address"),
           "Why the elements break the rule; \"\" where they hold it, or where "
           "the dump has no such tensor.");
}
