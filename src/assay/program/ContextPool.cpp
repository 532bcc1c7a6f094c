#include "assay/program/ContextPool.h"
#include "assay/dialect/Register.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

#include <mutex>
#include <vector>

namespace assay::program {

// How many programs one context serves before it is freed, and how many bytes
// they may leave in it: a few MiB altogether.
static constexpr int kProgramsPerContext = 64;
static constexpr size_t kLargestConstants = 64 << 10;
static constexpr size_t kContextsKept = 4;

namespace {
struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<mlir::MLIRContext>> idle;
  llvm::DenseMap<mlir::MLIRContext *, int> served;
};
} // namespace

static Pool &pool() {
  // Never destroyed, because programs in static variables may outlive it.
  static Pool *pool = new Pool();
  return *pool;
}

std::unique_ptr<mlir::MLIRContext> takeContext() {
  {
    std::lock_guard<std::mutex> lock(pool().mutex);
    if (!pool().idle.empty()) {
      std::unique_ptr<mlir::MLIRContext> context =
          std::move(pool().idle.back());
      pool().idle.pop_back();
      return context;
    }
  }
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
}

bool hasLargeConstants(mlir::ModuleOp module) {
  size_t bytes = 0;
  module.walk([&](mlir::Operation *op) {
    for (mlir::NamedAttribute attribute : op->getAttrs())
      if (auto dense =
              mlir::dyn_cast<mlir::DenseElementsAttr>(attribute.getValue()))
        bytes += dense.getRawData().size();
  });
  return bytes > kLargestConstants;
}

void retire(mlir::MLIRContext &context) {
  std::lock_guard<std::mutex> lock(pool().mutex);
  pool().served[&context] = kProgramsPerContext;
}

void giveBack(std::unique_ptr<mlir::MLIRContext> context,
              mlir::OwningOpRef<mlir::ModuleOp> module) {
  bool large = !module || hasLargeConstants(*module);
  module = {}; // must be destroyed before its context
  std::lock_guard<std::mutex> lock(pool().mutex);
  int served = ++pool().served[context.get()];
  if (!large && served < kProgramsPerContext &&
      pool().idle.size() < kContextsKept)
    pool().idle.push_back(std::move(context));
  else
    pool().served.erase(context.get()); // a new context may get this address
}

} // namespace assay::program
