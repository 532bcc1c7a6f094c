// A problem's requests beyond its values: filters of implementations by name,
// the owner of the scratchpad, permission for less exact mathematics, hints for
// vector instructions. Those that this version of oneDNN applies are recorded
// in Problem::taken, for the report.
#include "assay/engine/onednn/Primitive.h"

using namespace assay::engine::onednn;

static bool containsOne(const std::string &name, llvm::StringRef parts) {
  while (!parts.empty()) {
    auto [part, rest] = parts.split(',');
    if (!part.empty() && llvm::StringRef(name).contains(part))
      return true;
    parts = rest;
  }
  return false;
}

bool assay::engine::onednn::isAllowed(const Problem &problem,
                                      const std::string &implementation) {
  std::string only = problem.request("impl"),
              without = problem.request("skip_impl");
  if (!only.empty())
    problem.taken.insert("impl");
  if (!without.empty())
    problem.taken.insert("skip_impl");
  return (only.empty() || containsOne(implementation, only)) &&
         !containsOne(implementation, without);
}

static void takeMathMode(const Problem &problem, dnnl::primitive_attr &attr) {
  auto [mode, integers] =
      llvm::StringRef(problem.json.getString("fpmath").value_or("")).split(':');
  bool applies = integers == "true";
  dnnl::fpmath_mode known = mode == "bf16"  ? dnnl::fpmath_mode::bf16
                            : mode == "f16" ? dnnl::fpmath_mode::f16
                            : mode == "any" ? dnnl::fpmath_mode::any
                                            : dnnl::fpmath_mode::strict;
#if ASSAY_DNNL_SINCE(3, 4)
  if (mode == "tf32")
    known = dnnl::fpmath_mode::tf32;
  attr.set_fpmath_mode(known, applies);
  problem.taken.insert("fpmath");
#else
  if (mode == "tf32" || applies)
    return;
  attr.set_fpmath_mode(known);
  problem.taken.insert("fpmath");
#endif
}

#if ASSAY_DNNL_SINCE(3, 3)
static void takeAccumulation(const Problem &problem,
                             dnnl::primitive_attr &attr) {
  std::string mode = problem.request("acc_mode");
  using Mode = dnnl::accumulation_mode;
  attr.set_accumulation_mode(mode == "relaxed" ? Mode::relaxed
                             : mode == "any"   ? Mode::any
                             : mode == "f32"   ? Mode::f32
                             : mode == "s32"   ? Mode::s32
                             : mode == "f16"   ? Mode::f16
                                               : Mode::strict);
  problem.taken.insert("acc_mode");
}
#endif

dnnl::primitive_attr
assay::engine::onednn::requestedAttributes(const Problem &problem) {
  dnnl::primitive_attr attr;
  if (problem.request("scratchpad") == "user") {
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    problem.taken.insert("scratchpad");
  }
  if (!problem.request("fpmath").empty())
    takeMathMode(problem, attr);
#if ASSAY_DNNL_SINCE(3, 3)
  if (!problem.request("acc_mode").empty())
    takeAccumulation(problem, attr);
#endif
#if ASSAY_DNNL_SINCE(3, 5)
  if (problem.request("deterministic") == "true") {
    attr.set_deterministic(true);
    problem.taken.insert("deterministic");
  }
#endif
  return attr;
}

void assay::engine::onednn::hintIsa(const Problem &problem) {
  std::string hint = problem.request("cpu_isa_hints");
  if (hint.empty())
    return;
  dnnl::cpu_isa_hints wanted = hint == "prefer_ymm"
                                   ? dnnl::cpu_isa_hints::prefer_ymm
                                   : dnnl::cpu_isa_hints::no_hints;
  if (dnnl::get_cpu_isa_hints() == wanted ||
      dnnl::set_cpu_isa_hints(wanted) == dnnl::status::success)
    problem.taken.insert("cpu_isa_hints");
}
