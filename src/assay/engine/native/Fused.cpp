// The interpreter of fused programs. A block is as many whole rows as contain
// about a thousand elements. Each instruction is one typed loop over the block
// (the reference's own loops). Its intermediate values are in buffers of a
// block's size, which stay in the cache; operands and results are read and
// written in place. So a chain of ten operations moves its operands through
// memory once, and dispatch costs a few nanoseconds per thousand elements.
// Adjacent instructions of f32 are a group (FusedGroups.cpp).
#include "assay/engine/native/FusedStep.h"

#include "assay/engine/native/RowLoops.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Strided.h"
#include "assay/support/Math.h"

#include <cmath>
#include <cstring>

namespace assay::engine {

/// The elements of a block. Blocks are larger if the values of rows are
/// computed one by one, because a single loop keeps nothing in memory between
/// its instructions.
static constexpr int64_t kBlockElements = 1024, kBlockOfRows = 4096;

FusedStep::FusedStep(FusedProgram program, std::shared_ptr<kernels::Jit> jit)
    : program_(std::move(program)), jit_(std::move(jit)) {
  bool hasRows = llvm::any_of(
      program_.values,
      [](const FusedProgram::Value &value) { return value.perRow; });
  makeGroups();
  findExtents();
  bool isOneLoop = groups_.size() == 1 && groups_[0].function;
  blockRows_ = std::min(
      program_.rows,
      std::max<int64_t>(1, (hasRows || isOneLoop ? kBlockOfRows
                                                 : kBlockElements) /
                               program_.length));
  assignPlaces();
}

//===--- Memory ----------------------------------------------------------===//

/// Assigns places: results are computed in place, contiguous operands are read
/// in place, other values share buffers. A buffer is free again after the last
/// use of its value.
void FusedStep::assignPlaces() {
  size_t count = program_.values.size();
  places_.resize(count);
  std::vector<int64_t> lastUse(count, -1);
  std::vector<bool> placed(count, false);
  for (size_t i = 0; i < groups_.size(); ++i)
    for (int input : groups_[i].inputs)
      lastUse[input] = static_cast<int64_t>(i);
  for (size_t r = 0; r < program_.outputs.size(); ++r)
    if (!placed[program_.outputs[r]]) {
      places_[program_.outputs[r]] = {Place::Kind::Result, r, 0};
      placed[program_.outputs[r]] = true;
    }
  std::vector<std::pair<int64_t, int64_t>> free; // bytes, offset
  auto bytesOf = [&](int value) {
    int64_t elements = elementsOf(value, blockRows_);
    return (elements * width(value) + 127) & ~int64_t{63};
  };
  auto take = [&](int value) {
    int64_t bytes = bytesOf(value);
    for (auto it = free.begin(); it != free.end(); ++it)
      if (it->first == bytes) {
        places_[value].offset = it->second;
        free.erase(it);
        return;
      }
    places_[value].offset = workspaceBytes_;
    workspaceBytes_ += bytes;
  };
  for (const FusedProgram::Load &load : program_.loads) {
    if ((load.reader.isContiguous() && !load.fixed) ||
        (extents_[load.value] == Extent::ARow && load.rowInPlace))
      places_[load.value] = {Place::Kind::Operand, load.operand,
                             load.reader.offset()};
    else
      take(load.value);
    placed[load.value] = true;
  }
  for (size_t i = 0; i < groups_.size(); ++i) {
    for (int output : groups_[i].outputs)
      if (!placed[output])
        take(output);
    for (int input : groups_[i].inputs)
      if (lastUse[input] == static_cast<int64_t>(i) &&
          places_[input].kind == Place::Kind::Buffer &&
          llvm::none_of(program_.loads, [&](const FusedProgram::Load &load) {
            return load.value == input;
          })) {
        free.emplace_back(bytesOf(input), places_[input].offset);
        lastUse[input] = -2;
      }
  }
}

std::byte *FusedStep::at(const Run &run, int value, int64_t row,
                         std::byte *workspace) const {
  const Place &place = places_[value];
  if (place.kind == Place::Kind::Buffer)
    return workspace + place.offset;
  bool apart = place.kind == Place::Kind::Result || place.index == run.apart;
  int64_t first = extents_[value] == Extent::Whole
                      ? (apart ? row - run.firstRow : row) * perRow(value)
                      : 0;
  if (place.kind == Place::Kind::Result)
    return run.results[place.index] + first * width(value);
  // Operands are only read.
  return const_cast<std::byte *>(run.operands[place.index]) +
         (first + place.offset) * width(value);
}

void FusedStep::reduce(const FusedProgram::Code &code, const std::byte *in,
                       const std::byte *init, std::byte *out,
                       int64_t rows) const {
  using Kind = FusedProgram::Kind;
  int64_t length = program_.length;
  if (code.kind == Kind::Any || code.kind == Kind::All) {
    (code.kind == Kind::Any ? anyOfRows : allOfRows)(
        reinterpret_cast<const uint8_t *>(in), static_cast<uint8_t>(*init),
        rows, length, reinterpret_cast<uint8_t *>(out));
    return;
  }
  if (code.kind != Kind::Fold) {
    float start;
    std::memcpy(&start, init, sizeof start);
    auto *rowLoop = code.kind == Kind::Add       ? sumRows
                    : code.kind == Kind::Maximum ? maximumRows
                                                 : minimumRows;
    rowLoop(reinterpret_cast<const float *>(in), start, rows, length,
            reinterpret_cast<float *>(out));
    return;
  }
  constexpr int64_t kChunk = 1024;
  numerics::ElementType type = program_.values[code.value].element,
                        wide = code.fold->computeType();
  alignas(64) std::byte values[kChunk * 32], accumulator[32], first[32];
  numerics::convertArray(type, init, wide, first, 1);
  for (int64_t row = 0; row < rows; ++row) {
    code.fold->start(accumulator, first, 1);
    for (int64_t k = 0; k < length; k += kChunk) {
      int64_t count = std::min(kChunk, length - k);
      numerics::convertArray(type,
                             in + (row * length + k) * type.storageBytes(),
                             wide, values, count);
      code.fold->row(accumulator, values, count);
    }
    code.fold->finish(accumulator, values, 1);
    numerics::convertArray(wide, values, type, out + row * type.storageBytes(),
                           1);
  }
}

int64_t FusedStep::elementsOf(int value, int64_t rows) const {
  switch (extents_[value]) {
  case Extent::One:
    return 1;
  case Extent::ARow:
    return program_.length;
  case Extent::Whole:
    return rows * perRow(value);
  }
  llvm_unreachable("an extent without elements");
}

/// Runs a compiled loop over rows [row, row + rows) of the block.
void FusedStep::runLoop(const Run &run, const Group &group, int64_t row,
                        int64_t rows, std::byte *workspace) const {
  llvm::SmallVector<void *, 12> pointers;
  for (int input : group.inputs)
    pointers.push_back(at(run, input, row, workspace));
  for (int output : group.outputs)
    pointers.push_back(at(run, output, row, workspace));
  if (group.hasRows)
    group.function(pointers.data(), rows, program_.length);
  else
    group.function(pointers.data(), 1, rows * program_.length);
}

void FusedStep::runRows(const Run &run, int64_t begin, int64_t end) const {
  std::unique_ptr<std::byte, decltype(&std::free)> memory(
      static_cast<std::byte *>(std::aligned_alloc(
          64, static_cast<size_t>((workspaceBytes_ + 127) & ~int64_t{63}))),
      std::free);
  std::byte *workspace = memory.get();
  for (const FusedProgram::Load &load : program_.loads) {
    if (places_[load.value].kind != Place::Kind::Buffer)
      continue;
    int64_t count = elementsOf(load.value, std::min(blockRows_, end - begin));
    std::byte *to = workspace + places_[load.value].offset;
    if (run.splat[load.operand])
      reference::fillElements(width(load.value), to, count,
                              run.operands[load.operand]);
    else if (load.fixed)
      load.reader.read(run.operands[load.operand], 0, count, to);
  }
  for (int64_t row = begin; row < end; row += blockRows_) {
    int64_t rows = std::min(blockRows_, end - row);
    for (const FusedProgram::Load &load : program_.loads)
      if (places_[load.value].kind == Place::Kind::Buffer && !load.fixed &&
          !run.splat[load.operand])
        load.reader.read(run.operands[load.operand], row * perRow(load.value),
                         rows * perRow(load.value),
                         workspace + places_[load.value].offset);
    for (const Group &group : groups_) {
      if (group.function) {
        runLoop(run, group, row, rows, workspace);
        continue;
      }
      const FusedProgram::Code &code = program_.code[group.begin];
      std::byte *out = at(run, code.value, row, workspace);
      if (code.kind == FusedProgram::Kind::Compute) {
        llvm::SmallVector<const void *, 3> in;
        for (int input : code.inputs)
          in.push_back(at(run, input, row, workspace));
        evaluate(code, in, out, rows * perRow(code.value));
        continue;
      }
      const std::byte *in = at(run, code.inputs[0], row, workspace);
      if (code.kind == FusedProgram::Kind::Expand)
        for (int64_t r = 0; r < rows; ++r)
          reference::fillElements(width(code.value),
                                  out + r * program_.length * width(code.value),
                                  program_.length, in + r * width(code.value));
      else
        reduce(code, in, run.operands[code.init], out, rows);
    }
  }
}

llvm::Error FusedStep::prepare(llvm::ArrayRef<const Tensor *> operands,
                               Run &run) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) {
      run.apart = i;
      run.operands.push_back(nullptr);
      run.splat.push_back(false);
      continue;
    }
    const Tensor &operand = *operands[i];
    run.operands.push_back(operand.bytes());
    run.splat.push_back(operand.isSplat());
    bool inPlace = llvm::any_of(places_, [&](const Place &place) {
      return place.kind == Place::Kind::Operand && place.index == i;
    });
    if (!operand.isSplat() || !inPlace)
      continue;
    // A splat where a whole tensor is read in place: rare, so it is expanded.
    llvm::Expected<Tensor> dense = operand.dense();
    if (!dense)
      return dense.takeError();
    run.expanded.push_back(std::move(*dense));
    run.operands.back() = run.expanded.back().bytes();
    run.splat.back() = false;
  }
  return llvm::Error::success();
}

