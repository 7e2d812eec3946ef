# What is built. Everything is on when Supple is built by itself; as a subproject only the two
# libraries without dependencies are, and the host says what else it wants.
option(SUPPLE_IO "Build libsupple_io: glTF, caches, files (needs jansson, meshoptimizer)"
       ${PROJECT_IS_TOP_LEVEL})
option(SUPPLE_TRAIN "Build libsupple_train and libsupple_sim (needs LAPACKE, SuiteSparse, ARPACK)"
       ${PROJECT_IS_TOP_LEVEL})
# With both there are libsupple_draw and libsupple_app.
option(SUPPLE_TOOL "Build the supple command (needs SUPPLE_IO and SUPPLE_TRAIN)"
       ${PROJECT_IS_TOP_LEVEL})
option(SUPPLE_WEBP "Let libsupple_draw write animated WebP (left out where libwebp is missing)" ON)
option(SUPPLE_TESTS "Build the tests (needs cmocka)" ${PROJECT_IS_TOP_LEVEL})
option(SUPPLE_CHECKS "Also test the tree itself: layers, symbols, headers, install" OFF)
option(SUPPLE_INSTALL "Make the install target" ${PROJECT_IS_TOP_LEVEL})
option(SUPPLE_CUDA "Build libsupple_cuda (needs the CUDA compiler)" OFF)
option(SUPPLE_FUZZ "Build the fuzz targets (needs clang)" OFF)
# The page of `supple view` needs node with its packages (scripts/node-packages.sh web), clang and lld.
set(page_possible OFF)
if(PROJECT_IS_TOP_LEVEL AND EXISTS ${PROJECT_SOURCE_DIR}/web/node_modules/.fetched
   AND EXISTS ${PROJECT_SOURCE_DIR}/web/node_modules/vite)
  find_program(SUPPLE_NODE node)
  find_program(SUPPLE_CLANG clang)
  find_program(SUPPLE_WASM_LD NAMES wasm-ld wasm-ld-14)
  if(SUPPLE_NODE AND SUPPLE_CLANG AND SUPPLE_WASM_LD)
    set(page_possible ON)
  endif()
endif()
set(SUPPLE_PAGE AUTO CACHE STRING "Put the page of `supple view` into the tool: AUTO, ON, OFF")
if(SUPPLE_PAGE STREQUAL "AUTO")
  set(SUPPLE_PAGE ${page_possible})
endif()
set(SUPPLE_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread")

if(SUPPLE_TOOL AND NOT (SUPPLE_IO AND SUPPLE_TRAIN))
  message(FATAL_ERROR "SUPPLE_TOOL needs SUPPLE_IO=ON and SUPPLE_TRAIN=ON")
endif()
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
