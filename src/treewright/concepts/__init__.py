"""Concepts after Mitchell: conjunctions of values, learned by version spaces."""
