/* F1, compiled kernels: layer norm and RMS norm of float32 samples, read twice from the cache and written as they are.

float64 has 29 bits more than the data. Deviations t from the first value of a sample are exact enough for one pass:
var = mean(t**2) - mean(t)**2 loses no more than the bits of the number of features, since no value lies farther from
the mean than sqrt(d) standard deviations. Included once per instruction set.
*/

typedef float NAME(Four) __attribute__((vector_size(16), aligned(4), may_alias));
typedef int64_t NAME(FourLong) __attribute__((vector_size(32)));
typedef double NAME(FourWide) __attribute__((vector_size(32), aligned(8), may_alias));

#ifdef WITH_AVX /* for which GCC makes four instructions of the other */
#define WIDE_FLOATS(p) ((NAME(FourWide))_mm256_cvtps_pd(_mm_loadu_ps((const float *)(p))))
#define NARROWED(t) ((NAME(Four))_mm256_cvtpd_ps((__m256d)(t)))
#else
#define WIDE_FLOATS(p) __builtin_convertvector(*(const NAME(Four) *)(p), NAME(FourWide))
#define NARROWED(t) __builtin_convertvector(t, NAME(Four))
#endif
#if defined(__clang__)
#define SHUFFLED(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLED(a, b, ...) __builtin_shuffle(a, b, (NAME(FourLong)){__VA_ARGS__})
#endif
#define TOTAL_OF(v) (((v)[0] + (v)[1]) + ((v)[2] + (v)[3]))

/* The total of each of four. */
INLINE NAME(FourWide) NAME(totals)(NAME(FourWide) a, NAME(FourWide) b, NAME(FourWide) c, NAME(FourWide) d)
{
    NAME(FourWide) ab = SHUFFLED(a, b, 0, 4, 2, 6) + SHUFFLED(a, b, 1, 5, 3, 7);
    NAME(FourWide) cd = SHUFFLED(c, d, 0, 4, 2, 6) + SHUFFLED(c, d, 1, 5, 3, 7);
    return SHUFFLED(ab, cd, 0, 1, 4, 5) + SHUFFLED(ab, cd, 2, 3, 6, 7);
}

#define ADD(k)                                                                                                        \
    t = WIDE_FLOATS(x + k * step + j) - origin[k];                                                                    \
    s##k += t;                                                                                                        \
    q##k += t * t;

/* Sums of x - origin and of their squares, of four narrow samples; d is a multiple of four. */
INLINE void NAME(float_sums_of_four)(const char *x, ptrdiff_t step, ptrdiff_t d, const double *origin, double *sum,
                                     double *squares)
{
    NAME(FourWide) s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, q0 = {0}, q1 = {0}, q2 = {0}, q3 = {0}, t;
    for (ptrdiff_t j = 0; j < 4 * d; j += 16) {
        ADD(0)
        ADD(1)
        ADD(2)
        ADD(3)
    }
    *(NAME(FourWide) *)sum = NAME(totals)(s0, s1, s2, s3);
    *(NAME(FourWide) *)squares = NAME(totals)(q0, q1, q2, q3);
}

/* The same of one sample, to the same bits. */
INLINE void NAME(float_sums)(const float *x, ptrdiff_t d, double origin, double *sum, double *squares)
{
    NAME(FourWide) s[4] = {{0}}, q[4] = {{0}}, t;
    ptrdiff_t j = 0;
    for (; d > NARROW && j + 16 <= d; j += 16) {
        FETCH(x + j + AHEAD);
        t = WIDE_FLOATS(x + j) - origin;
        s[0] += t;
        q[0] += t * t;
        t = WIDE_FLOATS(x + j + 4) - origin;
        s[1] += t;
        q[1] += t * t;
        t = WIDE_FLOATS(x + j + 8) - origin;
        s[2] += t;
        q[2] += t * t;
        t = WIDE_FLOATS(x + j + 12) - origin;
        s[3] += t;
        q[3] += t * t;
    }
    for (; j + 4 <= d; j += 4) {
        t = WIDE_FLOATS(x + j) - origin;
        s[0] += t;
        q[0] += t * t;
    }
    NAME(FourWide) total = (s[0] + s[1]) + (s[2] + s[3]), total_squares = (q[0] + q[1]) + (q[2] + q[3]);
    double rest = 0, rest_squares = 0;
    for (; j < d; j++) {
        double one = (double)x[j] - origin;
        rest += one;
        rest_squares += one * one;
    }
    *sum = TOTAL_OF(total) + rest;
    *squares = TOTAL_OF(total_squares) + rest_squares;
}

