// What stands for "no predecessor", as in SciPy.

#define NO_VERTEX (-9999)
