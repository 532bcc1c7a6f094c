// Programs and their judge for Python: parse, fill, truth, verdict. Tensors are
// passed as addresses of dense row-major elements that the caller keeps alive.
#include "Binding.h"
#include "Heap.h"
#include "assay/engine/Registry.h"
#include "assay/judge/FastConvolution.h"
#include "assay/judge/program/CommonForms.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/judge/program/ProgramJudge.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/Rules.h"
#include "assay/program/Types.h"
#include "assay/trace/AtenProgram.h"
#include "assay/verify/Driver.h"
#include "assay/verify/Options.h"
#include "assay/verify/Reader.h"

#include <map>
#include <mutex>

namespace nb = nanobind;
using namespace assay;
using python::TypeText;
using python::valueOf;
using python::WarmHeap;
using tensor::Tensor;

namespace {
/// One function of a parsed module.
class Program {
public:
  Program(std::shared_ptr<const program::Program> program, std::string entry)
      : program(std::move(program)), entry(std::move(entry)) {
    judge::allowCommonForms(*this->program);
  }

  static Program parse(const std::string &text, const std::string &name,
                       const std::string &entry) {
    Program made(valueOf(program::Program::parse(text, name)), entry);
    valueOf(made.program->function(entry));
    return made;
  }

  static Program load(const std::string &path, const std::string &entry) {
    Program made(valueOf(program::Program::load(path)), entry);
    valueOf(made.program->function(entry));
    return made;
  }

  /// The program of one problem as the arguments of `assay verify`.
  static Program fromWords(const std::vector<std::string> &words) {
    std::optional<verify::Problem> found;
    int64_t problems = 0;
    verify::Reader reader({}, [&](verify::Problem problem) {
      ++problems;
      if (!found)
        found = std::move(problem);
      return llvm::Error::success();
    });
    std::vector<const char *> texts;
    for (const std::string &word : words)
      texts.push_back(word.c_str());
    if (llvm::Error error = reader.readArguments(texts))
      python::raise(std::move(error));
    if (problems != 1)
      throw nb::value_error(llvm::formatv("these words are {0} problems; one "
                                          "is needed",
                                          problems)
                                .str()
                                .c_str());
    for (const std::string &why : {found->invalid, found->unimplemented})
      if (!why.empty())
        throw nb::value_error(why.c_str());
    verify::BoundProgram bound = valueOf(found->driver->build(*found));
    return Program(bound.program, bound.entry);
  }

  std::vector<TypeText> inputs() const {
    return texts(function().getArgumentTypes());
  }
  std::vector<TypeText> outputs() const {
    return texts(function().getResultTypes());
  }
  std::string text(bool located = false) const {
    std::string out;
    llvm::raw_string_ostream os(out);
    program->module()->print(
        os, mlir::OpPrintingFlags().enableDebugInfo(located).useLocalScope());
    return out;
  }
  /// The names of all operations, sorted.
  std::vector<std::string> operations() const {
    std::vector<std::string> names;
    program->module()->walk([&](mlir::Operation *op) {
      names.push_back(op->getName().getStringRef().str());
    });
    llvm::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }
  std::string functionName() const { return function().getName().str(); }

