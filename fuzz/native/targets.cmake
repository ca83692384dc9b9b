# One program a target of this folder, linked with the core. They are built as the core is; `driver`
# stands in for libFuzzer.
function(add_fuzz_targets driver)
  file(GLOB targets CONFIGURE_DEPENDS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/*_target.cpp")
  foreach(source IN LISTS targets)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(${name} "${source}" ${driver})
    target_compile_features(${name} PRIVATE cxx_std_20)
    target_compile_options(${name} PRIVATE -Wall -Wextra)
    target_link_libraries(${name} PRIVATE treewright_core)
  endforeach()
endfunction()
