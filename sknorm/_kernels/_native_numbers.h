/* F1, compiled kernels: reading and writing numbers of any type, and arithmetic whose rounding errors are known.

Included once per instruction set. Numbers are float64 from the moment they are read until they are written.
*/

INLINE double NAME(larger)(double a, double b)
{
    return fabs(a) > fabs(b) ? fabs(a) : fabs(b);
}

INLINE double NAME(fused)(double a, double b, double c)
{
#ifdef FUSED
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* a + b by the units that multiply, which would be idle in loops of sums; ``one`` is a 1 that the compiler cannot see. */
INLINE double NAME(plus)(double a, double one, double b)
{
#ifdef FUSED
    return __builtin_fma(a, one, b);
#else
    (void)one;
    return a + b;
#endif
}

/* The rounding error of product = a * b. */
INLINE double NAME(product_error)(double a, double b, double product)
{
#ifdef FUSED
    return __builtin_fma(a, b, -product);
#else
    const double splitter = 134217729.0; /* 2**27 + 1 (Veltkamp) */
    double c = a * splitter, ah = c - (c - a), al = a - ah;
    double e = b * splitter, bh = e - (e - b), bl = b - bh;
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
#endif
}

/* The rounding error of sum = a + b (Knuth). */
INLINE double NAME(sum_error)(double a, double b, double sum)
{
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

INLINE double NAME(from_bits)(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE uint64_t NAME(to_bits)(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The sign bit is set where x is infinite or NaN: there all bits of the exponent are. */
INLINE uint64_t NAME(overflow)(double x)
{
    return (NAME(to_bits)(x) & 0x7fffffffffffffffu) + 0x0010000000000000u;
}

/* A power of two between 4 and 8 times a bound: what is added to and subtracted from x cuts it at that height. */
INLINE double NAME(above)(double bound)
{
    return NAME(from_bits)(NAME(to_bits)(bound) & 0x7ff0000000000000u) * 8;
}

/* Exact values of float16, normal or not. */
INLINE double NAME(from_half)(uint16_t h)
{
    uint64_t sign = (uint64_t)(h & 0x8000u) << 48, rest = h & 0x7fffu;
    /* exponent and fraction in place, then 2**(1023 - 15) times as large, which also makes subnormal ones right */
    double x = NAME(from_bits)(rest << 42) * 0x1p1008;
    uint64_t bits = NAME(to_bits)(x) | (rest >= 0x7c00u ? 0x7ff0000000000000u | rest << 42 : 0);
    return NAME(from_bits)(bits | sign);
}

/* float16 nearest to x, ties to even, in one rounding. */
INLINE uint16_t NAME(to_half)(double x)
{
    uint64_t bits = NAME(to_bits)(x), sign = bits >> 48 & 0x8000u;
    double size = fabs(x);
    if (size != size)
        return (uint16_t)(sign | 0x7e00u);
    if (size >= 65520.0)
        return (uint16_t)(sign | 0x7c00u);
    if (size < 0x1p-14) /* subnormal: a multiple of 2**-24 */
        return (uint16_t)(sign | (uint64_t)(NAME(to_bits)(size + 0x1p28) & 0xfffu));
    bits &= 0x7fffffffffffffffu;
    bits += 0x1ffffffffffu + (bits >> 42 & 1);
    return (uint16_t)(sign | ((bits >> 42) - ((uint64_t)(1023 - 15) << 10)));
}

#define WIDEN(T, VALUE)                                                                                               \
    if (step == (ptrdiff_t)sizeof(T)) {                                                                               \
        const T *restrict v = (const T *)x;                                                                           \
        for (ptrdiff_t i = 0; i < n; i++)                                                                             \
            y[i] = VALUE(v[i]);                                                                                       \
    } else                                                                                                            \
        for (ptrdiff_t i = 0; i < n; i++)                                                                             \
            y[i] = VALUE(*(const T *)(x + i * step));                                                                 \
    break;

/* n values, ``step`` bytes apart, as float64. */
static void NAME(widen)(int type, const char *restrict x, ptrdiff_t step, ptrdiff_t n, double *restrict y)
{
    switch (type) {
    case F64: WIDEN(double, )
    case F32: WIDEN(float, (double))
    case F16: WIDEN(uint16_t, NAME(from_half))
    case I8: WIDEN(int8_t, (double))
    case U8: WIDEN(uint8_t, (double))
    case I16: WIDEN(int16_t, (double))
    case U16: WIDEN(uint16_t, (double))
    case I32: WIDEN(int32_t, (double))
    case U32: WIDEN(uint32_t, (double))
    case I64: WIDEN(int64_t, (double))
    case U64: WIDEN(uint64_t, (double))
    }
}

#undef WIDEN

#define NARROW(T, VALUE)                                                                                              \
    if (step == (ptrdiff_t)sizeof(T)) {                                                                               \
        T *restrict v = (T *)y;                                                                                       \
        for (ptrdiff_t i = 0; i < n; i++)                                                                             \
            v[i] = VALUE(x[i]);                                                                                       \
    } else                                                                                                            \
        for (ptrdiff_t i = 0; i < n; i++)                                                                             \
            *(T *)(y + i * step) = VALUE(x[i]);                                                                       \
    break;

/* n float64, each rounded once, to places ``step`` bytes apart; integers are integers of that type already. */
static void NAME(narrow)(int type, const double *restrict x, ptrdiff_t n, char *restrict y, ptrdiff_t step)
{
    switch (type) {
    case F64: NARROW(double, )
    case F32: NARROW(float, (float))
    case F16: NARROW(uint16_t, NAME(to_half))
    case I8: NARROW(int8_t, (int8_t))
    case U8: NARROW(uint8_t, (uint8_t))
    case I16: NARROW(int16_t, (int16_t))
    case U16: NARROW(uint16_t, (uint16_t))
    case I32: NARROW(int32_t, (int32_t))
    case U32: NARROW(uint32_t, (uint32_t))
    }
}

#undef NARROW

/* An unevaluated sum of two float64; the algorithms are those of `DoubleDouble`. */
typedef struct {
    double hi, lo;
} NAME(Two);

INLINE NAME(Two) NAME(two)(double a, double b) /* |a| >= |b| */
{
    double hi = a + b;
    return (NAME(Two)){hi, b - (hi - a)};
}

INLINE NAME(Two) NAME(two_plus)(NAME(Two) a, double b)
{
    double hi = a.hi + b;
    return NAME(two)(hi, NAME(sum_error)(a.hi, b, hi) + a.lo);
}

INLINE NAME(Two) NAME(two_over)(NAME(Two) a, double b)
{
    double q = a.hi / b, p = q * b, rest = (a.hi - p) - NAME(product_error)(q, b, p) + a.lo;
    return NAME(two)(q, rest / b);
}

INLINE NAME(Two) NAME(two_sqrt)(NAME(Two) a)
{
    double root = sqrt(a.hi), p = root * root, rest = (a.hi - p) - NAME(product_error)(root, root, p) + a.lo;
    return NAME(two)(root, root > 0 ? rest / (2 * root) : 0.0);
}

INLINE NAME(Two) NAME(two_inverse)(NAME(Two) a)
{
    double q = 1 / a.hi, p = q * a.hi, rest = (1 - p) - NAME(product_error)(q, a.hi, p) - q * a.lo;
    return NAME(two)(q, rest / a.hi);
}
