"""Tables become typed columns: numeric or nominal, with what is missing known."""