  std::shared_ptr<const program::Program> program;
  std::string entry;

private:
  mlir::func::FuncOp function() const {
    return valueOf(program->function(entry));
  }
  static std::vector<TypeText> texts(mlir::TypeRange types) {
    std::vector<TypeText> out;
    for (mlir::Type type : types)
      out.push_back(python::textOf(valueOf(program::tensorTypeOf(type))));
    return out;
  }
};

std::vector<int64_t> coordinates(llvm::ArrayRef<int64_t> shape, int64_t index) {
  std::vector<int64_t> at(shape.size());
  for (size_t d = shape.size(); d-- > 0; index /= shape[d])
    at[d] = index % shape[d];
  return at;
}

const char *nameOf(judge::Status status) {
  return status == judge::Status::Passed   ? "PASSED"
         : status == judge::Status::Failed ? "FAILED"
                                           : "MISTRUSTED";
}

/// The verdict of both judges on a point.
template <typename Point>
nb::dict pointOf(const Point &point, llvm::ArrayRef<int64_t> shape) {
  nb::dict out;
  out["index"] = coordinates(shape, point.index);
  out["expected"] = point.expected;
  out["got"] = point.got;
  out["error"] = point.error;
  out["bound"] = point.bound;
  return out;
}

nb::dict toPython(const judge::JudgedResult &result,
                  llvm::ArrayRef<int64_t> shape) {
  nb::dict out;
  out["name"] = result.name;
  out["status"] = nameOf(result.status);
  out["measure"] = result.measure;
  out["elements"] = result.elements;
  out["failures"] = result.failures;
  out["undecided"] = result.undecided;
  out["worst_fraction"] = result.worstFraction;
  out["pattern"] = result.pattern;
  nb::list worst;
  for (const judge::WorstPoint &point : result.worst)
    worst.append(pointOf(point, shape));
  out["worst"] = worst;
  return out;
}

/// One pool for all judges with the same number of threads; judges work one at
/// a time.
struct SharedPool {
  explicit SharedPool(int threads) : pool(threads) {}
  static std::shared_ptr<SharedPool> of(int threads) {
    static std::map<int, std::weak_ptr<SharedPool>>
        pools; // guarded by Python's lock
    std::shared_ptr<SharedPool> found = pools[threads].lock();
    if (!found)
      pools[threads] = found = std::make_shared<SharedPool>(threads);
    return found;
  }
  ThreadPool pool;
  std::mutex mutex;
};

class Judge {
public:
  Judge(const Program &program, const std::string &rule, double seconds,
        int threads, bool exactDivision, bool fastConvolutions)
      : program_(program.program), entry_(program.entry),
        pool_(SharedPool::of(threads)),
        judge_(program_,
               {entry_, rule, seconds, /*everyResult=*/true, exactDivision},
               pool_->pool) {
    if (fastConvolutions)
      judge::allowFastConvolutions(*program_);
    for (const TypeText &type : program.inputs())
      inputs_.push_back(valueOf(python::typeOf(type.first, type.second)));
    for (const TypeText &type : program.outputs())
      outputs_.push_back(valueOf(python::typeOf(type.first, type.second)));
    for (const std::vector<tensor::TensorType> *types : {&inputs_, &outputs_})
      for (const tensor::TensorType &type : *types)
        tensorBytes_ += valueOf(tensor::elementCount(type.shape)) *
                        type.element.storageBytes();
  }

  static judge::FillKind kindOf(const std::string &kind) {
    std::optional<judge::FillKind> found = judge::fillNamed(kind);
    if (!found)
      throw nb::value_error(
          ("fill '" + kind + "' is not one of " + judge::fillNames(", ")).c_str());
    return *found;
  }

  /// How many draws the kind needs.
  int draws(const std::string &kind) {
    return judge::drawsOf(*program_, entry_, kindOf(kind));
  }

  /// The arguments of one kind of data, as bytes.
  std::vector<nb::bytes> fill(const std::string &kind, uint64_t seed, int draw,
                              const std::vector<std::string> &notKept) {
    judge::FillKind found = kindOf(kind);
    std::optional<llvm::Expected<std::vector<Tensor>>> filled;
    python::unlocked([&] {
      filled.emplace(judge::fillProgram(*program_, entry_, found, seed, draw,
                                        judge::keptBut(notKept)));
    });
    std::vector<nb::bytes> out;
    for (const Tensor &tensor : valueOf(std::move(*filled)))
      out.emplace_back(tensor.bytes(),
                       static_cast<size_t>(tensor.denseBytes()));
    return out;
  }

  /// Releases the memory that is kept for further arguments.
  void release() { judge_.release(); }

  /// Computes the truth for these arguments.
  void prepare(const std::vector<uintptr_t> &addresses, const std::string &data,
               const std::vector<std::string> &notKept) {
    std::optional<judge::FillKind> kind = judge::fillNamed(data);
    judge::Demands demands;
    if (kind)
      demands = judge::demandsOf(*kind, judge::keptBut(notKept));
    std::optional<llvm::Error> failure;
    std::vector<Tensor> tensors = views(inputs_, addresses);
    python::unlocked([&] {
      std::lock_guard<std::mutex> alone(pool_->mutex);
      WarmHeap heap(tensorBytes_);
      if (llvm::Error error = judge_.prepare(tensors, demands))
        failure.emplace(std::move(error));
    });
    if (failure)
      python::raise(std::move(*failure));
  }

