// Lies beside the libraries instead of in one.  // breaks
