// A cursor over the text reads the grammar: quoted names, numbers, brackets.
// Priorities (`p1`) and the lists of replicated axes do not affect a run and
// are skipped.
#include "assay/program/Shardings.h"
#include "assay/dialect/Sdy.h"
#include "assay/dialect/StablehloAttrs.h"
#include "assay/program/Types.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>
#include <numeric>

namespace assay::program {

using tensor::TensorType;

const Mesh::Axis *Mesh::find(llvm::StringRef name) const {
  for (const Axis &axis : axes)
    if (axis.name == name)
      return &axis;
  return nullptr;
}

int64_t Mesh::coordinate(int64_t place, llvm::StringRef axis) const {
  for (const Axis &each : llvm::reverse(axes)) {
    if (each.name == axis)
      return place % each.size;
    place /= each.size;
  }
  return 0;
}

std::vector<std::vector<int64_t>>
Mesh::groupsAlong(llvm::ArrayRef<std::string> names) const {
  std::vector<std::pair<std::vector<int64_t>, size_t>> keys; // coordinates on
                                                             // the other axes
  std::vector<std::vector<std::pair<int64_t, int64_t>>> groups;
  for (int64_t place = 0; place < size(); ++place) {
    std::vector<int64_t> key;
    for (const Axis &axis : axes)
      if (!llvm::is_contained(names, axis.name))
        key.push_back(coordinate(place, axis.name));
    int64_t index = 0;
    for (const std::string &name : names)
      index = index * find(name)->size + coordinate(place, name);
    auto found = llvm::find_if(keys, [&](auto &k) { return k.first == key; });
    if (found == keys.end()) {
      keys.push_back({std::move(key), groups.size()});
      groups.emplace_back();
      found = std::prev(keys.end());
    }
    groups[found->second].push_back({index, devices[size_t(place)]});
  }
  std::vector<std::vector<int64_t>> rows;
  for (auto &group : groups) {
    llvm::sort(group);
    rows.emplace_back();
    for (auto [index, device] : group)
      rows.back().push_back(device);
  }
  return rows;
}

Box boxOf(const Mesh &mesh, const Sharding &sharding, int64_t place,
          llvm::ArrayRef<int64_t> shape) {
  Box box;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t parts = 1, index = 0;
    for (const std::string &axis : sharding[d]) {
      int64_t size = mesh.find(axis)->size;
      index = index * size + mesh.coordinate(place, axis);
      parts *= size;
    }
    box.sizes.push_back(shape[d] / parts);
    box.offset.push_back(index * (shape[d] / parts));
  }
  return box;
}

