"""Estimators of one tree or one list of rules: ID3, C4.5, CART, any mixture, optimal trees."""
