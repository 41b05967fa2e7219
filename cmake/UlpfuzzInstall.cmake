set(ULPFUZZ_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ulpfuzz)
install(EXPORT ulpfuzz-targets NAMESPACE ulpfuzz:: DESTINATION ${ULPFUZZ_CONFIG_DIR})
configure_package_config_file(cmake/ulpfuzz-config.cmake.in
  ${PROJECT_BINARY_DIR}/ulpfuzz-config.cmake INSTALL_DESTINATION ${ULPFUZZ_CONFIG_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ulpfuzz-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ulpfuzz-config.cmake
              ${PROJECT_BINARY_DIR}/ulpfuzz-config-version.cmake
        DESTINATION ${ULPFUZZ_CONFIG_DIR})
