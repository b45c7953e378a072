# The libraries that the rooms link, as targets.
find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(LibArchive REQUIRED)
find_package(LibXml2 REQUIRED)
find_package(ZLIB REQUIRED)
# libpq's headers; without them the program is built without the store on PostgreSQL (server/store/postgres/).
set(PostgreSQL_ADDITIONAL_VERSIONS 15)
find_package(PostgreSQL)

function(import_library target header library)
  find_path(${target}_include ${header} REQUIRED)
  find_library(${target}_library ${library} REQUIRED)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_include})
  target_link_libraries(${target} INTERFACE ${${target}_library})
endfunction()
# The name that programs find a shared library by.
function(library_name out library)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE ".*SONAME +([^\n]+).*" "\\1" name "${headers}")
  set(${out} ${name} PARENT_SCOPE)
endfunction()

import_library(jansson jansson.h jansson)
import_library(microhttpd microhttpd.h microhttpd)
import_library(seccomp seccomp.h seccomp)
import_library(nettle nettle/sha2.h nettle)
import_library(xxhash xxhash.h xxhash)
import_library(nlopt nlopt.h nlopt)
import_library(cminpack cminpack-1/cminpack.h cminpack)

# OpenBLAS: the serial build, whatever other builds are installed (the threaded ones are not safe in a forked,
# memory-limited worker). It holds cblas and the Fortran LAPACK. Programs find it by their run path, not by Debian's
# alternatives.
find_path(openblas_include cblas.h PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial
  /usr/include/openblas-serial NO_DEFAULT_PATH REQUIRED)
find_library(openblas_library openblas PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial
  /usr/lib/openblas-serial NO_DEFAULT_PATH REQUIRED)
cmake_path(GET openblas_library PARENT_PATH openblas_folder)
add_library(openblas_serial INTERFACE)
target_include_directories(openblas_serial SYSTEM INTERFACE ${openblas_include})
target_link_libraries(openblas_serial INTERFACE ${openblas_library})
set(CMAKE_INSTALL_RPATH ${openblas_folder})
set(CMAKE_BUILD_RPATH ${openblas_folder})

# SUNDIALS, CVODE with dense matrices. Static: Debian's shared linear solvers bring MPI and PETSc with them.
find_path(sundials_include cvode/cvode.h REQUIRED)
add_library(sundials_cvode INTERFACE)
target_include_directories(sundials_cvode SYSTEM INTERFACE ${sundials_include})
foreach(part cvode nvecserial sunlinsoldense sunmatrixdense)
  find_library(sundials_${part}_library NAMES libsundials_${part}.a REQUIRED)
  target_link_libraries(sundials_cvode INTERFACE ${sundials_${part}_library})
endforeach()

# HDF5, the serial build, and libmatio on top of it. Where their headers and libraries are depends on which builds of
# HDF5 there are.
find_path(hdf5_include hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
find_library(hdf5_library hdf5_serial REQUIRED)
import_library(matio matio.h matio)
target_include_directories(matio SYSTEM INTERFACE ${hdf5_include})
target_link_libraries(matio INTERFACE ${hdf5_library})
