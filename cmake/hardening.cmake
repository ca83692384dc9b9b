# Compiler and linker defenses against memory errors. They turn a bug that could be used for an
# attack into the end of the process. tests/kernels/test_hardening.py checks the built module.
#
# Builds with sanitizers or coverage go without: they check more, and _FORTIFY_SOURCE hides calls
# from AddressSanitizer.

include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)

if(TREEWRIGHT_WATCHED)
  return()
endif()

# Adds a compile option where the compiler has it.
function(compile_with flag)
  string(MAKE_C_IDENTIFIER "TREEWRIGHT_HAS${flag}" known)
  check_cxx_compiler_flag("-Werror ${flag}" ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endfunction()

# Adds a link option where the linker has it.
function(link_with flag)
  string(MAKE_C_IDENTIFIER "TREEWRIGHT_HAS${flag}" known)
  check_linker_flag(CXX "${flag}" ${known})
  if(${known})
    add_link_options("${flag}")
  endif()
endfunction()

compile_with(-fstack-protector-strong)
compile_with(-fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|i.86)$")
  compile_with(-fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  compile_with(-mbranch-protection=standard)
endif()

# Without optimization _FORTIFY_SOURCE does nothing but warn. Some distributions set a lower level.
add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)

# Read-only relocations, all bound when the module is loaded, and no executable stack.
link_with(LINKER:-z,relro)
link_with(LINKER:-z,now)
link_with(LINKER:-z,noexecstack)