llvm::Expected<Mesh> makeMesh(std::vector<Mesh::Axis> axes,
                              std::vector<int64_t> devices) {
  int64_t size = 1;
  for (const Mesh::Axis &axis : axes) {
    if (axis.size < 1 || size > (int64_t(1) << 20) / axis.size)
      return makeError(ErrorCode::InvalidArgument,
                       "axis '{0}' of a mesh has {1} places", axis.name,
                       axis.size);
    size *= axis.size;
  }
  if (devices.empty()) {
    devices.resize(static_cast<size_t>(size));
    std::iota(devices.begin(), devices.end(), 0);
  }
  std::vector<int64_t> sorted = devices;
  llvm::sort(sorted);
  if (static_cast<int64_t>(devices.size()) != size || sorted.front() < 0 ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return makeError(ErrorCode::InvalidArgument,
                     "a mesh of {0} places needs as many different devices, "
                     "got {1}",
                     size, devices.size());
  return Mesh{std::move(axes), std::move(devices)};
}

namespace {
/// A position in the text, which every reading function advances.
class Cursor {
public:
  Cursor(llvm::StringRef text, mlir::Operation *user)
      : whole_(text), rest_(text), user_(user) {}

  bool take(llvm::StringRef token) {
    rest_ = rest_.ltrim();
    return rest_.consume_front(token);
  }
  llvm::Error expect(llvm::StringRef token) {
    return take(token) ? llvm::Error::success() : unexpected(token);
  }
  llvm::Error unexpected(llvm::StringRef wanted) const {
    return makeError(ErrorCode::Unsupported,
                     "cannot read '{0}' from '{1}' on: expected {2}", whole_,
                     rest_, wanted);
  }
  llvm::Error quoted(std::string &name) {
    if (!take("\""))
      return unexpected("a name in quotes");
    size_t end = rest_.find('"');
    if (end == llvm::StringRef::npos)
      return unexpected("the end of a name");
    name = rest_.take_front(end).str();
    rest_ = rest_.drop_front(end + 1);
    return llvm::Error::success();
  }
  llvm::Error number(int64_t &value) {
    rest_ = rest_.ltrim();
    return rest_.consumeInteger(10, value) ? unexpected("a number")
                                           : llvm::Error::success();
  }
  /// Calls `each` until `close`, with commas between the items.
  llvm::Error list(llvm::StringRef close,
                   llvm::function_ref<llvm::Error()> each) {
    for (bool first = true; !take(close); first = false) {
      if (!first)
        if (llvm::Error error = expect(","))
          return error;
      if (llvm::Error error = each())
        return error;
    }
    return llvm::Error::success();
  }

  llvm::Error mesh(Mesh &mesh);    ///< ["x"=2], device_ids=[1, 0]
  llvm::Error meshRef(Mesh &mesh); ///< @name, or mesh<...>
  /// "x", "y"} or "x", ?}
  llvm::Error axisSet(std::vector<std::string> &axes, bool &open);
  llvm::Error sharding(ValueSharding &out);
  llvm::Error shardings(std::vector<ValueSharding> &all);

private:
  llvm::StringRef whole_, rest_;
  mlir::Operation *user_;
};
} // namespace

llvm::Error Cursor::mesh(Mesh &mesh) {
  std::vector<Mesh::Axis> axes;
  std::vector<int64_t> devices;
  if (llvm::Error error = expect("["))
    return error;
  if (llvm::Error error = list("]", [&]() -> llvm::Error {
        Mesh::Axis &axis = axes.emplace_back();
        if (llvm::Error inner = quoted(axis.name))
          return inner;
        if (llvm::Error inner = expect("="))
          return inner;
        return number(axis.size);
      }))
    return error;
  if (take(",")) {
    if (!take("device_ids") || !take("=") || !take("["))
      return unexpected("device_ids=[");
    if (llvm::Error error =
            list("]", [&] { return number(devices.emplace_back()); }))
      return error;
  }
  return makeMesh(std::move(axes), std::move(devices)).moveInto(mesh);
}

llvm::Error Cursor::meshRef(Mesh &mesh) {
  if (take("mesh")) {
    if (llvm::Error error = expect("<"))
      return error;
    if (llvm::Error error = this->mesh(mesh))
      return error;
    return expect(">");
  }
  if (!take("@"))
    return unexpected("a mesh");
  std::string name;
  if (rest_.starts_with("\"")) {
    if (llvm::Error error = quoted(name))
      return error;
  } else {
    name = rest_
               .take_while([](char c) {
                 return llvm::isAlnum(c) || llvm::StringRef("_$.-").contains(c);
               })
               .str();
    rest_ = rest_.drop_front(name.size());
  }
  return meshOf(user_, name).moveInto(mesh);
}

llvm::Error Cursor::axisSet(std::vector<std::string> &axes, bool &open) {
  open = false;
  return list("}", [&]() -> llvm::Error {
    if (take("?")) {
      open = true;
      return llvm::Error::success();
    }
    if (llvm::Error error = quoted(axes.emplace_back()))
      return error;
    return take(":") ? unexpected("a whole axis") : llvm::Error::success();
  });
}

llvm::Error Cursor::sharding(ValueSharding &out) {
  if (llvm::Error error = expect("<"))
    return error;
  if (llvm::Error error = meshRef(out.mesh))
    return error;
  if (!take(",") || !take("["))
    return unexpected("the dimensions");
  if (llvm::Error error = list("]", [&]() -> llvm::Error {
        if (llvm::Error inner = expect("{"))
          return inner;
        bool open = false;
        if (llvm::Error inner = axisSet(out.dimensions.emplace_back(), open))
          return inner;
        out.open.push_back(open);
        int64_t priority = 0;
        return take("p") ? number(priority) : llvm::Error::success();
      }))
    return error;
  while (take(",")) { // replicated={"y"}, unreduced={"z"}
    std::vector<std::string> replicated;
    bool isSum = take("unreduced"), open = false;
    if (!(isSum || take("replicated")) || !take("=") || !take("{"))
      return unexpected("replicated={");
    if (llvm::Error error = axisSet(isSum ? out.sums : replicated, open))
      return error;
  }
  return expect(">");
}

llvm::Error Cursor::shardings(std::vector<ValueSharding> &all) {
  if (!take("sharding_per_value") || !take("<") || !take("["))
    return unexpected("shardings");
  return list("]", [&] { return sharding(all.emplace_back()); });
}

llvm::Expected<Mesh> meshOf(mlir::Operation *user, llvm::StringRef name) {
  auto found = mlir::dyn_cast_or_null<sdy::MeshOp>(
      mlir::SymbolTable::lookupNearestSymbolFrom(
          user, mlir::StringAttr::get(user->getContext(), name)));
  if (!found)
    return makeError(ErrorCode::NotFound, "there is no sdy.mesh @{0}", name);
  Mesh mesh;
  Cursor cursor(found.getMesh().getText(), user);
  if (!cursor.take("mesh") || !cursor.take("<"))
    return cursor.unexpected("a mesh");
  if (llvm::Error error = cursor.mesh(mesh))
    return error;
  return mesh;
}

llvm::Expected<ValueSharding> parseSharding(llvm::StringRef text,
                                            mlir::Operation *user) {
  ValueSharding made;
  Cursor cursor(text, user);
  if (!cursor.take("sharding"))
    return cursor.unexpected("a sharding");
  if (llvm::Error error = cursor.sharding(made))
    return error;
  return made;
}

llvm::Expected<std::vector<ValueSharding>>
parseShardings(llvm::StringRef text, mlir::Operation *user) {
  std::vector<ValueSharding> made;
  if (llvm::Error error = Cursor(text, user).shardings(made))
    return error;
  return made;
}

/// {"x", "y", ?}
static void printAxes(llvm::raw_ostream &os, llvm::ArrayRef<std::string> axes,
                      bool open) {
  llvm::ListSeparator comma;
  os << '{';
  for (const std::string &axis : axes)
    os << comma << '"' << axis << '"';
  if (open)
    os << comma << '?';
  os << '}';
}

/// <mesh<["x"=2], device_ids=[0, 1]>, [{"x"}, {}], unreduced={"y"}>
static void printSharding(llvm::raw_ostream &os, const ValueSharding &of) {
  os << "<mesh<[";
  llvm::ListSeparator axis, dimension;
  for (const Mesh::Axis &each : of.mesh.axes)
    os << axis << '"' << each.name << "\"=" << each.size;
  os << "], device_ids=[";
  llvm::interleaveComma(of.mesh.devices, os);
  os << "]>, [";
  for (size_t d = 0; d < of.dimensions.size(); ++d) {
    os << dimension;
    printAxes(os, of.dimensions[d], of.open[d]);
  }
  os << ']';
  if (!of.sums.empty()) {
    os << ", unreduced=";
    printAxes(os, of.sums, false);
  }
  os << '>';
}

std::string textOf(const ValueSharding &sharding) {
  std::string text = "sharding";
  llvm::raw_string_ostream os(text);
  printSharding(os, sharding);
  return text;
}

std::string textOf(llvm::ArrayRef<ValueSharding> shardings) {
  std::string text = "sharding_per_value<[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shardings, os, [&](const ValueSharding &each) {
    printSharding(os, each);
  });
  os << "]>";
  return text;
}