  nb::dict judge(const std::vector<uintptr_t> &addresses,
                 const std::string &data) {
    if (addresses.size() != outputs_.size())
      throw nb::value_error("one address for each result is needed");
    std::vector<judge::ProgramResult> results;
    for (size_t i = 0; i < addresses.size(); ++i)
      results.push_back({"out" + std::to_string(i),
                         reinterpret_cast<const void *>(addresses[i])});
    judge::ProgramVerdict verdict = python::unlocked([&] {
      std::lock_guard<std::mutex> alone(pool_->mutex);
      WarmHeap heap(tensorBytes_);
      return judge_.judge(results, data);
    });
    nb::dict out;
    out["status"] = nameOf(verdict.status);
    out["judge"] = verdict.judge;
    out["reason"] = verdict.reason;
    if (!verdict.noBound.empty())
      verdict.notes.insert(verdict.notes.begin(), verdict.noBound);
    out["notes"] = verdict.notes;
    out["findings"] = verdict.findings;
    out["decided"] = verdict.decided;
    out["elements"] = verdict.elements;
    nb::list rows;
    for (size_t i = 0; i < verdict.results.size(); ++i)
      rows.append(toPython(verdict.results[i], outputs_[i].shape));
    out["results"] = rows;
    return out;
  }

  /// The exact result as f64 (complex: parts interleaved), the reference's own
  /// rounded bytes, and each element's bound (empty: exact).
  nb::tuple truth(size_t index) const {
    const judge::ProgramTruth &truth = judge_.truth();
    if (index >= truth.results.size())
      throw nb::value_error("there is no such result");
    const program::Value &value = truth.results[index];
    Tensor own = valueOf(value.tensor().dense());
    std::vector<double> exact = judge::exactValues(value), bounds;
    if (const judge::Errors &errors = truth.errors[index])
      bounds.assign(errors->begin(), errors->end());
    auto bytes = [](const std::vector<double> &values) {
      return nb::bytes(values.data(), values.size() * sizeof(double));
    };
    return nb::make_tuple(
        bytes(exact),
        nb::bytes(own.bytes(), static_cast<size_t>(own.denseBytes())),
        bytes(bounds));
  }

private:
  static std::vector<Tensor> views(llvm::ArrayRef<tensor::TensorType> types,
                                   const std::vector<uintptr_t> &addresses) {
    if (addresses.size() != types.size())
      throw nb::value_error("one address for each argument is needed");
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < types.size(); ++i)
      tensors.push_back(valueOf(python::viewAt(types[i], addresses[i])));
    return tensors;
  }

  std::shared_ptr<const program::Program> program_;
  std::string entry_;
  std::shared_ptr<SharedPool> pool_;
  judge::ProgramJudge judge_;
  std::vector<tensor::TensorType> inputs_, outputs_;
  int64_t tensorBytes_ = 0;
};
} // namespace

/// One tensor by a rule that needs no program; `exact`: the address of the
/// truth in f64, 0 if it is unknown.
static nb::dict judgeTensor(const std::string &ruleName,
                            const std::string &dtype,
                            const std::vector<int64_t> &shape, uintptr_t got,
                            uintptr_t expected, uintptr_t exact) {
  numerics::Rule rule = valueOf(numerics::Rule::parse(ruleName));
  tensor::TensorType type = valueOf(python::typeOf(dtype, shape));
  numerics::Judgement pair;
  pair.type = type.element;
  pair.got = reinterpret_cast<const void *>(got);
  pair.expected = reinterpret_cast<const void *>(expected);
  pair.n = valueOf(tensor::elementCount(shape));
  pair.shape = type.shape;
  if (exact)
    pair.shadow = {
        reinterpret_cast<const double *>(exact),
        static_cast<size_t>(pair.n * (type.element.isComplex() ? 2 : 1))};
  pair.maxPoints = static_cast<int>(judge::kWorstPoints);
  numerics::Verdict verdict = valueOf(rule.judge(pair));
  nb::dict out;
  out["passed"] = verdict.passed;
  out["elements"] = verdict.checked;
  out["failures"] = verdict.failing;
  out["rule"] = verdict.rule;
  out["text"] = verdict.text();
  nb::list worst;
  for (const numerics::JudgedPoint &point : verdict.points) {
    nb::dict one = pointOf(point, shape);
    one["fraction"] = point.fraction;
    worst.append(one);
  }
  out["worst"] = worst;
  return out;
}

/// The program of one call of an aten operator, an entry of a dump.json: text
/// (`located`: with the location of each operation, all unknown), the places of
/// its arguments, the outputs that it computes.
static nb::tuple atenText(const std::string &json, bool located) {
  llvm::json::Value value = valueOf(llvm::json::parse(json));
  llvm::json::Object *entry = value.getAsObject();
  if (!entry || !entry->getArray("args") || !entry->getObject("kwargs") ||
      !entry->getArray("outputs"))
    throw nb::value_error("an entry has args, kwargs and outputs");
  trace::TracedCall call;
  call.name = entry->getString("name").value_or("").str();
  call.opName = entry->getString("op_name").value_or("").str();
  call.args = std::move(*entry->getArray("args"));
  call.kwargs = std::move(*entry->getObject("kwargs"));
  call.outputs = std::move(*entry->getArray("outputs"));
  trace::AtenProgram made = valueOf(trace::atenProgram(call));
  return nb::make_tuple(Program(made.program, "").text(located), made.inputs,
                        made.outputs);
}

