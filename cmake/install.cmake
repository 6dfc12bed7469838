# What `cmake --install` puts where. The installed tree can be moved: nothing in it knows its prefix.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/costate)

install(DIRECTORY include/costate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(TARGETS costate_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS costate costate_static costate_diff costate_diff_static EXPORT costateTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# find_package(costate) gives costate::costate (shared) and costate::costate_static, and with model files as problems
# costate::costate_diff and costate::costate_diff_static.
install(EXPORT costateTargets NAMESPACE costate:: DESTINATION ${package_dir})
configure_package_config_file(cmake/costateConfig.cmake.in costateConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(costateConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/costateConfig.cmake ${PROJECT_BINARY_DIR}/costateConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config costate, costate_diff
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH include_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
list(TRANSFORM costate_solver_libraries REPLACE "^.*/lib([^/]*)\\.(so|a)$" "-l\\1" OUTPUT_VARIABLE private_libraries)
list(TRANSFORM private_libraries REPLACE "^([^-].*)$" "-l\\1")
list(JOIN private_libraries " " private_libraries)
foreach(name costate costate_diff)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
