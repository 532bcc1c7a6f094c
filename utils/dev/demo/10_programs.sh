# Programs that JAX exported, run on the reference interpreter and judged against XLA's results.
# More: docs/run.md
echo "Each program of test/programs was exported by JAX together with its inputs and XLA's results on the CPU."
echo "The reference interpreter runs it; every output is judged by the rule 'dtype' (docs/rules.md)."
echo
printf '%-30s %7s  %-10s %8s  %s\n' program outputs "max abs" "of bound" verdict
failed=0 held=0
facts=$(mktemp)
trap 'rm -f "$facts" "$facts.out"' EXIT
for program in test/programs/*.mlir; do
  name=$(basename "$program" .mlir)
  data=test/programs/$name.npz
  [ -f "$data" ] || continue
  : >"$facts"
  code=0
  assay run "$program" --input "$data" --expect "$data" --quiet --json "$facts" >"$facts.out" 2>&1 || code=$?
  if [ "$code" -eq 0 ]; then
    verdict=holds held=$((held + 1))
  else
    verdict="FAILED (exit code $code)" failed=$((failed + 1))
  fi
  python3 utils/dev/demo/programs_row.py "$facts" "$name" "$verdict"
  [ "$verdict" = holds ] || sed 's/^/    /' "$facts.out" | tail -n 5
done
echo
echo "$held programs agree with XLA within the rule, $failed do not"
echo
echo "The rule has teeth: one element of mlp_inference's result, moved by 1e-3 of the result's RMS, must be found."
wrong=$(mktemp --suffix=.npz)
trap 'rm -f "$facts" "$facts.out" "$wrong"' EXIT
python3 utils/dev/demo/move_one_element.py test/programs/mlp_inference.npz "$wrong"
code=0
assay run test/programs/mlp_inference.mlir --input test/programs/mlp_inference.npz --expect "$wrong" || code=$?
echo "exit code $code (1 is: a check failed)"
[ "$code" -eq 1 ]
echo
echo "Programs of several processes run too, by turns in one thread: collectives over grids of two to six processes."
assay test test/reference/all_gather.mlir test/reference/all_reduce.mlir test/reference/reduce_scatter.mlir \
  test/reference/collective_permute.mlir test/reference/recv.mlir test/reference/sharding_constraint.mlir
if command -v mpirun >/dev/null; then
  echo
  echo "The same processes as ranks of mpirun: mpirun -n 2 assay run ring.mlir --processes=mpi"
  ring=$(mktemp --suffix=.mlir)
  trap 'rm -f "$facts" "$facts.out" "$wrong" "$ring"' EXIT
  sed -n '/^\/\/--- ring.mlir/,/^\/\/--- deadlock/p' test/cli/run_parallel.test | grep -v '^//---' >"$ring"
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 \
    "$(command -v assay)" run "$ring" --input iota --input iota --processes=mpi
fi
echo
echo "What is constant is computed once: assay-opt --assay-fold leaves the sums of test/reference/reduce.mlir as constants."
assay-opt --assay-fold --split-input-file test/reference/reduce.mlir | grep -c 'stablehlo.constant'
echo
echo "Any program becomes a portable artifact, readable by everything since StableHLO 1.0, and runs with the same bits:"
artifact=$(mktemp --suffix=.mlirbc)
trap 'rm -f "$facts" "$facts.out" "$wrong" "${ring:-}" "$artifact"' EXIT
assay-opt --serialize test/programs/mlp_inference.mlir -o "$artifact"
head -c 20 "$artifact" | tail -c 16 | tr -d '\0'
echo
assay run "$artifact" --input test/programs/mlp_inference.npz --expect test/programs/mlp_inference.npz
echo
echo "Quantised tensors are computed as the specification's formulas write it; results are the stored integers, with the type said."
assay run test/cli/Inputs/quantized_dot.mlir --input 'dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>'
[ "$failed" -eq 0 ] && [ "$held" -gt 0 ]
