/// train_manifest.json: the problems that a model and its ancestors were
/// trained on.
#pragma once

#include "assay/select/ModelFolder.h"

namespace assay::select {

/// The hash (16 digits) of each problem of the samples and of every ancestor
/// (`parent`: the model that training began with, or null). Evaluation uses
/// them to tell seen from unseen problems.
llvm::json::Array seenProblems(const Samples &samples, const Model *parent);
/// For each group of the samples, whether the model has seen its problem.
std::vector<bool> findSeen(const Model &model, const Samples &samples);
/// How many of these keys of problems (Problem::groupKey) the model has seen.
int64_t countSeen(const Model &model, llvm::ArrayRef<std::string> keys);

/// The least and the greatest m, n, k and batch of the samples and of every
/// ancestor: {"m": [1, 8192], ...}.
llvm::json::Object trainingRange(const Samples &samples, const Model *parent);
/// "k = 20000 is 2.4 times the greatest k of the training (8192)", for the size
/// that is farthest outside; empty within the range, and for models that do not
/// state their range.
std::string outsideOfTraining(const Model &model, const Shape &asked);

} // namespace assay::select
