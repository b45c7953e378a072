# Debian's clang for WebAssembly, with wasi-libc: packages of the purpose `page` in scripts/packages.txt.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_ASM_COMPILER clang-14)
set(CMAKE_ASM_COMPILER_TARGET wasm32-wasi)
set(CMAKE_SYSROOT /usr)
