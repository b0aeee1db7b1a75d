/* F1, the hot loops in plain C: addresses in, values out. */

#ifndef SKNORM_NATIVE_H
#define SKNORM_NATIVE_H

#include <stddef.h>

/* The sum of n values, from the first to the last. */
static double sum_of(const double *x, ptrdiff_t n)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

#endif
