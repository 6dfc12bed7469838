# EmbedHeaders.cmake - cmake -DFOLDER=include/costate -DNAMES="model.h;runtime.h" -DOUT=headers.c -P EmbedHeaders.cmake
# Writes the headers as the arrays that ad/load/headers.h declares.
set(arrays "")
set(rows "")
list(LENGTH NAMES count)
foreach(name ${NAMES})
    string(MAKE_C_IDENTIFIER ${name} id)
    file(READ ${FOLDER}/${name} hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays "static const unsigned char ${id}[] = {\n${bytes}};\n")
    string(APPEND rows "    {\"${name}\", ${id}, sizeof ${id}},\n")
endforeach()
file(WRITE ${OUT} "#include \"load/headers.h\"\n\n${arrays}\nconst ad_header ad_headers[] = {\n${rows}};\nconst int ad_header_count = ${count};\n")
