"""Code pads: code that a person tries out in the sandbox, kept with the project, with its tools at hand."""
