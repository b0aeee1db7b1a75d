/* F1, compiled kernels: what they share, and the choice among the instruction sets they are compiled for.

Plain C without the Python or NumPy API, so that every loop runs without the interpreter lock. The same source is
compiled for each instruction set; fused multiply-add serves only to find rounding errors, which it does not change,
and in the exponential.
*/

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { F64, F32, F16, I8, U8, I16, U16, I32, U32, I64, U64 };
static const ptrdiff_t SIZES[] = {8, 4, 2, 1, 1, 2, 2, 4, 4, 8, 8};

enum { COUNT, LOWEST, HIGHEST, TOTAL, REST, CENTER, M2, M2_REST, STATISTICS, GRID = STATISTICS, SQUARE_GRID, FOUND };
enum { SIGMA, A, A_LOW, K, K_LOW, K_WHOLE, B, B_LOW, CONSTANTS };

enum {
    STRIP = 256, /* values of one wide row: a few of its copies fit in the first cache */
    WIDEST = 2048, /* values of one wide row that is read once */
    WIDE = WIDEST + 40, /* from one of its statistics to the next: no power of two, or all take one place in the cache */
    FIRST_ROWS = 32,
    MOST_ROWS = 256,
    LANES = 32, /* values of one wide row of contiguous data: longer ones are no stream to the processor */
    LANES_OF_MAP = 128,
    AHEAD = 4096, /* float32 values between those at work and those that are fetched */
    AHEAD_TO_WRITE = 1024,
    SLICE = 64, /* rows of a wide matrix for which the map of a strip stays in the first cache */
    TOGETHER = 4,
    NARROW = 64, /* features of samples that are handled together */
    PIECE = 1 << 15, /* values that fit in the second cache, with room to spare */
};

#define SMALLEST 0x1p-400 /* squares, and products with a count, of values between these are normal numbers */
#define LARGEST 0x1p400
#define EXACT_INTEGER 0x1p53

static volatile const double hidden_one = 1.0;

typedef struct {
    char *data;
    ptrdiff_t rows, columns, row_step, column_step; /* steps in bytes */
    int type;
} Matrix;

typedef struct {
    int with_b, clip;
    double low, high;
} Affine;

enum { LAYER, RMS, SOFTMAX };

/* A row norm; gamma and beta have d values. */
typedef struct {
    int kind, centred, precise, scaled, alone; /* alone: a call for each sample, as their sizes differ */
    double eps, temperature, count, largest;
    const double *gamma, *beta;
} Norm;

typedef struct {
    const char *instructions;
    int (*column_sums)(Matrix x, int moments, double *sums, ptrdiff_t sums_step, double *scratch);
    int (*stored_sums)(Matrix x, const char *columns, int wide_index, ptrdiff_t d, int moments, double *found,
                       double *sigma);
    void (*merge)(double *all, ptrdiff_t all_step, const double *found, ptrdiff_t step, ptrdiff_t d);
    int (*affine)(Matrix x, Matrix y, const double *map, const Affine *f);
    int (*affine_stored)(Matrix x, Matrix y, const char *columns, int wide_index, const double *map, ptrdiff_t d,
                         const Affine *f);
    void (*rows)(Matrix x, Matrix y, const Norm *f, double *first, double *second, unsigned char *declined,
                 double *scratch);
} Kernels;

#define PRESENT(v) ((v) == (v) ? 1.0 : 0.0)
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline)) /* flags among the arguments make loops of their own */
#define FETCH(place) __builtin_prefetch(place, 0, 2) /* into the second cache: the first is for what is at work */
#define FETCH_TO_WRITE(place) __builtin_prefetch(place, 1, 2)
#else
#define INLINE static inline
#define FETCH(place)
#define FETCH_TO_WRITE(place)
#endif

#define JOINED(name, set) name##_##set
#define EXPANDED(name, set) JOINED(name, set)
#define NAME(name) EXPANDED(name, SET)

#define SET plain
#define SET_NAME "baseline"
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FUSED
#endif
#include "_native_set.h"
#undef SET
#undef SET_NAME

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__) && !defined(FUSED)
#include <immintrin.h>
#define HAS_AVX2
#define WITH_AVX
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define SET avx2
#define SET_NAME "AVX2 and FMA"
#define FUSED
#include "_native_set.h"
#undef SET
#undef SET_NAME
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

static const Kernels *kernels(void)
{
#ifdef HAS_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &kernels_avx2;
#endif
    return &kernels_plain;
}
