# cython: language_level=3, binding=False
"""F1, compiled kernels: buffers in, buffers out, without the interpreter lock.

A kernel answers False where a block is not for it (an infinity, values whose squares leave float64, integers beyond
2**53, foreign byte order, misaligned data): the portable kernels then do it, and say what is wrong if anything is.
"""

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uintptr_t
from libc.stdlib cimport free, malloc

cdef extern from "_native.h" nogil:
    enum: F64, F32, F16, I8, U8, I16, U16, I32, U32, I64, U64
    enum: FOUND, STATISTICS, CONSTANTS, WIDE, STRIP, PIECE, LANES, NARROW, LAYER
    const double EXACT_INTEGER, LARGEST

    ctypedef struct Matrix:
        char *data
        Py_ssize_t rows, columns, row_step, column_step
        int type

    ctypedef struct Affine:
        int with_b, clip
        double low, high

    ctypedef struct Norm:
        int kind, centred, precise, scaled, alone
        double eps, temperature, count, largest
        const double *gamma
        const double *beta

    ctypedef struct Kernels:
        const char *instructions
        int (*column_sums)(Matrix, int, double *, Py_ssize_t, double *) noexcept nogil
        int (*stored_sums)(Matrix, const char *, int, Py_ssize_t, int, double *, double *) noexcept nogil
        void (*merge)(double *, Py_ssize_t, const double *, Py_ssize_t, Py_ssize_t) noexcept nogil
        int (*affine)(Matrix, Matrix, const double *, const Affine *) noexcept nogil
        int (*affine_stored)(Matrix, Matrix, const char *, int, const double *, Py_ssize_t, const Affine *) noexcept nogil
        void (*rows)(Matrix, Matrix, const Norm *, double *, double *, unsigned char *, double *) noexcept nogil

    const Kernels *kernels()


cdef int type_of(const char *format, Py_ssize_t size):
    """The type of an item, or -1."""
    cdef char kind = format[0]
    if format[1] != 0:
        return -1
    if kind in (b"d", b"f", b"e"):
        return F64 if size == 8 else F32 if size == 4 else F16
    if kind in (b"b", b"h", b"i", b"l", b"q"):
        return I8 if size == 1 else I16 if size == 2 else I32 if size == 4 else I64
    if kind in (b"?", b"B", b"H", b"I", b"L", b"Q"):
        return U8 if size == 1 else U16 if size == 2 else U32 if size == 4 else U64
    return -1


cdef class Buffer:
    """A view of an array of one or two dimensions, held as long as this lives."""

    cdef Py_buffer view
    cdef Matrix matrix

    def __cinit__(self, array, bint writeable=False):
        PyObject_GetBuffer(array, &self.view, PyBUF_FORMAT | PyBUF_STRIDES | (PyBUF_WRITABLE if writeable else 0))
        self.matrix.data = <char *> self.view.buf
        self.matrix.type = type_of(self.view.format, self.view.itemsize)
        self.matrix.rows = self.view.shape[0] if self.view.ndim == 2 else 1
        self.matrix.columns = self.view.shape[self.view.ndim - 1]
        self.matrix.row_step = self.view.strides[0] if self.view.ndim == 2 else 0
        self.matrix.column_step = self.view.strides[self.view.ndim - 1]

    def __dealloc__(self):
        PyBuffer_Release(&self.view)

    cdef bint serves(self):
        cdef uintptr_t places = <uintptr_t> self.view.buf | self.matrix.row_step | self.matrix.column_step
        return self.matrix.type >= 0 and places % self.view.itemsize == 0


def instructions():
    """The instruction set in use."""
    return kernels().instructions.decode()


