// Min-plus arithmetic of vectors, for kernels whose work-items have no neighbours.
//
// Source:       relaxed() and result() of minplus/common.cl, entry by entry.
// Macros:       VECTOR_LENGTH, elements of a vector; those of minplus/common.cl.

#ifndef VECTOR_LENGTH
#error "minplus/vectors.cl needs the macro VECTOR_LENGTH"
#endif

#include "minplus/common.cl"

#define LOAD(address) VECTOR(vload, VECTOR_LENGTH)(0, address)
#define STORE(vector, address) VECTOR(vstore, VECTOR_LENGTH)(vector, 0, address)
#define TO_ORDER(x) AS_TYPE(VECTOR(ORDER, VECTOR_LENGTH), x)
#define TO_WEIGHTS(x) AS_TYPE(VECTOR(WEIGHT, VECTOR_LENGTH), x)

typedef VECTOR(WEIGHT, VECTOR_LENGTH) Weights;
typedef VECTOR(ORDER, VECTOR_LENGTH) Orders;

Orders relaxed_vector(const Orders minimum, const Weights a, const Weights b)
{
    const Orders sum = TO_ORDER(a + b);
    return MINIMUM(minimum, sum);
}

Weights results(const Orders minimum)
{
    const Weights weights = TO_WEIGHTS(minimum), none = (Weights)(NO_PATH), lowest = (Weights)(LOWEST);
    const Weights raised = weights < lowest ? lowest : weights;
    return raised > (Weights)(LIMIT) ? none : raised;
}
