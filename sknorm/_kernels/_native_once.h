/* F1, compiled kernels: statistics of columns in one reading of the data.

What the pieces before it showed is a guess of what a piece is like: squares are summed around their mean, and sums on
grids for values four times as large. Any center does: the merge moves sums of squares to the mean of all, and cancels
no more than a part of them where a piece has no more values than all before it. Where it has, or a grid proves too
small, no harm is done: the piece is read again, three times. Columns that are narrow, or contiguous, are read as one
wide row of several lanes a column. Included once per instruction set.
*/

/* The largest distance from c of values between low and high. */
INLINE double NAME(reach)(double low, double high, double c)
{
    return high - c > c - low ? high - c : c - low;
}

/* Centers and grids for a piece of d columns with ``whole`` values each; ``sums`` is what is known. */
static void NAME(guess)(const double *sums, ptrdiff_t sums_step, ptrdiff_t d, ptrdiff_t w, double whole, double *found)
{
    for (ptrdiff_t j = 0; j < d; j++) {
        double low = sums[LOWEST * sums_step + j], high = sums[HIGHEST * sums_step + j];
        double c = low == high ? low : sums[CENTER * sums_step + j];
        double size = 4 * NAME(larger)(low, high), span = 4 * NAME(reach)(low, high, c);
        int any = sums[COUNT * sums_step + j] > 0;
        ROW(CENTER)[j] = c;
        ROW(GRID)[j] = any ? NAME(above)(whole * size) : 0.0;
        ROW(SQUARE_GRID)[j] = any ? NAME(above)(whole * span * span) : 0.0;
    }
    for (int k = 0; k < FOUND; k++)
        if (k == CENTER || k >= GRID)
            NAME(spread)(ROW(k), d, w);
        else
            NAME(fill)(ROW(k), w, k == LOWEST ? INFINITY : k == HIGHEST ? -INFINITY : 0.0);
}

/* Whether what was found in d columns is what was guessed, so that no more was rounded than should be. */
static int NAME(held)(const double *sums, ptrdiff_t sums_step, ptrdiff_t d, double largest, const double *found)
{
    int all = 1;
    for (ptrdiff_t j = 0; j < d; j++) {
        double low = sums[LOWEST * sums_step + j], high = sums[HIGHEST * sums_step + j], c = ROW(CENTER)[j];
        double size = NAME(larger)(ROW(LOWEST)[j], ROW(HIGHEST)[j]);
        double span = NAME(reach)(ROW(LOWEST)[j], ROW(HIGHEST)[j], c);
        int good = size <= 4 * NAME(larger)(low, high) && span <= 4 * NAME(reach)(low, high, c);
        good &= ROW(COUNT)[j] <= sums[COUNT * sums_step + j] && size < largest && (size == 0 || size >= SMALLEST);
        good &= ROW(TOTAL)[j] + ROW(REST)[j] < INFINITY; /* false for NaN, which is not skipped unless it is expected */
        all &= good | (ROW(COUNT)[j] == 0);
    }
    return all;
}

/* By its bits, as a choice among three would be a branch. */
#define OR_ZERO(i, v) (missing ? NAME(from_bits)(NAME(to_bits)(v) & -(uint64_t)(r[i][j] == r[i][j])) : (v))
#define VALUE(i) OR_ZERO(i, r[i][j])
#define DEVIATION(i) OR_ZERO(i, r[i][j] - c)
#define HIGH(i) (NAME(plus)(VALUE(i), one, s) - s)
#define LOW(i) NAME(plus)(-HIGH(i), one, VALUE(i))
#define TWO(i, k, squares)                                                                                            \
    lo = r[i][j] < lo ? r[i][j] : lo;                                                                                 \
    hi = r[i][j] > hi ? r[i][j] : hi;                                                                                 \
    lo = r[k][j] < lo ? r[k][j] : lo;                                                                                 \
    hi = r[k][j] > hi ? r[k][j] : hi;                                                                                 \
    sum += HIGH(i) + HIGH(k);                                                                                         \
    rest += LOW(i) + LOW(k);                                                                                          \
    if (missing)                                                                                                      \
        n += PRESENT(r[i][j]) + PRESENT(r[k][j]);                                                                     \
    const double squares = DEVIATION(i) * DEVIATION(i) + DEVIATION(k) * DEVIATION(k);

