/* F1, compiled kernels: statistics of columns, found while the data pass through the cache once.

A piece of a few thousand values is read three times: for its extrema, for its exact sum, and for its squared
deviations from the mean. Columns that are narrow, or contiguous, are read as one wide row of several lanes a column.
Included once per instruction set.
*/

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

#undef EIGHT
#undef VALUE
#undef HIGH
#undef LOW
#undef DEVIATION
#undef SQUARE

static void NAME(fill)(double *x, ptrdiff_t n, double value)
{
    for (ptrdiff_t j = 0; j < n; j++)
        x[j] = value;
}

/* The first d of w = lanes * d values become the sums of their lanes, and back. */
static void NAME(folded)(double *x, ptrdiff_t d, ptrdiff_t w)
{
    for (ptrdiff_t lane = d; lane < w; lane += d)
        for (ptrdiff_t j = 0; j < d; j++)
            x[j] += x[lane + j];
}

static void NAME(spread)(double *x, ptrdiff_t d, ptrdiff_t w)
{
    for (ptrdiff_t j = d; j < w; j++)
        x[j] = x[j - d];
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
    double *count = found + COUNT * STRIP, *low = found + LOWEST * STRIP, *high = found + HIGHEST * STRIP;
    double *total = found + TOTAL * STRIP, *rest = found + REST * STRIP, *center = found + CENTER * STRIP;
    double *m2 = found + M2 * STRIP, *m2_rest = found + M2_REST * STRIP, sigma[STRIP], whole = (double)(rows * (w / d));
    NAME(fill)(low, w, INFINITY);
    NAME(fill)(high, w, -INFINITY);
    NAME(fill)(count, w, 0.0);
    NAME(extrema)(x, rows, step, w, low, high, count);
    for (ptrdiff_t lane = d; lane < w; lane += d)
        for (ptrdiff_t j = 0; j < d; j++) {
            low[j] = low[lane + j] < low[j] ? low[lane + j] : low[j];
            high[j] = high[lane + j] > high[j] ? high[lane + j] : high[j];
        }
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
            NAME(fill)(found + k * STRIP, d, 0.0);
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

/* Merge a matrix into ``sums``, piece by piece; w = lanes * d values in a row. */
static int NAME(matrix_sums)(const char *x, int type, ptrdiff_t rows, ptrdiff_t row_step, ptrdiff_t column_step,
                             ptrdiff_t d, ptrdiff_t w, int moments, double *sums, ptrdiff_t sums_step, double *scratch)
{
    double *found = scratch, *staged = scratch + STATISTICS * STRIP;
    int as_it_is = type == F64 && column_step == 8 && row_step % 8 == 0;
    ptrdiff_t each = PIECE / w / 8 * 8;
    double largest = type == I64 || type == U64 ? EXACT_INTEGER : moments ? LARGEST : INFINITY;
    for (ptrdiff_t i = 0; i < rows; i += each) {
        ptrdiff_t n = rows - i < each ? rows - i : each, step = as_it_is ? row_step / 8 : w;
        const double *piece = (const double *)(x + i * row_step);
        if (!as_it_is) {
            if (row_step == w * column_step)
                NAME(widen)(type, x + i * row_step, column_step, n * w, staged);
            else
                for (ptrdiff_t k = 0; k < n; k++)
                    NAME(widen)(type, x + (i + k) * row_step, column_step, w, staged + k * w);
            piece = staged;
        }
        if (!NAME(piece_sums)(piece, n, step, d, w, moments, largest, found))
            return 0;
        NAME(merge)(sums, sums_step, found, STRIP, d);
    }
    return 1;
}

/* The columns of a block merged into ``sums``, whose rows COUNT..M2_REST are ``sums_step`` apart. */
static int NAME(column_sums)(Matrix x, int moments, double *sums, ptrdiff_t sums_step, double *scratch)
{
    ptrdiff_t size = SIZES[x.type];
    if (x.row_step == size && x.rows > 1) { /* each column is a contiguous run */
        for (ptrdiff_t j = 0; j < x.columns; j++) {
            const char *run = x.data + j * x.column_step;
            ptrdiff_t full = x.rows / LANES, left = x.rows % LANES;
            if (!NAME(matrix_sums)(run, x.type, full, LANES * size, size, 1, LANES, moments, sums + j, sums_step, scratch))
                return 0;
            if (left && !NAME(matrix_sums)(run + full * LANES * size, x.type, 1, left * size, size, 1, left, moments,
                                           sums + j, sums_step, scratch))
                return 0;
        }
        return 1;
    }
    ptrdiff_t lanes = 1;
    if (x.column_step == size && x.row_step == size * x.columns && x.columns <= LANES)
        lanes = LANES / x.columns < x.rows ? LANES / x.columns : x.rows;
    ptrdiff_t full = x.rows / lanes, left = x.rows % lanes;
    for (ptrdiff_t j = 0; j < x.columns; j += STRIP) {
        ptrdiff_t d = x.columns - j < STRIP ? x.columns - j : STRIP;
        const char *data = x.data + j * x.column_step;
        if (!NAME(matrix_sums)(data, x.type, full, x.row_step * lanes, x.column_step, d, d * lanes, moments, sums + j,
                               sums_step, scratch))
            return 0;
        if (left && !NAME(matrix_sums)(data + full * lanes * x.row_step, x.type, 1, x.row_step * left, x.column_step, d,
                                       d * left, moments, sums + j, sums_step, scratch))
            return 0;
    }
    return 1;
}
