"""The steps of the memory graphs: one async function a file, state in, partial state out."""
