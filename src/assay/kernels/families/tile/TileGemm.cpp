// The five loops around the register tile. C is divided into a grid of
// rectangles for threads (and k into parts). Each task walks its rectangle in
// cache blocks, packs the operands that the configuration packs, and runs the
// register tile over the block. Ragged rows get a tile of exactly their number,
// or a padded one through a buffer; ragged columns a mask. Sums are made
// directly in C if its type and strides allow it, else in a buffer that the
// epilogue reads. Idea: Van Zee and van de Geijn, "BLIS: a framework for
// rapidly instantiating BLAS functionality", ACM TOMS 41(3), 2015.
#include "assay/kernels/families/tile/TileGemm.h"

#include "assay/kernels/outer/Output.h"
#include "assay/kernels/outer/Packing.h"
#include "assay/kernels/outer/Scratch.h"
#include "assay/kernels/outer/Tasks.h"
#include "assay/support/Math.h"

#include <algorithm>
#include <cstring>

namespace assay::kernels {

namespace {

class TileGemm final : public PreparedGemm {
public:
  TileGemm(const GemmProblem &problem, const GemmConfig &config,
           const Machine &machine)
      : problem_(problem), config_(config),
        math_(mathOf(config, problem.types(), machine.isa)) {}

  llvm::Error compile(const Machine &machine, Jit &jit);
  void run(const GemmPointers &pointers, ThreadPool &pool) const override;

private:
  struct Buffers { // of one task
    char *a = nullptr, *b = nullptr, *tile = nullptr;
    int32_t *init = nullptr;
  };
  struct Target { // where sums are stored
    char *data = nullptr;
    int64_t row = 0; // bytes
    double alpha = 1, beta = 0;
  };

  void runTask(const TileTask &task, const GemmPointers &pointers,
               const Target &target) const;
  void runRowsInside(const TileTask &task, const GemmPointers &pointers,
                     const Target &target, const Buffers &buffers) const;
  void runColumnsInside(const TileTask &task, const GemmPointers &pointers,
                        const Target &target, const Buffers &buffers) const;
  Buffers reserve(const TileTask &task) const;
  const char *aAt(const GemmPointers &pointers, const TileTask &task, int64_t row,
                  int64_t p) const;
  const char *bAt(const GemmPointers &pointers, const TileTask &task, int64_t p,
                  int64_t column) const;
  void packA(const TileTask &task, const GemmPointers &pointers, int64_t row0,
             int64_t row1, int64_t p0, int64_t p1, char *to) const;
  void packB(const TileTask &task, const GemmPointers &pointers, int64_t column0,
             int64_t column1, int64_t p0, int64_t p1,
             const Buffers &buffers) const;
  struct Block {
    int64_t row0, row1, column0, column1, p0, p1;
  };
  void runBlock(const TileTask &task, const GemmPointers &pointers,
                const Target &target, const Buffers &buffers,
                const Block &block) const;
  void
  forEachRun(const Block &block, MicroArguments &arguments, int64_t cRow,
             llvm::function_ref<void(int64_t row, int64_t column)> tile) const;
  void runTile(MicroArguments &arguments, int64_t rows, int64_t columns,
               const Target &target, char *buffer) const;
  void finish(const GemmPointers &pointers, const char *sums, int64_t batch,
              ThreadPool &pool) const;
  void finishInPlace(const TileTask &task, const GemmPointers &pointers,
                     int64_t row0, int64_t row1, int64_t column0,
                     int64_t column1) const;
  int64_t
  rowsOf(int64_t rows) const { // rows of the panel that holds a ragged end
    return rows < config_.mr && config_.edge == Edge::Exact ? rows : config_.mr;
  }

