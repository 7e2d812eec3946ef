# Installs headers, libraries, the tool with its manual, and what pkg-config and CMake need to find
# them. The libraries are static, so each description names everything it stands on.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/supple)
file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/supple DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# supple_install(name description requires libs): the library, its CMake target and its .pc file.
function(supple_install name description requires libs)
  if(TARGET ${name})
    install(TARGETS ${name} EXPORT ${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT ${name} NAMESPACE supple:: FILE ${name}.cmake DESTINATION ${package_dir})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/supple.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
endfunction()

supple_install(supple "Dynamic skinning: the run-time library" "" "")
supple_install(supple_author "Dynamic skinning: making characters and models" "supple" "")
supple_install(supple_io "Dynamic skinning: files" "supple_author jansson" "-lmeshoptimizer -pthread -lm")
supple_install(supple_train "Dynamic skinning: learning (GPL parts of CHOLMOD)" "supple_author"
               "-llapacke -lcholmod -larpack -lopenblas -lm")
supple_install(supple_cuda "Dynamic skinning: batches on NVIDIA GPUs" "supple" "-lcudart_static -lstdc++ -ldl -lrt -lpthread")
supple_install(supple_sim "Dynamic skinning: the elastic ground truth" "supple_train" "")
set(webp_modules "")
if(SUPPLE_WEBP)
  set(webp_modules " libwebpmux libwebp")
endif()
supple_install(supple_draw "Dynamic skinning: pictures without a screen" "supple_author${webp_modules}" "")
supple_install(supple_app "Dynamic skinning: what the verbs of the tool do" "supple_sim supple_io supple_draw" "-lm")

configure_file(${PROJECT_SOURCE_DIR}/cmake/suppleConfig.cmake.in
               ${PROJECT_BINARY_DIR}/suppleConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/suppleConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/suppleConfig.cmake
              ${PROJECT_BINARY_DIR}/suppleConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/draw.cmake ${PROJECT_SOURCE_DIR}/cmake/io.cmake
              ${PROJECT_SOURCE_DIR}/cmake/numerics.cmake
        DESTINATION ${package_dir})
if(SUPPLE_TOOL)
  install(TARGETS supple_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET supple_manual)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
  endif()
endif()