/* Eight rows of at most LANES columns. */
INLINE void NAME(eight_rows)(const double *restrict x, ptrdiff_t step, ptrdiff_t w, double *restrict found,
                             const int missing)
{
    const double *restrict r[8], one = hidden_one;
    for (int k = 0; k < 8; k++)
        r[k] = x + k * step;
    for (ptrdiff_t j = 0; j < w; j++) {
        double s = ROW(GRID)[j], c = ROW(CENTER)[j], lo = ROW(LOWEST)[j], hi = ROW(HIGHEST)[j], n = ROW(COUNT)[j];
        double sum = ROW(TOTAL)[j], rest = ROW(REST)[j];
        TWO(0, 1, first)
        TWO(2, 3, second)
        double four = first + second;
        TWO(4, 5, third)
        TWO(6, 7, fourth)
        double eight = four + (third + fourth), high = (eight + ROW(SQUARE_GRID)[j]) - ROW(SQUARE_GRID)[j];
        ROW(LOWEST)[j] = lo;
        ROW(HIGHEST)[j] = hi;
        ROW(TOTAL)[j] = sum;
        ROW(REST)[j] = rest;
        ROW(M2)[j] += high;
        ROW(M2_REST)[j] += eight - high;
        if (missing)
            ROW(COUNT)[j] = n;
    }
}

#undef VALUE
#undef DEVIATION
#undef HIGH
#undef LOW
#undef TWO

/* All rows, eight at a time, and from each so many values that what is known of their columns stays in the first cache.
What comes next is fetched into the second. */
INLINE void NAME(once)(const double *x, ptrdiff_t rows, ptrdiff_t step, ptrdiff_t w, double *found, const int missing)
{
    for (ptrdiff_t i = 0; i < rows; i += 8)
        for (ptrdiff_t j = 0; j < w; j += LANES) {
            ptrdiff_t many = w - j < LANES ? w - j : LANES, around = 8 * step - j / STRIP * STRIP;
            ptrdiff_t ahead = w <= STRIP ? 32 * step : j + STRIP < w ? STRIP : around;
            for (int k = 0; k < 8; k++)
                for (ptrdiff_t at = j; at < j + many; at += 8)
                    FETCH(x + (i + k) * step + at + ahead);
            NAME(eight_rows)(x + i * step + j, step, many, found + j, missing);
        }
}

/* The lanes of all that was found. */
static void NAME(fold)(double *found, ptrdiff_t d, ptrdiff_t w)
{
    NAME(lowest)(ROW(LOWEST), d, w);
    NAME(highest)(ROW(HIGHEST), d, w);
    for (int k = 0; k < STATISTICS; k++)
        if (k != LOWEST && k != HIGHEST && k != CENTER)
            NAME(folded)(ROW(k), d, w);
}

/* Whether numbers can be read where they lie. */
INLINE int NAME(are_doubles)(int type, ptrdiff_t row_step, ptrdiff_t column_step)
{
    return type == F64 && column_step == 8 && row_step % 8 == 0;
}