  GemmProblem problem_;
  GemmConfig config_;
  MicroMath math_;
  DataType accumulator_ = DataType::F32;
  MicroFunction whole_ = nullptr, ragged_ = nullptr;
  TaskGrid grid_;
  bool buffered_ = false, integer_ = false, flipped_ = false, streams_ = false;
  int64_t mc_ = 0, nc_ = 0, kc_ = 0, partK_ = 0;
  int32_t initFactor_ = 0;
};

} // namespace

llvm::Error TileGemm::compile(const Machine &machine, Jit &jit) {
  accumulator_ = accumulatorOf(math_);
  integer_ = accumulator_ == DataType::S32;
  auto get = [&](int rows, MicroFunction &function) -> llvm::Error {
    auto made = jit.get(tileKey(problem_, config_, machine.isa, rows));
    if (!made)
      return made.takeError();
    function = *made;
    return llvm::Error::success();
  };
  int64_t rest = problem_.m % config_.mr;
  if (problem_.m >= config_.mr || config_.edge == Edge::Padded)
    if (llvm::Error error = get(config_.mr, whole_))
      return error;
  if (rest != 0 && config_.edge == Edge::Exact)
    if (llvm::Error error = get(static_cast<int>(rest), ragged_))
      return error;
  MicroKey key = tileKey(problem_, config_, machine.isa, config_.mr);
  flipped_ = key.flipA;
  initFactor_ = problem_.b == DataType::U8 ? 128 : -128;
  grid_ = taskGrid(problem_, config_);
  buffered_ = needsSumBuffer(problem_, grid_.parts);
  int64_t tileBytes = int64_t(config_.nr) * sizeOf(accumulator_),
          rowBytes = problem_.cStrides.row * sizeOf(problem_.c);
  streams_ =
      tileBytes % 64 == 0 && rowBytes % 64 == 0 &&
      double(problem_.m) * double(rowBytes) > 8 * double(machine.caches.l2);
  int64_t group = depthMultipleOf(math_);
  kc_ = std::max<int64_t>(group, config_.kc / group * group);
  partK_ = roundUp(ceilDiv(std::max<int64_t>(problem_.k, 1), grid_.parts),
                   std::max<int64_t>(config_.kr, group));
  mc_ = std::min<int64_t>(roundUp(config_.mc, config_.mr),
                          roundUp(problem_.m, config_.mr));
  nc_ = std::min<int64_t>(columnsPerBlock(problem_, config_, machine),
                          roundUp(problem_.n, config_.nr));
  // Equal blocks of k are better than a short last one.
  if (partK_ > kc_)
    kc_ = roundUp(ceilDiv(partK_, ceilDiv(partK_, kc_)), group);
  return llvm::Error::success();
}

const char *TileGemm::aAt(const GemmPointers &pointers, const TileTask &task,
                          int64_t row, int64_t p) const {
  const Strides &s = problem_.aStrides;
  return entryA(problem_, pointers, task.batch) +
         (row * s.row + p * s.column) * sizeOf(problem_.a);
}

const char *TileGemm::bAt(const GemmPointers &pointers, const TileTask &task,
                          int64_t p, int64_t column) const {
  const Strides &s = problem_.bStrides;
  return entryB(problem_, pointers, task.batch) +
         (p * s.row + column * s.column) * sizeOf(problem_.b);
}

TileGemm::Buffers TileGemm::reserve(const TileTask &task) const {
  int64_t rows = std::min(mc_, roundUp(task.row1 - task.row0, config_.mr));
  int64_t columns =
      std::min(nc_, roundUp(task.column1 - task.column0, config_.nr));
  int64_t depth = std::max<int64_t>(1, task.k1 - task.k0);
  depth = roundUp(std::min(kc_, depth), depthMultipleOf(math_));
  int64_t bytes = packedBytesOf(math_);
  // Unpacked operands still need one panel for the ragged right edge.
  int64_t aBytes =
      config_.packA == Packing::Pack ? roundUp(rows * depth * bytes, 64) : 0;
  int64_t bBytes = roundUp(
      (config_.packB == Packing::Pack ? columns : config_.nr) * depth * bytes,
      64);
  int64_t tileBytes =
      roundUp(int64_t(config_.mr) * config_.nr * sizeOf(accumulator_), 64);
  int64_t initBytes = flipped_ ? columns * 4 : 0;
  char *memory =
      panelScratch().reserve(aBytes + bBytes + tileBytes + initBytes + 4096);
  Buffers buffers;
  buffers.b = memory;
  buffers.a = memory + bBytes;
  buffers.tile = buffers.a + aBytes;
  buffers.init = reinterpret_cast<int32_t *>(buffers.tile + tileBytes);
  return buffers;
}

void TileGemm::packA(const TileTask &task, const GemmPointers &pointers,
                     int64_t row0, int64_t row1, int64_t p0, int64_t p1,
                     char *to) const {
  PanelJob job;
  job.type = problem_.a;
  job.laneStride = problem_.aStrides.row;
  job.stepStride = problem_.aStrides.column;
  job.k = p1 - p0;
  job.flip = flipped_;
  job.tileRows = isAmx(math_);
  for (int64_t row = row0; row < row1; row += config_.mr) {
    job.lanes = static_cast<int>(std::min<int64_t>(config_.mr, row1 - row));
    job.width = static_cast<int>(rowsOf(job.lanes));
    job.source = aAt(pointers, task, row, p0);
    packPanel(job, math_, to);
    to += panelBytes(math_, job.width, job.k);
  }
}

void TileGemm::packB(const TileTask &task, const GemmPointers &pointers,
                     int64_t column0, int64_t column1, int64_t p0, int64_t p1,
                     const Buffers &buffers) const {
  PanelJob job;
  job.type = problem_.b;
  job.laneStride = problem_.bStrides.column;
  job.stepStride = problem_.bStrides.row;
  job.k = p1 - p0;
  job.width = config_.nr;
  char *to = buffers.b;
  for (int64_t column = column0; column < column1; column += config_.nr) {
    job.lanes =
        static_cast<int>(std::min<int64_t>(config_.nr, column1 - column));
    // If B is unpacked, only the ragged right edge is copied into the buffer.
    if (config_.packB == Packing::None && job.lanes == config_.nr)
      continue;
    job.source = bAt(pointers, task, p0, column);
    packPanel(job, math_, to);
    if (flipped_)
      panelSums(to, config_.nr, job.k, problem_.b == DataType::U8, initFactor_,
                buffers.init + (column - column0));
    to += panelBytes(math_, config_.nr, job.k);
  }
}

void TileGemm::runTile(MicroArguments &arguments, int64_t rows, int64_t columns,
                       const Target &target, char *buffer) const {
  MicroFunction function = rows == config_.mr || !ragged_ ? whole_ : ragged_;
  bool padded = config_.edge == Edge::Padded &&
                (rows < config_.mr || columns < config_.nr);
  if (!padded) {
    function(&arguments);
    return;
  }
  // Computes the whole tile in the buffer, then copies its valid part to C.
  int64_t size = sizeOf(accumulator_), bufferRow = config_.nr * size;
  char *c = static_cast<char *>(arguments.c);
  for (int64_t i = 0; arguments.beta.bits != 0 && i < rows; ++i)
    std::memcpy(buffer + i * bufferRow, c + i * arguments.cRow,
                static_cast<size_t>(columns * size));
  int64_t cRow = arguments.cRow;
  arguments.c = buffer;
  arguments.cRow = bufferRow;
  arguments.n = config_.nr;
  function(&arguments);
  for (int64_t i = 0; i < rows; ++i)
    std::memcpy(c + i * cRow, buffer + i * bufferRow,
                static_cast<size_t>(columns * size));
  arguments.cRow = cRow;
}

void TileGemm::runBlock(const TileTask &task, const GemmPointers &pointers,
                        const Target &target, const Buffers &buffers,
                        const Block &block) const {
  int64_t depth = block.p1 - block.p0, size = sizeOf(accumulator_);
  bool first = block.p0 == task.k0;
  MicroArguments arguments;
  // A large C that is finished in one pass should not displace other data in
  // the caches.
  arguments.stream = !buffered_ && !problem_.hasEpilogue() && first &&
                     block.p1 == task.k1 && streams_ &&
                     reinterpret_cast<uintptr_t>(target.data) % 64 == 0;
  arguments.k = ceilDiv(depth, depthMultipleOf(math_));
  arguments.cRow = target.row;
  setScalars(arguments, accumulator_, target.alpha, first ? target.beta : 1.0);
  bool aPacked = config_.packA == Packing::Pack,
       bPacked = config_.packB == Packing::Pack;
  if (!aPacked)
    arguments.aStride =
        (problem_.aStrides.column == 1 ? problem_.aStrides.row
                                       : problem_.aStrides.column) *
        sizeOf(problem_.a);
  int64_t bPanel = panelBytes(math_, config_.nr, depth);
  auto tile = [&](int64_t row, int64_t column) {
    int64_t rows = std::min<int64_t>(config_.mr, block.row1 - row);
    int64_t columns = std::min<int64_t>(config_.nr, block.column1 - column);
    // All panels before this one are whole, so each has the size of a whole
    // panel.
    arguments.a = aPacked ? buffers.a + (row - block.row0) / config_.mr *
                                            panelBytes(math_, config_.mr, depth)
                          : aAt(pointers, task, row, block.p0);
    if (bPacked) {
      arguments.b = buffers.b + (column - block.column0) / config_.nr * bPanel;
    } else if (columns == config_.nr) {
      arguments.b = bAt(pointers, task, block.p0, column);
      arguments.bStride = problem_.bStrides.row * sizeOf(problem_.b);
    } else {
      arguments.b = buffers.b;
      arguments.bStride = int64_t(config_.nr) * packedBytesOf(math_);
    }
    arguments.c = target.data + (row - task.row0) * target.row +
                  (column - task.column0) * size;
    arguments.n = columns;
    arguments.init =
        flipped_ ? buffers.init + (column - block.column0) : nullptr;
    runTile(arguments, rows, columns, target, buffers.tile);
  };
  if (isAmx(math_)) // computes adjacent whole blocks in one call
    return forEachRun(block, arguments, target.row, tile);
  if (config_.order == LoopOrder::NKM)
    for (int64_t column = block.column0; column < block.column1;
         column += config_.nr)
      for (int64_t row = block.row0; row < block.row1; row += config_.mr)
        tile(row, column);
  else
    for (int64_t row = block.row0; row < block.row1; row += config_.mr)
      for (int64_t column = block.column0; column < block.column1;
           column += config_.nr)
        tile(row, column);
}

/// Runs whole tiles down a panel of columns (nkm) or along a panel of rows
/// (mkn), then the ragged one.
void TileGemm::forEachRun(
    const Block &block, MicroArguments &arguments, int64_t cRow,
    llvm::function_ref<void(int64_t row, int64_t column)> tile) const {
  int64_t depth = block.p1 - block.p0,
          wholeRows = (block.row1 - block.row0) / config_.mr,
          wholeColumns = (block.column1 - block.column0) / config_.nr;
  bool down = config_.order == LoopOrder::NKM;
  arguments.repeat = std::max<int64_t>(1, down ? wholeRows : wholeColumns);
  int64_t run = arguments.repeat;
  if (down) {
    arguments.aStep = config_.packA == Packing::Pack
                          ? panelBytes(math_, config_.mr, depth)
                          : config_.mr * arguments.aStride;
    arguments.cStep = config_.mr * cRow;
  } else {
    arguments.bStep = panelBytes(math_, config_.nr, depth);
    arguments.cStep = config_.nr * sizeOf(accumulator_);
  }
  for (int64_t column = block.column0; column < block.column1;)
    if (down) {
      for (int64_t row = block.row0; row < block.row1;) {
        arguments.repeat = row == block.row0 ? run : 1;
        tile(row, column);
        row += arguments.repeat * config_.mr;
      }
      column += config_.nr;
    } else {
      arguments.repeat = column == block.column0 ? run : 1;
      for (int64_t row = block.row0; row < block.row1; row += config_.mr)
        tile(row, column);
      column += arguments.repeat * config_.nr;
    }
}

void TileGemm::finishInPlace(const TileTask &task, const GemmPointers &pointers,
                             int64_t row0, int64_t row1, int64_t column0,
                             int64_t column1) const {
  EpilogueBlock block;
  char *c = entryC(problem_, pointers, task.batch);
  block.sums =
      c + (row0 * problem_.cStrides.row + column0) * sizeOf(problem_.c);
  block.sumRow = problem_.cStrides.row;
  block.row = row0;
  block.rows = row1 - row0;
  block.column = column0;
  block.columns = column1 - column0;
  block.inPlace = true;
  applyEpilogue(problem_, block, pointers, c);
}

void TileGemm::runRowsInside(const TileTask &task, const GemmPointers &pointers,
                             const Target &target,
                             const Buffers &buffers) const {
  bool fused = !buffered_ && problem_.hasEpilogue() &&
               config_.epilogue == EpilogueMode::Fused;
  for (int64_t column = task.column0; column < task.column1; column += nc_) {
    int64_t column1 = std::min(task.column1, column + nc_);
    for (int64_t p = task.k0; p < task.k1; p += kc_) {
      int64_t p1 = std::min(task.k1, p + kc_);
      packB(task, pointers, column, column1, p, p1, buffers);
      for (int64_t row = task.row0; row < task.row1; row += mc_) {
        int64_t row1 = std::min(task.row1, row + mc_);
        if (config_.packA == Packing::Pack)
          packA(task, pointers, row, row1, p, p1, buffers.a);
        runBlock(task, pointers, target, buffers,
                 {row, row1, column, column1, p, p1});
        if (fused && p1 == task.k1)
          finishInPlace(task, pointers, row, row1, column, column1);
      }
    }
  }
}

void TileGemm::runColumnsInside(const TileTask &task, const GemmPointers &pointers,
                                const Target &target,
                                const Buffers &buffers) const {
  bool fused = !buffered_ && problem_.hasEpilogue() &&
               config_.epilogue == EpilogueMode::Fused;
  for (int64_t row = task.row0; row < task.row1; row += mc_) {
    int64_t row1 = std::min(task.row1, row + mc_);
    for (int64_t p = task.k0; p < task.k1; p += kc_) {
      int64_t p1 = std::min(task.k1, p + kc_);
      if (config_.packA == Packing::Pack)
        packA(task, pointers, row, row1, p, p1, buffers.a);
      for (int64_t column = task.column0; column < task.column1;
           column += nc_) {
        int64_t column1 = std::min(task.column1, column + nc_);
        packB(task, pointers, column, column1, p, p1, buffers);
        runBlock(task, pointers, target, buffers,
                 {row, row1, column, column1, p, p1});
        if (fused && p1 == task.k1)
          finishInPlace(task, pointers, row, row1, column, column1);
      }
    }
  }
}

void TileGemm::runTask(const TileTask &task, const GemmPointers &pointers,
                       const Target &target) const {
  if (task.row0 >= task.row1 || task.column0 >= task.column1)
    return;
  Buffers buffers = reserve(task);
  if (config_.order == LoopOrder::NKM)
    runRowsInside(task, pointers, target, buffers);
  else
    runColumnsInside(task, pointers, target, buffers);
  if (!buffered_ && problem_.hasEpilogue() &&
      config_.epilogue == EpilogueMode::Separate)
    finishInPlace(task, pointers, task.row0, task.row1, task.column0,
                  task.column1);
}

/// Applies the epilogue to a batch entry whose sums were buffered.
void TileGemm::finish(const GemmPointers &pointers, const char *sums,
                      int64_t batch, ThreadPool &pool) const {
  EpilogueBlock block;
  block.sums = sums;
  block.sumRow = problem_.n;
  block.parts = grid_.parts;
  block.partStride = problem_.m * problem_.n;
  finishEntry(problem_, pointers, block, entryC(problem_, pointers, batch),
              pool);
}

void TileGemm::run(const GemmPointers &pointers, ThreadPool &pool) const {
  int64_t tasks = grid_.tasks(problem_.batch), perEntry = grid_.tasks(1);
  if (problem_.m == 0 || problem_.n == 0 || problem_.batch == 0)
    return;
  // Buffers the sums of as many batch entries at once as are needed to keep all
  // threads busy.
  int64_t entryBytes =
      problem_.m * problem_.n * grid_.parts * sizeOf(accumulator_);
  int64_t together =
      buffered_ ? std::clamp<int64_t>(ceilDiv(problem_.threads, perEntry), 1,
                                      problem_.batch)
                : problem_.batch;
  char *sums =
      buffered_ ? sumScratch().reserve(entryBytes * together) : nullptr;
  auto one = [&](int64_t index, int64_t base) {
    TileTask t = taskAt(grid_, problem_, config_, partK_, index);
    Target target;
    if (buffered_) {
      target.row = problem_.n * sizeOf(accumulator_);
      target.data =
          sums + (t.batch - base) * entryBytes +
          (t.part * problem_.m * problem_.n + t.row0 * problem_.n + t.column0) *
              sizeOf(accumulator_);
      if (t.k0 >= t.k1) { // nothing to add: the sum of zero products
        for (int64_t row = t.row0; row < t.row1; ++row)
          std::memset(target.data + (row - t.row0) * target.row, 0,
                      static_cast<size_t>((t.column1 - t.column0) *
                                          sizeOf(accumulator_)));
        return;
      }
    } else {
      target.row = problem_.cStrides.row * sizeOf(problem_.c);
      target.data = entryC(problem_, pointers, t.batch) + t.row0 * target.row +
                    t.column0 * sizeOf(problem_.c);
      target.alpha = problem_.alpha;
      target.beta = problem_.beta;
    }
    runTask(t, pointers, target);
  };
  for (int64_t base = 0; base < problem_.batch; base += together) {
    int64_t first = base * perEntry,
            last = std::min(tasks, (base + together) * perEntry);
    forEachTask(first, last, problem_.threads, pool,
                [&](int64_t index) { one(index, base); });
    if (buffered_)
      for (int64_t entry = base;
           entry < std::min(problem_.batch, base + together); ++entry)
        finish(pointers, sums + (entry - base) * entryBytes, entry, pool);
  }
}

llvm::Expected<std::shared_ptr<const PreparedGemm>>
prepareTile(const GemmProblem &problem, const GemmConfig &config,
            const Machine &machine, Jit &jit) {
  auto gemm = std::make_shared<TileGemm>(problem, config, machine);
  if (llvm::Error error = gemm->compile(machine, jit))
    return error;
  return gemm;
}

} // namespace assay::kernels
