# The manual as a small site: docs/manual/, the reference that mbs writes and the pages of docs/models/, by lowdown.
# Sets manual_folder, where the pages are, and manual_stamp, made anew with them; without lowdown the folder stays empty.
set(manual_folder ${CMAKE_BINARY_DIR}/manual)
set(manual_stamp ${CMAKE_BINARY_DIR}/manual.stamp)
find_program(lowdown_program lowdown)
file(GLOB manual_sources CONFIGURE_DEPENDS docs/manual/* docs/models/* tests/reference/*.json
  tests/reference/answers/seeds.json tests/reference/dap/* web/src/manual/* web/src/plots/decimate.ts web/src/app/format.ts)
list(APPEND manual_sources ${CMAKE_SOURCE_DIR}/docs/page.md ${CMAKE_SOURCE_DIR}/docs/page.png ${CMAKE_SOURCE_DIR}/docs/page-build.png
  ${CMAKE_SOURCE_DIR}/docs/operations.md ${CMAKE_SOURCE_DIR}/docs/scale.md)
if(lowdown_program)
  add_custom_command(OUTPUT ${manual_stamp}
    COMMAND bash ${CMAKE_SOURCE_DIR}/docs/manual/build.sh ${lowdown_program} $<TARGET_FILE:mbs_cli> ${manual_folder}
    COMMAND ${CMAKE_COMMAND} -E touch ${manual_stamp}
    DEPENDS mbs_cli ${manual_sources} VERBATIM)
else()
  message(STATUS "The manual is left out: lowdown, which renders it, is not installed")
  file(REMOVE_RECURSE ${manual_folder})
  file(MAKE_DIRECTORY ${manual_folder})
  file(TOUCH ${manual_stamp})
endif()

# add_man_pages(TARGET...)
# Adds the target `man`, of a man page for each program: man/NAME.1.
function(add_man_pages)
  set(pages "")
  foreach(target ${ARGN})
    get_target_property(name ${target} OUTPUT_NAME)
    if(NOT name)
      set(name ${target})
    endif()
    set(page ${CMAKE_BINARY_DIR}/man/${name}.1)
    set(text ${CMAKE_SOURCE_DIR}/docs/manual/man/${name}.1.md)
    set(script ${CMAKE_SOURCE_DIR}/docs/manual/man/build.sh)
    if(lowdown_program)
      add_custom_command(OUTPUT ${page}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/man
        COMMAND bash ${script} ${lowdown_program} $<TARGET_FILE:${target}> ${text} ${page}
        DEPENDS ${target} ${text} ${script} VERBATIM)
      list(APPEND pages ${page})
    endif()
  endforeach()
  add_custom_target(man ALL DEPENDS ${pages})
endfunction()
