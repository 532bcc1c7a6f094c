// Processes take turns in one thread. A collective ends in a process only after
// every member of its group has reached it, so that every contribution is
// available when the bound is requested.
#include "assay/judge/program/ProcessBounds.h"
#include "assay/judge/SumBounds.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/program/Parts.h"
#include "assay/program/RunContext.h"
#include "assay/reference/Attributes.h"
#include "assay/reference/ops/Groups.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;

llvm::Expected<std::unique_ptr<ProcessBounds>>
ProcessBounds::make(const ErrorTracker &, mlir::Operation *op,
                    ThreadPool &pool) {
  llvm::Expected<program::ManualComputation> manual =
      program::ManualComputation::decode(op);
  if (!manual)
    return manual.takeError();
  int64_t partitions = 1 + *llvm::max_element(manual->mesh.devices);
  return std::unique_ptr<ProcessBounds>(
      new ProcessBounds(op, std::move(*manual), partitions, pool));
}

/// Errors as a tensor of a shape.
static llvm::Expected<Value> asValue(const Errors &errors,
                                     llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<Tensor> tensor = Tensor::allocate(
      {numerics::ElementType::floating(numerics::FloatFormat::F64),
       tensor::Shape(shape.begin(), shape.end())});
  if (!tensor)
    return tensor.takeError();
  bool each = errors && static_cast<int64_t>(errors->size()) == tensor->size();
  auto *out = tensor->mutableData<double>();
  for (int64_t i = 0; i < tensor->size(); ++i)
    out[i] = !errors ? 0
             : each  ? (*errors)[static_cast<size_t>(i)]
                     : errors->front();
  return Value(std::move(*tensor));
}

static Errors asErrors(const Value &value) {
  const auto *data = value.tensor().data<double>();
  return std::make_shared<std::vector<double>>(data,
                                               data + value.tensor().size());
}

static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::ShapedType>(value.getType()).getShape();
}

ErrorTracker *ProcessBounds::add(const ErrorTracker &parent,
                                 program::ProcessId id, int64_t place) {
  mlir::Block *body = &op_->getRegion(0).front();
  auto tracker =
      std::make_unique<ErrorTracker>(pool_, body, parent.demands_);
  tracker->process_ = this;
  tracker->member_ = static_cast<int64_t>(members_.size());
  program::RunContext run(pool_);
  for (auto [i, argument] : llvm::enumerate(body->getArguments())) {
    mlir::Value operand = op_->getOperand(static_cast<unsigned>(i));
    Tracked whole = parent.tracked(operand);
    if (whole.errors) {
      program::Box box = program::boxOf(manual_.mesh, manual_.operands[i],
                                        place, shapeOf(operand));
      llvm::Expected<Value> errors = asValue(whole.errors, shapeOf(operand));
      llvm::Expected<Value> part =
          errors ? program::cut(*errors, box, run) : errors.takeError();
      if (part)
        whole.errors = asErrors(*part);
      else
        whole = {openErrors(), whole.why, nullptr},
        llvm::consumeError(part.takeError());
    }
    tracker->set(argument, std::move(whole));
  }
  Member member;
  member.id = id;
  member.place = place;
  member.tracker = std::move(tracker);
  members_.push_back(std::move(member));
  return members_.back().tracker.get();
}

void ProcessBounds::post(const ErrorTracker &member,
                         const program::StepNode &node,
                         llvm::ArrayRef<Value> operands) {
  const OpBound *rule = findOpBound(node.name);
  if (!rule || rule->kind != BoundKind::Collective)
    return;
  Member &own = members_[static_cast<size_t>(member.member_)];
  std::vector<Brought> &brought =
      posts_[{node.op, ++own.visits[node.op]}][own.id];
  for (auto [i, value] : llvm::enumerate(operands))
    brought.push_back(
        {value,
         member.tracked(node.op->getOperand(static_cast<unsigned>(i))).errors});
}

/// The processes whose operands make a collective's results in process `own`.
llvm::Expected<std::vector<program::ProcessId>>
ProcessBounds::sourcesOf(program::ProcessId own, mlir::Operation *op) const {
  int64_t channel = reference::channelOf(op);
  llvm::StringRef name = op->getName().stripDialect();
  bool isPermute = name == "collective_permute",
       gathers = name == "all_gather" || name == "all_reduce" ||
                 name == "reduce_scatter";
  auto rows = reference::rowsOf(op, isPermute ? "source_target_pairs"
                                              : "replica_groups");
  if (!rows)
    return rows.takeError();
  reference::GroupKind kind =
      gathers ? reference::gatheringKind(
                    channel, reference::flagOf(op, "use_global_device_ids"))
              : reference::pairwiseKind(channel);
  if (!isPermute)
    return reference::groupOf(own, grid_, kind, *rows);
  for (const std::vector<int64_t> &row : *rows) {
    std::vector<program::ProcessId> pair =
        reference::membersOf(own, grid_, kind, row);
    if (pair.size() == 2 && pair[1] == own)
      return std::vector<program::ProcessId>{pair[0]};
  }
  return std::vector<program::ProcessId>(); // zeros
}

