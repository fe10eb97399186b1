# The import target hone_torch: headers and libraries of a PyTorch wheel, found by HONE_TORCH_DIR
# (the folder that holds include/ and lib/). No find_package(Torch): it injects flags and CUDA.
set(HONE_TORCH_DIR $ENV{HONE_TORCH_DIR} CACHE PATH "Folder of libtorch with include/ and lib/")
if(NOT EXISTS ${HONE_TORCH_DIR}/include/ATen/core/Tensor.h)
  message(FATAL_ERROR "HONE_TORCH_DIR='${HONE_TORCH_DIR}' holds no include/ATen/core/Tensor.h; "
                      "run ./dev build, or set it to the torch folder of a wheel (2.11 to 2.14)")
endif()
add_library(hone_torch INTERFACE)
target_include_directories(hone_torch SYSTEM INTERFACE
  ${HONE_TORCH_DIR}/include ${HONE_TORCH_DIR}/include/torch/csrc/api/include)
# The wheel's include folder has an fmt of its own, newer than Debian's libfmt, hence header-only.
target_compile_definitions(hone_torch INTERFACE AT_PER_OPERATOR_HEADERS FMT_HEADER_ONLY)
target_compile_options(hone_torch INTERFACE -fopenmp)
target_link_directories(hone_torch INTERFACE ${HONE_TORCH_DIR}/lib)
target_link_libraries(hone_torch INTERFACE -Wl,--no-as-needed torch torch_cpu c10)
if(EXISTS ${HONE_TORCH_DIR}/lib/libtorch_cuda.so)
  target_link_libraries(hone_torch INTERFACE torch_cuda c10_cuda)
endif()
target_link_libraries(hone_torch INTERFACE -Wl,--as-needed -fopenmp)
target_link_options(hone_torch INTERFACE -Wl,-rpath,${HONE_TORCH_DIR}/lib)
