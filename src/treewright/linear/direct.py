"""The least cost without small steps: normal equations for squares, Newton's method for classes."""

import numpy as np

from treewright._kernels.learners import LinearLoss
from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.linear.descent import Descended, Recorder
from treewright.linear.least_squares import GramSolver
from treewright.linear.objective import Objective, probabilities

MOST_UNKNOWNS = 5000  # their matrix takes 200 MB
N_REFINEMENTS = 2
MOST_NEWTON_STEPS = 100
MOST_HALVINGS = 40
ENOUGH = 1e-13  # a Newton step that lowers the cost by a smaller share is the last
ROUNDING = 1e-14  # share of a cost that may be rounding


def solve_directly(objective: Objective, tol: float) -> Descended:
    """The least cost by equations, or by a few of Newton's steps."""
    if objective.l1:
        raise ParameterError(
            f"l1={objective.l1:g} has no such solution: the cost has corners",
            hint='use solver="gradient_descent", or l2',
        )
    n_unknowns = objective.n_outputs * objective.coded.n_terms
    if n_unknowns > MOST_UNKNOWNS:
        raise ParameterError(
            f"{n_unknowns} coefficients are too many to solve for at once",
            hint='use solver="gradient_descent"',
        )
    if objective.loss == LinearLoss.squared_error:
        return by_normal_equations(objective)
    return by_newton_steps(objective, tol)


def by_normal_equations(objective: Objective) -> Descended:
    """One step to where the gradient is zero, and two more against rounding."""
    record = Recorder()
    point = objective.start()
    matrix = curvature_matrix(objective, point)
    for _ in range(1 + N_REFINEMENTS):
        cost, slope = objective.smooth(point, from_rows=True)
        if not record.costs:
            record.add(point, cost, float(np.abs(slope).max()), 1.0)
        point = point - solve_scaled(matrix, slope)
    cost, slope = objective.smooth(point, from_rows=True)
    record.add(point, cost, float(np.abs(slope).max()), 1.0)
    record.close(point)
    return Descended(point, record, converged=True, rate=1.0)


def by_newton_steps(objective: Objective, tol: float) -> Descended:
    """Steps to the minimum of the parabola that touches the cost, halved where that is higher."""
    record = Recorder()
    point = objective.start()
    cost, slope = objective.smooth(point, from_rows=True)
    converged = False
    for _ in range(MOST_NEWTON_STEPS):
        size = float(np.abs(slope).max())
        record.add(point, cost, size, 1.0)
        if size <= tol:
            converged = True
            break
        step = solve_scaled(curvature_matrix(objective, point), slope)
        before = cost
        point, cost, slope = shortened_step(objective, point, step, cost)
        if before - cost <= ENOUGH * abs(before):
            converged = True
            break
    record.close(point)
    return Descended(point, record, converged, rate=1.0)


def shortened_step(
    objective: Objective, point: Floats, step: Floats, cost: float
) -> tuple[Floats, float, Floats]:
    """The point after the largest half, quarter ... of the step that does not raise the cost.

    The last digits of a cost may rise where the slope still shows the way.
    """
    most = cost + ROUNDING * abs(cost)
    share = 1.0
    for _ in range(MOST_HALVINGS):
        after = point - share * step
        found, slope = objective.smooth(after, from_rows=True)
        if np.isfinite(found) and found <= most:
            return after, found, slope
        share /= 2
    return point, *objective.smooth(point, from_rows=True)


def curvature_matrix(objective: Objective, point: Floats) -> Floats:
    """Second derivatives of the smooth cost, outputs one after the other."""
    n_terms, n_outputs = objective.coded.n_terms, objective.n_outputs
    matrix = np.zeros((n_outputs * n_terms, n_outputs * n_terms))
    for one in range(n_outputs):
        for other in range(one, n_outputs):
            factors = row_curvatures(objective, point, one, other)
            block = np.empty((n_terms, n_terms))
            objective.rows.products(factors, block, objective.n_threads)
            rows = slice(one * n_terms, (one + 1) * n_terms)
            columns = slice(other * n_terms, (other + 1) * n_terms)
            matrix[rows, columns] = block
            matrix[columns, rows] = block
    penalties = np.full((n_outputs, n_terms), objective.l2)
    penalties[:, 0] = 0.0
    matrix[np.diag_indices(len(matrix))] += penalties.ravel()
    return matrix


def row_curvatures(objective: Objective, point: Floats, one: int, other: int) -> Floats | None:
    """The second derivative of each row's loss by two scores; None where it is 1."""
    if objective.loss == LinearLoss.squared_error:
        return None
    scores = np.empty((objective.coded.n_rows, objective.n_outputs))
    objective.rows.scores(np.ascontiguousarray(point), scores, objective.n_threads)
    chances = probabilities(scores)
    if objective.loss == LinearLoss.logistic:
        return np.ascontiguousarray(chances[:, 1] * chances[:, 0])
    same = chances[:, one] if one == other else 0.0
    return np.ascontiguousarray(same - chances[:, one] * chances[:, other])


def solve_scaled(matrix: Floats, slope: Floats) -> Floats:
    """The step for which the matrix gives the slope; 0 where terms say nothing new."""
    diagonal = matrix.diagonal()
    scales = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    solver = GramSolver.of(matrix / scales / scales[:, np.newaxis])
    return (solver.solve(slope.ravel() / scales) / scales).reshape(slope.shape)
