// The interpreter of fused programs. A block is as many whole rows as make
// about a thousand elements; each instruction is one typed loop over the block
// (the reference's own loops), its intermediate values live in buffers of a
// block's size that stay in the cache, operands and results are read and
// written where they lie. So a chain of ten operations moves its operands
// through memory once, and dispatch costs a few nanoseconds per thousand
// elements. Instructions of f32 that follow each other are a group, one compiled
// loop (ElementLoop.h) whose intermediate values stay in registers.
#include "assay/engine/native/Fused.h"

#include "assay/engine/native/RowLoops.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Strided.h"

#include <cmath>
#include <cstring>

namespace assay::engine {

using program::StepContext;
using tensor::Tensor;

namespace {
/// Of a block; rows whose values are computed one by one want company.
constexpr int64_t kBlockElements = 1024, kBlockOfRows = 4096;
/// Rows of fewer elements are no loops of their own.
constexpr int64_t kShortestRow = 48;

class FusedStep final : public program::Step, public FollowingLoop {
public:
  FusedStep(FusedProgram program, std::shared_ptr<kernels::Jit> jit);
  llvm::Error run(StepContext &context) const override;
  bool canFollow(size_t operand, int64_t unit) const override;
  std::optional<size_t> resultInPlaceOf(size_t operand) const override;
  llvm::Expected<std::unique_ptr<Execution>>
  begin(llvm::ArrayRef<const Tensor *> operands,
        llvm::ArrayRef<std::byte *> results) const override;

private:
  class Following;
  /// Where a value of the block is while it is computed.
  struct Place {
    enum class Kind : uint8_t { Buffer, Operand, Result } kind = Kind::Buffer;
    size_t index = 0;   ///< operand or result
    int64_t offset = 0; ///< Buffer: bytes into the workspace; Operand: elements
  };
  struct Run {
    llvm::SmallVector<const std::byte *, 8> operands;
    llvm::SmallVector<bool, 8> splat;
    llvm::SmallVector<std::byte *, 4> results;
    llvm::SmallVector<Tensor, 4> expanded; ///< splats that were made whole
  };
  llvm::Error prepare(llvm::ArrayRef<const Tensor *> operands, Run &run) const;
  /// How a compiled loop reads: an element each, one for all, one for a row.
  enum class Reads : uint8_t { Each, One, OneARow };
  /// Codes [begin, end): one instruction, or several as a compiled loop.
  struct Group {
    size_t begin, end;
    ElementFunction function = nullptr;
    llvm::SmallVector<int, 4> inputs, outputs;
    llvm::SmallVector<Reads, 4> reads{}; ///< of inputs, with a function
    bool byRow = false;                  ///< the loop is called for each row
  };
  bool isCompilable(const FusedProgram::Code &code) const;
  void makeGroups();
  size_t endOfLoop(size_t begin) const;
  bool compile(Group &group);
  bool isUsedBehind(size_t end, int value) const;
  ElementLoop loopOf(Group &group) const;
  bool agrees(const Group &group, const ElementLoop &loop) const;
  using Numbers = std::vector<std::vector<float>>;
  Numbers trialNumbers(const Group &group, uint32_t seed) const;
  bool agrees(const Group &group, const ElementLoop &loop, Numbers in) const;
  void evaluate(const FusedProgram::Code &code, llvm::ArrayRef<const void *> in,
                void *out, int64_t count) const;
  int64_t perRow(int value) const {
    return program_.values[value].perRow ? 1 : program_.length;
  }
  int64_t width(int value) const {
    return program_.values[value].element.storageBytes();
  }
  void assignPlaces();
  int64_t elementsOf(const FusedProgram::Load &load, int64_t rows) const;
  void runLoop(const Run &run, const Group &group, int64_t row, int64_t rows,
               std::byte *workspace) const;
  void runRows(const Run &run, int64_t begin, int64_t end) const;
  std::byte *at(const Run &run, int value, int64_t row,
                std::byte *workspace) const;
  void reduce(const FusedProgram::Code &code, const std::byte *in,
              const std::byte *init, std::byte *out, int64_t rows) const;

