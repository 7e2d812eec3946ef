# made when the install rules exist
