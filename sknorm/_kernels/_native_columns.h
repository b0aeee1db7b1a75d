/* F1, compiled kernels: statistics of the columns of a piece that lies in the cache, and how pieces are merged.

The piece is read three times: for its extrema, for its exact sum, and for its squared deviations from the mean.
Included once per instruction set.
*/

/* The row k of a table of statistics. */
#define ROW(k) (found + (k) * WIDE)

/* Minimum, maximum and number of the values of each column that are not NaN. As this is the first reading of a piece,
what comes after it is fetched. */
static void NAME(extrema)(const double *restrict x, ptrdiff_t rows, ptrdiff_t step, ptrdiff_t w,
                          double *restrict low, double *restrict high, double *restrict count)
{
    ptrdiff_t i = 0;
    for (; i + 4 <= rows; i += 4)
        for (ptrdiff_t first = 0; first < w; first += LANES) {
            const double *restrict r0 = x + i * step, *restrict r1 = r0 + step, *restrict r2 = r1 + step,
                                   *restrict r3 = r2 + step;
            ptrdiff_t last = w - first < LANES ? w : first + LANES;
            for (ptrdiff_t j = first; j < last; j++) {
                double lo = low[j], hi = high[j];
                lo = r0[j] < lo ? r0[j] : lo;
                lo = r1[j] < lo ? r1[j] : lo;
                lo = r2[j] < lo ? r2[j] : lo;
                lo = r3[j] < lo ? r3[j] : lo;
                hi = r0[j] > hi ? r0[j] : hi;
                hi = r1[j] > hi ? r1[j] : hi;
                hi = r2[j] > hi ? r2[j] : hi;
                hi = r3[j] > hi ? r3[j] : hi;
                low[j] = lo;
                high[j] = hi;
                count[j] += (PRESENT(r0[j]) + PRESENT(r1[j])) + (PRESENT(r2[j]) + PRESENT(r3[j]));
            }
            if (w > LANES)
                for (ptrdiff_t j = first; j < last; j += 8) {
                    FETCH(r0 + 4 * step + j);
                    FETCH(r1 + 4 * step + j);
                    FETCH(r2 + 4 * step + j);
                    FETCH(r3 + 4 * step + j);
                }
        }
    for (; i < rows; i++)
        for (ptrdiff_t j = 0; j < w; j++) {
            double v = x[i * step + j];
            low[j] = v < low[j] ? v : low[j];
            high[j] = v > high[j] ? v : high[j];
            count[j] += PRESENT(v);
        }
}

#define EIGHT(r) (((r(0) + r(1)) + (r(2) + r(3))) + ((r(4) + r(5)) + (r(6) + r(7))))
#define VALUE(i) (missing && r[i][j] != r[i][j] ? 0.0 : r[i][j])
#define HIGH(i) (exact ? NAME(plus)(VALUE(i), one, s) - s : VALUE(i))
#define LOW(i) NAME(plus)(-HIGH(i), one, VALUE(i))

/* Sums in two parts: what lies above the last bit of sigma, which is summed without rounding, and the rest. Plain sums
unless exact. */
INLINE void NAME(sums)(const double *restrict x, ptrdiff_t rows, ptrdiff_t step, ptrdiff_t w,
                              const double *restrict sigma, double *restrict leading, double *restrict trailing,
                              const int exact, const int missing)
{
    const double one = hidden_one;
    ptrdiff_t i = 0;
    for (; i + 8 <= rows; i += 8) {
        const double *r[8];
        for (int k = 0; k < 8; k++)
            r[k] = x + (i + k) * step;
        for (ptrdiff_t j = 0; j < w; j++) {
            double s = sigma[j];
            leading[j] += EIGHT(HIGH);
            if (exact)
                trailing[j] += EIGHT(LOW);
        }
    }
    for (; i < rows; i++) {
        const double *r[1] = {x + i * step};
        for (ptrdiff_t j = 0; j < w; j++) {
            double s = sigma[j];
            leading[j] += HIGH(0);
            if (exact)
                trailing[j] += LOW(0);
        }
    }
}

