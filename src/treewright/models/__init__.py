"""The scikit-learn estimators: settings in, fitted trees out."""
