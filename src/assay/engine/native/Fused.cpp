// The interpreter of fused programs. A block is as many whole rows as make
// about a thousand elements; each instruction is one typed loop over the block
// (the reference's own loops), its intermediate values live in buffers of a
// block's size that stay in the cache, operands and results are read and
// written where they lie. So a chain of ten operations moves its operands
// through memory once, and dispatch costs a few nanoseconds per thousand
// elements.
#include "assay/engine/native/Fused.h"

#include "assay/engine/native/RowLoops.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Strided.h"

#include <cstring>

namespace assay::engine {

using program::StepContext;
using tensor::Tensor;

namespace {
constexpr int64_t kBlockElements = 1024;

class FusedStep final : public program::Step {
public:
  explicit FusedStep(FusedProgram program);
  llvm::Error run(StepContext &context) const override;

private:
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
  };
  int64_t perRow(int value) const {
    return program_.values[value].perRow ? 1 : program_.length;
  }
  int64_t width(int value) const {
    return program_.values[value].element.storageBytes();
  }
  void assignPlaces();
  void runRows(const Run &run, int64_t begin, int64_t end) const;
  std::byte *at(const Run &run, int value, int64_t row,
                std::byte *workspace) const;
  void reduce(const FusedProgram::Code &code, const std::byte *in,
              const std::byte *init, std::byte *out, int64_t rows) const;

  FusedProgram program_;
  std::vector<Place> places_;
  int64_t blockRows_ = 1, workspaceBytes_ = 0;
};
} // namespace

FusedStep::FusedStep(FusedProgram program) : program_(std::move(program)) {
  blockRows_ = std::min(program_.rows,
                        std::max<int64_t>(1, kBlockElements / program_.length));
  assignPlaces();
}

/// Results are computed in place, contiguous operands are read in place; other
/// values share buffers: one is free again after its value's last use.
void FusedStep::assignPlaces() {
  size_t count = program_.values.size();
  places_.resize(count);
  std::vector<int64_t> lastUse(count, -1);
  std::vector<bool> placed(count, false);
  for (size_t i = 0; i < program_.code.size(); ++i)
    for (int input : program_.code[i].inputs)
      lastUse[input] = static_cast<int64_t>(i);
  for (size_t r = 0; r < program_.outputs.size(); ++r)
    if (!placed[program_.outputs[r]]) {
      places_[program_.outputs[r]] = {Place::Kind::Result, r, 0};
      placed[program_.outputs[r]] = true;
    }
  std::vector<std::pair<int64_t, int64_t>> free; // bytes, offset
  auto take = [&](int value) {
    int64_t bytes =
        (blockRows_ * perRow(value) * width(value) + 127) & ~int64_t{63};
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
  for (size_t i = 0; i < program_.code.size(); ++i) {
    const FusedProgram::Code &code = program_.code[i];
    if (!placed[code.value])
      take(code.value);
    for (int input : code.inputs)
      if (lastUse[input] == static_cast<int64_t>(i) &&
          places_[input].kind == Place::Kind::Buffer &&
          llvm::none_of(program_.loads, [&](const FusedProgram::Load &load) {
            return load.value == input;
          })) {
        free.emplace_back((blockRows_ * perRow(input) * width(input) + 127) &
                              ~int64_t{63},
                          places_[input].offset);
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

void FusedStep::runRows(const Run &run, int64_t begin, int64_t end) const {
  std::unique_ptr<std::byte, decltype(&std::free)> memory(
      static_cast<std::byte *>(std::aligned_alloc(
          64, static_cast<size_t>((workspaceBytes_ + 127) & ~int64_t{63}))),
      std::free);
  std::byte *workspace = memory.get();
  for (const FusedProgram::Load &load : program_.loads) {
    int64_t count = blockRows_ * perRow(load.value);
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
    for (const FusedProgram::Code &code : program_.code) {
      std::byte *out = at(run, code.value, row, workspace);
      if (code.kind == FusedProgram::Kind::Compute) {
        llvm::SmallVector<const void *, 3> in;
        for (int input : code.inputs)
          in.push_back(at(run, input, row, workspace));
        static constexpr int64_t kOnes[3] = {1, 1, 1};
        int64_t count = rows * perRow(code.value);
        if (code.loop)
          code.loop(static_cast<const float *>(in[0]),
                    reinterpret_cast<float *>(out), count);
        else
          code.function->evaluate(in, {kOnes, in.size()}, out, count);
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

llvm::Error FusedStep::run(StepContext &context) const {
  ++context.run.engineSteps;
  Run run;
  llvm::SmallVector<Tensor, 4> expanded;
  for (size_t i = 0; i < context.operandCount(); ++i) {
    const Tensor &operand = context.operand(i);
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
    expanded.push_back(std::move(*dense));
    run.operands.back() = expanded.back().bytes();
    run.splat.back() = false;
  }
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

std::unique_ptr<program::Step> makeFusedStep(FusedProgram program) {
  return std::make_unique<FusedStep>(std::move(program));
}

} // namespace assay::engine
