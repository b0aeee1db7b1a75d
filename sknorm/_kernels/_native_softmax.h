/* F1, compiled kernels: softmax of samples in the cache. Included once per instruction set. */

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

INLINE void NAME(exponentials_of)(const double *restrict x, double *restrict y, ptrdiff_t rows, ptrdiff_t w,
                                  const double *restrict high, double temperature, const int divide)
{
    const double factor = 1.0 / temperature;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < w; j++) {
            double t = x[i * w + j] - high[j];
            y[i * w + j] = NAME(exponential)(divide ? t / temperature : t * factor);
        }
}

/* exp((x - high) / temperature); the division is one where its bits count, or the factor would be no normal number. */
static void NAME(exponentials)(const double *x, double *y, ptrdiff_t rows, ptrdiff_t w, const double *high, const Norm *f)
{
    int safe = f->temperature > SMALLEST && f->temperature < LARGEST;
    if ((f->precise && f->temperature != 1.0) || !safe)
        NAME(exponentials_of)(x, y, rows, w, high, f->temperature, 1);
    else
        NAME(exponentials_of)(x, y, rows, w, high, f->temperature, 0);
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
static void NAME(softmax_tile)(NAME(Tile) *t, ptrdiff_t samples, const Norm *f, int wanted, double *log_sum)
{
    NAME(Lanes) s;
    ptrdiff_t each = t->narrow ? t->w : 1, done = t->rows * t->w;
    NAME(tile_extrema)(t, &s);
    for (ptrdiff_t i = 0; i < each; i++) {
        double low = s.low[i], high = s.high[i];
        t->declined[i] = !(high < f->largest) || (low > -INFINITY && low <= high && !(-low < f->largest));
        s.sigma[i] = NAME(above)((double)t->d);
        t->missing |= s.count[i] != (double)t->d || high == -INFINITY;
    }
    NAME(to_lanes)(t, s.high);
    NAME(exponentials)(t->values, t->image, t->rows, t->w, s.high, f);
    NAME(exponentials)(TAIL(t), t->image + done, 1, t->tail, s.high, f);
    NAME(Tile) e = *t;
    e.values = t->image;
    NAME(tile_sums)(&e, &s, f->precise);
    for (ptrdiff_t i = 0; i < each; i++) {
        s.leading[i] += s.trailing[i];
        if (i < samples)
            log_sum[i] = s.count[i] == 0              ? NAN
                         : s.high[i] == -INFINITY ? -INFINITY
                                                  : s.high[i] / f->temperature + log(s.leading[i]);
    }
    NAME(to_lanes)(t, s.leading);
    if (wanted) {
        NAME(shares)(t->image, t->rows, t->w, s.leading, f->precise);
        NAME(shares)(t->image + done, 1, t->tail, s.leading, f->precise);
    }
}
