# LinearSolvers.cmake - what src/linsol needs. LAPACK is required; KLU and SuperLU are used if they are there, and their back ends
# are empty otherwise. UMFPACK is under the GPL: it is never linked to the library but to libcostate_umfpack.so, a shared object
# of its own that the library loads when a user asks for "umfpack" by name.
#
#     costate_use_linear_solvers(objects library...)   compile the objects, link the libraries with all of them
#     costate_umfpack                                  the plugin's target, if it can be built
#
# Debian packages: libopenblas-dev, libsuitesparse-dev, libsuperlu-dev.
option(COSTATE_UMFPACK "Build the plugin with UMFPACK, which is under the GPL" ON)

find_package(LAPACK REQUIRED)
set(costate_solver_libraries ${LAPACK_LIBRARIES} ${CMAKE_DL_LIBS})
set(costate_solver_definitions)
set(costate_solver_includes)

# Looks for header and library of NAME; if both are there, compiles with COSTATE_HAVE_NAME.
function(costate_find_solver name header library)
    find_path(COSTATE_${name}_INCLUDE ${header} PATH_SUFFIXES suitesparse superlu)
    find_library(COSTATE_${name}_LIBRARY ${library})
    mark_as_advanced(COSTATE_${name}_INCLUDE COSTATE_${name}_LIBRARY)
    if(COSTATE_${name}_INCLUDE AND COSTATE_${name}_LIBRARY)
        set(found "${COSTATE_${name}_LIBRARY}")
        set(COSTATE_HAVE_${name} ON PARENT_SCOPE)
    else()
        set(found "not found")
        set(COSTATE_HAVE_${name} OFF PARENT_SCOPE)
    endif()
    message(STATUS "Linear solver ${library}: ${found}")
endfunction()

costate_find_solver(KLU klu.h klu)
costate_find_solver(SUPERLU slu_ddefs.h superlu)
costate_find_solver(UMFPACK umfpack.h umfpack)

foreach(name KLU SUPERLU)
    if(COSTATE_HAVE_${name})
        list(APPEND costate_solver_definitions COSTATE_HAVE_${name})
        list(APPEND costate_solver_includes ${COSTATE_${name}_INCLUDE})
        list(PREPEND costate_solver_libraries ${COSTATE_${name}_LIBRARY})
    endif()
endforeach()

function(costate_use_linear_solvers objects)
    target_compile_definitions(${objects} PRIVATE ${costate_solver_definitions})
    target_include_directories(${objects} SYSTEM PRIVATE ${costate_solver_includes})
    foreach(library ${ARGN})
        target_link_libraries(${library} PRIVATE ${costate_solver_libraries})
    endforeach()
endfunction()

if(COSTATE_UMFPACK AND COSTATE_HAVE_UMFPACK)
    add_library(costate_umfpack MODULE src/linsol/umfpack.c src/linsol/blas.c src/linsol/pencil.c src/base/alloc.c)
    set_target_properties(costate_umfpack PROPERTIES SUFFIX ${CMAKE_SHARED_LIBRARY_SUFFIX}) # a module has another on macOS
    target_compile_definitions(costate_umfpack PRIVATE COSTATE_UMFPACK_PLUGIN)
    target_include_directories(costate_umfpack PRIVATE include src)
    target_include_directories(costate_umfpack SYSTEM PRIVATE ${COSTATE_UMFPACK_INCLUDE})
    target_link_libraries(costate_umfpack PRIVATE ${COSTATE_UMFPACK_LIBRARY} m)
    install(TARGETS costate_umfpack LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
