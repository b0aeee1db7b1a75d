/* F1, compiled kernels: layer norm and RMS norm of any type. A sample is read from memory once, as float64 into the cache.

Wide samples are handled one by one, folded into rows of LANES values; of narrow ones as many together as there are
lanes, each in a lane of its own. What is found per lane is then folded, or is what was wanted.
Included once per instruction set.
*/

/* Samples in the cache: rows of w lanes, and a shorter one of ``tail``. */
typedef struct {
    double *values, *image;
    ptrdiff_t rows, w, tail, d;
    int narrow, missing;
    unsigned char declined[LANES]; /* samples that are not for these loops */
} NAME(Tile);

/* What is known of each lane. */
typedef struct {
    double low[LANES], high[LANES], count[LANES], sigma[LANES], leading[LANES], trailing[LANES];
    double mean[LANES], mean_low[LANES], divisor[LANES], inverse[LANES], inverse_low[LANES];
} NAME(Lanes);

#define TAIL(t) ((t)->values + (t)->rows * (t)->w)

/* The first lane becomes the sum of all, where they are of one sample. */
static void NAME(fold_sums)(const NAME(Tile) *t, double *x)
{
    if (!t->narrow)
        for (ptrdiff_t lane = 1; lane < LANES; lane++)
            x[0] += x[lane];
}

static void NAME(tile_extrema)(const NAME(Tile) *t, NAME(Lanes) *s)
{
    NAME(fill)(s->low, LANES, INFINITY);
    NAME(fill)(s->high, LANES, -INFINITY);
    NAME(fill)(s->count, LANES, 0.0);
    NAME(extrema)(t->values, t->rows, t->w, t->w, s->low, s->high, s->count);
    NAME(extrema)(TAIL(t), 1, t->tail, t->tail, s->low, s->high, s->count);
    NAME(fold_sums)(t, s->count);
    if (!t->narrow)
        for (ptrdiff_t lane = 1; lane < LANES; lane++) {
            s->low[0] = s->low[lane] < s->low[0] ? s->low[lane] : s->low[0];
            s->high[0] = s->high[lane] > s->high[0] ? s->high[lane] : s->high[0];
        }
}

/* A value per sample to all the lanes of it. */
static void NAME(to_lanes)(const NAME(Tile) *t, double *x)
{
    if (!t->narrow)
        NAME(fill)(x, LANES, x[0]);
}

INLINE void NAME(sums_of)(const NAME(Tile) *t, NAME(Lanes) *s, const int exact, const int missing)
{
    NAME(sums)(t->values, t->rows, t->w, t->w, s->sigma, s->leading, s->trailing, exact, missing);
    NAME(sums)(TAIL(t), 1, t->tail, t->tail, s->sigma, s->leading, s->trailing, exact, missing);
}

INLINE void NAME(squares_of)(const NAME(Tile) *t, NAME(Lanes) *s, const int missing)
{
    NAME(squares)(t->values, t->rows, t->w, t->w, s->mean, s->sigma, s->leading, s->trailing, 0, missing);
    NAME(squares)(TAIL(t), 1, t->tail, t->tail, s->mean, s->sigma, s->leading, s->trailing, 0, missing);
}

/* Sum of each sample. */
static void NAME(tile_sums)(const NAME(Tile) *t, NAME(Lanes) *s, int exact)
{
    NAME(to_lanes)(t, s->sigma);
    NAME(fill)(s->leading, LANES, 0.0);
    NAME(fill)(s->trailing, LANES, 0.0);
    if (exact && t->missing)
        NAME(sums_of)(t, s, 1, 1);
    else if (exact)
        NAME(sums_of)(t, s, 1, 0);
    else if (t->missing)
        NAME(sums_of)(t, s, 0, 1);
    else
        NAME(sums_of)(t, s, 0, 0);
    NAME(fold_sums)(t, s->leading);
    NAME(fold_sums)(t, s->trailing);
}

/* (x - mean)**2 in twice the precision, and its sum. */
INLINE void NAME(squares_in_two)(const double *restrict x, ptrdiff_t rows, ptrdiff_t w, NAME(Lanes) *restrict s)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < w; j++) {
            double v = x[i * w + j], hi = v - s->mean[j], lo = NAME(sum_error)(v, -s->mean[j], hi) - s->mean_low[j];
            double sum = hi + lo;
            lo -= sum - hi;
            hi = sum;
            double p = hi * hi, e = NAME(product_error)(hi, hi, p) + 2 * hi * lo, q = (p + s->sigma[j]) - s->sigma[j];
            s->leading[j] += v == v ? q : 0.0;
            s->trailing[j] += v == v ? (p - q) + e : 0.0;
        }
}

static void NAME(tile_squares)(const NAME(Tile) *t, NAME(Lanes) *s, int precise)
{
    NAME(fill)(s->leading, LANES, 0.0);
    NAME(fill)(s->trailing, LANES, 0.0);
    if (precise) {
        NAME(to_lanes)(t, s->sigma);
        NAME(squares_in_two)(t->values, t->rows, t->w, s);
        NAME(squares_in_two)(TAIL(t), 1, t->tail, s);
    } else if (t->missing)
        NAME(squares_of)(t, s, 1);
    else
        NAME(squares_of)(t, s, 0);
    NAME(fold_sums)(t, s->leading);
    NAME(fold_sums)(t, s->trailing);
}

#define G(i, j) gamma[narrow ? (i) : (i) * w + (j)]
#define H(i, j) beta[narrow ? (i) : (i) * w + (j)]

