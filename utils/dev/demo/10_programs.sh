# Programs that JAX exported run through Assay's own StableHLO reference interpreter and are judged against XLA's results.
echo "Each program of test/programs was exported by JAX together with its inputs and XLA's results on the CPU."
echo "The reference interpreter runs it; every output is judged by the rule 'dtype' (docs/numerics.md)."
echo
later="lapack_custom_calls" # its custom calls are LAPACK's: the interpreter does not know them
printf '%-30s %8s  %-12s %8s  %s\n' program outputs "max abs" "max ulp" verdict
failed=0 held=0 outputs=0
for program in test/programs/*.mlir; do
  name=$(basename "$program" .mlir)
  data=test/programs/$name.npz
  [ -f "$data" ] || continue
  case " $later " in *" $name "*) continue ;; esac
  facts=$(mktemp)
  if assay run "$program" --input "$data" --expect "$data" --quiet --json "$facts" >"$facts.out" 2>&1; then
    verdict=holds held=$((held + 1))
  else
    verdict="FAILED (exit code $?)" failed=$((failed + 1))
  fi
  python3 utils/dev/demo/programs_row.py "$facts" "$name" "$verdict"
  [ "$verdict" = holds ] || sed 's/^/    /' "$facts.out" | tail -n 5
  rm -f "$facts" "$facts.out"
done
echo
echo "$held programs hold, $failed failed"
[ "$failed" -eq 0 ] && [ "$held" -gt 0 ]
