# As a script it writes OUT, a C++ source that holds the texts of files, as they are:
#   cmake -DOUT=... -DHEADER=... -DNAMESPACE=... -DFILES=<name>=<path>|<name>=<path>... -P UlpfuzzEmbed.cmake
# For each it defines `const Embedded <name>` in NAMESPACE (HEADER declares it): the text and its SHA-256.
# Included it offers
#   ulpfuzz_embed(<target> <header> <namespace> <name>=<path>...)
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(ulpfuzz_embed_script ${CMAKE_CURRENT_LIST_FILE})
  function(ulpfuzz_embed target header namespace)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded.cpp)
    set(paths "")
    foreach(entry IN LISTS ARGN)
      string(REGEX REPLACE "^[^=]*=" "" path "${entry}")
      list(APPEND paths ${path})
    endforeach()
    list(JOIN ARGN "|" files)
    add_custom_command(OUTPUT ${out}
      COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DHEADER=${header} -DNAMESPACE=${namespace}
              -DFILES=${files} -P ${ulpfuzz_embed_script}
      DEPENDS ${paths} ${ulpfuzz_embed_script} VERBATIM)
    target_sources(${target} PRIVATE ${out})
  endfunction()
  return()
endif()

set(text "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
string(REPLACE "|" ";" FILES "${FILES}")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]*)=(.*)$" _ "${entry}")
  set(name ${CMAKE_MATCH_1})
  set(path ${CMAKE_MATCH_2})
  file(READ ${path} content)
  file(SHA256 ${path} hash)
  string(FIND "${content}" ")embedded\"" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${path} has )embedded\" in it, which ends a literal: choose another word here")
  endif()
  string(APPEND text "\nextern const Embedded ${name};\n"
    "const Embedded ${name} = {R\"embedded(" "${content}" ")embedded\",\n  \"${hash}\"};\n")
endforeach()
string(APPEND text "\n}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUT} "${text}")
