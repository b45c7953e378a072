# embed_files(TARGET TABLE BASE dir FILES file...)
# Builds files into TARGET as the read-only table embedded_TABLE (declared in embedded.h), sorted by name; names are
# relative to BASE, a folder of the source or the full path of one. The bytes are read by the assembler, so the table is made anew whenever a file changes.
function(embed_files target table)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "BASE" "FILES")
  list(SORT arg_FILES)
  cmake_path(ABSOLUTE_PATH arg_BASE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set(entries "")
  set(blobs "")
  set(index 0)
  foreach(file ${arg_FILES})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${arg_BASE} OUTPUT_VARIABLE name)
    string(APPEND entries "  .quad .Lname${index}, .Ldata${index}, .Lend${index} - .Ldata${index}\n")
    string(APPEND blobs ".Lname${index}: .asciz \"${name}\"\n  .balign 16\n"
      ".Ldata${index}: .incbin \"${file}\"\n.Lend${index}: .byte 0\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${table}.s)
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
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${arg_FILES}")
  target_sources(${target} PRIVATE ${source})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/cmake)
endfunction()
