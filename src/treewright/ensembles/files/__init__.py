"""Files of ensembles: JSON and raw arrays in one container."""