/* gamma * ((x - origin) - above) * inverse + beta of four values. The mean is origin + above, and as one float64 it would
lack bits that count where a sample deviates from it by hardly more than a float32 can. */
INLINE void NAME(float_four)(const float *x, float *y, double origin, double above, double inverse, const double *gamma,
                             const double *beta, const int centred, const int scaled)
{
    NAME(FourWide) t = WIDE_FLOATS(x);
    if (centred)
        t = (t - origin) - above;
    t *= inverse;
    if (scaled)
        t = t * *(const NAME(FourWide) *)gamma + *(const NAME(FourWide) *)beta;
    *(NAME(Four) *)y = NARROWED(t);
}

INLINE void NAME(float_image)(const float *x, float *y, ptrdiff_t d, double origin, double above, double inverse,
                              const double *gamma, const double *beta, const int centred, const int scaled)
{
    ptrdiff_t j = 0;
    for (; d > NARROW && j + 16 <= d; j += 16) {
        FETCH_TO_WRITE(y + j + AHEAD_TO_WRITE);
        for (ptrdiff_t k = j; k < j + 16; k += 4)
            NAME(float_four)(x + k, y + k, origin, above, inverse, gamma + k, beta + k, centred, scaled);
    }
    for (; j + 4 <= d; j += 4)
        NAME(float_four)(x + j, y + j, origin, above, inverse, gamma + j, beta + j, centred, scaled);
    for (; j < d; j++) {
        double t = (centred ? (x[j] - origin) - above : x[j]) * inverse;
        y[j] = (float)(scaled ? t * gamma[j] + beta[j] : t);
    }
}

/* Samples that have all their values; ``declined`` is set for the others. Some are taken together, so that none waits
for the divisions and the root of the one before. */
INLINE void NAME(float_norms)(Matrix x, Matrix y, const Norm *f, double *mean, double *divisor, unsigned char *declined,
                              const int centred, const int scaled)
{
    double sum[LANES], squares[LANES], origin[LANES], above[LANES], root[LANES], inverse[LANES];
    const double part = 1.0 / (double)x.columns, eps = f->eps;
    const ptrdiff_t in_cache = PIECE / 4 / x.columns, together = in_cache < 1 ? 1 : in_cache < LANES ? in_cache : LANES;
    for (ptrdiff_t first = 0; first < x.rows; first += together) {
        ptrdiff_t many = x.rows - first < together ? x.rows - first : together;
        const char *samples = x.data + first * x.row_step;
        ptrdiff_t fours = x.columns <= NARROW && x.columns % 4 == 0 ? many / 4 * 4 : 0;
        for (ptrdiff_t i = 0; i < many; i++)
            origin[i] = centred ? *(const float *)(samples + i * x.row_step) : 0.0;
        for (ptrdiff_t i = 0; i < fours; i += 4)
            NAME(float_sums_of_four)(samples + i * x.row_step, x.row_step, x.columns, origin + i, sum + i, squares + i);
        for (ptrdiff_t i = fours; i < many; i++)
            NAME(float_sums)((const float *)(samples + i * x.row_step), x.columns, origin[i], &sum[i], &squares[i]);
        for (ptrdiff_t i = 0; i < many; i++) {
            above[i] = centred ? sum[i] * part : 0.0;
            double variance = squares[i] * part - above[i] * above[i];
            variance = variance > 0 ? variance : 0.0;
            root[i] = squares[i] == 0 ? 1.0 : sqrt(variance + eps);
            inverse[i] = 1.0 / root[i];
        }
        for (ptrdiff_t i = 0; i < many; i++)
            if (squares[i] < INFINITY)
                NAME(float_image)((const float *)(x.data + (first + i) * x.row_step),
                                  (float *)(y.data + (first + i) * y.row_step), x.columns, origin[i], above[i],
                                  inverse[i], f->gamma, f->beta, centred, scaled);
            else
                declined[first + i] = 1;
        for (ptrdiff_t i = 0; i < many; i++)
            mean[first + i] = origin[i] + above[i];
        memcpy(divisor + first, root, (size_t)many * sizeof(double));
    }
}

static void NAME(float_rows)(Matrix x, Matrix y, const Norm *f, double *mean, double *divisor, unsigned char *declined)
{
    if (f->centred && f->scaled)
        NAME(float_norms)(x, y, f, mean, divisor, declined, 1, 1);
    else if (f->centred)
        NAME(float_norms)(x, y, f, mean, divisor, declined, 1, 0);
    else if (f->scaled)
        NAME(float_norms)(x, y, f, mean, divisor, declined, 0, 1);
    else
        NAME(float_norms)(x, y, f, mean, divisor, declined, 0, 0);
}
