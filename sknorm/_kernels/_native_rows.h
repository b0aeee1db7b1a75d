/* F1, compiled kernels: the row norms. A sample is read from memory once, as float64 into the cache.

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
            y[i * w + j] = (x[i * w + j] - s->mean[j]) * s->inverse[j] * G(i, j) + H(i, j);
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
    const int centred = f->centred, in_two = f->centred && f->precise;
    const double whole = f->count;
    for (ptrdiff_t i = 0; i < n; i++) {
        NAME(Two) m = NAME(two_over)(NAME(two)(s->leading[i], s->trailing[i]), s->count[i]);
        int constant = s->low[i] == s->high[i];
        double mean = constant ? s->low[i] : m.hi, rest = constant ? 0.0 : m.lo;
        double size = NAME(larger)(s->low[i], s->high[i]), span = centred ? s->high[i] - s->low[i] : size;
        s->mean[i] = centred ? mean : 0.0;
        s->mean_low[i] = in_two ? rest : 0.0;
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
        int still = centred ? s->low[i] == s->high[i] : s->low[i] == 0.0 && s->high[i] == 0.0;
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
    if (f->centred)
        NAME(tile_sums)(t, &s, f->precise);
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

/* exp(t) for t <= 0 to about one ulp: 2**k * exp(r), |r| <= log(2) / 2. */
INLINE double NAME(exponential)(double t)
{
    const double magic = 0x1.8p52; /* adding it rounds to an integer, which the last bits then hold */
    t = t < -750.0 ? -750.0 : t;
    double k = (t * 0x1.71547652b82fep0 + magic) - magic;
    double r = NAME(fused)(-k, 0x1.62e42feep-1, t);
    r = NAME(fused)(-k, 0x1.a39ef35793c76p-33, r);
    double p = 0x1.6124613a86d09p-33; /* 1 / 13! */
    p = NAME(fused)(p, r, 0x1.1eed8eff8d898p-29);
    p = NAME(fused)(p, r, 0x1.ae64567f544e4p-26);
    p = NAME(fused)(p, r, 0x1.27e4fb7789f5cp-22);
    p = NAME(fused)(p, r, 0x1.71de3a556c734p-19);
    p = NAME(fused)(p, r, 0x1.a01a01a01a01ap-16);
    p = NAME(fused)(p, r, 0x1.a01a01a01a01ap-13);
    p = NAME(fused)(p, r, 0x1.6c16c16c16c17p-10);
    p = NAME(fused)(p, r, 0x1.1111111111111p-7);
    p = NAME(fused)(p, r, 0x1.5555555555555p-5);
    p = NAME(fused)(p, r, 0x1.5555555555555p-3);
    p = NAME(fused)(p, r, 0.5);
    p = NAME(fused)(p * r, r, r) + 1.0;
    /* in two steps, since 2**k may be no normal number */
    double half = k * 0.5 + magic, rest = (k - (half - magic)) + magic;
    return p * NAME(from_bits)((NAME(to_bits)(half) + 1023) << 52) * NAME(from_bits)((NAME(to_bits)(rest) + 1023) << 52);
}

static void NAME(exponentials)(const double *restrict x, double *restrict y, ptrdiff_t rows, ptrdiff_t w,
                               const double *restrict high, double temperature)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < w; j++)
            y[i * w + j] = NAME(exponential)((x[i * w + j] - high[j]) / temperature);
}

static void NAME(shares)(double *restrict y, ptrdiff_t rows, ptrdiff_t w, const double *restrict total, int precise)
{
    double inverse[LANES];
    for (ptrdiff_t j = 0; j < w; j++)
        inverse[j] = 1.0 / total[j];
    for (ptrdiff_t i = 0; i < rows; i++)
        if (precise)
            for (ptrdiff_t j = 0; j < w; j++)
                y[i * w + j] /= total[j];
        else
            for (ptrdiff_t j = 0; j < w; j++)
                y[i * w + j] *= inverse[j];
}

/* Softmax of a tile, and the log of the sum. -inf is a masked value. */
static void NAME(softmax_tile)(NAME(Tile) *t, ptrdiff_t samples, const Norm *f, int wanted, double *log_sum,
                               double *spare)
{
    NAME(Lanes) s;
    ptrdiff_t each = t->narrow ? t->w : 1, done = t->rows * t->w;
    (void)spare;
    NAME(tile_extrema)(t, &s);
    for (ptrdiff_t i = 0; i < each; i++) {
        double low = s.low[i], high = s.high[i];
        t->declined[i] = !(high < f->largest) || (low > -INFINITY && low <= high && !(-low < f->largest));
        s.sigma[i] = NAME(above)((double)t->d);
        t->missing |= s.count[i] != (double)t->d || high == -INFINITY;
    }
    NAME(to_lanes)(t, s.high);
    NAME(exponentials)(t->values, t->image, t->rows, t->w, s.high, f->temperature);
    NAME(exponentials)(TAIL(t), t->image + done, 1, t->tail, s.high, f->temperature);
    NAME(Tile) e = *t;
    e.values = t->image;
    NAME(tile_sums)(&e, &s, f->precise);
    for (ptrdiff_t i = 0; i < each; i++) {
        s.leading[i] += s.trailing[i];
        if (i < samples)
            log_sum[i] = s.low[i] == -INFINITY && s.high[i] == -INFINITY ? -INFINITY
                                                                          : s.high[i] / f->temperature + log(s.leading[i]);
    }
    NAME(to_lanes)(t, s.leading);
    if (wanted) {
        NAME(shares)(t->image, t->rows, t->w, s.leading, f->precise);
        NAME(shares)(t->image + done, 1, t->tail, s.leading, f->precise);
    }
}