/* gamma * (x - mean) * inverse + beta. */
INLINE void NAME(image_in_one)(const double *restrict x, double *restrict y, ptrdiff_t rows, ptrdiff_t w,
                                      const NAME(Lanes) *restrict s, const double *restrict gamma,
                                      const double *restrict beta, const int narrow)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < w; j++)
            y[i * w + j] = ((x[i * w + j] - s->mean[j]) - s->mean_low[j]) * s->inverse[j] * G(i, j) + H(i, j);
}

/* The same in twice the precision. */
INLINE void NAME(image_in_two)(const double *restrict x, double *restrict y, ptrdiff_t rows, ptrdiff_t w,
                                      const NAME(Lanes) *restrict s, const double *restrict gamma,
                                      const double *restrict beta, const int narrow)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < w; j++) {
            double v = x[i * w + j], hi = v - s->mean[j], lo = NAME(sum_error)(v, -s->mean[j], hi) - s->mean_low[j];
            double k = s->inverse[j], p = hi * k, e = NAME(product_error)(hi, k, p) + (hi * s->inverse_low[j] + lo * k);
            double g = G(i, j), q = p * g, sum = q + H(i, j);
            y[i * w + j] = sum + (NAME(sum_error)(q, H(i, j), sum) + (NAME(product_error)(p, g, q) + e * g));
        }
}

static void NAME(tile_image)(const NAME(Tile) *t, const NAME(Lanes) *s, const Norm *f)
{
    const double *gamma = f->gamma, *beta = f->beta, *tail = TAIL(t);
    ptrdiff_t done = t->rows * t->w;
    if (t->narrow && f->precise)
        NAME(image_in_two)(t->values, t->image, t->rows, t->w, s, gamma, beta, 1);
    else if (t->narrow)
        NAME(image_in_one)(t->values, t->image, t->rows, t->w, s, gamma, beta, 1);
    else if (f->precise) {
        NAME(image_in_two)(t->values, t->image, t->rows, t->w, s, gamma, beta, 0);
        NAME(image_in_two)(tail, t->image + done, 1, t->tail, s, gamma + done, beta + done, 0);
    } else {
        NAME(image_in_one)(t->values, t->image, t->rows, t->w, s, gamma, beta, 0);
        NAME(image_in_one)(tail, t->image + done, 1, t->tail, s, gamma + done, beta + done, 0);
    }
}

#undef G
#undef H

/* Mean of each sample from its sum, and sigma for the squares of deviations from it. */
static void NAME(means)(NAME(Lanes) *restrict s, ptrdiff_t n, const Norm *f)
{
    const int centred = f->centred;
    const double whole = f->count;
    for (ptrdiff_t i = 0; i < n; i++) {
        NAME(Two) m = NAME(two_over)(NAME(two)(s->leading[i], s->trailing[i]), s->count[i]);
        int constant = s->low[i] == s->high[i];
        double mean = constant ? s->low[i] : m.hi, rest = constant ? 0.0 : m.lo;
        double size = NAME(larger)(s->low[i], s->high[i]), span = centred ? s->high[i] - s->low[i] : size;
        s->mean[i] = centred ? mean : 0.0;
        s->mean_low[i] = centred ? rest : 0.0;
        s->sigma[i] = NAME(above)(whole * span * span);
    }
}

/* Divisor of each sample from its sum of squares, and what to multiply by. */
static void NAME(divisors)(NAME(Lanes) *restrict s, ptrdiff_t n, const Norm *f)
{
    const int centred = f->centred;
    const double eps = f->eps;
    for (ptrdiff_t i = 0; i < n; i++) {
        NAME(Two) mean = NAME(two_over)(NAME(two)(s->leading[i], s->trailing[i]), s->count[i]);
        NAME(Two) root = NAME(two_sqrt)(NAME(two_plus)(mean, eps)), inverse = NAME(two_inverse)(root);
        int zeros = s->low[i] > s->high[i] && s->count[i] > 0; /* no value, but zeros that are not stored */
        int still = centred ? s->low[i] == s->high[i] : zeros || (s->low[i] == 0.0 && s->high[i] == 0.0);
        s->divisor[i] = still ? 1.0 : root.hi;
        s->inverse[i] = still ? 1.0 : inverse.hi;
        s->inverse_low[i] = still ? 0.0 : inverse.lo;
    }
}

/* Layer norm (centred) and RMS norm of a tile: mean and divisor of each sample, and the image if it is wanted. */
static void NAME(norm_tile)(NAME(Tile) *t, ptrdiff_t samples, const Norm *f, int wanted, double *mean, double *divisor)
{
    NAME(Lanes) s;
    ptrdiff_t each = t->narrow ? t->w : 1;
    NAME(tile_extrema)(t, &s);
    for (ptrdiff_t i = 0; i < each; i++) {
        double size = s.count[i] == 0 ? 0.0 : NAME(larger)(s.low[i], s.high[i]);
        t->declined[i] = !(size < f->largest) || (size > 0 && size < SMALLEST);
        s.sigma[i] = NAME(above)((double)t->d * size);
        t->missing |= s.count[i] != (double)t->d;
        s.count[i] += f->count - (double)t->d;
    }
    NAME(fill)(s.leading, LANES, 0.0);
    NAME(fill)(s.trailing, LANES, 0.0);
    if (f->centred)
        NAME(tile_sums)(t, &s, 1);
    NAME(means)(&s, each, f);
    NAME(to_lanes)(t, s.mean);
    NAME(to_lanes)(t, s.mean_low);
    NAME(tile_squares)(t, &s, f->precise);
    NAME(divisors)(&s, each, f);
    memcpy(mean, s.mean, (size_t)samples * sizeof(double));
    memcpy(divisor, s.divisor, (size_t)samples * sizeof(double));
    NAME(to_lanes)(t, s.inverse);
    NAME(to_lanes)(t, s.inverse_low);
    if (wanted)
        NAME(tile_image)(t, &s, f);
}
