"""Files for other programs: PMML, ONNX, a workbook."""