  FusedProgram program_;
  std::shared_ptr<kernels::Jit> jit_; ///< owns the loops' code
  std::vector<Group> groups_; ///< all codes, in order
  std::vector<Place> places_;
  std::vector<bool> isOne_; ///< by value: nobody reads more than one element
  int64_t blockRows_ = 1, workspaceBytes_ = 0;
};
} // namespace

FusedStep::FusedStep(FusedProgram program, std::shared_ptr<kernels::Jit> jit)
    : program_(std::move(program)), jit_(std::move(jit)) {
  bool hasRows = llvm::any_of(
      program_.values,
      [](const FusedProgram::Value &value) { return value.perRow; });
  blockRows_ = std::min(
      program_.rows,
      std::max<int64_t>(1, (hasRows ? kBlockOfRows : kBlockElements) /
                               program_.length));
  makeGroups();
  assignPlaces();
}

//===--- Groups ----------------------------------------------------------===//

/// One value an element, no functions but those that a loop has.
bool FusedStep::isCompilable(const FusedProgram::Code &code) const {
  return code.kind == FusedProgram::Kind::Compute && code.op &&
         !program_.values[code.value].perRow &&
         llvm::none_of(code.inputs, [&](int input) {
           return program_.values[input].perRow;
         });
}

void FusedStep::evaluate(const FusedProgram::Code &code,
                         llvm::ArrayRef<const void *> in, void *out,
                         int64_t count) const {
  static constexpr int64_t kOnes[3] = {1, 1, 1};
  if (code.loop)
    code.loop(static_cast<const float *>(in[0]), static_cast<float *>(out),
              count);
  else
    code.function->evaluate(in, {kOnes, in.size()}, out, count);
}

/// Some code from `end` on reads the value, or it is a result.
bool FusedStep::isUsedBehind(size_t end, int value) const {
  bool used = llvm::is_contained(program_.outputs, value);
  for (size_t j = end; j < program_.code.size(); ++j)
    used |= llvm::is_contained(program_.code[j].inputs, value);
  return used;
}

/// The group's loop; finds what it reads, and what others read of it.
ElementLoop FusedStep::loopOf(Group &group) const {
  ElementLoop loop;
  std::vector<int> number(program_.values.size(), -1);
  std::vector<bool> made(program_.values.size(), false);
  for (size_t i = group.begin; i < group.end; ++i) {
    for (int input : program_.code[i].inputs) {
      if (made[input] || llvm::is_contained(group.inputs, input))
        continue;
      bool isOne = llvm::any_of(program_.loads, [&](auto &load) {
        return load.value == input && load.scalar;
      });
      group.reads.push_back(program_.values[input].perRow ? Reads::OneARow
                            : isOne                       ? Reads::One
                                                          : Reads::Each);
      number[input] = static_cast<int>(group.inputs.size());
      group.inputs.push_back(input);
      loop.inputIsTruth.push_back(program_.values[input].element.isBool());
      loop.inputIsScalar.push_back(group.reads.back() != Reads::Each);
    }
    made[program_.code[i].value] = true;
  }
  group.byRow = llvm::is_contained(group.reads, Reads::OneARow);
  for (size_t i = group.begin; i < group.end; ++i) {
    const FusedProgram::Code &code = program_.code[i];
    if (code.kind == FusedProgram::Kind::Expand) {
      number[code.value] = number[code.inputs[0]];
      continue;
    }
    ElementLoop::Node node{*code.op, {}};
    for (int input : code.inputs)
      node.inputs.push_back(number[input]);
    number[code.value] =
        static_cast<int>(group.inputs.size() + loop.nodes.size());
    loop.nodes.push_back(std::move(node));
    if (isUsedBehind(group.end, code.value)) {
      group.outputs.push_back(code.value);
      loop.outputs.push_back(number[code.value]);
    }
  }
  return loop;
}

/// What a group reads in a trial: numbers of all sizes and special ones.
FusedStep::Numbers FusedStep::trialNumbers(const Group &group,
                                           uint32_t seed) const {
  constexpr size_t kCount = 83;
  Numbers values(program_.values.size());
  uint32_t state = seed;
  for (size_t in = 0; in < group.inputs.size(); ++in) {
    std::vector<float> &numbers = values[group.inputs[in]];
    while (numbers.size() < kCount) {
      state = state * 1664525 + 1013904223;
      constexpr float kSpecial[] = {0.0f, -0.0f, 1.0f, INFINITY, -INFINITY, NAN,
                                    1e-40f, 3e38f};
      float number =
          (static_cast<float>(state >> 8) / float(1 << 23) - 1) *
          (state % 3 == 0 ? 20.0f : 2.0f);
      numbers.push_back(state % 7 == 0 ? kSpecial[(state >> 16) % 8] : number);
    }
    if (group.reads[in] != Reads::Each)
      std::fill(numbers.begin(), numbers.end(), numbers.front());
    if (program_.values[group.inputs[in]].element.isBool()) {
      std::vector<std::byte> truths;
      for (float number : numbers)
        truths.push_back(std::byte{number > 0});
      std::memcpy(numbers.data(), truths.data(), truths.size());
    }
  }
  return values;
}

/// The compiled loop against its instructions one by one: the same bits, but for
/// the bits of a NaN.
bool FusedStep::agrees(const Group &group, const ElementLoop &loop,
                       Numbers values) const {
  auto data = [&](int value) -> void * { return values[value].data(); };
  const auto count =
      static_cast<int64_t>(values[group.inputs.front()].size());
  for (size_t i = group.begin; i < group.end; ++i) {
    const FusedProgram::Code &code = program_.code[i];
    if (code.kind == FusedProgram::Kind::Expand) {
      values[code.value] = values[code.inputs[0]];
      continue;
    }
    values[code.value].resize(static_cast<size_t>(count));
    llvm::SmallVector<const void *, 3> in;
    for (int input : code.inputs)
      in.push_back(data(input));
    evaluate(code, in, data(code.value), count);
  }
  Numbers got(group.outputs.size(),
              std::vector<float>(static_cast<size_t>(count) + 1, 7.0f));
  llvm::SmallVector<void *, 8> pointers;
  for (int input : group.inputs)
    pointers.push_back(data(input));
  for (std::vector<float> &one : got)
    pointers.push_back(one.data());
  group.function(pointers.data(), count);
  for (size_t o = 0; o < got.size(); ++o) {
    const float *want = values[group.outputs[o]].data();
    if (loop.isTruth(loop.outputs[o])) {
      if (std::memcmp(got[o].data(), want, static_cast<size_t>(count)) != 0)
        return false;
      continue;
    }
    for (int64_t i = 0; i < count; ++i)
      if (std::memcmp(&got[o][static_cast<size_t>(i)], want + i, 4) != 0 &&
          !(std::isnan(got[o][static_cast<size_t>(i)]) && std::isnan(want[i])))
        return false;
    if (got[o].back() != 7.0f)
      return false;
  }
  return true;
}

bool FusedStep::agrees(const Group &group, const ElementLoop &loop) const {
  // One number serves a whole trial where the loop reads one.
  bool reads = llvm::any_of(group.reads,
                            [](Reads each) { return each != Reads::Each; });
  for (uint32_t trial = 0; trial < (reads ? 6 : 1); ++trial)
    if (!agrees(group, loop, trialNumbers(group, 12345 + trial)))
      return false;
  return true;
}

/// Behind the last code of the loop that begins here; `begin` where none does.
size_t FusedStep::endOfLoop(size_t begin) const {
  const std::vector<FusedProgram::Code> &code = program_.code;
  auto expands = [&](size_t i) {
    return code[i].kind == FusedProgram::Kind::Expand &&
           program_.length >= kShortestRow;
  };
  size_t end = begin;
  while (end < code.size() && (isCompilable(code[end]) || expands(end)))
    ++end;
  while (end > begin && expands(end - 1))
    --end; // what is expanded for others
  return end > begin + 1 ? end : begin;
}

/// False where the group's codes are to run one by one.
bool FusedStep::compile(Group &group) {
  ElementLoop loop = loopOf(group);
  auto function = compileLoop(loop, *jit_);
  if (!function) {
    llvm::consumeError(function.takeError());
    return false;
  }
  group.function = *function;
  return agrees(group, loop);
}

void FusedStep::makeGroups() {
  // Fewer elements take less time than the compiler and its disk cache.
  constexpr int64_t kFewestElements = 4096;
  bool compiles = jit_ && program_.rows * program_.length >= kFewestElements;
  const std::vector<FusedProgram::Code> &code = program_.code;
  auto alone = [&](size_t i) {
    groups_.push_back({i,
                       i + 1,
                       nullptr,
                       {code[i].inputs.begin(), code[i].inputs.end()},
                       {code[i].value}});
  };
  for (size_t i = 0; i < code.size();) {
    size_t end = compiles ? endOfLoop(i) : i;
    Group group{i, end, nullptr, {}, {}};
    if (end > i && compile(group)) {
      for (size_t one = i; one < end; ++one)
        if (code[one].kind == FusedProgram::Kind::Expand &&
            isUsedBehind(end, code[one].value))
          alone(one);
      groups_.push_back(std::move(group));
    } else {
      end = std::max(end, i + 1);
      for (size_t one = i; one < end; ++one)
        alone(one);
    }
    i = end;
  }
  isOne_.assign(program_.values.size(), false);
  for (const FusedProgram::Load &load : program_.loads)
    isOne_[load.value] =
        load.scalar && !llvm::is_contained(program_.outputs, load.value) &&
        llvm::none_of(groups_, [&](const Group &group) {
          return !group.function &&
                 llvm::is_contained(group.inputs, load.value);
        });
}

//===--- Memory ----------------------------------------------------------===//

/// Results are computed in place, contiguous operands are read in place; other
/// values share buffers: one is free again after its value's last use.
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
    int64_t elements = isOne_[value] ? 1 : blockRows_ * perRow(value);
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
    if (load.reader.isContiguous() && !load.fixed)
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
  int64_t first = row * perRow(value);
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

int64_t FusedStep::elementsOf(const FusedProgram::Load &load,
                              int64_t rows) const {
  return isOne_[load.value] ? 1 : rows * perRow(load.value);
}

/// A compiled loop over rows [row, row + rows) of the block.
void FusedStep::runLoop(const Run &run, const Group &group, int64_t row,
                        int64_t rows, std::byte *workspace) const {
  llvm::SmallVector<std::byte *, 12> pointers;
  llvm::SmallVector<int64_t, 12> steps; ///< bytes from row to row
  for (auto [input, reads] : llvm::zip(group.inputs, group.reads)) {
    pointers.push_back(at(run, input, row, workspace));
    steps.push_back(reads == Reads::One ? 0 : perRow(input) * width(input));
  }
  for (int output : group.outputs) {
    pointers.push_back(at(run, output, row, workspace));
    steps.push_back(perRow(output) * width(output));
  }
  auto **table = reinterpret_cast<void **>(pointers.data());
  if (!group.byRow)
    return group.function(table, rows * program_.length);
  for (int64_t r = 0; r < rows; ++r) {
    group.function(table, program_.length);
    for (size_t i = 0; i < pointers.size(); ++i)
      pointers[i] += steps[i];
  }
}

void FusedStep::runRows(const Run &run, int64_t begin, int64_t end) const {
  std::unique_ptr<std::byte, decltype(&std::free)> memory(
      static_cast<std::byte *>(std::aligned_alloc(
          64, static_cast<size_t>((workspaceBytes_ + 127) & ~int64_t{63}))),
      std::free);
  std::byte *workspace = memory.get();
  for (const FusedProgram::Load &load : program_.loads) {
    int64_t count = elementsOf(load, std::min(blockRows_, end - begin));
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
    const Tensor &operand = *operands[i];
    run.operands.push_back(operand.bytes());
    run.splat.push_back(operand.isSplat());
    bool inPlace = llvm::any_of(places_, [&](const Place &place) {
      return place.kind == Place::Kind::Operand && place.index == i;
    });
    if (!operand.isSplat() || !inPlace)
      continue;
    // A splat where a whole tensor is read in place: rare, so made whole.
    llvm::Expected<Tensor> dense = operand.dense();
    if (!dense)
      return dense.takeError();
    run.expanded.push_back(std::move(*dense));
    run.operands.back() = run.expanded.back().bytes();
    run.splat.back() = false;
  }
  return llvm::Error::success();
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
  int64_t work =
      blockRows_ * program_.length * static_cast<int64_t>(program_.code.size());
  int64_t blocks = (program_.rows + blockRows_ - 1) / blockRows_;
  // A thread's range is worth waking it for, and amortises what is read once.
  int64_t grain = std::max<int64_t>(1, 131072 / std::max<int64_t>(1, work));
  context.run.threads.parallelFor(
      blocks, grain, [&](int64_t begin, int64_t end) {
        runRows(run, begin * blockRows_,
                std::min(program_.rows, end * blockRows_));
      });
  return llvm::Error::success();
}

//===--- Behind another step ---------------------------------------------===//

class FusedStep::Following final : public Execution {
public:
  explicit Following(const FusedStep &step) : step_(step) {}
  void ready(int64_t begin, int64_t end) const override {
    int64_t length = step_.program_.length;
    step_.runRows(run, begin / length, end / length);
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
  // Its elements in order, one for each of the loop's.
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

const FollowingLoop *followingLoopOf(const program::Step &step) {
  return dynamic_cast<const FusedStep *>(&step);
}

std::unique_ptr<program::Step> makeFusedStep(FusedProgram program,
                                             std::shared_ptr<kernels::Jit> jit) {
  return std::make_unique<FusedStep>(std::move(program), std::move(jit));
}

} // namespace assay::engine
