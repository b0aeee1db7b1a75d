/* F1, compiled kernels: y = b + (x - a) * k for each column, rounded once.

A few rows are mapped together, so that the constants are read once for them. Included once per instruction set.
*/

#define AFFINE_ROW(i)                                                                                                 \
    {                                                                                                                 \
        double v = x[(i) * x_step + j], part = NAME(plus)(v, one, s) - s, rest = NAME(plus)(-part, one, v) - a2;      \
        part -= a1;                                                                                                   \
        rest = rest * k0 + part * k2;                                                                                 \
        part *= k1;                                                                                                   \
        if (with_b) {                                                                                                 \
            double sum = part + b1;                                                                                   \
            rest += NAME(sum_error)(part, b1, sum) + b2;                                                              \
            part = sum;                                                                                               \
        }                                                                                                             \
        part += rest;                                                                                                 \
        any |= NAME(overflow)(part);                                                                                  \
        y[(i) * y_step + j] = part;                                                                                   \
    }

/* In twice the precision, for outputs that have all the bits of float64: the leading bits of x - a stand on the grid of
sigma and those of k are its first 26, so that their product is exact. Returns whether all is finite. */
INLINE int NAME(affine_in_two)(const double *restrict x, ptrdiff_t x_step, double *restrict y, ptrdiff_t y_step,
                                      ptrdiff_t w, const double *restrict map, ptrdiff_t step, const int with_b,
                                      const int rows)
{
    const double *restrict sigma = map + SIGMA * step, *restrict a = map + A * step, *restrict a_low = map + A_LOW * step;
    const double *restrict k = map + K * step, *restrict k_low = map + K_LOW * step, *restrict whole = map + K_WHOLE * step;
    const double *restrict b = map + B * step, *restrict b_low = map + B_LOW * step;
    const double one = hidden_one;
    uint64_t any = 0;
    for (ptrdiff_t j = 0; j < w; j++) {
        const double s = sigma[j], a1 = a[j], a2 = a_low[j], k0 = whole[j], k1 = k[j], k2 = k_low[j], b1 = b[j], b2 = b_low[j];
        AFFINE_ROW(0)
        if (rows == TOGETHER) {
            AFFINE_ROW(1)
            AFFINE_ROW(2)
            AFFINE_ROW(3)
        }
    }
    return !(any >> 63);
}

#undef AFFINE_ROW

/* The nearest integer to the same, half to even, between low and high: what is below the last bit of the sum decides
where that alone is a tie. */
INLINE int NAME(affine_to_integer)(const double *restrict x, ptrdiff_t x_step, double *restrict y, ptrdiff_t y_step,
                                   ptrdiff_t w, const double *restrict map, ptrdiff_t step, double low, double high,
                                   ptrdiff_t rows)
{
    const double *restrict sigma = map + SIGMA * step, *restrict a = map + A * step, *restrict a_low = map + A_LOW * step;
    const double *restrict k = map + K * step, *restrict k_low = map + K_LOW * step, *restrict whole = map + K_WHOLE * step;
    const double *restrict b = map + B * step, *restrict b_low = map + B_LOW * step;
    const double magic = 0x1.8p52; /* adding it rounds to an integer */
    uint64_t any = 0;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < w; j++) {
            double v = x[i * x_step + j], part = (v + sigma[j]) - sigma[j], rest = (v - part) - a_low[j];
            part -= a[j];
            rest = rest * whole[j] + part * k_low[j];
            part *= k[j];
            double sum = part + b[j];
            rest += NAME(sum_error)(part, b[j], sum) + b_low[j];
            double value = sum + rest, below = rest - (value - sum);
            any |= NAME(overflow)(value);
            value = value < low ? low : value > high ? high : value;
            double nearest = (value + magic) - magic, off = value - nearest;
            nearest += off == 0.5 && below > 0 ? 1.0 : off == -0.5 && below < 0 ? -1.0 : 0.0;
            y[i * y_step + j] = nearest < low ? low : nearest > high ? high : nearest;
        }
    return !(any >> 63);
}

/* In float64, for narrower outputs; float32 is written at once. */
#define AFFINE_IN_ONE(name, FROM, TO)                                                                                 \
    INLINE int NAME(name)(const FROM *restrict x, ptrdiff_t x_step, TO *restrict y, ptrdiff_t y_step,          \
                                 ptrdiff_t w, const double *restrict map, ptrdiff_t step, const int rows)             \
    {                                                                                                                 \
        const double *restrict a = map + A * step, *restrict a_low = map + A_LOW * step;                              \
        const double *restrict k = map + K_WHOLE * step, *restrict b = map + B * step;                                \
        uint64_t any = 0;                                                                                             \
        for (ptrdiff_t i = 0; i < rows; i++)                                                                          \
            for (ptrdiff_t j = 0; j < w; j++) {                                                                       \
                double v = (((double)x[i * x_step + j] - a[j]) - a_low[j]) * k[j] + b[j];                             \
                any |= NAME(overflow)(v);                                                                             \
                y[i * y_step + j] = (TO)v;                                                                            \
            }                                                                                                         \
        return !(any >> 63);                                                                                          \
    }

