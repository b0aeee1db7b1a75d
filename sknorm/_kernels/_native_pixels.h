/* F1, compiled kernels: 8-bit pixels to float32 eight at a time, where no offset follows and x - a is an integer.

(x - a) * k is then exact but for its last rounding when k is a sum of two float32 and the addition is fused, so that
nothing is lost against float64. Included once per instruction set.
*/

/* 0 where these loops are not for the map. ``map`` holds all columns, x.columns apart. */
static int NAME(pixels)(Matrix x, Matrix y, const double *map, const Affine *f)
{
#ifdef FUSED
    float a[LANES_OF_MAP], k[LANES_OF_MAP], k_low[LANES_OF_MAP];
    ptrdiff_t d = x.columns, n = x.rows * d, w = LANES_OF_MAP / d * d;
    if (x.type != U8 || y.type != F32 || f->with_b || f->clip)
        return 0;
    for (ptrdiff_t j = 0; j < d; j++) {
        double whole = map[A * d + j] + map[A_LOW * d + j], factor = fabs(map[K_WHOLE * d + j]);
        if (whole - map[A * d + j] != map[A_LOW * d + j] || whole != rint(whole) || !(fabs(whole) < 0x1p23) ||
            !(factor > 0x1p-60 && factor < 0x1p60))
            return 0;
    }
    for (ptrdiff_t j = 0; j < w; j++) {
        double factor = map[K_WHOLE * d + j % d];
        a[j] = (float)(map[A * d + j % d] + map[A_LOW * d + j % d]);
        k[j] = (float)factor;
        k_low[j] = (float)(factor - k[j]);
    }
    for (ptrdiff_t i = 0; i < n; i += w) {
        const uint8_t *restrict from = (const uint8_t *)x.data + i;
        float *restrict to = (float *)y.data + i;
        ptrdiff_t last = n - i < w ? n - i : w;
        for (ptrdiff_t j = 0; j < last; j++) {
            float t = (float)from[j] - a[j];
            to[j] = __builtin_fmaf(t, k[j], t * k_low[j]);
        }
    }
    return 1;
#else
    (void)x, (void)y, (void)map, (void)f;
    return 0;
#endif
}
