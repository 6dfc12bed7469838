# manual.cmake - manual pages and completion for shells, which the program writes about itself.
set(manual_pages)
foreach(page costate run gradient tangent hessian check compare diff methods solvers)
    set(file ${PROJECT_BINARY_DIR}/man/costate-${page}.1)
    string(REPLACE costate-costate costate file ${file})
    add_custom_command(OUTPUT ${file}
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
                       COMMAND costate_command help ${page} --man -o ${file}
                       DEPENDS costate_command VERBATIM)
    list(APPEND manual_pages ${file})
endforeach()

set(completions)
foreach(shell bash zsh)
    set(file ${PROJECT_BINARY_DIR}/completion/${shell})
    add_custom_command(OUTPUT ${file}
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completion
                       COMMAND costate_command help --completion ${shell} -o ${file}
                       DEPENDS costate_command VERBATIM)
    list(APPEND completions ${file})
endforeach()

add_custom_target(costate_manual ALL DEPENDS ${manual_pages} ${completions})

install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/completion/bash RENAME costate
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/completion/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _costate)
