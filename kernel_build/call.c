/* The extension module `parsers.kernels._library`: compiled kernels, called without a step of Python for each argument.
 *
 * Only Python's stable interface is used (3.11 and later). Arrays are read by the buffer protocol, without numpy's headers.
 * `table.h` is generated: the entry points with the forms of their arguments, and the digests of the sources.
 *
 * A form describes arguments in their order:
 *   c C h H i I l L   a whole number of 8, 16, 32 or 64 bits, capitals unsigned      ? a truth value      d a double
 *   (n                a tuple of n, n being one byte
 *   r w               an array that is read, or also written; then its number of dimensions as a digit, then the letter of
 *                     its items; or T for records, their alignment as a digit, and their buffer format up to a zero byte
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

enum { MOST_SLOTS = 512, MOST_ARRAYS = 128, RESULTS = 4 };

typedef int32_t (*entry_point)(int64_t *);
typedef struct {
    const char *name;
    const char *form;
    int returned; /* -1 None, 0 a number, else a tuple of so many */
    entry_point code;
} signature;
typedef struct {
    const char *group;
    const char *digest;
} source;
#include "table.h"

typedef struct {
    PyObject_HEAD
    const signature *first; /* signatures of a kernel follow each other */
    PyObject *otherwise;    /* called with arguments of other kinds */
} kernel;
typedef struct {
    int64_t slots[MOST_SLOTS];
    int next, held;
    Py_buffer views[MOST_ARRAYS];
} frame;

/* Kind and size of a number by its letter, in forms and in buffer formats; 'l' and 'q' are the same here. */
static int number_kind(char letter) {
    switch (letter) {
    case 'c': case 'b': return 'i' << 8 | 1;
    case 'C': case 'B': return 'u' << 8 | 1;
    case 'h': return 'i' << 8 | 2;
    case 'H': return 'u' << 8 | 2;
    case 'i': return 'i' << 8 | 4;
    case 'I': return 'u' << 8 | 4;
    case 'l': case 'q': return 'i' << 8 | 8;
    case 'L': case 'Q': return 'u' << 8 | 8;
    case 'd': return 'f' << 8 | 8;
    case '?': return '?' << 8 | 1;
    default: return 0;
    }
}

static int push(frame *at, int64_t word) {
    if (at->next == MOST_SLOTS) return 0;
    at->slots[at->next++] = word;
    return 1;
}

/* An array without items may begin anywhere. */
static int is_aligned(const Py_buffer *view, int size) {
    return view->len == 0 || (uintptr_t)view->buf % size == 0;
}

static int has_items(const Py_buffer *view, const char *item) {
    const char *format = view->format == NULL ? "B" : view->format;
    if (*item == 'T') return strcmp(format, item + 2) == 0 && is_aligned(view, item[1] - '0');
    if (*format == '@' || *format == '=' || *format == '<') format++;
    int wanted = number_kind(*item), size = wanted & 255;
    return format[0] && !format[1] && number_kind(format[0]) == wanted && view->itemsize == size && is_aligned(view, size);
}

static const char *take_array(frame *at, const char *form, PyObject *value) {
    if (at->held == MOST_ARRAYS || !PyObject_CheckBuffer(value)) return NULL;
    Py_buffer *view = &at->views[at->held];
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (form[0] == 'w' ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(value, view, flags) < 0) return NULL;
    at->held++;
    if (view->ndim != form[1] - '0' || !has_items(view, form + 2)) return NULL;
    if (!push(at, (int64_t)(uintptr_t)view->buf)) return NULL;
    for (int place = 0; place < view->ndim; place++)
        if (!push(at, view->shape[place])) return NULL;
    return form[2] == 'T' ? form + strlen(form) + 1 : form + 3;
}

/* A whole number in the range of its letter. */
static int take_number(frame *at, char letter, PyObject *value) {
    int kind = number_kind(letter), bits = (kind & 255) * 8;
    PyObject *number = PyNumber_Index(value);
    if (number == NULL) return 0;
    int64_t word;
    if (kind >> 8 == 'u') {
        uint64_t got = PyLong_AsUnsignedLongLong(number);
        if (bits < 64 && got >> bits) PyErr_SetNone(PyExc_OverflowError);
        word = (int64_t)got;
    } else {
        word = PyLong_AsLongLong(number);
        if (bits < 64 && word != (int64_t)((uint64_t)word << (64 - bits)) >> (64 - bits)) PyErr_SetNone(PyExc_OverflowError);
    }
    Py_DECREF(number);
    return !PyErr_Occurred() && push(at, word);
}

static int take_truth(frame *at, PyObject *value) {
    if (!PyBool_Check(value)) {
        PyObject *name = PyType_GetName(Py_TYPE(value));
        int is_bool = name != NULL && PyUnicode_CompareWithASCIIString(name, "bool") == 0;
        is_bool |= name != NULL && PyUnicode_CompareWithASCIIString(name, "bool_") == 0;
        Py_XDECREF(name);
        if (!is_bool) return 0;
    }
    int truth = PyObject_IsTrue(value);
    return truth >= 0 && push(at, truth);
}