AFFINE_IN_ONE(affine_f64_f64, double, double)
AFFINE_IN_ONE(affine_f64_f32, double, float)
AFFINE_IN_ONE(affine_f32_f32, float, float)

#undef AFFINE_IN_ONE

/* Whether some x that is not NaN has an image that is not finite. */
static int NAME(lost)(Matrix x, const double *y, ptrdiff_t y_step)
{
    double source[STRIP];
    uint64_t any = 0;
    for (ptrdiff_t i = 0; i < x.rows; i++) {
        NAME(widen)(x.type, x.data + i * x.row_step, x.column_step, x.columns, source);
        for (ptrdiff_t j = 0; j < x.columns; j++)
            any |= source[j] == source[j] ? NAME(overflow)(y[i * y_step + j]) : 0;
    }
    return (int)(any >> 63);
}

/* The image of up to TOGETHER rows of up to STRIP values; 0 where it is not for these loops. */
INLINE int NAME(affine_rows)(Matrix x, Matrix y, const double *map, ptrdiff_t step, const Affine *f,
                                    const int rows)
{
    double widened[TOGETHER * STRIP], staged[TOGETHER * STRIP];
    ptrdiff_t w = x.columns, xs = x.row_step / SIZES[x.type], ys = y.row_step / SIZES[y.type];
    int dense = x.column_step == SIZES[x.type] && y.column_step == SIZES[y.type] && !f->clip;
    const void *from = x.data;
    int type = x.type, finite;
    if (dense && y.type == F32 && type == F32)
        finite = NAME(affine_f32_f32)(from, xs, (float *)y.data, ys, w, map, step, rows);
    else if (dense && y.type == F32 && type == F64)
        finite = NAME(affine_f64_f32)(from, xs, (float *)y.data, ys, w, map, step, rows);
    else
        finite = -1;
    if (finite > 0)
        return 1;
    const double *source = from;
    if (type != F64 || x.column_step != 8) {
        for (ptrdiff_t i = 0; i < rows; i++)
            NAME(widen)(type, x.data + i * x.row_step, x.column_step, w, widened + i * w);
        source = widened;
        xs = w;
        if (type == I64 || type == U64)
            for (ptrdiff_t j = 0; j < rows * w; j++)
                if (fabs(source[j]) >= EXACT_INTEGER)
                    return 0;
    }
    double *image = dense && y.type == F64 ? (double *)y.data : staged;
    ptrdiff_t image_step = image == staged ? w : ys;
    if (y.type >= I8) {
        if (!NAME(affine_to_integer)(source, xs, image, image_step, w, map, step, f->low, f->high, rows))
            return 0;
        finite = 1;
    } else if (y.type != F64)
        finite = NAME(affine_f64_f64)(source, xs, image, image_step, w, map, step, rows);
    else if (f->with_b)
        finite = NAME(affine_in_two)(source, xs, image, image_step, w, map, step, 1, rows);
    else
        finite = NAME(affine_in_two)(source, xs, image, image_step, w, map, step, 0, rows);
    if (!finite && NAME(lost)(x, image, image_step))
        return 0;
    if (f->clip && y.type < I8)
        for (ptrdiff_t j = 0; j < rows * w; j++) {
            double v = image[j] < f->low ? f->low : image[j];
            image[j] = v > f->high ? f->high : v;
        }
    if (image == staged)
        for (ptrdiff_t i = 0; i < rows; i++)
            NAME(narrow)(y.type, image + i * w, w, y.data + i * y.row_step, y.column_step);
    return 1;
}

/* A matrix of up to STRIP columns. Rows that follow one another are one stream, which the processor reads ahead if it
is read in order; of others, what comes next is fetched. */
static int NAME(affine_strip)(Matrix x, Matrix y, const double *map, ptrdiff_t step, const Affine *f)
{
    Matrix from = x, to = y;
    ptrdiff_t i = 0, together = x.row_step == x.columns * x.column_step ? 1 : TOGETHER;
    if (together == TOGETHER)
        for (from.rows = TOGETHER; i + TOGETHER <= x.rows; i += TOGETHER) {
            from.data = x.data + i * x.row_step;
            to.data = y.data + i * y.row_step;
            for (ptrdiff_t k = TOGETHER; k < 2 * TOGETHER; k++)
                for (ptrdiff_t j = 0; j < x.columns * x.column_step; j += 64)
                    FETCH(from.data + k * x.row_step + j);
            if (!NAME(affine_rows)(from, to, map, step, f, TOGETHER))
                return 0;
        }
    for (from.rows = 1; i < x.rows; i++) {
        from.data = x.data + i * x.row_step;
        to.data = y.data + i * y.row_step;
        if (!NAME(affine_rows)(from, to, map, step, f, 1))
            return 0;
    }
    return 1;
}

