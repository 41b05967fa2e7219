#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite ask for it: with the compilers, flags and engine of their
# image, into $OUT, each with NAME_seed_corpus.zip, NAME.options and, where it has one, NAME.dict. docs/clusterfuzz.md.
# Set by the image: SRC, WORK, OUT, CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SANITIZER, FUZZING_ENGINE and
# ARCHITECTURE.
case ${ARCHITECTURE:-x86_64}:$SANITIZER:$FUZZING_ENGINE in
  x86_64:address:libfuzzer | x86_64:undefined:libfuzzer | x86_64:coverage:libfuzzer | x86_64:none:libfuzzer) ;;
  x86_64:address:afl | x86_64:none:afl) ;;
  *)
    echo "build.sh: ulpfuzz has no build for $ARCHITECTURE, sanitizer $SANITIZER, engine $FUZZING_ENGINE" >&2
    exit 1
    ;;
esac
build=$WORK/ulpfuzz

# Packages of C++ libraries are built for libstdc++. Division by zero and wrapping unsigned numbers are what arithmetic
# here is made of, not faults of it.
flags=${CXXFLAGS//-stdlib=libc++/}
[[ $SANITIZER != undefined ]] || flags+=' -fno-sanitize=float-divide-by-zero,unsigned-integer-overflow'
# All but glibc comes along in $OUT/lib: DT_RPATH, not DT_RUNPATH, is followed by the libraries there too.
cmake -S "$SRC/ulpfuzz" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE= \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="$flags" \
  -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags \
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON '-DCMAKE_INSTALL_RPATH=$ORIGIN/lib' \
  -DULPFUZZ_FUZZ=ON -DULPFUZZ_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DULPFUZZ_CUDA=OFF -DULPFUZZ_BLAS=ON \
  -DULPFUZZ_TESTS=OFF -DULPFUZZ_BENCH=OFF -DULPFUZZ_INSTALL=OFF
cmake --build "$build" --target fuzz/all

# libraries <program>: those that the image the targets run in may lack.
libraries() {
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -vE '/(libc|libm|libmvec|libpthread|libdl|librt|libresolv)\.so'
}
mkdir -p "$OUT/lib"
for program in "$build"/bin/fuzz_*; do
  grep -q LLVMFuzzerTestOneInput "$program" || continue
  name=$(basename "$program") kind=property
  dictionary=$SRC/ulpfuzz/fuzz/readers/${name#fuzz_}.dict
  [[ ! -f $dictionary ]] || kind=reader
  cp "$program" "$OUT/"
  libraries "$program" | xargs -r cp -Lt "$OUT/lib" --update
  cp "$SRC/ulpfuzz/ci/clusterfuzz/$kind.options" "$OUT/$name.options"
  [[ $kind != reader ]] || cp "$dictionary" "$OUT/$name.dict"
  (cd "$build/fuzz/seeds/${name#fuzz_}" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" ./*)
done
