# Files that the build puts into a program. Run as a script, with TABLE, FOLDER and SOURCE set, this file writes the
# table of what is in a folder by then (see embed_folder).

# embedded_source(SOURCE TABLE BASE file...)
# Writes the assembler's source of the read-only table embedded_TABLE (declared in embedded.h), sorted by name; names are
# relative to BASE. The bytes are read by the assembler.
function(embedded_source source table base)
  list(SORT ARGN)
  set(entries "")
  set(blobs "")
  set(index 0)
  foreach(file ${ARGN})
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${base} OUTPUT_VARIABLE name)
    string(APPEND entries "  .quad .Lname${index}, .Ldata${index}, .Lend${index} - .Ldata${index}\n")
    string(APPEND blobs ".Lname${index}: .asciz \"${name}\"\n  .balign 16\n"
      ".Ldata${index}: .incbin \"${file}\"\n.Lend${index}: .byte 0\n")
    math(EXPR index "${index} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
  .section .rodata
@blobs@
  .section .data.rel.ro, "aw"
  .balign 8
  .globl embedded_@table@
  .type embedded_@table@, %object
embedded_@table@:
@entries@  .quad 0, 0, 0
  .size embedded_@table@, . - embedded_@table@
  .globl embedded_@table@_count
  .type embedded_@table@_count, %object
embedded_@table@_count:
  .quad @index@
  .size embedded_@table@_count, 8
  .section .note.GNU-stack, "", %progbits
]])
endfunction()

# embed_source(TARGET SOURCE DEPENDENCY...)
function(embed_source target source)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${ARGN}")
  target_sources(${target} PRIVATE ${source})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/cmake)
endfunction()

# embed_files(TARGET TABLE BASE dir FILES file...)
# Builds files into TARGET as embedded_TABLE, which is made anew whenever one of them changes. BASE is a folder of the
# source or the full path of one.
function(embed_files target table)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "BASE" "FILES")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${table}.s)
  cmake_path(ABSOLUTE_PATH arg_BASE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  list(TRANSFORM arg_FILES REPLACE "^([^/])" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  embedded_source(${source} ${table} ${arg_BASE} ${arg_FILES})
  embed_source(${target} ${source} ${arg_FILES})
endfunction()

# embed_folder(TARGET TABLE FOLDER dir STAMP file)
# The same of all that is in a folder that the build makes, and STAMP after it.
function(embed_folder target table)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FOLDER;STAMP" "")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${table}.s)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DTABLE=${table} -DFOLDER=${arg_FOLDER} -DSOURCE=${source}
      -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${arg_STAMP} VERBATIM)
  embed_source(${target} ${source} ${arg_STAMP})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE files ${FOLDER}/*)
  embedded_source(${SOURCE} ${TABLE} ${FOLDER} ${files})
endif()