/// The cost of an element, in steps of a simple loop: functions take many
/// steps, and gathered operands are read one by one.
int64_t FusedStep::costOfAnElement() const {
  constexpr int64_t kFunction = 12, kGathered = 6;
  auto cost = static_cast<int64_t>(program_.outputs.size());
  for (const FusedProgram::Load &load : program_.loads)
    if (!load.fixed && !load.scalar)
      cost += load.reader.isContiguous() ? 1 : kGathered;
  for (const FusedProgram::Code &code : program_.code)
    if (!program_.values[code.value].perRow || !code.function)
      cost += code.loop || (code.function && !code.op) ? kFunction : 1;
  return cost;
}

/// The number of rows that a thread processes at a time: a few equal parts per
/// thread, of some microseconds each.
int64_t FusedStep::rowsOfAPart(int threads) const {
  constexpr int64_t kWorthAThread = 1 << 16, kPartsAThread = 4, kLine = 64;
  int64_t all = program_.rows * program_.length * costOfAnElement(),
          parts = std::clamp<int64_t>(all / kWorthAThread, 1,
                                      kPartsAThread * threads);
  if (parts > threads)
    parts = parts / threads * threads;
  // Whole cache lines of the result.
  return roundUp(ceilDiv(program_.rows, parts),
                 ceilDiv(kLine, program_.length));
}

