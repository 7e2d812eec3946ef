/* SPDX-License-Identifier: MIT */
/* The table of the GPU: its memory, streams and recordings, and whether there is one. */
#include "cuda/device.h"

SupResult sup_cuda_check(cudaError_t code, const char *what, SupError *error) {
  if (code == cudaSuccess) return SUP_OK;
  const SupResult result =
      code == cudaErrorMemoryAllocation ? SUP_ERROR_MEMORY : SUP_ERROR_UNSUPPORTED;
  return sup_fail(error, result, "cuda: %s: %s", what, cudaGetErrorString(code));
}

void *sup_cuda_copy(const void *from, size_t bytes, const char *what, SupError *error) {
  void *to = NULL;
  const size_t least = bytes ? bytes : 16;
  cudaError_t code = cudaMalloc(&to, least);
  if (code == cudaSuccess) {
    code = from ? cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) : cudaMemset(to, 0, least);
  }
  if (sup_cuda_check(code, what, error) == SUP_OK) return to;
  cudaFree(to);
  return NULL;
}

/* ---- Memory and streams -------------------------------------------------------------------------
 */

static void *allocate(const SupAllocator *allocator, size_t bytes) {
  (void)allocator;
  void *memory = NULL;
  return cudaMalloc(&memory, bytes ? bytes : 16) == cudaSuccess ? memory : NULL;
}

static void release(const SupAllocator *allocator, void *memory, size_t bytes) {
  (void)allocator;
  (void)bytes;
  cudaFree(memory);
}

static SupResult upload(void *to, const void *from, size_t bytes, SupStream stream,
                        SupError *error) {
  return sup_cuda_check(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, (cudaStream_t)stream), "upload",
      error);
}

static SupResult download(void *to, const void *from, size_t bytes, SupStream stream,
                          SupError *error) {
  cudaError_t code = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, (cudaStream_t)stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize((cudaStream_t)stream);
  return sup_cuda_check(code, "download", error);
}

static SupResult copy(void *to, const void *from, size_t bytes, SupStream stream, SupError *error) {
  return sup_cuda_check(sup_cuda_copy_within(to, from, bytes, (cudaStream_t)stream), "copy", error);
}

static SupResult wait(SupStream stream, SupError *error) {
  cudaError_t code = cudaGetLastError();
  if (code == cudaSuccess) code = cudaStreamSynchronize((cudaStream_t)stream);
  return sup_cuda_check(code, "a kernel failed", error);
}

static SupStream stream_make(void) {
  cudaStream_t stream = NULL;
  return cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess ? stream : NULL;
}

static void stream_free(SupStream stream) { cudaStreamDestroy((cudaStream_t)stream); }

/* ---- Recordings ---------------------------------------------------------------------------------
 */

static SupResult record_begin(SupStream stream, SupError *error) {
  return sup_cuda_check(
      cudaStreamBeginCapture((cudaStream_t)stream, cudaStreamCaptureModeThreadLocal),
      "beginning a recording", error);
}

static void *record_end(SupStream stream, SupError *error) {
  cudaGraph_t graph = NULL;
  cudaGraphExec_t recording = NULL;
  cudaError_t code = cudaStreamEndCapture((cudaStream_t)stream, &graph);
  if (code == cudaSuccess) code = cudaGraphInstantiate(&recording, graph, 0);
  if (graph) cudaGraphDestroy(graph);
  return sup_cuda_check(code, "ending a recording", error) == SUP_OK ? recording : NULL;
}

static void play(void *recording, SupStream stream) {
  cudaGraphLaunch((cudaGraphExec_t)recording, (cudaStream_t)stream);
}

static void recording_free(void *recording) { cudaGraphExecDestroy((cudaGraphExec_t)recording); }

static double play_seconds(void *recording, uint32_t count, SupStream stream) {
  cudaEvent_t begin = NULL, end = NULL;
  float milliseconds = -1;
  if (cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess) {
    cudaEventRecord(begin, (cudaStream_t)stream);
    for (uint32_t k = 0; k < count; k++) play(recording, stream);
    cudaEventRecord(end, (cudaStream_t)stream);
    if (cudaEventSynchronize(end) == cudaSuccess) {
      cudaEventElapsedTime(&milliseconds, begin, end);
    }
  }
  if (begin) cudaEventDestroy(begin);
  if (end) cudaEventDestroy(end);
  return 1e-3 * (double)milliseconds;
}

/* ---- The table ----------------------------------------------------------------------------------
 */

static const SupBatchTable batches = {
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .download = download,
    .copy = copy,
    .wait = wait,
    .stream_make = stream_make,
    .stream_free = stream_free,
    .record_begin = record_begin,
    .record_end = record_end,
    .play = play,
    .recording_free = recording_free,
    .play_seconds = play_seconds,
    .surface_make = sup_cuda_surface_make,
    .surface_free = sup_cuda_surface_free,
    .surface_reset = sup_cuda_surface_reset,
    .surface_step = sup_cuda_surface_step,
    .surface_show = sup_cuda_surface_show,
    .surface_get = sup_cuda_surface_get,
    .surface_put = sup_cuda_surface_put,
    .modes_make = sup_cuda_modes_make,
    .modes_free = sup_cuda_modes_free,
    .modes_reset = sup_cuda_modes_reset,
    .modes_step = sup_cuda_modes_step,
    .modes_weights = sup_cuda_modes_weights,
    .modes_get = sup_cuda_modes_get,
    .modes_put = sup_cuda_modes_put,
    .helpers_make = sup_cuda_helpers_make,
    .helpers_free = sup_cuda_helpers_free,
    .helpers_reset = sup_cuda_helpers_reset,
    .helpers_step = sup_cuda_helpers_step,
    .helpers_lods = sup_cuda_helpers_lods,
    .helpers_blend = sup_cuda_helpers_blend,
    .skin_make = sup_cuda_skin_make,
    .skin_free = sup_cuda_skin_free,
    .skin_lbs = sup_cuda_skin_lbs,
};

static const SupBackend table = {.name = "cuda", .lanes = 32, .batch = &batches};

const SupBackend *sup_backend_cuda(const char **out_why) {
  int count = 0, major = 0;
  const char *why = NULL;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    why = "no NVIDIA GPU with a driver for this CUDA was found";
  } else if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
             major < 8) {
    why = "the GPU is too old: compute capability 8.0 or newer is needed";
  }
  if (out_why) *out_why = why;
  return why ? NULL : &table;
}
