// What a search counts, if it is built to: what the model of Ma, Agrawal and Chamberlain (2012, section II) has of a
// program.
//
// Macros: COUNTS, 1: the search counts; 0: it does not, which costs nothing.

#ifndef COUNTS
#error "single_source/counted.cl needs the macro COUNTS"
#endif

#include "core/language.cl"

#define OPERATIONS 0   // additions and comparisons of path weights
#define ACCESSES 1     // of global memory; what neighbours access together counts once
#define EXTRACTIONS 2  // minima that were taken out
#define INSERTIONS 3   // distances that were lowered
#define SPAN 4         // operations that have to wait for each other
#define COUNTED 5

#if COUNTS
#define COUNT(totals, which, number) ((totals)[which] += (number))
#else
#define COUNT(totals, which, number) ((void)(totals))
#endif
