#!/usr/bin/env bash
# Makes the models of this folder again from the measurements beside them, for the kernels of the present build:
#   models/gemm_f32_rcr/make.sh           (a minute on an idle core; from the project's folder, after ./dev build)
# The same data, kernels and LightGBM give the same bytes; train_manifest.json has the hashes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
assay=../../build/release/bin/assay
"$assay" tune train --data_dir data --out_dir . --op gemm --dtype f32 --n_splits 2
rm -f oof_predictions.parquet
