// Where a work-group is in launches that the host may cut into several dispatches (reedsp/device/dispatch.py).
//
// A dispatch has whole work-groups, and begins where the one before it has ended: get_global_id goes on from there, but
// get_group_id begins at 0 again. None of these kernels asks how large the launch is.

// Index of the work-group among all of the launch, along one dimension.
#define GROUP_OF_LAUNCH(dimension) (get_global_id(dimension) / get_local_size(dimension))
