// Driver `shuffle`: "NxCx...", the elements along an axis seen as the rows of a
// matrix, transposed. Elements are moved in their own type.
#include "assay/formulas/Tensors.h"
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/drivers/Drivers.h"
#include "assay/verify/drivers/Recognition.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using namespace assay::verify::drivers;
using mlir::Value;

static int64_t numberOf(const Problem &p, const char *knob) {
  int64_t value = 0;
  p.knob(knob).getAsInteger(10, value);
  return value;
}

static llvm::Expected<std::string> readDirection(llvm::StringRef value) {
  return readWord(value, {"FWD_D", "BWD_D"});
}

static llvm::Error parse(llvm::StringRef token, int64_t, Problem &p) {
  if (llvm::Error error = readShapes(token, 1, p))
    return error;
  const Dims &sizes = p.shapes[0];
  int64_t axis = numberOf(p, "axis"), group = numberOf(p, "group");
  if (axis >= static_cast<int64_t>(sizes.size()))
    p.invalid = llvm::formatv("--axis={0} of a tensor of {1} dimensions", axis,
                              sizes.size());
  else if (group == 0 || sizes[axis] % group)
    p.invalid = llvm::formatv("--group={0} does not divide size {1} of the "
                              "axis",
                              group, sizes[axis]);
  return llvm::Error::success();
}

static llvm::Expected<BoundProgram> build(const Problem &p) {
  if (!p.invalid.empty())
    return makeError(ErrorCode::InvalidArgument, "{0}", p.invalid);
  ElementType type = typeOf(p.knob("dt"));
  Layout layout{p.knob("tag").str(), {}};
  const Dims &sizes = p.shapes[0];
  int64_t axis = numberOf(p, "axis"), group = numberOf(p, "group");
  bool forward = isForward(p.direction);
  Assembly a(p, type);
  Value x = a.argument(forward ? "src" : "diff_dst", type, sizes, layout);
  a.builder().setLocation("op");
  // An axis without elements is one empty row.
  int64_t rows = forward ? std::max<int64_t>(sizes[axis] / group, 1) : group;
  x = shuffle(a.builder(), x, axis, rows);
  a.result(forward ? "dst" : "diff_src", x, type, sizes, layout);
  return a.finish(p.direction);
}

static std::optional<Problem> recognise(const BoundProgram &bound) {
  Reading r(bound);
  if (!r.isValid() || bound.inputs.size() != 1 ||
      r.operations("transpose").size() != 1)
    return std::nullopt;
  llvm::StringRef role = bound.inputs[0].role;
  mlir::Operation *transpose = r.operations("transpose")[0];
  Dims sizes = r.dimsOf(role), order = integersOf(transpose, "permutation");
  auto split = program::Builder::typeOf(transpose->getOperand(0)).shape;
  // The permutation exchanges the two dimensions that the axis is split into.
  size_t axis = 0;
  while (axis < order.size() && order[axis] == static_cast<int64_t>(axis))
    ++axis;
  if (order.size() != sizes.size() + 1 || axis >= sizes.size() ||
      split[axis] == 0)
    return std::nullopt;
  Problem p = candidateOf(kShuffle, r);
  int64_t rows = split[axis];
  if (sizes[axis] < rows)
    return std::nullopt; // without elements, any group makes this program
  p.shapes = {sizes};
  takeTensor(p, r, role, "dt", "tag");
  p.own["axis"] = std::to_string(axis);
  p.own["group"] =
      std::to_string(isForward(p.direction) ? sizes[axis] / rows : rows);
  return p;
}

static void json(const Problem &p, llvm::json::Object &object) {
  shapeJson(p, {p.knob("dt")}, object);
  object["axis"] = numberOf(p, "axis");
  object["group"] = numberOf(p, "group");
}

static constexpr OwnKnob kKnobs[] = {
    {"dir", "FWD_D", "FWD_D BWD_D", readDirection},
    {"dt", "f32", "T,...: data type", readType},
    {"tag", "abx", "TAG,...: memory format", readTag},
    {"axis", "1", "N,...: the shuffled dimension", readSize},
    {"group", "1", "N,...: elements of a group", readSize}};

const Driver drivers::kShuffle = {.name = "shuffle",
                                  .parse = parse,
                                  .text = shapesText,
                                  .build = build,
                                  .recognise = recognise,
                                  .dims = firstDims,
                                  .json = json,
                                  .knobs = kKnobs,
                                  .namePrefix = "_n"};
