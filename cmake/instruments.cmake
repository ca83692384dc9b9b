# Builds that watch the code while it runs: sanitizers, coverage, the core's own tests. All are off
# in what is installed.

set(TREEWRIGHT_SANITIZE "" CACHE STRING
    "Sanitizers to build with: address;undefined, or thread (and fuzzer-no-link with clang)")
option(TREEWRIGHT_COVERAGE
       "Count the branches taken: source-based (llvm-cov) with clang, gcov with g++" OFF)
option(TREEWRIGHT_CORE_TESTS "Build native/tests into the program treewright_core_tests" OFF)
option(TREEWRIGHT_EXTENSION "Build the Python module; off needs no Python" ON)

# Compiles and links everything that follows with these flags.
function(watch_with)
  add_compile_options(${ARGN})
  add_link_options(${ARGN})
endfunction()

set(TREEWRIGHT_WATCHED OFF)
if(TREEWRIGHT_SANITIZE OR TREEWRIGHT_COVERAGE)
  set(TREEWRIGHT_WATCHED ON)
endif()

if(TREEWRIGHT_SANITIZE)
  list(JOIN TREEWRIGHT_SANITIZE "," sanitizers)
  watch_with(-fsanitize=${sanitizers} -fno-sanitize-recover=all)
  add_compile_options(-O1 -g1 -fno-omit-frame-pointer)
  if("undefined" IN_LIST TREEWRIGHT_SANITIZE)
    watch_with(-fsanitize=float-cast-overflow)
  endif()
endif()

# Threads of the pool count at the same time, hence atomically. clang counts what the text says,
# however it is optimized; gcov counts what the optimizer leaves.
if(TREEWRIGHT_COVERAGE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  watch_with(-fprofile-instr-generate -fcoverage-mapping -fprofile-update=atomic)
  add_compile_options(-O2 -g1)
elseif(TREEWRIGHT_COVERAGE)
  watch_with(--coverage -fprofile-update=atomic)
  add_compile_options(-O1 -g1)
endif()

# With these, libstdc++ and libc++ check the indices of vectors and spans.
set(TREEWRIGHT_CHECKED_INDICES
    _GLIBCXX_ASSERTIONS _LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_FAST)

# They are checked wherever the core is tested, and so is what the core asserts: Release would leave
# it out.
if(TREEWRIGHT_WATCHED OR TREEWRIGHT_CORE_TESTS)
  add_compile_definitions(${TREEWRIGHT_CHECKED_INDICES})
  add_compile_options(-UNDEBUG)
endif()
