/// Replays attention that was computed between modules (from the projections of
/// queries, keys and values to the input of the output projection).
#pragma once

#include "assay/trace/Replay.h"

#include <vector>

namespace assay::trace {

/// One side of such a step: the outputs of the last modules before it (one of
/// three times the width, or three), other tensors that may be used (a
/// rotary embedding's angles, or their cosines and sines; bounds of images),
/// and the outputs.
struct AttentionCall {
  std::vector<tensor::Tensor> projections, others;
  tensor::Tensor output;
};

/// Formula: softmax(q k^T / sqrt(channels) + mask) v for each head, in f64;
///          queries and keys are turned by angles [tokens, channels / 2] where
///          such a tensor exists, or [tokens of a sequence, channels / 2], or
///          by their cosines and sines (also [..., channels]); the mask is
///          none, causal, or blocks between bounds; over each sequence of
///          [sequences, tokens, width] or over all tokens
/// The formula is the one that explains the bench within 1 % (relative L2); the
/// target is wrong when its own inputs explain its output less than half as
/// well, and by more than half a rounding of the type. Nullopt when no formula
/// explains the bench.
std::optional<ReplayResult> replayAttention(const AttentionCall &target,
                                            const AttentionCall &bench);

} // namespace assay::trace
