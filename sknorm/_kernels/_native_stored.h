/* F1, compiled kernels: statistics of the columns of a sparse matrix from its stored values, in any order.

Included once per instruction set.
*/

#define COLUMN(i) (wide_index ? (ptrdiff_t)((const int64_t *)columns)[i] : (ptrdiff_t)((const int32_t *)columns)[i])

/* STATISTICS rows of d go to ``found``, which holds what an empty set has; 0 where they are not for these loops.
``sigma`` is scratch of d. */
static int NAME(stored_sums)(Matrix x, const char *columns, int wide_index, ptrdiff_t d, int moments, double *found,
                             double *sigma)
{
    double *count = found + COUNT * d, *low = found + LOWEST * d, *high = found + HIGHEST * d, *total = found + TOTAL * d;
    double *rest = found + REST * d, *center = found + CENTER * d, *m2 = found + M2 * d, *m2_rest = found + M2_REST * d;
    double values[STRIP], largest = x.type == I64 || x.type == U64 ? EXACT_INTEGER : moments ? LARGEST : INFINITY;
    for (int pass = 0; pass < (moments ? 3 : 1); pass++) {
        for (ptrdiff_t i = 0; i < x.columns; i += STRIP) {
            ptrdiff_t n = x.columns - i < STRIP ? x.columns - i : STRIP;
            NAME(widen)(x.type, x.data + i * x.column_step, x.column_step, n, values);
            for (ptrdiff_t k = 0; k < n; k++) {
                ptrdiff_t j = COLUMN(i + k);
                double v = values[k];
                if (v != v)
                    continue;
                if (pass == 0) {
                    count[j] += 1.0;
                    low[j] = v < low[j] ? v : low[j];
                    high[j] = v > high[j] ? v : high[j];
                } else if (pass == 1) {
                    double leading = (v + sigma[j]) - sigma[j];
                    total[j] += leading;
                    rest[j] += v - leading;
                } else {
                    double square = (v - center[j]) * (v - center[j]), leading = (square + sigma[j]) - sigma[j];
                    m2[j] += leading;
                    m2_rest[j] += square - leading;
                }
            }
        }
        for (ptrdiff_t j = 0; j < d; j++) {
            if (count[j] == 0)
                continue;
            double size = NAME(larger)(low[j], high[j]);
            if (!(size < largest) || (moments && size > 0 && size < SMALLEST))
                return 0;
            if (pass == 0)
                sigma[j] = NAME(above)(count[j] * size);
            else if (pass == 1) {
                center[j] = (total[j] + rest[j]) / count[j];
                double span = NAME(larger)(high[j] - center[j], center[j] - low[j]);
                sigma[j] = NAME(above)(count[j] * span * span);
            }
        }
    }
    return 1;
}

#undef COLUMN
