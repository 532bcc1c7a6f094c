# The kernels of this machine: why one is chosen for a problem, and what the choice is worth.
# More: docs/kernels.md
echo "Matrix products run on kernels that are generated for this processor and checked before their first use."
echo
assay kernels list --dtype f32 --limit 3
echo
echo "A product of 512 x 512 x 512 in f32, one thread: the estimate of the analytic model, and the measured time."
echo
assay kernels explain --m 512 --n 512 --k 512 --top 5 --threads 1 --measure
echo
echo "The same product with one row (a matrix times a vector) gets another family."
echo
assay kernels explain --m 1 --n 4096 --k 1024 --top 3 --threads 1 --measure
echo
echo "Convolutions have kernels of their own: a strided layer's and a grouped layer's three directions, channels last, on exact and on real data,"
echo "judged by the bound of their sums (docs/native.md)."
echo
assay verify --engine=native --conv --stag=axb --dtag=axb --dir=FWD_D,BWD_D,BWD_W mb1ic32ih28oc48oh14kh3sh2ph1 g8mb1ic128ih14oc128oh14kh3ph1
echo
echo "Where --alg=auto allows it, windows of 3 x 3 go through Winograd's transforms: a layer of ResNet-50 without them and with them, one thread."
echo
assay verify --engine=native --threads=1 --mode=P --max-ms-per-prb=500 --conv --alg=direct,auto --stag=axb --dtag=axb mb1ic64ih56oc64kh3ph1
echo
echo "Which algorithm and register block a layer gets, and what that choice is worth: all of its kernels, timed."
echo
assay kernels explain --op conv_fwd --problem mb1ic64ih28oc64kh3ph1 --threads 1 --measure --top 3
echo
echo "How fast each register tile, packing and the caches are here is measured once for the choice; a product in bfloat16 with it:"
echo
export XDG_DATA_HOME
XDG_DATA_HOME=$(mktemp -d)
assay doctor --measure --no-measure | grep '^analytic choice'
assay kernels explain --dtype bf16 --m 512 --n 512 --k 512 --top 3 --threads 1 --measure
rm -rf "$XDG_DATA_HOME"
unset XDG_DATA_HOME
echo
echo "The same choice from a C++ program (docs/embed.md): examples/dispatch_cpp, compiled against libassay."
echo
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$PWD/src/assay/embed" "$folder/assay"
c++ -std=c++17 -O1 -I"$folder" examples/dispatch_cpp/main.cpp -Lbuild/release/lib -lassay -pthread -Wl,-rpath,"$PWD/build/release/lib" \
  -o "$folder/dispatch_cpp"
"$folder/dispatch_cpp"
