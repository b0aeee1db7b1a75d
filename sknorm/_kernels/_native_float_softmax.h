/* F1, compiled kernels: softmax of float32 samples, eight values at a time. Included once per instruction set.

What float32 costs is below two units in the last place of the largest probability: x - max is off by half a unit of
itself, which exp(x - max) makes small where it is large. Sums are float64.
*/

INLINE float NAME(fused_float)(float a, float b, float c)
{
#ifdef FUSED
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

/* p * 2**k, where k = sum - magic; as adding that leaves it, sum ends in the bits of k. */
INLINE float NAME(times_power_of_two)(float p, float sum)
{
    uint32_t bits, power;
    memcpy(&bits, &p, sizeof bits);
    memcpy(&power, &sum, sizeof power);
    bits += power << 23;
    memcpy(&p, &bits, sizeof p);
    return p;
}

/* exp(t) for t <= 0 and, unless deep, above -87 and no NaN: exp(r) * 2**k with |r| <= log(2) / 2. Among the polynomials
of its degree, that for exp(r) has the least relative error, 5e-9. Where 2**k is no normal number, half of k goes to a
factor of its own. */
INLINE float NAME(exponential_float)(float t, const int deep)
{
    const float magic = 0x1.8p23f;
    if (deep)
        t = t < -105.0f ? -105.0f : t;
    float sum = NAME(fused_float)(t, 0x1.715476p0f, magic), k = sum - magic;
    float r = NAME(fused_float)(-k, 0x1.62e4p-1f, t);
    r = NAME(fused_float)(-k, 0x1.7f7d1cp-20f, r);
    float p = 0x1.6a2352p-10f;
    p = NAME(fused_float)(p, r, 0x1.123a6cp-7f);
    p = NAME(fused_float)(p, r, 0x1.5558f4p-5f);
    p = NAME(fused_float)(p, r, 0x1.55549p-3f);
    p = NAME(fused_float)(p, r, 0x1.fffffcp-2f);
    p = NAME(fused_float)(p * r, r, r) + 1.0f;
    if (!deep)
        return NAME(times_power_of_two)(p, sum);
    float half = k * 0.5f + magic, rest = (k - (half - magic)) + magic;
    return p * NAME(times_power_of_two)(1.0f, half) * NAME(times_power_of_two)(1.0f, rest);
}

INLINE void NAME(float_exponentials)(const float *restrict x, float *restrict y, ptrdiff_t d, float high, float factor,
                               const int deep)
{
    ptrdiff_t j = 0;
    for (; j + LANES <= d; j += LANES) {
        FETCH_TO_WRITE(y + j + AHEAD_TO_WRITE);
        FETCH_TO_WRITE(y + j + AHEAD_TO_WRITE + LANES / 2);
        for (int l = 0; l < LANES; l++)
            y[j + l] = NAME(exponential_float)((x[j + l] - high) * factor, deep);
    }
    for (; j < d; j++)
        y[j] = NAME(exponential_float)((x[j] - high) * factor, deep);
}

/* One sample; 0 where a value is missing, infinite, or all are masked. */
static int NAME(float_softmax)(const float *restrict x, float *restrict y, ptrdiff_t d, double temperature,
                               double *log_sum)
{
    float highs[LANES], lows[LANES], odd[LANES], high = -INFINITY, low = INFINITY, any = 0;
    const float factor = (float)(1.0 / temperature);
    NAME(FourWide) sums[4] = {{0}}, all;
    double total = 0;
    ptrdiff_t j = 0;
    for (int l = 0; l < LANES; l++) {
        highs[l] = -INFINITY;
        lows[l] = INFINITY;
        odd[l] = 0;
    }
    for (; j + LANES <= d; j += LANES) {
        FETCH(x + j + AHEAD);
        FETCH(x + j + AHEAD + LANES / 2);
        for (int l = 0; l < LANES; l++) {
            highs[l] = x[j + l] > highs[l] ? x[j + l] : highs[l];
            lows[l] = x[j + l] < lows[l] ? x[j + l] : lows[l];
            odd[l] += x[j + l] - x[j + l]; /* NaN where it is not finite */
        }
    }
    for (; j < d; j++) {
        high = x[j] > high ? x[j] : high;
        low = x[j] < low ? x[j] : low;
        any += x[j] - x[j];
    }
    for (int l = 0; l < LANES; l++) {
        high = highs[l] > high ? highs[l] : high;
        low = lows[l] < low ? lows[l] : low;
        any += odd[l];
    }
    if (any == 0 && (low - high) * factor > -87.0f)
        NAME(float_exponentials)(x, y, d, high, factor, 0);
    else
        NAME(float_exponentials)(x, y, d, high, factor, 1);
    for (j = 0; j + 16 <= d; j += 16)
        for (int k = 0; k < 4; k++)
            sums[k] += WIDE_FLOATS(y + j + 4 * k);
    for (; j < d; j++)
        total += y[j];
    all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    total += TOTAL_OF(all);
    if (!(total < INFINITY))
        return 0;
    const double inverse = 1.0 / total;
    const float whole = (float)inverse, rest = (float)(inverse - whole);
    for (j = 0; j < d; j++)
        y[j] = NAME(fused_float)(y[j], whole, y[j] * rest);
    *log_sum = high / temperature + log(total);
    return 1;
}

#undef WIDE_FLOATS
#undef NARROWED
#undef ADD
#undef TOTAL_OF
#undef SHUFFLED
