# The libraries that the rooms link, as targets.
find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(LibArchive REQUIRED)
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

# The functions of <math.h> that round differently from one C library to the next, of musl: the module for the page has
# them, too (wasi-libc's are musl's), and they do not choose by the kind of CPU, as glibc's do. One object holds them and
# what they need, each as __wrap_NAME, which is what a program with the linker's option --wrap=NAME calls for NAME.
# Shared libraries keep the C library's. (sincos is what GCC makes of sin and cos of one angle.)
set(math_functions acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 expm1 hypot lgamma log log10
  log1p log2 pow sin sincos sinh tan tanh tgamma)
string(REPLACE gnu musl musl_architecture "${CMAKE_LIBRARY_ARCHITECTURE}")
find_library(musl_library libc.a PATHS ${CMAKE_PREFIX_PATH}/lib/${musl_architecture} /usr/lib/${musl_architecture}
  /usr/lib/musl/lib NO_DEFAULT_PATH REQUIRED)
set(musl_math_object ${CMAKE_BINARY_DIR}/musl_math.o)
list(TRANSFORM math_functions PREPEND --undefined= OUTPUT_VARIABLE undefined)
list(TRANSFORM math_functions PREPEND --keep-global-symbol= OUTPUT_VARIABLE kept)
list(TRANSFORM math_functions REPLACE "(.+)" "--redefine-sym=\\1=__wrap_\\1" OUTPUT_VARIABLE renamed)
list(TRANSFORM math_functions PREPEND -Wl,--wrap= OUTPUT_VARIABLE wrapped)
# GNU's linker, whatever CMake links programs with: LLVM's asks which machine an archive alone is for.
find_program(gnu_linker NAMES ld.bfd ld REQUIRED)
add_custom_command(OUTPUT ${musl_math_object}
  COMMAND ${gnu_linker} -r ${undefined} -o ${musl_math_object} ${musl_library}
  COMMAND ${CMAKE_OBJCOPY} ${kept} ${musl_math_object}
  COMMAND ${CMAKE_OBJCOPY} ${renamed} ${musl_math_object}
  DEPENDS ${musl_library} VERBATIM)
add_library(musl_math STATIC ${musl_math_object})
set_target_properties(musl_math PROPERTIES LINKER_LANGUAGE C)
target_link_options(musl_math INTERFACE ${wrapped})

# PostgreSQL's Ryu, of its files for extensions: a number in the fewest digits. The one object of that archive that is
# needed, and of it the one function that needs nothing.
file(GLOB pgcommon_libraries ${CMAKE_PREFIX_PATH}/lib/postgresql/*/lib/libpgcommon.a
  /usr/lib/postgresql/*/lib/libpgcommon.a)
list(SORT pgcommon_libraries COMPARE NATURAL ORDER DESCENDING)
list(POP_FRONT pgcommon_libraries pgcommon_library)
if(NOT pgcommon_library)
  message(FATAL_ERROR "libpgcommon.a is missing; Debian has it in postgresql-server-dev-15")
endif()
string(REGEX REPLACE "/lib/postgresql/([0-9]+)/.*" "/include/postgresql/\\1/server" pgcommon_include ${pgcommon_library})
set(ryu_object ${CMAKE_BINARY_DIR}/d2s.o)
add_custom_command(OUTPUT ${ryu_object}
  COMMAND ${CMAKE_AR} x ${pgcommon_library} d2s.o
  COMMAND ${CMAKE_OBJCOPY} --weaken-symbol=palloc --keep-global-symbol=double_to_shortest_decimal_bufn ${ryu_object}
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR} DEPENDS ${pgcommon_library} VERBATIM)
add_library(ryu STATIC ${ryu_object})
set_target_properties(ryu PROPERTIES LINKER_LANGUAGE C)
target_include_directories(ryu SYSTEM INTERFACE ${pgcommon_include})

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
