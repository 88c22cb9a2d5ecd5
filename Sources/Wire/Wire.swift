// Frames of the protocol `huddle.v1`, in and out.