/// The shardings of one side; all are of one mesh.
static llvm::Error readShardings(llvm::StringRef text, mlir::Operation *user,
                                 Mesh &mesh, std::vector<Sharding> &all,
                                 std::vector<std::vector<std::string>> &sums) {
  llvm::Expected<std::vector<ValueSharding>> read = parseShardings(text, user);
  if (!read)
    return read.takeError();
  auto same = [](const Mesh::Axis &a, const Mesh::Axis &b) {
    return a.name == b.name && a.size == b.size;
  };
  for (ValueSharding &each : *read) {
    Mesh &own = each.mesh;
    all.push_back(std::move(each.dimensions));
    sums.push_back(std::move(each.sums));
    if (!mesh.devices.empty() &&
        (mesh.devices != own.devices ||
         !std::equal(mesh.axes.begin(), mesh.axes.end(), own.axes.begin(),
                     own.axes.end(), same)))
      return makeError(ErrorCode::Unsupported,
                       "the shardings of one computation name two meshes");
    mesh = std::move(own);
  }
  return llvm::Error::success();
}

/// The part of a value has `part`'s shape: each dimension divided by its manual
/// axes.
static llvm::Error checkPart(const ManualComputation &manual,
                             Sharding &sharding, mlir::Type whole,
                             mlir::Type part) {
  if (mlir::isa<stablehlo::TokenType>(whole) && whole == part &&
      sharding.empty())
    return llvm::Error::success();
  llvm::Expected<TensorType> from = tensorTypeOf(whole),
                             to = tensorTypeOf(part);
  if (!from || !to)
    return llvm::joinErrors(from ? llvm::Error::success() : from.takeError(),
                            to ? llvm::Error::success() : to.takeError());
  bool fits = sharding.size() == from->shape.size() &&
              to->shape.size() == from->shape.size() &&
              from->element == to->element;
  for (size_t d = 0; fits && d < sharding.size(); ++d) {
    int64_t parts = 1;
    // A partitioner would also cut over the other axes; the run does not.
    llvm::erase_if(sharding[d], [&](const std::string &axis) {
      return !llvm::is_contained(manual.manualAxes, axis);
    });
    for (const std::string &axis : sharding[d]) {
      const Mesh::Axis *known = manual.mesh.find(axis);
      fits &= known != nullptr;
      parts *= known ? known->size : 1;
    }
    fits = fits && to->shape[d] * parts == from->shape[d];
  }
  if (fits)
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument,
                   "{0} is not part of {1} by its sharding",
                   tensor::toString(*to), tensor::toString(*from));
}

