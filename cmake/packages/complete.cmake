# Completes the packages: read by cpack after it has installed the files of each package into a folder. Adds the files
# that Debian asks for and those outside of /usr, and sets the dependencies and the time of the files.
cmake_policy(VERSION 3.25)
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})

# ---- time: the packages of a commit have the same bytes whenever they are built --------------------------------------

if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${CPACK_MBS_SOURCE} log -1 --format=%ct OUTPUT_VARIABLE epoch
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT epoch) # not a clone: the date of the release
    file(STRINGS ${CPACK_MBS_SOURCE}/CHANGELOG.md release REGEX "^## \\[[0-9].* - " LIMIT_COUNT 1)
    string(REGEX REPLACE ".* - " "" release "${release}")
    execute_process(COMMAND date -u -d "${release}" +%s OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${epoch})
endif()

# ---- files -----------------------------------------------------------------------------------------------------------

execute_process(COMMAND date -u -R -d @$ENV{SOURCE_DATE_EPOCH} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE)
foreach(package IN LISTS CPACK_COMPONENTS_ALL)
  set(documents ${root}/${package}/usr/share/doc/${package})
  file(WRITE ${documents}/changelog "mbsd (${CPACK_PACKAGE_VERSION}) bookworm; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}; CHANGELOG.md.gz lists the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  configure_file(${CPACK_MBS_SOURCE}/CHANGELOG.md ${documents}/CHANGELOG.md COPYONLY)
  configure_file(${CPACK_MBS_SOURCE}/LICENSE ${documents}/copyright COPYONLY)
  file(GLOB texts ${documents}/changelog ${documents}/CHANGELOG.md ${root}/${package}/usr/share/man/man1/*.1)
  execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
  if(package MATCHES "^(libmbs0|mbs|mbsd)$")
    configure_file(${CPACK_MBS_SOURCE}/deploy/debian/lintian-overrides
      ${root}/${package}/usr/share/lintian/overrides/${package} COPYONLY)
  endif()
endforeach()
file(COPY ${CPACK_MBS_SOURCE}/deploy/mbsd.conf DESTINATION ${root}/mbsd/etc)
file(GLOB examples ${CPACK_MBS_SOURCE}/examples/*)
file(COPY ${examples} DESTINATION ${root}/libmbs-dev/usr/share/doc/libmbs-dev/examples)

# ---- dependencies ----------------------------------------------------------------------------------------------------

# set_depends(PACKAGE FILES OTHERS)
# Sets the dependencies of a package: the libraries that these files need, and others.
function(set_depends package files others)
  set(folder ${root}/../dependencies)
  file(WRITE ${folder}/debian/control "Source: mbsd\n\nPackage: ${package}\nArchitecture: any\n") # asked for
  set(depends ${others})
  if(files)
    list(TRANSFORM files PREPEND ${root}/)
    execute_process(COMMAND dpkg-shlibdeps -O --ignore-missing-info -l${root}/libmbs0/usr/lib ${files}
      WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_VARIABLE errors
      RESULT_VARIABLE failure)
    if(failure)
      message(FATAL_ERROR "dpkg-shlibdeps (package dpkg-dev): ${failure} ${errors}")
    endif()
    string(REGEX REPLACE "^.*Depends=" "" found "${found}")
    # Of the builds of OpenBLAS that have this library, the programs use the serial one (cmake/Libraries.cmake).
    string(REGEX REPLACE "libopenblas0(,|$)" "libopenblas0-serial\\1" found "${found}")
    list(PREPEND depends ${found})
  endif()
  list(JOIN depends ", " depends)
  string(TOUPPER ${package} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
endfunction()

set(same_library "libmbs0 (= ${CPACK_PACKAGE_VERSION})")
file(GLOB library RELATIVE ${root} ${root}/libmbs0/usr/lib/libmbs.so.0.*)
set_depends(mbsd mbsd/usr/bin/mbsd adduser)
# The program loads some libraries of libmbs when it needs them (cli/lazy_libraries.c).
set_depends(mbs "mbs/usr/bin/mbs;${library}" "")
set_depends(libmbs0 ${library} "")
set_depends(libmbs-dev "" "${same_library}")
# Versions 0.x may change the interface: programs of others need the version that they are built with.
file(WRITE ${root}/../shlibs "libmbs 0 ${same_library}\n")
list(APPEND CPACK_DEBIAN_LIBMBS0_PACKAGE_CONTROL_EXTRA ${root}/../shlibs)
if("python3-mbsd" IN_LIST CPACK_COMPONENTS_ALL)
  set_depends(python3-mbsd python3-mbsd/usr/lib/python3/dist-packages/_mbsd/_library.abi3.so
    "${same_library};python3 (>= 3.11);python3-numpy;python3-cffi-backend")
endif()