/* Lays an argument flat into slots; returns the rest of the form, or NULL if the argument has another. */
static const char *take(frame *at, const char *form, PyObject *value) {
    switch (*form) {
    case 'r': case 'w':
        return take_array(at, form, value);
    case '(': {
        Py_ssize_t count = (unsigned char)form[1];
        form += 2;
        if (!PyTuple_Check(value) || PyTuple_Size(value) != count) return NULL;
        for (Py_ssize_t place = 0; place < count && form != NULL; place++)
            form = take(at, form, PyTuple_GetItem(value, place));
        return form;
    }
    case '?':
        return take_truth(at, value) ? form + 1 : NULL;
    case 'd': {
        double got = PyFloat_AsDouble(value);
        int64_t word;
        memcpy(&word, &got, sizeof word);
        return !PyErr_Occurred() && push(at, word) ? form + 1 : NULL;
    }
    default:
        return !PyBool_Check(value) && take_number(at, *form, value) ? form + 1 : NULL;
    }
}

static PyObject *result_of(const frame *at, int returned) {
    if (returned < 0) Py_RETURN_NONE;
    if (returned == 0) return PyLong_FromLongLong(at->slots[0]);
    PyObject *all = PyTuple_New(returned);
    for (int place = 0; all != NULL && place < returned; place++) {
        PyObject *number = PyLong_FromLongLong(at->slots[place]);
        if (number == NULL) Py_CLEAR(all);
        else PyTuple_SetItem(all, place, number);
    }
    return all;
}

static void release(frame *at) {
    while (at->held > 0) PyBuffer_Release(&at->views[--at->held]);
}

static PyObject *call(PyObject *object, PyObject *arguments, PyObject *named) {
    const kernel *self = (kernel *)object;
    frame at;
    if (named != NULL && PyDict_Size(named)) return PyErr_Format(PyExc_TypeError, "kernels take no named arguments");
    for (const signature *each = self->first; each->name != NULL && !strcmp(each->name, self->first->name); each++) {
        at.next = RESULTS;
        at.held = 0;
        if (take(&at, each->form, arguments) == NULL) {
            release(&at);
            PyErr_Clear();
            continue;
        }
        int32_t status;
        Py_BEGIN_ALLOW_THREADS
        status = each->code(at.slots);
        Py_END_ALLOW_THREADS
        release(&at);
        if (status != 0 && status != -2) return PyErr_Format(PyExc_RuntimeError, "%s: status %d", each->name, status);
        return result_of(&at, each->returned);
    }
    return PyObject_CallObject(self->otherwise, arguments);
}

static void free_kernel(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(((kernel *)object)->otherwise);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *kernel_type;

static PyObject *find(PyObject *module, PyObject *arguments) {
    const char *name;
    PyObject *otherwise;
    if (!PyArg_ParseTuple(arguments, "sO", &name, &otherwise)) return NULL;
    for (const signature *each = SIGNATURES; each->name != NULL; each++) {
        if (strcmp(each->name, name)) continue;
        kernel *found = PyObject_New(kernel, (PyTypeObject *)kernel_type);
        if (found == NULL) return NULL;
        found->first = each;
        found->otherwise = Py_NewRef(otherwise);
        return (PyObject *)found;
    }
    Py_RETURN_NONE;
}

static PyObject *digest(PyObject *module, PyObject *group) {
    for (const source *each = SOURCES; each->group != NULL; each++)
        if (PyUnicode_Check(group) && !PyUnicode_CompareWithASCIIString(group, each->group))
            return PyUnicode_FromString(each->digest);
    Py_RETURN_NONE;
}

static PyType_Slot type_slots[] = {{Py_tp_call, call}, {Py_tp_dealloc, free_kernel}, {0, NULL}};
static PyType_Spec type_spec = {"parsers.kernels._library.Kernel", sizeof(kernel), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, type_slots};
static PyMethodDef methods[] = {
    {"find", find, METH_VARARGS, "find(name, otherwise): the kernel of that name, or None; otherwise(*arguments) is "
                                 "called for arguments that it wasn't compiled for"},
    {"digest", digest, METH_O, "digest(group): of the sources that the kernels of a group were compiled from, or None"},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_library", "Compiled kernels.", -1, methods};

PyMODINIT_FUNC PyInit__library(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports(PROCESSOR_FEATURE))
        return PyErr_Format(PyExc_ImportError, "the processor lacks %s", PROCESSOR_FEATURE);
#endif
    kernel_type = PyType_FromSpec(&type_spec);
    return kernel_type == NULL ? NULL : PyModule_Create(&definition);
}