def column_sums(block, bint moments, sums):
    """Merge the statistics of a block (n, d) into ``sums``, a float64 array of shape (8, d)."""
    cdef Buffer x = Buffer(block), into = Buffer(sums, True)
    cdef int done = 0
    cdef double *scratch
    check_same(x.matrix.columns, into.matrix.columns)
    if not x.serves():
        return False
    scratch = <double *> malloc((FOUND * WIDE + PIECE) * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    with nogil:
        done = kernels().column_sums(x.matrix, moments, <double *> into.matrix.data, into.matrix.columns, scratch)
        free(scratch)
    return done != 0


def segment_sums(values, starts, sizes, bint moments, sums):
    """The same for runs of ``sizes`` values from ``starts`` (int64): one column of ``sums`` each."""
    cdef Buffer x = Buffer(values), first = Buffer(starts), many = Buffer(sizes), into = Buffer(sums, True)
    cdef const int64_t *start = <const int64_t *> first.matrix.data
    cdef const int64_t *size = <const int64_t *> many.matrix.data
    cdef Matrix run = x.matrix
    cdef Py_ssize_t i, n = into.matrix.columns
    cdef int done = 1
    cdef double *scratch
    if not x.serves():
        return False
    scratch = <double *> malloc((FOUND * WIDE + PIECE) * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    run.columns, run.row_step = 1, run.column_step
    with nogil:
        for i in range(n):
            run.data, run.rows = x.matrix.data + start[i] * run.row_step, size[i]
            done = kernels().column_sums(run, moments, <double *> into.matrix.data + i, n, scratch)
            if not done:
                break
        free(scratch)
    return done != 0


def stored_sums(values, columns, bint moments, sums):
    """The statistics of stored values, each of its own column (int32 or int64), to ``sums``, which holds nothing yet."""
    cdef Buffer x = Buffer(values), index = Buffer(columns), into = Buffer(sums, True)
    cdef Py_ssize_t d = into.matrix.columns
    cdef int done
    cdef double *scratch
    if not x.serves() or index.matrix.type not in (I32, I64):
        return False
    scratch = <double *> malloc(d * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    with nogil:
        done = kernels().stored_sums(x.matrix, index.matrix.data, index.matrix.type == I64, d, moments,
                                     <double *> into.matrix.data, scratch)
        free(scratch)
    return done != 0


def merge(sums, found):
    """Merge one result of `column_sums` into another, which may be some columns of a larger one."""
    cdef Buffer into = Buffer(sums, True), other = Buffer(found)
    kernels().merge(<double *> into.matrix.data, into.matrix.row_step // 8, <const double *> other.matrix.data,
                    other.matrix.columns, into.matrix.columns)


def affine(block, out, constants, bint with_b, bounds):
    """Write the image of a block (n, d) to ``out``; ``constants`` has shape (8, d)."""
    cdef Buffer x = Buffer(block), y = Buffer(out, True), of_map = Buffer(constants)
    cdef Affine f = affine_options(with_b, bounds)
    cdef int done
    check_same(x.matrix.columns, y.matrix.columns)
    check_same(x.matrix.rows, y.matrix.rows)
    check_same(x.matrix.columns, of_map.matrix.columns)
    if not (x.serves() and y.serves() and y.matrix.type < I64):
        return False
    with nogil:
        done = kernels().affine(x.matrix, y.matrix, <const double *> of_map.matrix.data, &f)
    return done != 0


cdef int check_same(Py_ssize_t one, Py_ssize_t other) except -1:
    """What is walked together must have one size, or foreign memory would be touched."""
    if one != other:
        raise ValueError(f"sizes {one} and {other}")
    return 0


cdef Affine affine_options(bint with_b, bounds):
    cdef Affine f
    f.with_b, f.clip = with_b, bounds is not None
    f.low, f.high = bounds if bounds is not None else (0.0, 0.0)
    return f


def affine_stored(values, columns, out, constants, bint with_b, bounds):
    """The same for stored values of a sparse matrix, each of its own column (int32 or int64)."""
    cdef Buffer x = Buffer(values), y = Buffer(out, True), of_map = Buffer(constants), index = Buffer(columns)
    cdef Affine f = affine_options(with_b, bounds)
    cdef int done
    check_same(x.matrix.columns, y.matrix.columns)
    check_same(x.matrix.columns, index.matrix.columns)
    if not (x.serves() and y.serves() and y.matrix.type < I64 and index.matrix.type in (I32, I64)):
        return False
    with nogil:
        done = kernels().affine_stored(x.matrix, y.matrix, index.matrix.data, index.matrix.type == I64,
                                       <const double *> of_map.matrix.data, of_map.matrix.columns, &f)
    return done != 0


def rows(int kind, block, out, bint precise, double eps, double temperature, double count, bint scaled, gamma, beta,
         found, declined, segments):
    """Layer norm (0), RMS norm (1) or softmax (2) of each row of a block (n, d), or of each run of values.

    The statistics go to ``found``, of shape (2, n); ``declined`` (n,) is set to 1 where a sample is not for this kernel,
    and nothing is written for it. ``out`` may be None. ``gamma`` and ``beta`` hold a value for each
    column, and squares are divided by ``count``. ``segments`` is None, or starts and sizes of runs (int64); then
    ``block`` has one dimension, and ``gamma`` and ``beta`` a value for each of its values.
    """
    cdef Buffer x = Buffer(block), y, of_gamma = Buffer(gamma), of_beta = Buffer(beta), into = Buffer(found, True)
    cdef Buffer first, many, marks = Buffer(declined, True)
    cdef const int64_t *start = NULL
    cdef const int64_t *size = NULL
    cdef Matrix source = x.matrix, target = x.matrix
    cdef Norm f
    cdef unsigned char *mark = <unsigned char *> marks.matrix.data
    cdef Py_ssize_t i, n = into.matrix.columns, most = max(source.columns, NARROW * LANES)
    cdef double *scratch
    cdef double *statistics = <double *> into.matrix.data
    check_same(of_gamma.matrix.columns, x.matrix.columns)
    check_same(of_beta.matrix.columns, x.matrix.columns)
    check_same(marks.matrix.columns, n)
    if segments is None:
        check_same(x.matrix.rows, n)
    if out is None:
        target.data, target.type = NULL, F64
    else:
        y = Buffer(out, True)
        target = y.matrix
        check_same(target.columns, x.matrix.columns)
        check_same(target.rows, x.matrix.rows)
        if not y.serves() or target.type > F16:
            return False
    if not x.serves():
        return False
    if segments is not None:
        first, many = Buffer(segments[0]), Buffer(segments[1])
        start, size = <const int64_t *> first.matrix.data, <const int64_t *> many.matrix.data
    f.kind, f.centred, f.precise, f.scaled = kind, kind == LAYER, precise, scaled
    f.eps, f.temperature, f.count, f.alone = eps, temperature, count, start != NULL
    f.largest = EXACT_INTEGER if source.type >= I64 else LARGEST
    f.gamma, f.beta = <const double *> of_gamma.matrix.data, <const double *> of_beta.matrix.data
    scratch = <double *> malloc(3 * most * sizeof(double))
    if scratch == NULL:
        raise MemoryError
    with nogil:
        if start == NULL:
            kernels().rows(source, target, &f, statistics, statistics + n, mark, scratch)
        else:
            for i in range(n):
                source.data = x.matrix.data + start[i] * source.column_step
                if target.data != NULL:
                    target.data = y.matrix.data + start[i] * target.column_step
                source.columns = target.columns = size[i]
                f.gamma = <const double *> of_gamma.matrix.data + start[i]
                f.beta = <const double *> of_beta.matrix.data + start[i]
                kernels().rows(source, target, &f, statistics + i, statistics + n + i, mark + i, scratch)
        free(scratch)
    return True
