"""Programs of the thesis in the language of :mod:`reedsp.pram`, right also where its pseudo-code is not."""

from __future__ import annotations

from reedsp.pram.language import Global, boolean, ceil_log2, int32, int64
from reedsp.pram.program import program


@program(mode="EREW")
def total(p, n, A: int64[:]):
    """Sum 2n elements into A[0], n a power of two (Algorithm 1)."""
    k = 2 * n
    while k > 1:
        if p < k:
            A[p] = A[2 * p] + A[2 * p + 1]
        k = k // 2


@program(mode="EREW")
def sorted_pairs(p, n, A: int64[:], B: int64[:]):
    """Exchange A[p] and B[p] where the first is larger (section 3.3, Algorithm 3)."""
    if A[p] > B[p]:
        x = A[p]
        A[p] = B[p]
        B[p] = x


@program(mode="EREW")
def reduction(p, n, A: int64[:]):
    """Sum the elements into A[0], by a stride that doubles (section 5.1, Algorithm 6); n is at least half of them."""
    s = 1
    while s < len(A):
        if 2 * s * p + s < len(A):
            A[2 * s * p] = A[2 * s * p] + A[2 * s * p + s]
        s = 2 * s


@program(mode="CREW")
def scan(p, n, A: int64[:]):
    """Replace each of n elements by the sum up to it, in ceil(log2 n) steps (Hillis and Steele; section 5.2)."""
    s = 1
    while s < n:
        if p >= s:
            A[p] = A[p - s] + A[p]
        s = 2 * s


@program(mode="EREW")
def efficient_scan(p, n, A: int64[:]):
    """Do the same with a number of additions below twice that of the elements, by a tree up and down (section 5.2)."""
    s = 1
    while s < len(A):
        if 2 * s * p + 2 * s - 1 < len(A):
            A[2 * s * p + 2 * s - 1] = A[2 * s * p + s - 1] + A[2 * s * p + 2 * s - 1]
        s = 2 * s
    while s > 1:
        s = s // 2
        if 2 * s * p + 3 * s - 1 < len(A):
            A[2 * s * p + 3 * s - 1] = A[2 * s * p + 2 * s - 1] + A[2 * s * p + 3 * s - 1]


@program(mode="CREW")
def merge(p, n, A: int64[:], B: int64[:], C: int64[:]):
    """Merge two sorted arrays into C, one processor an element, elements of A before equal ones of B (section 5.3)."""
    low = 0
    high = len(B) if p < len(A) else len(A)
    x = A[p] if p < len(A) else B[p - len(A)]
    while low < high:  # RANK: how many of the other array come first
        middle = (low + high) // 2
        y = B[middle] if p < len(A) else A[middle]
        if y < x or (y == x and p >= len(A)):
            low = middle + 1
        else:
            high = middle
    C[low + (p if p < len(A) else p - len(A))] = x


@program(mode="CREW")
def floyd_warshall(p, n, m: int64, A: int64[:]):
    """Distances between all pairs of m vertices, with n = m * m processors (section 5.4, Algorithm 12)."""
    i = p // m
    j = p % m
    for k in range(m):
        if i != k and j != k:
            A[p] = min(A[p], A[i * m + k] + A[k * m + j])


@program(mode="CREW")
def components(p, n, A: boolean[:], C: int64[:]):
    """Label each of n vertices with the least vertex of its component (section 5.6, Algorithm 18).

    A is the matrix of edges, row by row. Line 10 of the thesis names a variable that it does not have; p is meant.
    """
    T: Global[int64[n]]
    C[p] = p
    for i in range(ceil_log2(n)):
        x = n
        for j in range(n):
            if A[p * n + j] and C[j] != C[p]:
                x = min(x, C[j])
        T[p] = x if x < n else C[p]
        y = n
        for j in range(n):
            if C[j] == p and T[j] != p:
                y = min(y, T[j])
        T[p] = y if y < n else C[p]
        if C[p] == p:
            C[p] = T[p]
        if C[C[p]] == p:
            C[p] = min(C[p], p)
        for k in range(ceil_log2(n)):
            C[p] = C[C[p]]


@program(mode="CREW")
def spanning_tree(p, n, edges: int32, W: int32[:], F: boolean[:], C: int64[:]):
    """Mark the edges of the minimum spanning forest (section 5.7, Algorithm 19).

    W has a number for each pair of n vertices, symmetric and different for each edge, such as its rank by weight and
    ends; ``edges`` where there is none. So the tree is unique, which the thesis demands of the weights. F marks the
    edges in both directions, C becomes one of the vertices of each component.
    """
    L: Global[int32[n]]
    T: Global[int64[n]]
    S: Global[int64[n]]
    D: Global[int64[n]]
    C[p] = p
    for i in range(ceil_log2(n)):
        lightest = edges
        at = n
        for j in range(n):
            if W[p * n + j] < lightest and C[j] != C[p]:
                lightest = W[p * n + j]
                at = j
        L[p] = lightest
        T[p] = at
        lightest = edges
        at = n
        if C[p] == p:
            for j in range(n):
                if C[j] == p and L[j] < lightest:
                    lightest = L[j]
                    at = j
        S[p] = at
        if S[p] < n:
            F[S[p] * n + T[S[p]]] = True
        if S[p] < n:
            F[T[S[p]] * n + S[p]] = True
        D[p] = C[T[S[p]]] if S[p] < n else C[p]
        if D[D[p]] == p and p < D[p]:
            D[p] = p
        for k in range(ceil_log2(n)):
            D[p] = D[D[p]]
        C[p] = D[C[p]]


@program(mode="CREW")
def matching(p, n, balls: int64, bins: int64, rounds: int64, IU: int64[:], SU: int64[:], IV: int64[:], SV: int64[:],
             MU: int64[:], MV: int64[:]):  # fmt: skip
    """Match balls to bins, n the larger number of both (section 5.5, Algorithms 15 to 17).

    IU and SU are the bins that each ball may go to, in compressed rows, IV and SV the balls of each bin. MU becomes
    the bin of each ball, -2 where there is none, and -1 where the rounds were too few; MV the ball of each bin, or -1.
    A label of n says that a bin is taken for ever: the thesis' labels grow without limit. A ball that its bin has not
    taken finds that out itself: in the thesis the bin writes to the ball, while others read there. It calls the
    matching maximum after as many rounds as there are balls; four balls show that it is not.
    """
    LU: Global[int64[balls]]
    LV: Global[int64[bins]]
    if p < balls:
        MU[p] = -1
    if p < bins:
        MV[p] = -1
    for t in range(rounds):
        if p < balls:
            if MU[p] >= 0 and MV[MU[p]] != p:
                MU[p] = -1
            if MU[p] == -1:
                x = -1
                w = n
                best = n
                for y in range(IU[p], IU[p + 1]):
                    if LV[SU[y]] < best:
                        w = best
                        best = LV[SU[y]]
                        x = SU[y]
                    else:
                        w = min(w, LV[SU[y]])
                MU[p] = x if x >= 0 else -2
                LU[p] = w
        if p < bins:
            u = -1
            largest = -1
            for y in range(IV[p], IV[p + 1]):
                if MU[SV[y]] == p and LU[SV[y]] > largest:
                    largest = LU[SV[y]]
                    u = SV[y]
            if u >= 0:
                MV[p] = u
                LV[p] = min(largest + 1, n)
    if p < balls:
        if MU[p] >= 0 and MV[MU[p]] != p:
            MU[p] = -1
