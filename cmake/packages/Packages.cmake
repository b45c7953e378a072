# Debian packages: cpack -G DEB in the build folder.

# ---- python3-mbsd: the client, and its extension against the shared library ------------------------------------------

set(packages mbsd mbs libmbs0 libmbs-dev)
set(CPACK_MBS_TARGETS mbsd mbs_cli mbs_shared man)
set(python_modules lib/python3/dist-packages)
# Debian's Python, whose modules the package is one of.
execute_process(COMMAND /usr/bin/python3 -c "import cffi, sysconfig; print(sysconfig.get_path('include'))"
  OUTPUT_VARIABLE python_include OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failure ERROR_QUIET)
if(failure OR NOT EXISTS ${python_include}/Python.h)
  message(STATUS "The package python3-mbsd is left out: python3-cffi or python3-dev is not installed")
else()
  list(APPEND packages python3-mbsd)
  list(APPEND CPACK_MBS_TARGETS python_library)
  set(extension ${CMAKE_BINARY_DIR}/python/_library.c)
  set(describe "__import__('build_library').builder.emit_c_code('${extension}')")
  add_custom_command(OUTPUT ${extension}
    COMMAND ${CMAKE_COMMAND} -E make_directory python
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${CMAKE_SOURCE_DIR}/clients/python /usr/bin/python3 -B -c ${describe}
    DEPENDS clients/python/build_library.py VERBATIM)
  add_library(python_library MODULE ${extension})
  set_target_properties(python_library PROPERTIES PREFIX "" OUTPUT_NAME _library SUFFIX .abi3.so INSTALL_RPATH ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python)
  target_include_directories(python_library PRIVATE library solver ${python_include})
  target_compile_options(python_library PRIVATE -w) # the code is cffi's
  target_link_libraries(python_library PRIVATE mbs_shared)
  configure_file(cmake/packages/METADATA.in python/METADATA @ONLY)
  install(TARGETS python_library DESTINATION ${python_modules}/_mbsd COMPONENT python3-mbsd EXCLUDE_FROM_ALL)
  install(DIRECTORY clients/python/_mbsd DESTINATION ${python_modules} COMPONENT python3-mbsd EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN *.py PATTERN __pycache__ EXCLUDE)
  install(FILES clients/python/mbsd.py DESTINATION ${python_modules} COMPONENT python3-mbsd EXCLUDE_FROM_ALL)
  install(FILES ${CMAKE_BINARY_DIR}/python/METADATA COMPONENT python3-mbsd EXCLUDE_FROM_ALL
    DESTINATION ${python_modules}/mbsd-${PROJECT_VERSION}.dist-info)
endif()

# The files have the same bytes wherever the source is: paths of the build are neither in their run path nor, through
# debugging symbols, in the build id.
foreach(target ${CPACK_MBS_TARGETS})
  if(NOT target STREQUAL man)
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
    target_link_options(${target} PRIVATE -Wl,--build-id=none)
  endif()
endforeach()

# ---- what the packages are -------------------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "mbsd developers <mbsd@users.noreply.example.org>")
set(CPACK_COMPONENTS_ALL ${packages})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_MBS_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_MBS_BUILD ${CMAKE_BINARY_DIR})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/packages/build.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/packages/complete.cmake)

# package(NAME SECTION SUMMARY TEXT [CONTROL-FILE...])
function(package name section summary text)
  string(TOUPPER ${name} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${component}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/deploy/debian/${name}/)
  set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA "${ARGN}" PARENT_SCOPE)
endfunction()
package(mbsd science "multibody simulation service"
  "Computes the motion of mechanisms that programs and a web page send to it as\ndocuments, and stores the results. It listens on the loopback interface."
  conffiles postinst prerm postrm)
package(mbs science "multibody simulation on the command line"
  "Runs, checks and compares models of mechanisms: dynamics, kinematics, statics,\nlinearization, studies and optimization. It imports URDF, MJCF, SDF and others.")
package(libmbs0 libs "multibody simulation library"
  "Computes the motion of mechanisms of rigid bodies, in the plane and in space,\nwithin a program."
  triggers)
package(libmbs-dev libdevel "multibody simulation library (development files)"
  "The headers for C and C++, files for pkg-config and CMake, and examples of the\nlibrary libmbs, which computes the motion of mechanisms.")
package(python3-mbsd python "multibody simulation in Python"
  "Builds and runs models of mechanisms in Python's process, with results as NumPy\narrays, or on a service mbsd."
  postinst prerm)
include(CPack)
