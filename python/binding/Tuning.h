/// What choosing kernels of products and of convolutions from Python share.
#pragma once

#include "Binding.h"
#include "assay/select/Ranking.h"
#include "assay/support/ThreadPool.h"

namespace assay::python {

/// The process's pool of that many threads.
ThreadPool &poolOf(int threads);

/// kernel, score, and what the model predicts by target.
nb::dict toPython(const select::RankingReport::Row &row);
/// What a model says, of those of a folder or of dispatch: (rows, note) of the best
/// `top` kernels, or one of them.
class Rankings {
public:
  Rankings(kernels::Registry &registry, const std::string &folder)
      : models_(registry, folder) {}
  nb::tuple rank(const select::ProblemRef &problem, size_t top);
  nb::dict predict(const select::ProblemRef &problem,
                   const std::string &kernel);

private:
  select::ModelCache models_;
};

} // namespace assay::python
