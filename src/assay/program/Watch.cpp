// A name must match as a whole; a `*` in it matches any text. Composed
// locations (callsite, fused) match by any of their parts.
#include "assay/program/Watch.h"
#include "assay/program/Expansions.h"
#include "assay/program/Plan.h"
#include "assay/program/Print.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

namespace assay::program {

/// Matches a name against a pattern in which everything but `*` is literal.
static bool fits(llvm::StringRef pattern, llvm::StringRef name) {
  auto [head, rest] = pattern.split('*');
  if (head.size() == pattern.size())
    return name == pattern;
  if (!name.consume_front(head))
    return false;
  for (size_t skip = 0; skip <= name.size(); ++skip)
    if (fits(rest, name.drop_front(skip)))
      return true;
  return false;
}

static bool hasPlace(mlir::FileLineColLoc place, llvm::StringRef wanted) {
  return wanted == llvm::utostr(place.getLine()) ||
         wanted ==
             llvm::formatv("{0}:{1}", place.getLine(), place.getColumn()).str();
}

static bool matches(mlir::Location location, llvm::StringRef wanted) {
  bool found = false;
  location->walk([&](mlir::Location inner) {
    if (auto named = mlir::dyn_cast<mlir::NameLoc>(inner))
      found |= fits(wanted, named.getName().getValue());
    else if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(inner))
      found |= hasPlace(place, wanted);
    return mlir::WalkResult::advance();
  });
  return found;
}

bool Watch::wants(mlir::Operation *op) const {
  return !isInExpansion(op->getLoc()) &&
         llvm::any_of(names_, [&](const std::string &name) {
           return matches(op->getLoc(), name);
         });
}

/// Lists operation locations in files other than the program: an exporter wrote
/// the locations of the model's source.
static std::string placesElsewhere(const Program &program) {
  std::map<std::string, std::set<unsigned>> lines;
  program.module()->walk([&](mlir::Operation *op) {
    if (op->getNumResults() > 0)
      op->getLoc()->walk([&](mlir::Location inner) {
        if (auto place = mlir::dyn_cast<mlir::FileLineColLoc>(inner))
          if (place.getFilename().getValue() != program.name())
            lines[place.getFilename().str()].insert(place.getLine());
        return mlir::WalkResult::advance();
      });
  });
  if (lines.empty())
    return "";
  std::string text = " its operations have the places that it was exported "
                     "with, not lines of this file:";
  size_t files = 0;
  for (const auto &[file, numbers] : lines) {
    if (++files > 3)
      return text + " ...";
    text += (files == 1 ? " '" : "; '") + file + "' lines";
    size_t shown = 0;
    for (unsigned line : numbers) {
      if (++shown > 8) {
        text += " ...";
        break;
      }
      text += (shown == 1 ? " " : ", ") + llvm::utostr(line);
    }
  }
  return text + ";";
}

/// Names of operations that the user may have meant.
static std::string someNames(const Program &program) {
  std::set<std::string> names;
  program.module()->walk([&](mlir::Operation *op) {
    if (auto named = mlir::dyn_cast<mlir::NameLoc>(op->getLoc()))
      if (op->getNumResults() > 0)
        names.insert(named.getName().str());
  });
  std::string text;
  size_t shown = 0;
  for (const std::string &name : names)
    if (++shown <= 8)
      text += (text.empty() ? " it has '" : ", '") + name + "'";
  if (names.empty())
    return " its operations have no names: give LINE or LINE:COLUMN";
  return names.size() > 8 ? text + ", ..." : text;
}

llvm::Expected<std::unique_ptr<Watch>>
Watch::create(const Program &program, std::vector<std::string> names,
              llvm::raw_ostream &os) {
  for (const std::string &name : names) {
    bool found = false;
    program.module()->walk([&](mlir::Operation *op) {
      found |= op->getNumResults() > 0 && matches(op->getLoc(), name);
    });
    bool isPlace = llvm::isDigit(name.empty() ? ' ' : name.front());
    if (!found)
      return makeError(
          ErrorCode::NotFound, "no value of '{0}' {1} '{2}';{3}{4}",
          program.name(), isPlace ? "is made at line" : "is named", name,
          isPlace ? placesElsewhere(program) : "", someNames(program));
  }
  return std::unique_ptr<Watch>(new Watch(std::move(names), os));
}

void Watch::onStep(const StepNode &node, llvm::ArrayRef<Value *>,
                   llvm::ArrayRef<Value> results, int64_t) {
  if (!node.op || !wants(node.op))
    return;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].isTensor())
      continue;
    os_ << describeLocation(node.op->getLoc());
    if (results.size() > 1)
      os_ << " #" << i;
    os_ << " = ";
    printTensor(os_, results[i].tensor());
    os_ << "\n";
  }
}

} // namespace assay::program