static bool hasAtenRow(const std::string &name) {
  return trace::hasAtenRow(name);
}

static std::vector<std::string> atenOperators() {
  llvm::ArrayRef<const char *> names = trace::atenOperators();
  return {names.begin(), names.end()};
}

/// Throws ValueError with the choices for an unknown rule (check_rule) or
/// engine (check_engine).
static void checkRule(const std::string &name) {
  valueOf(numerics::RuleSet::parse(name));
}

static void checkEngine(const std::string &name) {
  llvm::Expected<engine::EngineName> found = engine::parseEngineName(name);
  if (!found)
    throw nb::value_error(llvm::toString(found.takeError()).c_str());
}

/// Where the failing elements of a tensor of this shape are, as text.
static std::string patternOf(const std::vector<int64_t> &shape,
                             const std::vector<int64_t> &failing) {
  return judge::describePattern(shape, failing,
                                static_cast<int64_t>(failing.size()));
}

void python::bindPrograms(nb::module_ &module) {
  nb::class_<Program>(module, "Program", "One function of a StableHLO module.")
      .def_static("parse", &Program::parse, nb::arg("text"), nb::arg("name"),
                  nb::arg("entry") = "")
      .def_static("load", &Program::load, nb::arg("path"),
                  nb::arg("entry") = "", "Reads MLIR text or bytecode.")
      .def_static("from_words", &Program::fromWords, nb::arg("words"),
                  "The program of one problem as the arguments of assay verify.")
      .def_prop_ro("inputs", &Program::inputs, "(NumPy dtype, sizes) of each.")
      .def_prop_ro("outputs", &Program::outputs)
      .def_prop_ro("text", [](const Program &one) { return one.text(); })
      .def_prop_ro("operations", &Program::operations)
      .def_prop_ro("function", &Program::functionName);
  nb::class_<Judge>(module, "Judge", "Judges results of a program.")
      .def(nb::init<const Program &, const std::string &, double, int, bool,
                    bool>(),
           nb::arg("program"), nb::arg("rule") = "bound",
           nb::arg("max_seconds") = 0.0, nb::arg("threads") = 0,
           nb::arg("exact_division") = false,
           nb::arg("fast_convolutions") = false)
      .def("fill", &Judge::fill, nb::arg("kind"), nb::arg("seed"),
           nb::arg("draw") = 0,
           nb::arg("not_kept") = std::vector<std::string>(),
           "Arguments of one kind of data, as bytes; not_kept: special numbers "
           "that are left out.")
      .def("draws", &Judge::draws, nb::arg("kind"),
           "How many draws a kind of data needs.")
      .def("release", &Judge::release,
           "Releases the preparations for further arguments")
      .def("prepare", &Judge::prepare, nb::arg("addresses"),
           nb::arg("data") = "",
           nb::arg("not_kept") = std::vector<std::string>(),
           "Computes the truth for arguments of this kind that stay alive.")
      .def("judge", &Judge::judge, nb::arg("addresses"), nb::arg("data"),
           "Judges the results at these addresses.")
      .def("truth", &Judge::truth, nb::arg("index"),
           "(exact in f64, the reference's bytes, bounds in f64) of a result.");
  module.def("judge_tensor", &judgeTensor, nb::arg("rule"), nb::arg("dtype"),
             nb::arg("shape"), nb::arg("got"), nb::arg("expected"),
             nb::arg("exact") = 0);
  module.def("aten_text", &atenText, nb::arg("call"),
             nb::arg("located") = false,
             "The program of one recorded aten call.");
  module.def("has_aten_row", &hasAtenRow, nb::arg("op_name"),
             "Whether an operator of aten has a program here.");
  module.def("aten_operators", &atenOperators,
             "The operators of aten that have a row, as name.overload.");
  module.def("check_rule", &checkRule, nb::arg("name"),
             "Raises ValueError with the rules for an unknown one.");
  module.def("check_engine", &checkEngine, nb::arg("name"),
             "Raises ValueError with the engines for an unknown one.");
  module.def("pattern", &patternOf, nb::arg("shape"), nb::arg("failing"),
             "Where these flat indices are in a tensor, in words.");
}