llvm::Error FusedStep::run(StepContext &context) const {
  ++context.run.engineSteps;
  Run run;
  llvm::SmallVector<const Tensor *, 8> operands;
  for (size_t i = 0; i < context.operandCount(); ++i)
    operands.push_back(&context.operand(i));
  if (llvm::Error error = prepare(operands, run))
    return error;
  for (size_t r = 0; r < program_.outputs.size(); ++r)
    run.results.push_back(context.out(r).mutableBytes());
  int64_t part = rowsOfAPart(context.run.threads.threads());
  context.run.threads.parallelFor(
      ceilDiv(program_.rows, part), 1, [&](int64_t begin, int64_t end) {
        runRows(run, begin * part, std::min(program_.rows, end * part));
      });
  return llvm::Error::success();
}

//===--- After another step ----------------------------------------------===//

class FusedStep::Following final : public Execution {
public:
  explicit Following(const FusedStep &step) : step_(step) {}
  void ready(int64_t begin, int64_t end) const override {
    int64_t length = step_.program_.length;
    step_.runRows(run, begin / length, end / length);
  }
  void readyApart(int64_t begin, int64_t end, const std::byte *made,
                  std::byte *result) const override {
    int64_t length = step_.program_.length;
    Run rows = run;
    rows.firstRow = begin / length;
    rows.operands[*run.apart] = made;
    rows.results[0] = result;
    step_.runRows(rows, begin / length, end / length);
  }
  Run run;

private:
  const FusedStep &step_;
};

