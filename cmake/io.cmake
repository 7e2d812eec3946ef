# What libsupple_io stands on: jansson and meshoptimizer from the package manager, and threads.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.13)
find_library(SUPPLE_MESHOPTIMIZER meshoptimizer REQUIRED)
find_path(SUPPLE_MESHOPTIMIZER_INCLUDE meshoptimizer.h REQUIRED)
add_library(supple_io_deps INTERFACE)
target_include_directories(supple_io_deps SYSTEM INTERFACE ${SUPPLE_MESHOPTIMIZER_INCLUDE})
target_link_libraries(supple_io_deps INTERFACE
  PkgConfig::JANSSON ${SUPPLE_MESHOPTIMIZER} Threads::Threads m)
