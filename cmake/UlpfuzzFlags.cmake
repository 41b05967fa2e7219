# ulpfuzz_build: warnings and sanitizers of our own sources; never exported.
add_library(ulpfuzz_build INTERFACE)
target_compile_options(ulpfuzz_build INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
    $<$<BOOL:${ULPFUZZ_WERROR}>:-Werror>>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-unknown-pragmas
    $<$<BOOL:${ULPFUZZ_WERROR}>:-Werror=all-warnings>>)
if(ULPFUZZ_SANITIZE)
  target_compile_options(ulpfuzz_build INTERFACE
    -fsanitize=${ULPFUZZ_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(ulpfuzz_build INTERFACE -fsanitize=${ULPFUZZ_SANITIZE})
endif()
# Another engine than libFuzzer brings its own instrumentation: by its compiler, or in CMAKE_CXX_FLAGS.
if(ULPFUZZ_FUZZ AND ULPFUZZ_FUZZ_ENGINE STREQUAL "-fsanitize=fuzzer")
  target_compile_options(ulpfuzz_build INTERFACE -fsanitize=fuzzer-no-link)
endif()

# ulpfuzz_fp: the floating-point contract. g++ and clang fuse a*b+c where the target has FMA unless told
# not to; a kernel that means to fuse says std::fma.
add_library(ulpfuzz_fp INTERFACE)
target_compile_options(ulpfuzz_fp INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -fno-fast-math>
  $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false -Xcompiler=-ffp-contract=off>)
