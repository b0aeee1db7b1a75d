/* F1, compiled kernels: all of them for one instruction set. */

#include "_native_numbers.h"
#include "_native_columns.h"
#include "_native_once.h"
#include "_native_stored.h"
#include "_native_pixels.h"
#include "_native_affine.h"
#include "_native_floats.h"
#include "_native_float_softmax.h"
#include "_native_tiles.h"
#include "_native_softmax.h"
#include "_native_rows.h"

#undef TAIL

static const Kernels NAME(kernels) = {
    SET_NAME, NAME(column_sums), NAME(stored_sums), NAME(merge), NAME(affine), NAME(affine_stored), NAME(rows),
};
