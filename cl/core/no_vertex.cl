// What stands for "no predecessor" in every array of predecessors, as in SciPy's.

#define NO_VERTEX (-9999)