/* Merge a matrix into ``sums``, piece by piece; w = lanes * d values in a row. */
static int NAME(matrix_sums)(const char *x, int type, ptrdiff_t rows, ptrdiff_t row_step, ptrdiff_t column_step,
                             ptrdiff_t d, ptrdiff_t w, int moments, double *sums, ptrdiff_t sums_step, double *scratch)
{
    double *found = scratch, *staged = scratch + FOUND * WIDE;
    double largest = type == I64 || type == U64 ? EXACT_INTEGER : moments ? LARGEST : INFINITY;
    ptrdiff_t most = w > STRIP ? MOST_ROWS : PIECE / w, n;
    int as_it_is = NAME(are_doubles)(type, row_step, column_step), missing = 0;
    for (ptrdiff_t i = 0; i < rows; i += n) {
        const double *piece = (const double *)(x + i * row_step);
        n = i < FIRST_ROWS ? FIRST_ROWS : i < most ? i : most;
        n = n < rows - i ? n : rows - i;
        int guessed = moments && i && n >= 8;
        n = guessed ? n / 8 * 8 : n;
        ptrdiff_t step = as_it_is ? row_step / 8 : w;
        if (!as_it_is) {
            if (row_step == w * column_step)
                NAME(widen)(type, x + i * row_step, column_step, n * w, staged);
            else
                for (ptrdiff_t k = 0; k < n; k++)
                    NAME(widen)(type, x + (i + k) * row_step, column_step, w, staged + k * w);
            piece = staged;
        }
        double whole = (double)(n * (w / d));
        if (guessed) {
            NAME(guess)(sums, sums_step, d, w, whole, found);
            if (missing)
                NAME(once)(piece, n, step, w, found, 1);
            else
                NAME(once)(piece, n, step, w, found, 0);
            NAME(fold)(found, d, w);
            if (!missing)
                NAME(fill)(ROW(COUNT), d, whole);
        }
        for (ptrdiff_t j = 0; j < d; j += STRIP) {
            ptrdiff_t strip = d - j < STRIP ? d - j : STRIP;
            if (guessed && NAME(held)(sums + j, sums_step, strip, largest, found + j))
                continue;
            if (!NAME(piece_sums)(piece + j, n, step, strip, strip * (w / d), moments, largest, found + j))
                return 0;
            for (ptrdiff_t k = j; k < j + strip; k++)
                missing |= ROW(COUNT)[k] != whole;
        }
        NAME(merge)(sums, sums_step, found, WIDE, d);
    }
    return 1;
}

/* Whether the values of a column lie nearer to one another than those of a row. */
static int NAME(by_columns)(Matrix x)
{
    ptrdiff_t down = x.row_step, across = x.column_step;
    return (down < 0 ? -down : down) < (across < 0 ? -across : across);
}

/* The columns of a block merged into ``sums``, whose rows COUNT..M2_REST are ``sums_step`` apart. */
static int NAME(column_sums)(Matrix x, int moments, double *sums, ptrdiff_t sums_step, double *scratch)
{
    ptrdiff_t size = SIZES[x.type], step = x.row_step;
    if (x.rows == 0)
        return 1;
    if (x.rows > 1 && NAME(by_columns)(x)) { /* each column is a run, contiguous or not */
        for (ptrdiff_t j = 0; j < x.columns; j++) {
            const char *run = x.data + j * x.column_step;
            ptrdiff_t full = x.rows / LANES, left = x.rows % LANES;
            if (!NAME(matrix_sums)(run, x.type, full, LANES * step, step, 1, LANES, moments, sums + j, sums_step,
                                   scratch))
                return 0;
            if (left && !NAME(matrix_sums)(run + full * LANES * step, x.type, 1, left * step, step, 1, left, moments,
                                           sums + j, sums_step, scratch))
                return 0;
        }
        return 1;
    }
    ptrdiff_t lanes = 1;
    if (x.column_step == size && x.row_step == size * x.columns && x.columns <= LANES)
        lanes = LANES / x.columns < x.rows ? LANES / x.columns : x.rows;
    ptrdiff_t full = x.rows / lanes, left = x.rows % lanes;
    ptrdiff_t width = NAME(are_doubles)(x.type, x.row_step, x.column_step) ? WIDEST : STRIP;
    for (ptrdiff_t j = 0; j < x.columns; j += width) {
        ptrdiff_t d = x.columns - j < width ? x.columns - j : width;
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