/// The operands that the members of a process's group contribute to the
/// collective.
llvm::Expected<std::vector<const std::vector<ProcessBounds::Brought> *>>
ProcessBounds::groupOf(const ErrorTracker &member, mlir::Operation *op) {
  Member &own = members_[static_cast<size_t>(member.member_)];
  auto sources = sourcesOf(own.id, op);
  if (!sources)
    return sources.takeError();
  auto &posted = posts_[{op, own.visits[op]}];
  std::vector<const std::vector<Brought> *> group;
  for (program::ProcessId id : *sources) {
    auto found = posted.find(id);
    if (found == posted.end())
      return makeError(ErrorCode::Unsupported, ""); // its values are open
    group.push_back(&found->second);
  }
  return group;
}

namespace {
/// One operand of a collective in all members: per element the sum of sizes and
/// of errors, and the largest error of all.
struct Gathered {
  std::vector<double> sizes, errors;
  double most = 0;
  bool exact = true;
};
} // namespace

static double errorAt(const Errors &errors, size_t k) {
  return !errors ? 0 : errors->size() == 1 ? errors->front() : (*errors)[k];
}

/// The same bound for every element.
static Errors everywhere(const Value &value, double error) {
  return std::make_shared<std::vector<double>>(
      static_cast<size_t>(value.tensor().size()), error);
}

template <typename Group>
static Gathered gather(const Group &group, size_t operand) {
  Gathered all;
  for (const auto *member : group) {
    const auto &[value, errors] = (*member)[operand];
    auto count = static_cast<size_t>(value.tensor().size());
    all.sizes.resize(count);
    all.errors.resize(count);
    all.exact &= errors == nullptr;
    std::vector<double> sizes = isFloating(value)
                                    ? magnitudes(value, nullptr)
                                    : std::vector<double>(count, 0.0);
    for (size_t k = 0; k < count; ++k) {
      double e = errorAt(errors, k);
      all.sizes[k] += sizes[k] + e;
      all.errors[k] += e;
      all.most = std::max(all.most, e);
    }
  }
  return all;
}

BoundResult ProcessBounds::boundOf(const ErrorTracker &member,
                                   const program::StepNode &node,
                                   llvm::ArrayRef<Value> results) {
  auto group = groupOf(member, node.op);
  if (!group)
    return group.takeError();
  bool reduces = node.op->getNumRegions() > 0;
  Body body = reduces ? bodyOf(node.op->getRegion(0)) : Body::Choice;
  std::vector<Errors> out;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!isFloating(results[i]) || body == Body::Choice) {
      Gathered all = gather(*group, i);
      out.push_back(all.exact                ? nullptr
                    : isFloating(results[i]) ? everywhere(results[i], all.most)
                                             : undecided(results[i]));
      continue;
    }
    if (body != Body::Sum)
      return makeError(ErrorCode::Unsupported,
                       "the body of its region is not a single sum or choice");
    Gathered all = gather(*group, i);
    numerics::ElementType type = results[i].tensor().elementType();
    double unit =
        std::ldexp(1.0, -numerics::formatInfo(type.format).precision());
    double relative = theoremBound(static_cast<double>(group->size()), unit),
           most = 0;
    for (size_t k = 0; k < all.sizes.size(); ++k) {
      all.errors[k] += relative * all.sizes[k] + halfUlp(all.sizes[k], type);
      if (std::isnan(all.errors[k]) && !std::isfinite(all.sizes[k]))
        all.errors[k] = 0; // an infinity or NaN remains so
      most = std::max(most, all.errors[k]);
    }
    bool wholes =
        all.errors.size() == static_cast<size_t>(results[i].tensor().size());
    out.push_back(wholes ? std::make_shared<std::vector<double>>(all.errors)
                         : everywhere(results[i], most));
  }
  return out;
}

llvm::Expected<Tracked> ProcessBounds::joined(unsigned result) {
  mlir::Operation *end = op_->getRegion(0).front().getTerminator();
  mlir::Value own = end->getOperand(result), whole = op_->getResult(result);
  Tracked made;
  bool exact = true;
  std::vector<Value> parts(members_.size());
  for (const Member &member : members_) {
    Tracked part = member.tracker->tracked(own);
    exact &= part.errors == nullptr;
    if (!made.why)
      made.why = part.why;
    llvm::Expected<Value> value = asValue(part.errors, shapeOf(own));
    if (!value)
      return value.takeError();
    parts[static_cast<size_t>(member.place)] = std::move(*value);
  }
  if (exact)
    return Tracked();
  program::RunContext run(pool_);
  llvm::Expected<Value> value = program::join(
      manual_.mesh, manual_.results[result], parts, shapeOf(whole), run);
  if (!value)
    return value.takeError();
  made.errors = asErrors(*value);
  return made;
}

void ProcessBounds::join(ErrorTracker &parent) {
  for (const Member &member : members_)
    if (parent.noBound_.empty())
      parent.noBound_ = member.tracker->noBound();
  for (unsigned result = 0; result < op_->getNumResults(); ++result) {
    if (static_cast<int64_t>(members_.size()) != manual_.mesh.size())
      continue; // the step failed
    if (!mlir::isa<mlir::ShapedType>(op_->getResult(result).getType()))
      continue; // a token
    llvm::Expected<Tracked> made = joined(result);
    if (made)
      parent.set(op_->getResult(result), std::move(*made));
    else
      llvm::consumeError(made.takeError());
  }
}
