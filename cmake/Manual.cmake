# The manual as a small site: docs/manual/ and the reference that mbs writes, rendered by lowdown. Sets manual_folder,
# where the pages are, and manual_stamp, made anew with them; without lowdown the folder stays empty.
set(manual_folder ${CMAKE_BINARY_DIR}/manual)
set(manual_stamp ${CMAKE_BINARY_DIR}/manual.stamp)
find_program(lowdown_program lowdown)
file(GLOB manual_sources CONFIGURE_DEPENDS docs/manual/*)
list(APPEND manual_sources ${CMAKE_SOURCE_DIR}/docs/page.md ${CMAKE_SOURCE_DIR}/docs/operations.md)
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
