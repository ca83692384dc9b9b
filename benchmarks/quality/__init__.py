"""Boosted trees and forests beside their peers on real tables, with nothing set: how good."""