#define DEVIATION(i) (missing && r[i][j] != r[i][j] ? 0.0 : r[i][j] - c)
#define SQUARE(i) (DEVIATION(i) * DEVIATION(i))

/* The same of squared deviations from center, by eights. */
INLINE void NAME(squares)(const double *restrict x, ptrdiff_t rows, ptrdiff_t step, ptrdiff_t w,
                                 const double *restrict center, const double *restrict sigma,
                                 double *restrict leading, double *restrict trailing, const int exact,
                                 const int missing)
{
    ptrdiff_t i = 0;
    for (; i + 8 <= rows; i += 8) {
        const double *r[8];
        for (int k = 0; k < 8; k++)
            r[k] = x + (i + k) * step;
        for (ptrdiff_t j = 0; j < w; j++) {
            double s = sigma[j], c = center[j], eight = EIGHT(SQUARE), high = exact ? (eight + s) - s : eight;
            leading[j] += high;
            if (exact)
                trailing[j] += eight - high;
        }
    }
    for (; i < rows; i++) {
        const double *r[1] = {x + i * step};
        for (ptrdiff_t j = 0; j < w; j++) {
            double s = sigma[j], c = center[j], one = SQUARE(0), high = exact ? (one + s) - s : one;
            leading[j] += high;
            if (exact)
                trailing[j] += one - high;
        }
    }
}

static void NAME(fill)(double *x, ptrdiff_t n, double value)
{
    for (ptrdiff_t j = 0; j < n; j++)
        x[j] = value;
}

/* The first d of w = lanes * d values become the sums, or extrema, of their lanes, and back. */
#define FOLDED(name, VALUE)                                                                                           \
    static void NAME(name)(double *x, ptrdiff_t d, ptrdiff_t w)                                                       \
    {                                                                                                                 \
        for (ptrdiff_t lanes = w / d, half; lanes > 1; lanes = half) {                                                \
            half = (lanes + 1) / 2;                                                                                   \
            double *restrict a = x, *restrict b = x + half * d;                                                       \
            for (ptrdiff_t j = 0; j < (lanes - half) * d; j++)                                                        \
                a[j] = VALUE;                                                                                         \
        }                                                                                                             \
    }

FOLDED(folded, a[j] + b[j])
FOLDED(lowest, b[j] < a[j] ? b[j] : a[j])
FOLDED(highest, b[j] > a[j] ? b[j] : a[j])
#undef FOLDED

static void NAME(spread)(double *x, ptrdiff_t d, ptrdiff_t w)
{
    for (ptrdiff_t done = d; done < w; done *= 2)
        memcpy(x + done, x, (size_t)(w - done < done ? w - done : done) * sizeof(double));
}

/* Chan's merge of ``found`` into ``all``: both are COUNT..M2_REST of ``d`` columns, rows ``step`` apart. */
static void NAME(merge)(double *restrict all, ptrdiff_t all_step, const double *restrict found, ptrdiff_t step,
                        ptrdiff_t d)
{
    for (ptrdiff_t j = 0; j < d; j++) {
        double *a = all + j;
        const double *f = found + j;
        double n1 = a[COUNT * all_step], n2 = f[COUNT * step], n = n1 + n2;
        double t1 = a[TOTAL * all_step], e1 = a[REST * all_step], c1 = a[CENTER * all_step];
        double t2 = f[TOTAL * step], e2 = f[REST * step], c2 = f[CENTER * step];
        double t = t1 + t2, e = NAME(sum_error)(t1, t2, t) + (e1 + e2);
        double total = t + e, rest = e - (total - t), c = total / (n > 0 ? n : 1);
        c = n1 == 0 ? c2 : n2 == 0 ? c1 : c;
        double p1 = n1 * c1, p2 = n2 * c2;
        double over1 = (t1 - p1) - NAME(product_error)(n1, c1, p1) + e1;
        double over2 = (t2 - p2) - NAME(product_error)(n2, c2, p2) + e2;
        double shift1 = c1 - c, shift2 = c2 - c;
        double moved = (2 * over1 + n1 * shift1) * shift1 + (2 * over2 + n2 * shift2) * shift2;
        double m1 = a[M2 * all_step], m2 = f[M2 * step], m = m1 + m2, mm = m + moved;
        double error = NAME(sum_error)(m1, m2, m) + NAME(sum_error)(m, moved, mm);
        error += a[M2_REST * all_step] + f[M2_REST * step];
        a[COUNT * all_step] = n;
        a[LOWEST * all_step] = f[LOWEST * step] < a[LOWEST * all_step] ? f[LOWEST * step] : a[LOWEST * all_step];
        a[HIGHEST * all_step] = f[HIGHEST * step] > a[HIGHEST * all_step] ? f[HIGHEST * step] : a[HIGHEST * all_step];
        a[TOTAL * all_step] = total;
        a[REST * all_step] = rest;
        a[CENTER * all_step] = c;
        a[M2 * all_step] = mm + error;
        a[M2_REST * all_step] = error - ((mm + error) - mm);
    }
}

