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
/// (rows, note)
nb::tuple toPython(const select::RankingReport &report);

} // namespace assay::python
