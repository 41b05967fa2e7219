# A room: folder, target ulpfuzz_<name>, alias ulpfuzz::<name>, include prefix ulpfuzz/<name>/.
#   ulpfuzz_room(<name> SOURCES ... USES <rooms> LINKS <public libraries> PRIVATE_LINKS <libraries>)
# Everything under include/ is public and installed; a header beside the sources is private. USES
# names each room whose headers this room includes: the layering is this list. CMake also lets it
# reach what those use in turn, so ci/layers holds the includes against the list. Without SOURCES the
# room is headers only.
function(ulpfuzz_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;LINKS;PRIVATE_LINKS")
  set(target ulpfuzz_${name})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS include/*.hpp)
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE
      $<BUILD_INTERFACE:ulpfuzz_build> $<BUILD_INTERFACE:ulpfuzz_fp> ${arg_PRIVATE_LINKS})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(ulpfuzz::${name} ALIAS ${target})
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS include FILES ${headers})
  target_compile_features(${target} ${scope} cxx_std_20)
  list(TRANSFORM arg_USES PREPEND ulpfuzz::)
  target_link_libraries(${target} ${scope} ${arg_USES} ${arg_LINKS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
  if(ULPFUZZ_INSTALL)
    install(TARGETS ${target} EXPORT ulpfuzz-targets FILE_SET HEADERS)
  endif()
endfunction()

# ulpfuzz_precompile(<target> <owner> <headers>): big headers of libraries, parsed once, by <owner>, for all targets
# that name it and are compiled alike. What a source needs it still includes itself.
function(ulpfuzz_precompile target owner)
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