/* Statistics of a piece in cache: w = lanes * d columns wide. False where it is not for these loops. */
static int NAME(piece_sums)(const double *x, ptrdiff_t rows, ptrdiff_t step, ptrdiff_t d, ptrdiff_t w, int moments,
                            double largest, double *found)
{
    double *count = ROW(COUNT), *low = ROW(LOWEST), *high = ROW(HIGHEST), *total = ROW(TOTAL), *rest = ROW(REST);
    double *center = ROW(CENTER), *m2 = ROW(M2), *m2_rest = ROW(M2_REST), sigma[STRIP];
    const double whole = (double)(rows * (w / d));
    NAME(fill)(low, w, INFINITY);
    NAME(fill)(high, w, -INFINITY);
    NAME(fill)(count, w, 0.0);
    NAME(extrema)(x, rows, step, w, low, high, count);
    NAME(lowest)(low, d, w);
    NAME(highest)(high, d, w);
    NAME(folded)(count, d, w);
    int missing = 0;
    for (ptrdiff_t j = 0; j < d; j++) {
        double size = count[j] == 0 ? 0.0 : NAME(larger)(low[j], high[j]);
        if (!(size < largest) || (moments && size > 0 && size < SMALLEST))
            return 0;
        sigma[j] = NAME(above)(whole * size);
        missing |= count[j] != whole;
    }
    if (!moments) {
        for (int k = TOTAL; k < STATISTICS; k++)
            NAME(fill)(ROW(k), d, 0.0);
        return 1;
    }
    NAME(spread)(sigma, d, w);
    NAME(fill)(total, w, 0.0);
    NAME(fill)(rest, w, 0.0);
    if (missing)
        NAME(sums)(x, rows, step, w, sigma, total, rest, 1, 1);
    else
        NAME(sums)(x, rows, step, w, sigma, total, rest, 1, 0);
    NAME(folded)(total, d, w);
    NAME(folded)(rest, d, w);
    for (ptrdiff_t j = 0; j < d; j++) {
        center[j] = (total[j] + rest[j]) / (count[j] > 0 ? count[j] : 1.0);
        double up = high[j] - center[j], down = center[j] - low[j], span = count[j] > 0 ? (up > down ? up : down) : 0.0;
        sigma[j] = NAME(above)(whole * span * span);
    }
    NAME(spread)(sigma, d, w);
    NAME(spread)(center, d, w);
    NAME(fill)(m2, w, 0.0);
    NAME(fill)(m2_rest, w, 0.0);
    if (missing)
        NAME(squares)(x, rows, step, w, center, sigma, m2, m2_rest, 1, 1);
    else
        NAME(squares)(x, rows, step, w, center, sigma, m2, m2_rest, 1, 0);
    NAME(folded)(m2, d, w);
    NAME(folded)(m2_rest, d, w);
    return 1;
}

#undef EIGHT
#undef VALUE
#undef HIGH
#undef LOW
#undef DEVIATION
#undef SQUARE
