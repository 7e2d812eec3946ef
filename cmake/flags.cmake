# One interface target carries the flags of all our own code.
#
# The floating-point flags are part of the product: the same bits on every target need contraction
# off and no fast-math (docs/design.md, "Determinism"), whatever a host project asks for its own
# code. -fno-math-errno only lets sqrt become one instruction, which is correctly rounded
# everywhere. GCC 12 drops the rounding of (double)(float)x where it joins neighbouring statements
# into vectors (the row float_double of tests/determinism shows it), so that pass is off; kernels are
# vectors already.
add_library(supple_flags INTERFACE)
target_compile_features(supple_flags INTERFACE c_std_17)
target_compile_options(supple_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>
  -fno-fast-math -ffp-contract=off -fno-math-errno -fvisibility=hidden
  $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
# The module for the web is optimised as a whole: 6 KB smaller, and a crowd's steps a tenth faster.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  target_compile_options(supple_flags INTERFACE -flto)
endif()
# Sanitizers need lines and names of functions only (-g1, which wins over the build type's -g). -O1 would
# compile in 165 s of processor time instead of 240, but the tests of `modes` then take a third longer.
if(SUPPLE_SANITIZE)
  target_compile_options(supple_flags INTERFACE
    -fsanitize=${SUPPLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(supple_flags INTERFACE -fsanitize=${SUPPLE_SANITIZE})
endif()
if(SUPPLE_FUZZ)
  target_compile_options(supple_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
