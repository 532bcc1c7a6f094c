/// train_manifest.json: the problems that a model and its ancestors were
/// trained on.
#pragma once

#include "assay/select/ModelFolder.h"

namespace assay::select {

/// 16 digits for each problem of the samples and of every ancestor (`parent`:
/// the model that training began with, or null): evaluation tells seen from
/// unseen by them.
llvm::json::Array seenProblems(const Samples &samples, const Model *parent);
/// Whether a problem of these samples is among them, for each group.
std::vector<bool> findSeen(const Model &model, const Samples &samples);
/// How many of these keys of problems (Problem::groupKey) are among them.
int64_t countSeen(const Model &model, llvm::ArrayRef<std::string> keys);

/// The least and the greatest m, n, k and batch of the samples and of every
/// ancestor: {"m": [1, 8192], ...}.
llvm::json::Object trainingRange(const Samples &samples, const Model *parent);
/// "k = 20000 is 2.4 times the greatest k of the training (8192)", the size that
/// is farthest outside; empty within the range, and for models that do not
/// say theirs.
std::string outsideOfTraining(const Model &model, const Shape &asked);

} // namespace assay::select
