// Adjacent instructions of f32 are a group: one compiled loop (ElementLoop.h)
// whose intermediate values stay in registers. It is used only if it gives the
// same bits as its instructions one by one.
#include "assay/engine/native/FusedStep.h"

#include "assay/support/Math.h"

#include <cmath>
#include <cstring>

namespace assay::engine {

/// Shorter rows do not get their own loops.
static constexpr int64_t kShortestRow = 48;
/// For rows up to this length, loops go down the columns.
static constexpr int64_t kLongestColumnRow = 1024;

/// Whether the instruction makes one value per element, with no functions but
/// those of a loop.
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

/// Whether an instruction from `end` on reads the value, or it is a result.
bool FusedStep::isUsedBehind(size_t end, int value) const {
  bool used = llvm::is_contained(program_.outputs, value);
  for (size_t j = end; j < program_.code.size(); ++j)
    used |= llvm::is_contained(program_.code[j].inputs, value);
  return used;
}

/// Whether rows fill enough of their vectors for a loop that goes row by row.
/// On processors whose masked stores are microcode, they must fill all of them.
static bool fillsVectors(int64_t length, const kernels::Isa &isa) {
  int64_t lanes = isa.vectorBytes / 4, whole = roundUp(length, lanes);
  return isa.vectorBytes == 64 ? 10 * length >= 7 * whole
                               : length == whole || length >= 64 * lanes;
}

/// How a compiled loop reads a value that it does not make.
ElementReads FusedStep::readsOf(int value) const {
  if (program_.values[value].perRow)
    return ElementReads::OneARow;
  for (const FusedProgram::Load &load : program_.loads)
    if (load.value == value)
      return load.scalar  ? ElementReads::One
             : load.fixed && jit_ && fillsVectors(program_.length, jit_->isa())
                 ? ElementReads::ARow
                 : ElementReads::Each;
  return ElementReads::Each;
}

/// The group's loop; also finds the values that it reads, and those that others
/// read from it.
ElementLoop FusedStep::loopOf(Group &group) const {
  ElementLoop loop;
  std::vector<int> number(program_.values.size(), -1);
  std::vector<bool> made(program_.values.size(), false);
  for (size_t i = group.begin; i < group.end; ++i) {
    for (int input : program_.code[i].inputs) {
      if (made[input] || llvm::is_contained(group.inputs, input))
        continue;
      number[input] = static_cast<int>(group.inputs.size());
      group.inputs.push_back(input);
      loop.inputIsTruth.push_back(program_.values[input].element.isBool());
      loop.reads.push_back(readsOf(input));
    }
    made[program_.code[i].value] = true;
  }
  group.hasRows = llvm::any_of(loop.reads, [](ElementReads reads) {
    return reads == ElementReads::ARow || reads == ElementReads::OneARow;
  });
  loop.columnsOutside = program_.length <= kLongestColumnRow &&
                        llvm::is_contained(loop.reads, ElementReads::ARow);
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

/// The size of a trial: whole vectors and a rest, and more than one row.
static constexpr int64_t kTrialRows = 3, kTrialLength = 37;

/// The inputs of a group in a trial: numbers of all sizes and special ones.
FusedStep::Numbers FusedStep::trialNumbers(const Group &group,
                                           const ElementLoop &loop,
                                           uint32_t seed) const {
  Numbers values(program_.values.size());
  uint32_t state = seed;
  for (size_t in = 0; in < group.inputs.size(); ++in) {
    ElementReads reads = loop.readsOf(in);
    int64_t count = (reads == ElementReads::ARow || reads == ElementReads::One
                         ? 1
                         : kTrialRows) *
                    (reads == ElementReads::ARow || reads == ElementReads::Each
                         ? kTrialLength
                         : 1);
    std::vector<float> &numbers = values[group.inputs[in]];
    for (int64_t i = 0; i < count; ++i) {
      state = state * 1664525 + 1013904223;
      constexpr float kSpecial[] = {0.0f, -0.0f, 1.0f, INFINITY, -INFINITY, NAN,
                                    1e-40f, 3e38f};
      float number =
          (static_cast<float>(state >> 8) / float(1 << 23) - 1) *
          (state % 3 == 0 ? 20.0f : 2.0f);
      numbers.push_back(state % 7 == 0 ? kSpecial[(state >> 16) % 8] : number);
    }
    if (program_.values[group.inputs[in]].element.isBool()) {
      std::vector<std::byte> truths;
      for (float number : numbers)
        truths.push_back(std::byte{number > 0});
      std::memcpy(numbers.data(), truths.data(), truths.size());
    }
  }
  return values;
}

/// An input of a trial, with one value per element.
static std::vector<float> expandTrial(const std::vector<float> &numbers,
                                      ElementReads reads, int64_t width) {
  std::vector<float> all(kTrialRows * kTrialLength);
  const auto *from = reinterpret_cast<const std::byte *>(numbers.data());
  auto *to = reinterpret_cast<std::byte *>(all.data());
  for (int64_t row = 0; row < kTrialRows; ++row)
    for (int64_t column = 0; column < kTrialLength; ++column) {
      int64_t at = reads == ElementReads::Each ? row * kTrialLength + column
                   : reads == ElementReads::ARow    ? column
                   : reads == ElementReads::OneARow ? row
                                                    : 0;
      std::memcpy(to + (row * kTrialLength + column) * width, from + at * width,
                  static_cast<size_t>(width));
    }
  return all;
}

/// Compares the compiled loop with its instructions one by one: the same bits,
/// except for the bits of a NaN.
bool FusedStep::agrees(const Group &group, const ElementLoop &loop,
                       Numbers values) const {
  constexpr auto kCount = static_cast<size_t>(kTrialRows * kTrialLength);
  Numbers got(group.outputs.size(), std::vector<float>(kCount + 1, 7.0f));
  llvm::SmallVector<void *, 8> pointers;
  for (int input : group.inputs)
    pointers.push_back(values[input].data());
  for (std::vector<float> &one : got)
    pointers.push_back(one.data());
  group.function(pointers.data(), kTrialRows, kTrialLength);
  for (size_t in = 0; in < group.inputs.size(); ++in)
    values[group.inputs[in]] =
        expandTrial(values[group.inputs[in]], loop.readsOf(in),
                    width(group.inputs[in]));
  for (size_t i = group.begin; i < group.end; ++i) {
    const FusedProgram::Code &code = program_.code[i];
    if (code.kind == FusedProgram::Kind::Expand) {
      values[code.value] = values[code.inputs[0]];
      continue;
    }
    values[code.value].resize(kCount);
    llvm::SmallVector<const void *, 3> in;
    for (int input : code.inputs)
      in.push_back(values[input].data());
    evaluate(code, in, values[code.value].data(), kCount);
  }
  for (size_t o = 0; o < got.size(); ++o) {
    const float *want = values[group.outputs[o]].data();
    if (loop.isTruth(loop.outputs[o])) {
      if (std::memcmp(got[o].data(), want, kCount) != 0)
        return false;
      continue;
    }
    for (size_t i = 0; i < kCount; ++i)
      if (std::memcmp(&got[o][i], want + i, 4) != 0 &&
          !(std::isnan(got[o][i]) && std::isnan(want[i])))
        return false;
    if (got[o].back() != 7.0f)
      return false;
  }
  return true;
}

bool FusedStep::agrees(const Group &group, const ElementLoop &loop) const {
  // One number serves many elements if the loop reads it as one.
  bool reads = llvm::any_of(loop.reads, [](ElementReads each) {
    return each != ElementReads::Each;
  });
  for (uint32_t trial = 0; trial < (reads ? 6 : 1); ++trial)
    if (!agrees(group, loop, trialNumbers(group, loop, 12345 + trial)))
      return false;
  return true;
}

/// The index after the last instruction of the loop that begins here; `begin`
/// if no loop begins here.
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
    --end; // values that are expanded for other instructions
  return end > begin + 1 ? end : begin;
}

/// False if the group's instructions must run one by one.
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
}

/// If only compiled loops read a value, storing one row or one element is
/// enough.
void FusedStep::findExtents() {
  extents_.assign(program_.values.size(), Extent::Whole);
  for (const FusedProgram::Load &load : program_.loads) {
    ElementReads reads = readsOf(load.value);
    bool isWhole =
        llvm::is_contained(program_.outputs, load.value) ||
        llvm::any_of(groups_, [&](const Group &group) {
          return !group.function &&
                 llvm::is_contained(group.inputs, load.value);
        });
    if (!isWhole && load.scalar)
      extents_[load.value] = Extent::One;
    else if (!isWhole && reads == ElementReads::ARow)
      extents_[load.value] = Extent::ARow;
  }
}

} // namespace assay::engine