#undef TAIL

/* Samples between LANES and d, and back; what is missing in a tile repeats the last sample. */
static void NAME(transposed)(const double *restrict x, ptrdiff_t d, ptrdiff_t n, double *restrict tile)
{
    for (ptrdiff_t j = 0; j < d; j++)
        for (ptrdiff_t i = 0; i < n; i++)
            tile[j * LANES + i] = x[i * d + j];
    for (ptrdiff_t j = 0; j < d; j++)
        for (ptrdiff_t i = n; i < LANES; i++)
            tile[j * LANES + i] = x[(n - 1) * d + j];
}

static void NAME(transposed_back)(const double *restrict tile, ptrdiff_t d, ptrdiff_t n, double *restrict x)
{
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < d; j++)
            x[i * d + j] = tile[j * LANES + i];
}

/* Every sample of x through tiles. */
static void NAME(tile_rows)(Matrix x, Matrix y, const Norm *f, double *first, double *second, unsigned char *declined,
                       double *scratch)
{
    ptrdiff_t d = x.columns, xs = SIZES[x.type], ys = SIZES[y.type], most = d > NARROW * LANES ? d : NARROW * LANES;
    int narrow = d <= NARROW, x_dense = x.column_step == xs && x.row_step == d * xs;
    int y_dense = y.column_step == ys && y.row_step == d * ys;
    ptrdiff_t each = narrow ? LANES : 1;
    NAME(Tile) t = {scratch, scratch + most, narrow ? d : d / LANES, LANES, narrow ? 0 : d % LANES, d, narrow, 0, {0}};
    double *staged = scratch + 2 * most, *samples = narrow ? staged : t.values, *image = narrow ? staged : t.image;
    for (ptrdiff_t i = 0; i < x.rows; i += each) {
        ptrdiff_t n = x.rows - i < each ? x.rows - i : each;
        int any = 0;
        t.missing = 0;
        if (x_dense)
            NAME(widen)(x.type, x.data + i * x.row_step, xs, n * d, samples);
        else
            for (ptrdiff_t k = 0; k < n; k++)
                NAME(widen)(x.type, x.data + (i + k) * x.row_step, x.column_step, d, samples + k * d);
        if (narrow)
            NAME(transposed)(staged, d, n, t.values);
        if (f->kind == SOFTMAX)
            NAME(softmax_tile)(&t, n, f, y.data != NULL, first + i, second + i);
        else
            NAME(norm_tile)(&t, n, f, y.data != NULL, first + i, second + i);
        for (ptrdiff_t k = 0; k < n; k++)
            if (t.declined[k])
                declined[i + k] = any = 1;
        if (!y.data)
            continue;
        if (narrow)
            NAME(transposed_back)(t.image, d, n, staged);
        if (y_dense && !any)
            NAME(put)(y.type, image, n * d, y.data + i * y.row_step, ys, f->past_caches);
        else
            for (ptrdiff_t k = 0; k < n; k++)
                if (!t.declined[k])
                    NAME(put)(y.type, image + k * d, d, y.data + (i + k) * y.row_step, y.column_step, 0);
    }
#ifdef __SSE2__
    if (f->past_caches)
        _mm_sfence();
#endif
}

/* Every sample of x; y.data may be NULL. ``declined`` is set for samples that are not for these loops, and left alone
for others; ``scratch`` holds three times the larger of d and NARROW * LANES. */
static void NAME(rows)(Matrix x, Matrix y, const Norm *f, double *first, double *second, unsigned char *declined,
                       double *scratch)
{
    int floats = x.type == F32 && y.type == F32 && y.data && x.column_step == 4 && y.column_step == 4;
    if (!floats || f->kind == SOFTMAX || f->precise || f->count != (double)x.columns) {
        NAME(tile_rows)(x, y, f, first, second, declined, scratch);
        return;
    }
    NAME(float_rows)(x, y, f, first, second, declined);
    Matrix from = x, to = y;
    from.rows = to.rows = 1;
    for (ptrdiff_t i = 0; i < x.rows; i++)
        if (declined[i]) { /* a missing value, or a sample for the portable kernel */
            declined[i] = 0;
            from.data = x.data + i * x.row_step;
            to.data = y.data + i * y.row_step;
            NAME(tile_rows)(from, to, f, first + i, second + i, declined + i, scratch);
        }
}
