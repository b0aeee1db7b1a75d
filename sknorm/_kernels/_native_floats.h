/* F1, compiled kernels: layer norm and RMS norm of float32 samples, read twice from the cache and written as they are.

float64 has 29 bits more than the data. Deviations t from the first value of a sample are exact enough for one pass:
var = mean(t**2) - mean(t)**2 loses no more than the bits of the number of features, since no value lies farther from
the mean than sqrt(d) standard deviations. Included once per instruction set.
*/

typedef float NAME(Four) __attribute__((vector_size(16), aligned(4), may_alias));
typedef double NAME(FourWide) __attribute__((vector_size(32), aligned(8), may_alias));

#define WIDE(p) __builtin_convertvector(*(const NAME(Four) *)(p), NAME(FourWide))
#define TOTAL_OF(v) (((v)[0] + (v)[1]) + ((v)[2] + (v)[3]))

/* Sums of x - origin and of their squares. */
INLINE void NAME(float_sums)(const float *x, ptrdiff_t d, double origin, double *sum, double *squares)
{
    NAME(FourWide) s[4] = {{0}}, q[4] = {{0}}, t;
    ptrdiff_t j = 0;
    for (; j + 16 <= d; j += 16) {
        t = WIDE(x + j) - origin;
        s[0] += t;
        q[0] += t * t;
        t = WIDE(x + j + 4) - origin;
        s[1] += t;
        q[1] += t * t;
        t = WIDE(x + j + 8) - origin;
        s[2] += t;
        q[2] += t * t;
        t = WIDE(x + j + 12) - origin;
        s[3] += t;
        q[3] += t * t;
    }
    for (; j + 4 <= d; j += 4) {
        t = WIDE(x + j) - origin;
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

/* gamma * (x - mean) * inverse + beta. */
INLINE void NAME(float_image)(const float *x, float *y, ptrdiff_t d, double mean, double inverse, const double *gamma,
                              const double *beta, const int centred, const int scaled)
{
    ptrdiff_t j = 0;
    for (; j + 4 <= d; j += 4) {
        NAME(FourWide) t = WIDE(x + j);
        t = (t - (centred ? mean : 0.0)) * inverse;
        if (scaled)
            t = t * *(const NAME(FourWide) *)(gamma + j) + *(const NAME(FourWide) *)(beta + j);
        *(NAME(Four) *)(y + j) = __builtin_convertvector(t, NAME(Four));
    }
    for (; j < d; j++) {
        double t = (centred ? x[j] - mean : x[j]) * inverse;
        y[j] = (float)(scaled ? t * gamma[j] + beta[j] : t);
    }
}

#undef WIDE
#undef TOTAL_OF

/* Samples that have all their values; ``declined`` is set for the others. Some are taken together, so that none waits
for the divisions and the root of the one before. */
INLINE void NAME(float_norms)(Matrix x, Matrix y, const Norm *f, double *mean, double *divisor, unsigned char *declined,
                              const int centred, const int scaled)
{
    double sum[LANES], squares[LANES], center[LANES], root[LANES], inverse[LANES];
    const double n = (double)x.columns, eps = f->eps;
    const ptrdiff_t in_cache = PIECE / 4 / x.columns, together = in_cache < 1 ? 1 : in_cache < LANES ? in_cache : LANES;
    for (ptrdiff_t first = 0; first < x.rows; first += together) {
        ptrdiff_t many = x.rows - first < together ? x.rows - first : together;
        for (ptrdiff_t i = 0; i < many; i++) {
            const float *sample = (const float *)(x.data + (first + i) * x.row_step);
            center[i] = centred ? sample[0] : 0.0;
            NAME(float_sums)(sample, x.columns, center[i], &sum[i], &squares[i]);
        }
        for (ptrdiff_t i = 0; i < many; i++) {
            double above = centred ? sum[i] / n : 0.0, variance = squares[i] / n - above * above;
            variance = variance > 0 ? variance : 0.0;
            root[i] = squares[i] == 0 ? 1.0 : sqrt(variance + eps);
            inverse[i] = 1.0 / root[i];
            center[i] += above;
        }
        for (ptrdiff_t i = 0; i < many; i++)
            if (squares[i] < INFINITY)
                NAME(float_image)((const float *)(x.data + (first + i) * x.row_step),
                                  (float *)(y.data + (first + i) * y.row_step), x.columns, center[i], inverse[i],
                                  f->gamma, f->beta, centred, scaled);
            else
                declined[first + i] = 1;
        memcpy(mean + first, center, (size_t)many * sizeof(double));
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
