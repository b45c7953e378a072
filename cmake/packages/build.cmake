# Read by cpack before it installs the packages' files: builds them.
execute_process(COMMAND ${CMAKE_COMMAND} --build ${CPACK_MBS_BUILD} --target ${CPACK_MBS_TARGETS}
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failure)
if(failure)
  message(FATAL_ERROR "${output}")
endif()