bool FusedStep::canFollow(size_t operand, int64_t unit) const {
  if (unit % program_.length != 0)
    return false;
  for (const FusedProgram::Code &code : program_.code) {
    bool reduces = code.kind != FusedProgram::Kind::Compute &&
                   code.kind != FusedProgram::Kind::Expand;
    if (reduces && code.init == operand)
      return false;
  }
  // The step must read its elements in order, one for each element of the loop.
  bool read = false;
  for (const FusedProgram::Load &load : program_.loads) {
    if (load.operand != operand)
      continue;
    if (load.fixed || program_.values[load.value].perRow ||
        !load.reader.isContiguous() || load.reader.offset() != 0)
      return false;
    read = true;
  }
  return read;
}

std::optional<size_t> FusedStep::resultInPlaceOf(size_t operand) const {
  size_t lastUse = 0;
  int64_t width = 0;
  for (const FusedProgram::Load &load : program_.loads) {
    if (load.operand != operand)
      continue;
    width = this->width(load.value);
    for (size_t i = 0; i < program_.code.size(); ++i)
      if (llvm::is_contained(program_.code[i].inputs, load.value))
        lastUse = std::max(lastUse, i);
  }
  for (size_t i = lastUse; i < program_.code.size(); ++i) {
    const FusedProgram::Code &code = program_.code[i];
    if (code.kind != FusedProgram::Kind::Compute ||
        program_.values[code.value].perRow || this->width(code.value) != width)
      continue;
    for (size_t r = 0; r < program_.outputs.size(); ++r)
      if (program_.outputs[r] == code.value &&
          places_[code.value].index == r)
        return r;
  }
  return std::nullopt;
}

llvm::Expected<std::unique_ptr<FollowingLoop::Execution>>
FusedStep::begin(llvm::ArrayRef<const Tensor *> operands,
                 llvm::ArrayRef<std::byte *> results) const {
  auto following = std::make_unique<Following>(*this);
  if (llvm::Error error = prepare(operands, following->run))
    return error;
  following->run.results.assign(results.begin(), results.end());
  return following;
}

std::unique_ptr<program::Step> makeFusedStep(FusedProgram program,
                                             std::shared_ptr<kernels::Jit> jit) {
  return std::make_unique<FusedStep>(std::move(program), std::move(jit));
}

} // namespace assay::engine