/* A contiguous run as rows of w values, the constants of which are lined up. */
static int NAME(affine_run)(Matrix x, Matrix y, ptrdiff_t n, ptrdiff_t w, const double *map, const Affine *f)
{
    x.columns = w;
    x.rows = n / w;
    x.row_step = w * x.column_step;
    y.row_step = w * y.column_step;
    if (!NAME(affine_strip)(x, y, map, LANES_OF_MAP, f))
        return 0;
    x.data += x.rows * x.row_step;
    y.data += x.rows * y.row_step;
    x.columns = n - x.rows * w;
    x.rows = 1;
    return !x.columns || NAME(affine_strip)(x, y, map, LANES_OF_MAP, f);
}

/* ``map`` holds SIGMA..B_LOW of all columns, x.columns apart. 0 where the block is not for these loops; some of it is
written then. */
static int NAME(affine)(Matrix x, Matrix y, const double *map, const Affine *f)
{
    double lined_up[CONSTANTS * LANES_OF_MAP];
    ptrdiff_t xs = SIZES[x.type], ys = SIZES[y.type], d = x.columns;
    if (x.row_step == xs && y.row_step == ys && x.rows > 1) { /* each column is a contiguous run */
        Matrix from = x, to = y;
        from.column_step = xs;
        to.column_step = ys;
        for (ptrdiff_t j = 0; j < d; j++) {
            for (int c = 0; c < CONSTANTS; c++)
                NAME(fill)(lined_up + c * LANES_OF_MAP, LANES_OF_MAP, map[c * d + j]);
            from.data = x.data + j * x.column_step;
            to.data = y.data + j * y.column_step;
            if (!NAME(affine_run)(from, to, x.rows, LANES_OF_MAP, lined_up, f))
                return 0;
        }
        return 1;
    }
    if (d <= LANES_OF_MAP / 2 && x.rows > 1 && x.column_step == xs && y.column_step == ys && x.row_step == d * xs &&
        y.row_step == d * ys) { /* rows side by side make one wide row */
        if (NAME(pixels)(x, y, map, f))
            return 1;
        for (int c = 0; c < CONSTANTS; c++) {
            memcpy(lined_up + c * LANES_OF_MAP, map + c * d, (size_t)d * sizeof(double));
            NAME(spread)(lined_up + c * LANES_OF_MAP, d, LANES_OF_MAP);
        }
        return NAME(affine_run)(x, y, x.rows * d, LANES_OF_MAP / d * d, lined_up, f);
    }
    for (ptrdiff_t i = 0; i < x.rows; i += SLICE) /* so many rows that what is fetched for one strip is still there */
        for (ptrdiff_t j = 0; j < d; j += STRIP) {
            Matrix from = x, to = y;
            from.data = x.data + i * x.row_step + j * x.column_step;
            to.data = y.data + i * y.row_step + j * y.column_step;
            from.rows = x.rows - i < SLICE ? x.rows - i : SLICE;
            from.columns = d - j < STRIP ? d - j : STRIP;
            if (!NAME(affine_strip)(from, to, map + j, d, f))
                return 0;
        }
    return 1;
}

/* Stored values of a sparse matrix: each has its own column. */
static int NAME(affine_stored)(Matrix x, Matrix y, const char *columns, int wide_index, const double *map, ptrdiff_t d,
                               const Affine *f)
{
    double gathered[CONSTANTS * STRIP];
    ptrdiff_t n = x.columns;
    x.rows = 1;
    for (ptrdiff_t i = 0; i < n; i += STRIP) {
        x.columns = n - i < STRIP ? n - i : STRIP;
        for (ptrdiff_t j = 0; j < x.columns; j++) {
            ptrdiff_t column = wide_index ? (ptrdiff_t)((const int64_t *)columns)[i + j] : ((const int32_t *)columns)[i + j];
            for (int c = 0; c < CONSTANTS; c++)
                gathered[c * STRIP + j] = map[c * d + column];
        }
        if (!NAME(affine_strip)(x, y, gathered, STRIP, f))
            return 0;
        x.data += x.columns * x.column_step;
        y.data += x.columns * y.column_step;
    }
    return 1;
}
