# What libsupple_train stands on: OpenBLAS with LAPACKE, SuiteSparse CHOLMOD, ARPACK.
# CHOLMOD's supernodal part is GPL: a program that links libsupple_train is under the GPL's terms.
find_library(SUPPLE_OPENBLAS openblas REQUIRED)
find_library(SUPPLE_LAPACKE lapacke REQUIRED)
find_path(SUPPLE_LAPACKE_INCLUDE lapacke.h REQUIRED)
find_library(SUPPLE_CHOLMOD cholmod REQUIRED)
find_path(SUPPLE_CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(SUPPLE_ARPACK arpack REQUIRED)
# CHOLMOD may have been built with OpenMP; then its threads are switched off (src/numerics/sparse.c).
find_library(SUPPLE_GOMP NAMES libgomp.so.1 gomp)
if(NOT SUPPLE_GOMP)
  set(SUPPLE_GOMP "")
endif()
add_library(supple_numerics_deps INTERFACE)
target_include_directories(supple_numerics_deps SYSTEM INTERFACE
  ${SUPPLE_LAPACKE_INCLUDE} ${SUPPLE_CHOLMOD_INCLUDE})
target_link_libraries(supple_numerics_deps INTERFACE
  ${SUPPLE_LAPACKE} ${SUPPLE_CHOLMOD} ${SUPPLE_ARPACK} ${SUPPLE_OPENBLAS} ${SUPPLE_GOMP} m)
if(SUPPLE_GOMP)
  target_compile_definitions(supple_numerics_deps INTERFACE SUPPLE_HAVE_GOMP=1)
endif()
