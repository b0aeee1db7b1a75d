/* F1, compiled kernels: the walk over the samples of a block. Included once per instruction set. */

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
    int narrow = d <= NARROW && !f->alone, x_dense = x.column_step == xs && x.row_step == d * xs;
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
            NAME(softmax_tile)(&t, n, f, y.data != NULL, first + i);
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
            NAME(narrow)(y.type, image, n * d, y.data + i * y.row_step, ys);
        else
            for (ptrdiff_t k = 0; k < n; k++)
                if (!t.declined[k])
                    NAME(narrow)(y.type, image + k * d, d, y.data + (i + k) * y.row_step, y.column_step);
    }
}

/* Whether the loops for float32 are for the samples. */
static int NAME(are_floats)(Matrix x, Matrix y, const Norm *f)
{
    int floats = x.type == F32 && y.type == F32 && y.data && y.column_step == 4 && !f->precise;
    if (f->kind == SOFTMAX)
        return floats && x.columns >= LANES / 2 && f->temperature > 0x1p-60 && f->temperature < 0x1p60;
    return floats && f->count == (double)x.columns;
}

static void NAME(float_samples)(Matrix x, Matrix y, const Norm *f, double *first, double *second,
                                unsigned char *declined)
{
    if (f->kind != SOFTMAX)
        NAME(float_rows)(x, y, f, first, second, declined);
    else
        for (ptrdiff_t i = 0; i < x.rows; i++)
            declined[i] = !NAME(float_softmax)((const float *)(x.data + i * x.row_step),
                                               (float *)(y.data + i * y.row_step), x.columns, f->temperature, first + i);
}

/* Every sample of x; y.data may be NULL. ``declined`` is set for samples that are not for these loops, and left alone
for others; ``scratch`` holds three times the larger of d and NARROW * LANES. */
static void NAME(rows)(Matrix x, Matrix y, const Norm *f, double *first, double *second, unsigned char *declined,
                       double *scratch)
{
    Matrix from = x, to = y, nowhere = y;
    if (x.columns == 0)
        return;
    if (!NAME(are_floats)(x, y, f)) {
        NAME(tile_rows)(x, y, f, first, second, declined, scratch);
        return;
    }
    from.rows = to.rows = 1;
    if (x.column_step == 4)
        NAME(float_samples)(x, y, f, first, second, declined);
    else /* the same loops, for the same bits */
        for (ptrdiff_t i = 0; i < x.rows; i++) {
            for (ptrdiff_t j = 0; j < x.columns; j++)
                ((float *)scratch)[j] = *(const float *)(x.data + i * x.row_step + j * x.column_step);
            from.data = (char *)scratch;
            from.column_step = 4;
            to.data = y.data + i * y.row_step;
            NAME(float_samples)(from, to, f, first + i, second + i, declined + i);
        }
    nowhere.data = NULL;
    from.column_step = x.column_step;
    for (ptrdiff_t i = 0; i < x.rows; i++) {
        int kept = f->kind == SOFTMAX && y.row_step != x.columns * 4; /* statistics that go to the output */
        if (!declined[i] && !kept)
            continue;
        to = nowhere;
        if (declined[i]) /* a missing value, or a sample for the portable kernel */
            to.data = y.data + i * y.row_step;
        to.rows = 1;
        declined[i] = 0;
        from.data = x.data + i * x.row_step;
        NAME(tile_rows)(from, to, f, first + i, second + i, declined + i, scratch);
    }
}
