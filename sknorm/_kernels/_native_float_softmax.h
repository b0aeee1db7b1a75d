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

INLINE float NAME(power_of_two)(float k) /* an integer above 2**23 + 2**22, as adding that leaves it */
{
    uint32_t bits;
    float x;
    memcpy(&bits, &k, sizeof bits);
    bits = (bits + 127u) << 23;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* exp(t) for t <= 0, as `exponential` does it. */
INLINE float NAME(exponential_float)(float t)
{
    const float magic = 0x1.8p23f;
    t = t < -105.0f ? -105.0f : t;
    float k = (t * 0x1.715476p0f + magic) - magic;
    float r = NAME(fused_float)(-k, 0x1.62e4p-1f, t);
    r = NAME(fused_float)(-k, 0x1.7f7d1cp-20f, r);
    float p = 0x1.a01a02p-13f; /* 1 / 7! */
    p = NAME(fused_float)(p, r, 0x1.6c16c2p-10f);
    p = NAME(fused_float)(p, r, 0x1.111112p-7f);
    p = NAME(fused_float)(p, r, 0x1.555556p-5f);
    p = NAME(fused_float)(p, r, 0x1.555556p-3f);
    p = NAME(fused_float)(p, r, 0.5f);
    p = NAME(fused_float)(p * r, r, r) + 1.0f;
    float half = k * 0.5f + magic, rest = (k - (half - magic)) + magic;
    return p * NAME(power_of_two)(half) * NAME(power_of_two)(rest);
}

/* One sample; 0 where a value is missing, infinite, or all are masked. */
static int NAME(float_softmax)(const float *restrict x, float *restrict y, ptrdiff_t d, double temperature,
                               double *log_sum)
{
    float lanes[LANES], high = -INFINITY, factor = (float)(1.0 / temperature);
    NAME(FourWide) sums = {0};
    double total = 0;
    ptrdiff_t j = 0;
    for (int l = 0; l < LANES; l++)
        lanes[l] = -INFINITY;
    for (; j + LANES <= d; j += LANES)
        for (int l = 0; l < LANES; l++)
            lanes[l] = x[j + l] > lanes[l] ? x[j + l] : lanes[l];
    for (; j < d; j++)
        high = x[j] > high ? x[j] : high;
    for (int l = 0; l < LANES; l++)
        high = lanes[l] > high ? lanes[l] : high;
    for (j = 0; j < d; j++)
        y[j] = NAME(exponential_float)((x[j] - high) * factor);
    for (j = 0; j + 4 <= d; j += 4)
        sums += __builtin_convertvector(*(const NAME(Four) *)(y + j), NAME(FourWide));
    for (; j < d; j++)
        total += y[j];
    total += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (!(total < INFINITY))
        return 0;
    const double inverse = 1.0 / total;
    const float whole = (float)inverse, rest = (float)(inverse - whole);
    for (j = 0; j < d; j++)
        y[j] = NAME(fused_float)(y[j], whole, y[j] * rest);
    *log_sum = high / temperature + log(total);
    return 1;
}
