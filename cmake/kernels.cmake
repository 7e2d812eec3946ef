# Kernels: sources compiled once per instruction set (src/base/simd.h says how they are written).
#
#   supple_kernels(target file...)      adds every instruction set of this processor to `target`
#   supple_kernels_f64(target file...)  adds the double build
#   supple_kernels_f64_wide(target file...)  and its wide copies, where this processor may have them
#
# Each folder may call them for the same target with its own files.
#
# -Wno-psabi: vectors are only ever passed to functions that are inlined, so the note about the
# calling convention of wide vectors does not concern us.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(SUPPLE_ISAS scalar sse2 avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  set(SUPPLE_ISAS scalar neon)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^wasm32$")
  set(SUPPLE_ISAS scalar wasm128)
else()
  set(SUPPLE_ISAS scalar)
endif()
set(SUPPLE_ISA_FLAGS_scalar -fno-tree-vectorize)
set(SUPPLE_ISA_FLAGS_sse2 "")
set(SUPPLE_ISA_FLAGS_avx2 -mavx2)
set(SUPPLE_ISA_FLAGS_avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw -mprefer-vector-width=512)
set(SUPPLE_ISA_FLAGS_neon "")
set(SUPPLE_ISA_FLAGS_wasm128 -msimd128)
set(SUPPLE_ISA_FLAGS_f64 "")
set(SUPPLE_ISA_FLAGS_f64avx2 ${SUPPLE_ISA_FLAGS_avx2})
set(SUPPLE_ISA_FLAGS_f64avx512 ${SUPPLE_ISA_FLAGS_avx512})

function(supple_kernel_copy target isa)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(copy ${target}_${folder}_${isa})
  if(NOT TARGET ${copy})
    add_library(${copy} OBJECT)
    target_include_directories(${copy}
      PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${copy} PRIVATE supple_flags)
    target_compile_definitions(${copy} PRIVATE SUP_ISA=${isa})
    target_compile_options(${copy} PRIVATE -ffreestanding -Wno-psabi ${SUPPLE_ISA_FLAGS_${isa}})
    # The module for the web (MinSizeRel) is 13 KB smaller without -O3, and 3 % slower.
    # Under a sanitizer -O3 takes twice as long to compile and gains nothing.
    if(SUPPLE_SANITIZE)
      target_compile_options(${copy} PRIVATE -O2)
    elseif(NOT CMAKE_BUILD_TYPE MATCHES "^(Debug|MinSizeRel)$")
      target_compile_options(${copy} PRIVATE -O3)
    endif()
    set_target_properties(${copy} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${copy}>)
  endif()
  target_sources(${copy} PRIVATE ${ARGN})
endfunction()

function(supple_kernels target)
  foreach(isa IN LISTS SUPPLE_ISAS)
    supple_kernel_copy(${target} ${isa} ${ARGN})
  endforeach()
endfunction()

function(supple_kernels_f64 target)
  supple_kernel_copy(${target} f64 ${ARGN})
endfunction()

function(supple_kernels_f64_wide target)
  foreach(isa IN ITEMS avx2 avx512)
    if(isa IN_LIST SUPPLE_ISAS)
      supple_kernel_copy(${target} f64${isa} ${ARGN})
    endif()
  endforeach()
endfunction()