llvm::Expected<ManualComputation>
ManualComputation::decode(mlir::Operation *op) {
  auto manual = mlir::cast<sdy::ManualComputationOp>(op);
  ManualComputation made;
  Cursor axes(manual.getManualAxes().getText(), op);
  if (llvm::Error error =
          readShardings(manual.getInShardings().getText(), op, made.mesh,
                        made.operands, made.operandSums))
    return error;
  if (llvm::Error error =
          readShardings(manual.getOutShardings().getText(), op, made.mesh,
                        made.results, made.resultSums))
    return error;
  if (!axes.take("manual_axes") || !axes.take("{"))
    return axes.unexpected("axes");
  bool open = false;
  if (llvm::Error error = axes.axisSet(made.manualAxes, open))
    return error;
  mlir::Block &body = op->getRegion(0).front();
  mlir::Operation *end = body.getTerminator();
  if (made.mesh.devices.empty() ||
      made.operands.size() != op->getNumOperands() ||
      made.results.size() != op->getNumResults() ||
      body.getNumArguments() != op->getNumOperands() ||
      end->getNumOperands() != op->getNumResults())
    return makeError(ErrorCode::InvalidArgument,
                     "the computation has {0} operands and {1} results, and "
                     "shardings of {2} and {3}",
                     op->getNumOperands(), op->getNumResults(),
                     made.operands.size(), made.results.size());
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (llvm::Error error =
            checkPart(made, made.operands[i], op->getOperand(i).getType(),
                      body.getArgument(i).getType()))
      return error;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (llvm::Error error =
            checkPart(made, made.results[i], op->getResult(i).getType(),
                      end->getOperand(i).getType()))
      return error;
  for (auto *sums : {&made.operandSums, &made.resultSums})
    for (std::vector<std::string> &axes : *sums)
      llvm::erase_if(axes, [&](const std::string &axis) {
        return !llvm::is_contained(made.manualAxes, axis) ||
               !made.mesh.find(axis);
      });
  return made;
}

} // namespace assay::program
