"""What works with every model, one tree or many: files, importance, worksheets, distilling."""
