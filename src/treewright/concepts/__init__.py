"""Concepts after Mitchell: conjunctions of values, learnt by version spaces."""
