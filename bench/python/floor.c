/* Full jitter as an iterator, written by hand in C: what an extension of Python costs at least. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

static const uint64_t BASE = UINT64_C(100000000), CAP = UINT64_C(20000000000);

typedef struct {
  PyObject_HEAD
  uint64_t state, window;
} Delays;

static PyObject *delays_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"seed", NULL};
  unsigned long long seed;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "K", names, &seed)) return NULL;
  Delays *self = (Delays *)type->tp_alloc(type, 0);
  if (self == NULL) return NULL;
  self->state = seed;
  self->window = BASE;
  return (PyObject *)self;
}

static PyObject *delays_next(Delays *self) {
  self->state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = self->state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  z ^= z >> 31;
  uint64_t delay = (uint64_t)(((unsigned __int128)z * (self->window + 1)) >> 64);
  self->window = self->window < CAP / 2 ? self->window * 2 : CAP;
  return PyFloat_FromDouble((double)delay / 1e9);
}

static PyObject *delays_reset(Delays *self, PyObject *unused) {
  (void)unused;
  self->window = BASE;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"reset", (PyCFunction)delays_reset, METH_NOARGS, "Begins again at the base."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject Delays_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "floor.Delays",
    .tp_basicsize = sizeof(Delays),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = delays_new,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)delays_next,
    .tp_methods = methods,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "floor_c", .m_size = -1};

PyMODINIT_FUNC PyInit_floor_c(void) {
  if (PyType_Ready(&Delays_Type) < 0) return NULL;
  PyObject *self = PyModule_Create(&module);
  if (self == NULL || PyModule_AddObjectRef(self, "Delays", (PyObject *)&Delays_Type) < 0) return NULL;
  return self;
}
