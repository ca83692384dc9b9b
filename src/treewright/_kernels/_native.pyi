"""Compiled kernels. Private: call them through treewright._kernels."""

from collections.abc import Sequence
import enum

from typing_extensions import CapsuleType


def read_arrow_stream(capsule: CapsuleType) -> list:
    """
    The columns of an Arrow C stream: (name, numbers or codes, levels or None, unit, format, is_dictionary, is_ordered) each.
    """

class BinnedTable:
    """A table as bytes, for histogram growers."""

    def __init__(self, columns: list, n_rows: int, weight: object | None, n_bins: int, n_threads: int, like: PackedTrees | None = None) -> None:
        """Cut columns into bins, or cut them as the columns of trees were."""

    def cuts(self, column: int) -> list:
        """Where a column is cut: bin b holds values <= cuts[b]."""

    def bins(self, column: int) -> bytes:
        """
        The bin of each row as a byte; 255 is missing. Of more than 255 categories the codes, four bytes each.
        """

    def has_missing(self) -> list:
        """Whether each column has missing values."""

    def digest(self, first_row: int) -> int:
        """
        A number that depends on every cell and on the number of its row; those of parts of a table add up, modulo 2^64, to that of all.
        """

    def no_trees(self) -> PackedTrees:
        """An ensemble in the bins of this table, without trees."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

class BlockPlan:
    """How rows that come in blocks become bytes."""

    def __init__(self, sample: list, n_sampled: int, n_rows: int, largest_weight: float, n_bins: int, n_threads: int, most_values: int) -> None:
        """
        Begin with a sample of the rows, which decides how long the passes take.
        """

    def read(self, columns: list, n_rows: int, weight: object | None) -> None:
        """Read a block; in every pass each row is read once, in any order."""

    def take_out(self) -> list:
        """
        What was read in this pass, for another plan of the same sample: pairs of bytes.
        """

    def add(self, others: list) -> None:
        """Add what another plan read in the same pass."""

    def asked(self) -> list:
        """
        What this pass collects, for the `ask` of a plan that was not there in the passes that collected before; nothing in passes that count.
        """

    def ask(self, asked: list) -> None: ...

    def end_pass(self) -> bool:
        """Whether the plan is complete, so that no pass must follow."""

    def no_trees(self) -> PackedTrees:
        """An ensemble in these bins, without trees."""

class BlockTable:
    """A binned table that is filled block by block."""

    def __init__(self, plan: object, n_rows: int, n_threads: int, room: list = []) -> None:
        """
        Begin a table by a complete BlockPlan, or in the bins of PackedTrees. Its bytes may be in two arrays of the sizes that bytes_of_table says.
        """

    def read(self, columns: list, n_rows: int, first: int) -> None:
        """Put a block into the rows from `first` on."""

    def finished(self) -> BinnedTable:
        """The table, once every row was read; it can be taken once."""

def bytes_of_table(n_rows: int, n_columns: int) -> tuple:
    """How many bytes a binned table takes by row, and by column."""

def threshold_neighbors(columns: list, n_rows: int, thresholds: list, below: list, above: list, n_threads: int) -> None:
    """
    Fill in the numbers of each column next to its thresholds on both sides.
    """

MOST_NEIGHBORED: int = 4094

class Lloyd:
    """Rows of numbers and the nearest center of each."""

    def __init__(self, X: object, n_columns: int, weight: object | None, n_threads: int) -> None: ...

    def assign(self, centers: object) -> tuple:
        """
        Put every row to its nearest center: how many moved, sums and weights by cluster.
        """

    def labels(self) -> object:
        """The cluster of each row."""

    def forget(self) -> None:
        """Count all rows as moved in the next round."""

    def squares(self, centers: object) -> object:
        """The squared distance of each row from the center of its cluster."""

    def all_squares(self, centers: object, out: object) -> None:
        """Fill `out` (n_rows, n_centers) with squared distances."""

    def left_over(self, points: object, so_far: object) -> object:
        """What is left of the sum of `so_far` if a point joins, for each point."""

    def come_near(self, point: object, so_far: object) -> None:
        """
        Lower `so_far` to the squared distance from a point where that is less.
        """

class Prototypes:
    """Mixed rows and the nearest prototype of each."""

    def __init__(self, X: list, n_levels: object, factors: object, weight: object | None, n_threads: int) -> None: ...

    def assign(self, prototypes: object) -> int:
        """Put every row to its nearest prototype: how many moved."""

    def middles(self, labels: object, prototypes: object) -> tuple:
        """
        Means and commonest levels of the rows of each label, and their weights.
        """

    def labels(self) -> object:
        """The cluster of each row."""

    def forget(self) -> None:
        """Count all rows as moved in the next round."""

    def squares(self, centers: object) -> object:
        """The squared distance of each row from the center of its cluster."""

    def all_squares(self, centers: object, out: object) -> None:
        """Fill `out` (n_rows, n_centers) with squared distances."""

    def left_over(self, points: object, so_far: object) -> object:
        """What is left of the sum of `so_far` if a point joins, for each point."""

    def come_near(self, point: object, so_far: object) -> None:
        """
        Lower `so_far` to the squared distance from a point where that is less.
        """

def weakest_link_prices(first_child: object, n_children: object, as_leaf: object, stopped: object, prices: object) -> None:
    """
    Fill `prices` with the price of a leaf at which weakest-link pruning cuts a node.
    """

def saving_per_leaf_prices(first_child: object, n_children: object, as_leaf: object, stopped: object, least: float, prices: object) -> None:
    """
    Fill `prices` with the price of a leaf at which rpart's rule cuts a node.
    """

def guess_delimiter(text: bytes) -> str:
    """The delimiter that occurs most in the first line."""

def read_csv_header(text: bytes, delimiter: str) -> list[str]:
    """The cells of the first record."""

def read_csv(text: bytes, delimiter: str, *, has_header: bool, names: Sequence[str], types: Sequence[int], missing: Sequence[str], missing_in_text: bool) -> list:
    """
    The columns of delimited text: (numbers or codes, levels or None, n_missing_words, leading_zero, all_whole, any_number) each.
    """

def prune_by_errors(tree: object, n_levels: object, X: object, codes: object, weights: object | None, unit: object, price: object | None, confidence: float, z: float, unseen_to_majority: bool, n_threads: int, folder: object | None = None) -> dict:
    """
    Arrays of the tree pruned by C4.5's estimate of errors, with subtree raising.
    """

def pessimistic_errors(weights: object, errors: object, out: object, confidence: float, z: float) -> None:
    """
    Fill `out` with the errors expected at leaves of these weights and errors.
    """

class Drawing(enum.Enum):
    all_rows = 0

    with_replacement = 1

    without_replacement = 2

class RowDrawing:
    def __init__(self) -> None: ...

    @property
    def drawing(self) -> Drawing: ...

    @drawing.setter
    def drawing(self, arg: Drawing, /) -> None: ...

    @property
    def n_drawn(self) -> int: ...

    @n_drawn.setter
    def n_drawn(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

class ForestSettings(RowDrawing):
    def __init__(self) -> None: ...

    @property
    def n_trees(self) -> int: ...

    @n_trees.setter
    def n_trees(self, arg: int, /) -> None: ...

    @property
    def first_tree(self) -> int: ...

    @first_tree.setter
    def first_tree(self, arg: int, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def random_cuts(self) -> bool: ...

    @random_cuts.setter
    def random_cuts(self, arg: bool, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def min_samples_split(self) -> float: ...

    @min_samples_split.setter
    def min_samples_split(self, arg: float, /) -> None: ...

    @property
    def min_samples_leaf(self) -> float: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: float, /) -> None: ...

    @property
    def weights_are_counts(self) -> bool: ...

    @weights_are_counts.setter
    def weights_are_counts(self, arg: bool, /) -> None: ...

    @property
    def min_weight_fraction_leaf(self) -> float: ...

    @min_weight_fraction_leaf.setter
    def min_weight_fraction_leaf(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def min_level_rows(self) -> float: ...

    @min_level_rows.setter
    def min_level_rows(self, arg: float, /) -> None: ...

    @property
    def entropy(self) -> bool: ...

    @entropy.setter
    def entropy(self, arg: bool, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

def grow_forest(table: BinnedTable, target: object, weight: object | None, n_classes: int, settings: ForestSettings, n_threads: int) -> PackedTrees:
    """Grow the trees of a forest."""

def draw_rows(settings: RowDrawing, tree: int, n_rows: int) -> object:
    """How often each row is drawn for a tree."""

def add_out_of_bag(trees: PackedTrees, table: BinnedTable, settings: ForestSettings, hard: bool, sums: object, n_trees: object, n_threads: int) -> None:
    """Add to each row the predictions of the trees that did not draw it."""

def add_shrunk_out_of_bag(trees: PackedTrees, table: BinnedTable, drawing: RowDrawing, rows: object, classes: object | None, strengths: object, prior: float, sums: object, n_trees: object, n_threads: int) -> None:
    """
    Add to `sums` (n_rows, n_strengths) what the trees that did not draw a row predict, shrunk by each strength: the share of the row's class, or a number.
    """

class Loss(enum.Enum):
    squared_error = 0

    absolute_error = 1

    huber = 2

    quantile = 3

    poisson = 4

    gamma = 5

    tweedie = 6

    logistic = 7

    multinomial = 8

class Renewal(enum.Enum):
    none = 0

    quantile = 1

    huber = 2

class TreeGrowth(enum.Enum):
    leaf = 0

    level = 1

    symmetric = 2

class GradientTreeSettings:
    def __init__(self) -> None: ...

    @property
    def growth(self) -> TreeGrowth: ...

    @growth.setter
    def growth(self, arg: TreeGrowth, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def monotone(self) -> list[int]: ...

    @monotone.setter
    def monotone(self, arg: Sequence[int], /) -> None: ...

    @property
    def min_samples_leaf(self) -> float: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: float, /) -> None: ...

    @property
    def min_child_weight(self) -> float: ...

    @min_child_weight.setter
    def min_child_weight(self, arg: float, /) -> None: ...

    @property
    def l1(self) -> float: ...

    @l1.setter
    def l1(self, arg: float, /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def nominal_l2(self) -> float: ...

    @nominal_l2.setter
    def nominal_l2(self, arg: float, /) -> None: ...

    @property
    def nominal_smoothing(self) -> float: ...

    @nominal_smoothing.setter
    def nominal_smoothing(self, arg: float, /) -> None: ...

    @property
    def min_level_rows(self) -> float: ...

    @min_level_rows.setter
    def min_level_rows(self, arg: float, /) -> None: ...

    @property
    def max_features(self) -> float: ...

    @max_features.setter
    def max_features(self, arg: float, /) -> None: ...

    @property
    def max_features_node(self) -> float: ...

    @max_features_node.setter
    def max_features_node(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def first_tree(self) -> int: ...

    @first_tree.setter
    def first_tree(self, arg: int, /) -> None: ...

    @property
    def interactions(self) -> list[list[int]]: ...

    @interactions.setter
    def interactions(self, arg: Sequence[Sequence[int]], /) -> None: ...

class GradientTreeGrower:
    """Grows the trees of a boosted model, one after the other."""

    def __init__(self, table: object, settings: GradientTreeSettings, n_threads: int, folder: object | None = None) -> None: ...

    def no_trees(self) -> PackedTrees:
        """An ensemble of this table without trees."""

    def grow(self, trees: PackedTrees, gradient: object, hessian: object | None, rows: object | None, scores: object, weight: object | None = None, target: object | None = None, renewal: Renewal = Renewal.none, renewal_parameter: float = 0.5, logistic: bool = False) -> None:
        """
        Append a tree grown on some rows and add its predictions to the scores of all.
        """

def loss_gradients(loss: Loss, parameter: float, y: object, scores: object, weight: object | None, gradient: object, hessian: object | None, n_threads: int) -> None:
    """
    Fill the first and second derivatives of a loss by the score, times weight.
    """

class Measure(enum.Enum):
    entropy = 0

    gini = 1

    cost_gini = 2

    chi_square = 3

    squared_error = 4

    absolute_error = 5

    poisson = 6

    custom = 7

class NominalSplit(enum.Enum):
    branches = 0

    subset = 1

    one_vs_rest = 2

class NumericSplit(enum.Enum):
    threshold = 0

    intervals = 1

class MissingPolicy(enum.Enum):
    fractional = 0

    surrogate = 1

    learned = 2

    branch = 3

    majority = 4

    stop = 5

class Settings:
    """What the grower is asked to do."""

    def __init__(self) -> None: ...

    @property
    def measure(self) -> Measure: ...

    @measure.setter
    def measure(self, arg: Measure, /) -> None: ...

    @property
    def gain_ratio(self) -> bool: ...

    @gain_ratio.setter
    def gain_ratio(self, arg: bool, /) -> None: ...

    @property
    def nominal(self) -> NominalSplit: ...

    @nominal.setter
    def nominal(self, arg: NominalSplit, /) -> None: ...

    @property
    def numeric(self) -> NumericSplit: ...

    @numeric.setter
    def numeric(self, arg: NumericSplit, /) -> None: ...

    @property
    def missing(self) -> MissingPolicy: ...

    @missing.setter
    def missing(self, arg: MissingPolicy, /) -> None: ...

    @property
    def max_intervals(self) -> int: ...

    @max_intervals.setter
    def max_intervals(self, arg: int, /) -> None: ...

    @property
    def max_surrogates(self) -> int: ...

    @max_surrogates.setter
    def max_surrogates(self, arg: int, /) -> None: ...

    @property
    def without_surrogates(self) -> list[int]: ...

    @without_surrogates.setter
    def without_surrogates(self, arg: Sequence[int], /) -> None: ...

    @property
    def min_surrogate_disagreement(self) -> int: ...

    @min_surrogate_disagreement.setter
    def min_surrogate_disagreement(self, arg: int, /) -> None: ...

    @property
    def n_competitors(self) -> int: ...

    @n_competitors.setter
    def n_competitors(self, arg: int, /) -> None: ...

    @property
    def rows_in_table(self) -> int: ...

    @rows_in_table.setter
    def rows_in_table(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def max_splits(self) -> int: ...

    @max_splits.setter
    def max_splits(self, arg: int, /) -> None: ...

    @property
    def min_samples_split(self) -> float: ...

    @min_samples_split.setter
    def min_samples_split(self, arg: float, /) -> None: ...

    @property
    def min_samples_leaf(self) -> float: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: float, /) -> None: ...

    @property
    def min_weight_leaf(self) -> float: ...

    @min_weight_leaf.setter
    def min_weight_leaf(self, arg: float, /) -> None: ...

    @property
    def limits_by_weight(self) -> bool: ...

    @limits_by_weight.setter
    def limits_by_weight(self, arg: bool, /) -> None: ...

    @property
    def weights_are_counts(self) -> bool: ...

    @weights_are_counts.setter
    def weights_are_counts(self, arg: bool, /) -> None: ...

    @property
    def has_min_gain(self) -> bool: ...

    @has_min_gain.setter
    def has_min_gain(self, arg: bool, /) -> None: ...

    @property
    def min_gain(self) -> float: ...

    @min_gain.setter
    def min_gain(self, arg: float, /) -> None: ...

    @property
    def min_risk(self) -> float: ...

    @min_risk.setter
    def min_risk(self, arg: float, /) -> None: ...

    @property
    def significance(self) -> float: ...

    @significance.setter
    def significance(self, arg: float, /) -> None: ...

    @property
    def error_z(self) -> float: ...

    @error_z.setter
    def error_z(self, arg: float, /) -> None: ...

    @property
    def error_confidence(self) -> float: ...

    @error_confidence.setter
    def error_confidence(self, arg: float, /) -> None: ...

    @property
    def use_once(self) -> bool: ...

    @use_once.setter
    def use_once(self, arg: bool, /) -> None: ...

    @property
    def average_gain_filter(self) -> bool: ...

    @average_gain_filter.setter
    def average_gain_filter(self, arg: bool, /) -> None: ...

    @property
    def mdl_correction(self) -> bool: ...

    @mdl_correction.setter
    def mdl_correction(self, arg: bool, /) -> None: ...

    @property
    def data_value_thresholds(self) -> bool: ...

    @data_value_thresholds.setter
    def data_value_thresholds(self, arg: bool, /) -> None: ...

    @property
    def j48_gaps(self) -> bool: ...

    @j48_gaps.setter
    def j48_gaps(self, arg: bool, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def column_order(self) -> list[int]: ...

    @column_order.setter
    def column_order(self, arg: Sequence[int], /) -> None: ...

    @property
    def costs(self) -> list[float]: ...

    @costs.setter
    def costs(self, arg: Sequence[float], /) -> None: ...

    @property
    def class_factor(self) -> list[float]: ...

    @class_factor.setter
    def class_factor(self, arg: Sequence[float], /) -> None: ...

class SortedColumns:
    def take(self, positions: object) -> SortedColumns:
        """The columns of some of the rows (rising), without sorting them again."""

    def ranks(self, column: int) -> object:
        """
        The rank of each row's value among the different ones; missing values come last.
        """

def sort_columns(columns: list, n_rows: int, n_threads: int, folder: object | None = None) -> SortedColumns:
    """Put columns in order once, to grow several trees on the same rows."""

def grow_tree(columns: list, target: object, weight: object | None, n_classes: int, settings: Settings, custom: object | None, n_threads: int, sorted: SortedColumns | None = None, folder: object | None = None) -> dict:
    """
    Grow a tree; returns its arrays by name. Columns are (kind, array, n_levels).
    """

class GivenSplit:
    """A split that a person asks for."""

    def __init__(self, column: int, kind: int, threshold: float, first_levels: Sequence[int], cuts: Sequence[float]) -> None: ...

class HeldTable:
    """A table held while a tree is grown on it by hand."""

    def __init__(self, columns: list, target: object, weight: object | None, n_classes: int, settings: Settings, custom: object | None, n_threads: int) -> None: ...

    def best_splits(self, rows: object, weight: object | None, n_threads: int) -> list:
        """The best split of each column, and the sums of its sides."""

    def measure(self, rows: object, weight: object | None, given: GivenSplit) -> dict:
        """The same of a given split."""

    def leaf(self, rows: object, weight: object | None, path: Sequence[int], used: Sequence[int], n_threads: int) -> dict:
        """The arrays of a tree of this node alone."""

    def split(self, rows: object, weight: object | None, path: Sequence[int], used: Sequence[int], given: GivenSplit, n_threads: int) -> dict:
        """The arrays of a tree of this node and its children."""

    def grow(self, rows: object, weight: object | None, path: Sequence[int], used: Sequence[int], n_levels: int, n_threads: int) -> dict:
        """The arrays of the tree that the settings grow from this node."""

def number_sides(values: object, weight: object | None, side: object, n_sides: int) -> object:
    """
    For each side of some rows: number, weight, mean, squared distances x weight.
    """

class IsolationSettings(RowDrawing):
    def __init__(self) -> None: ...

    @property
    def n_trees(self) -> int: ...

    @n_trees.setter
    def n_trees(self, arg: int, /) -> None: ...

    @property
    def first_tree(self) -> int: ...

    @first_tree.setter
    def first_tree(self, arg: int, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

def grow_isolation_trees(columns: list, n_rows: int, settings: IsolationSettings, n_threads: int) -> list:
    """Grow trees that separate rows by chance; their arrays by name."""

def mean_isolation_depth(n: float) -> float:
    """
    The mean depth of n rows in a random tree that is grown until they are all alone.
    """

def group_cells(cells: object) -> tuple:
    """
    Codes of the rows of a byte matrix in order of first appearance, and the first row of each code.
    """

class LinearLoss(enum.Enum):
    squared_error = 0

    logistic = 1

    multinomial = 2

class EpochSettings:
    def __init__(self) -> None: ...

    @property
    def batch_size(self) -> int: ...

    @batch_size.setter
    def batch_size(self, arg: int, /) -> None: ...

    @property
    def rate(self) -> float: ...

    @rate.setter
    def rate(self, arg: float, /) -> None: ...

    @property
    def momentum(self) -> float: ...

    @momentum.setter
    def momentum(self, arg: float, /) -> None: ...

    @property
    def l1(self) -> float: ...

    @l1.setter
    def l1(self, arg: float, /) -> None: ...

    @property
    def l2(self) -> float: ...

    @l2.setter
    def l2(self, arg: float, /) -> None: ...

class LinearRows:
    """Numbers and slots of rows, for passes."""

    def __init__(self, numbers: object, n_numbers: int, slots: object, n_slots: int, shares: object) -> None: ...

    def scores(self, coefficients: object, out: object, n_threads: int) -> None:
        """Fill `out` (n_rows, n_outputs) with the scores of the rows."""

    def gradient(self, loss: LinearLoss, target: object, coefficients: object, out: object, n_threads: int) -> float:
        """The mean cost of a row; fill `out` with its gradient."""

    def products(self, factors: object | None, out: object, n_threads: int) -> None:
        """Fill `out` (n_terms, n_terms) with the mean product of any two terms."""

    def descend(self, loss: LinearLoss, target: object, order: object, settings: EpochSettings, coefficients: object, velocity: object) -> None:
        """Change coefficients and velocity by one epoch of steps."""

class ModelTreeCriterion(enum.Enum):
    fifth_root = 0

    standard_deviation = 1

class TermRule(enum.Enum):
    none = 0

    all = 1

    akaike = 2

    adjusted_error = 3

class ModelTreeSettings:
    def __init__(self) -> None: ...

    @property
    def criterion(self) -> ModelTreeCriterion: ...

    @criterion.setter
    def criterion(self, arg: ModelTreeCriterion, /) -> None: ...

    @property
    def terms(self) -> TermRule: ...

    @terms.setter
    def terms(self, arg: TermRule, /) -> None: ...

    @property
    def min_split(self) -> float: ...

    @min_split.setter
    def min_split(self, arg: float, /) -> None: ...

    @property
    def min_leaf(self) -> float: ...

    @min_leaf.setter
    def min_leaf(self, arg: float, /) -> None: ...

    @property
    def min_share(self) -> float: ...

    @min_share.setter
    def min_share(self, arg: float, /) -> None: ...

    @property
    def min_deviation(self) -> float: ...

    @min_deviation.setter
    def min_deviation(self, arg: float, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def penalty(self) -> float: ...

    @penalty.setter
    def penalty(self, arg: float, /) -> None: ...

    @property
    def prune(self) -> bool: ...

    @prune.setter
    def prune(self, arg: bool, /) -> None: ...

def grow_model_tree(columns: object, is_ranked: object, unit: object, target: object, weight: object | None, settings: ModelTreeSettings, n_threads: int) -> dict:
    """Grow a tree with linear models and prune it; its arrays by name."""

class ObliqueImpurity(enum.Enum):
    gini = 0

    entropy = 1

class ObliqueTarget:
    def __init__(self, impurity: ObliqueImpurity, codes: object, n_classes: int, weight: object, score_weight: object) -> None: ...

    @property
    def min_rows(self) -> float: ...

    @min_rows.setter
    def min_rows(self, arg: float, /) -> None: ...

    @property
    def min_weight(self) -> float: ...

    @min_weight.setter
    def min_weight(self, arg: float, /) -> None: ...

class ObliqueSettings:
    def __init__(self) -> None: ...

    @property
    def max_terms(self) -> int: ...

    @max_terms.setter
    def max_terms(self, arg: int, /) -> None: ...

    @property
    def max_columns(self) -> int: ...

    @max_columns.setter
    def max_columns(self, arg: int, /) -> None: ...

    @property
    def n_starts(self) -> int: ...

    @n_starts.setter
    def n_starts(self, arg: int, /) -> None: ...

    @property
    def n_jumps(self) -> int: ...

    @n_jumps.setter
    def n_jumps(self, arg: int, /) -> None: ...

    @property
    def max_loss(self) -> float: ...

    @max_loss.setter
    def max_loss(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

def search_sums(columns: object, target: ObliqueTarget, settings: ObliqueSettings, n_threads: int) -> list[tuple[list[int], list[float]]]:
    """
    The best sums of two columns, of three ...: places of the columns, coefficients.
    """

def best_sum_cut(sums: object, target: ObliqueTarget, min_gap: float) -> tuple[float, float, float] | None:
    """
    The gain of the best cut and the sums next to it; None if there is no cut.
    """

class MissingInDistance(enum.Enum):
    as_one = 0

    farthest = 1

    left_out = 2

class DistanceMeasure:
    def __init__(self, squares: bool, missing: MissingInDistance) -> None: ...

class NeighborVoting:
    def __init__(self, search: NeighborSearch, n_neighbors: float, weight: object | None, all_ties: bool, rounds: bool, by_distance: bool) -> None: ...

class NeighborSearch:
    def __init__(self, rows: object, is_level: object, measure: DistanceMeasure) -> None: ...

    def find_nearest(self, queries: object | None, n_threads: int, rows: object, distances: object) -> None:
        """Write the nearest rows of each query; without queries of each row."""

    def neighbors_of(self, query: object, voting: NeighborVoting) -> tuple:
        """
        The neighbors of one row that count: rows, distances, how much each counts.
        """

    def class_votes(self, queries: object, voting: NeighborVoting, codes: object, n_threads: int, out: object) -> None:
        """Write how much the neighbors of each class count."""

    def mean_targets(self, queries: object, voting: NeighborVoting, targets: object, n_threads: int, out: object) -> None:
        """Write the mean target of the neighbors."""

def distance_sums(rows: object, is_level: object, measure: DistanceMeasure, groups: object, n_threads: int, out: object) -> None:
    """Write how far each row is from all rows of each group."""

class OptimalLimits:
    def __init__(self) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def max_leaves(self) -> int: ...

    @max_leaves.setter
    def max_leaves(self, arg: int, /) -> None: ...

    @property
    def leaf_price(self) -> int: ...

    @leaf_price.setter
    def leaf_price(self, arg: int, /) -> None: ...

    @property
    def min_rows(self) -> int: ...

    @min_rows.setter
    def min_rows(self, arg: int, /) -> None: ...

    @property
    def min_weight(self) -> int: ...

    @min_weight.setter
    def min_weight(self, arg: int, /) -> None: ...

    @property
    def seconds(self) -> float: ...

    @seconds.setter
    def seconds(self, arg: float, /) -> None: ...

    @property
    def n_threads(self) -> int: ...

    @n_threads.setter
    def n_threads(self, arg: int, /) -> None: ...

    @property
    def start_cost(self) -> int: ...

    @start_cost.setter
    def start_cost(self, arg: int, /) -> None: ...

def best_tree(codes: list, n_values: Sequence[int], features: list, rows: tuple, n_classes: int, limits: OptimalLimits) -> dict:
    """
    Find the tree of least cost; its nodes in preorder, its cost and a lower bound.
    """

class LeafPrediction(enum.Enum):
    value = 0

    shares = 1

    vote = 2

class PackedTrees:
    """The trees of an ensemble, in compact form."""

    @property
    def n_trees(self) -> int: ...

    @property
    def n_values(self) -> int: ...

    @property
    def values_are_sums(self) -> bool: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    def tree(self, at: int) -> dict:
        """The arrays of one tree by name."""

    def append(self, other: PackedTrees) -> None:
        """Take on the trees of another, grown on equal bins."""

    def head(self, n_trees: int) -> PackedTrees:
        """The first trees alone."""

    def scale(self, tree: int, factor: float) -> None:
        """Multiply the predictions of one tree."""

    def shrunk(self, first: int, strength: float, prior: float, n_threads: int) -> PackedTrees:
        """
        The trees, those from number `first` on shrunk toward the values of their inner nodes.
        """

    def add_values(self, X: object, out: object, n_threads: int, prediction: LeafPrediction, first: int, last: int, in_float32: bool = False) -> None:
        """Add to `out` (n_rows, n_outputs) what trees first .. last - 1 predict."""

    def leaves(self, X: object, out: object, n_threads: int, first: int, last: int) -> None:
        """Fill `out` (n_rows, n_trees) with the nodes that rows end at."""

    def explain_row(self, X: object, n_threads: int, prediction: LeafPrediction, n_outputs: int, output: int) -> object:
        """
        Base value and Shapley values (n_columns,) of one row, by training weight; None if only single trees can tell.
        """

    def cuts(self) -> list:
        """Where each column is cut into bins."""

    def arrays(self) -> dict:
        """All trees and bins as flat arrays by name."""

    @staticmethod
    def from_arrays(arrays: dict, n_values: int, values_are_sums: bool, n_levels: object) -> PackedTrees:
        """Trees from what `arrays` gave; ValueError unless they can be walked."""

class Elementwise(enum.Enum):
    exp = 0

    exp2 = 1

    log = 2

    log1p = 3

    log2 = 4

    log_gamma = 5

def elementwise_of(function: Elementwise, value: float) -> float:
    """A function of one value."""

def fill_elementwise(function: Elementwise, values: object, out: object) -> None:
    """Fill `out` with a function of each value."""

def dot(one: object, other: object) -> float:
    """The sum of the products of two arrays."""

def fill_row_products(matrix: object, vector: object, out: object) -> None:
    """Fill `out` with the product of each row with a vector."""

def fill_weighted_sum(weights: object, matrix: object, out: object) -> None:
    """Fill `out` with the sum of the rows, each times its weight."""

def factor_in_place(matrix: object, least: float) -> None:
    """
    Cholesky's upper triangle; rows of zeros for columns that others make up.
    """

def solve_in_place(factor: object, right: object) -> None:
    """
    Solve the equations of a factored matrix in the place of their right side.
    """

class Predictor:
    """A tree arranged for walking many rows."""

    def __init__(self, tree: object, predictions: object, n_levels: object, unseen_to_majority: bool) -> None: ...

    def values(self, X: object, out: object, n_threads: int) -> None:
        """
        Fill `out` (n_rows, n_values) with the predictions of the nodes that rows end at.
        """

    def leaves(self, X: object, out: object, n_threads: int) -> None:
        """Fill `out` (n_rows,) with the nodes that rows end at."""

    def parts(self, X: object) -> tuple:
        """Row, node and share of every part of a row that ends at a node."""

def shared_weights(sets: object, within: object, weights: object | None, out: object) -> None:
    """
    Fill `out` (n_within, n_sets) with the weight of the rows that two sets share.
    """

def weights_without_each(parts: object, everything: object, wrong: object, weights: object | None, out: object) -> None:
    """
    Fill `out` (2, n_parts + 1): the weight in all parts but one and in all, and the weight in `wrong` of it.
    """

class ShapTree:
    """A tree arranged for Shapley values."""

    def __init__(self, tree: object, predictions: object, n_levels: object, unseen_to_majority: bool) -> None: ...

    def expected(self) -> object:
        """The base value, if no column is known: the mean by training weight."""

    def add_by_weight(self, X: object, out: object, n_threads: int) -> None:
        """
        Add Shapley values by training weight to `out` (n_rows, n_columns, n_values).
        """

    def add_of_pairs(self, X: object, out: object, n_threads: int) -> None:
        """
        Add halves of interactions by training weight to `out` (n_rows, n_columns, n_columns, n_values).
        """

    def add_against(self, X: object, background: object, out: object, n_threads: int) -> None:
        """
        Add Shapley values against background rows to `out` (n_rows, n_columns, n_values).
        """

def short_cut_names() -> tuple:
    """The faster ways that can be left out, bit by bit."""

def leave_out_short_cuts(mask: int) -> int:
    """
    Takes the plain way from now on for every bit that is set; returns the bits before.
    """

def start_recording() -> None:
    """
    From now on this thread runs all parallel tasks itself and notes their time.
    """

def end_recording() -> list:
    """
    (nanoseconds before it, threads, bytes, nanoseconds of each task) of each region.
    """

def short_cuts_met() -> int:
    """Bits of those that data came to since the last question."""

class StandardArithmetic:
    """Within `with`, Python and NumPy keep numbers below 2.2e-308 here."""

    def __init__(self) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object | None, error: object | None, trace: object | None) -> None: ...

class StopFlag:
    """
    Cancels kernels in the threads that heed it; so does the flag that the thread heeds which makes it.
    """

    def __init__(self) -> None: ...

    def set(self) -> None:
        """From now on kernels there end with KeyboardInterrupt."""

def heed(flag: StopFlag | None) -> None:
    """This thread heeds the flag from now on, or none."""

def cancel_if_unwanted() -> None:
    """Raises KeyboardInterrupt if the flag that this thread heeds is set."""

def grow_top(columns: list, target: object, weight: object | None, n_classes: int, settings: Settings, most_rows: int, least_rows: int, n_threads: int, folder: object | None = None) -> tuple:
    """
    The arrays of the top of a tree, and its open nodes of `least_rows` to `most_rows` rows.
    """

class SubtreeTable:
    """A table that grows open nodes of `grow_top`."""

    def __init__(self, columns: list, target: object, weight: object | None, n_classes: int, settings: Settings, n_threads: int, folder: object | None = None) -> None: ...

    def grow(self, node: dict, n_threads: int) -> dict:
        """The arrays of a node's subtree."""

class TreePartition:
    """A part of the rows that boosted trees are grown on."""

    def __init__(self, table: object, first_row: int, n_rows_of_all: int, n_threads: int) -> None: ...

    def largest(self, gradients: tuple, drawn: object | None) -> tuple:
        """The largest derivatives and the largest weight."""

    def survey(self, gradients: tuple, drawn: object | None, bounds: tuple, n_drawn_of_all: int) -> tuple:
        """The largest, and sums of the sizes of derivatives."""

    def start(self, gradients: tuple, drawn: object | None, units: tuple, draw: int, counts_rows: bool) -> tuple:
        """Begin a tree; returns sums of all rows, and their numbers if wanted."""

    def divide(self, gradients: tuple, divisions: list) -> tuple:
        """
        Divide nodes; returns sums and numbers of the rows of their children, as wanted.
        """

    def count_rows(self, nodes: object) -> object:
        """The numbers of rows of nodes by column and bin."""

    def leaf_of_rows(self, nodes: object) -> object:
        """The number of the leaf of each row, or the largest number for none."""

    def add_values(self, nodes: object, values: object, scores: object) -> None:
        """Add the values of leaves to the scores of their rows."""

class PartitionedTreeGrower:
    """Grows the trees of a boosted model on rows that are elsewhere."""

    def __init__(self, plan: PackedTrees, n_rows: int, has_missing: list, settings: GradientTreeSettings, n_threads: int) -> None: ...

    def no_trees(self) -> PackedTrees:
        """An ensemble of these columns without trees."""

    def grow(self, trees: PackedTrees, rows: object, output: int, n_drawn: int, kind: tuple, renewal: object | None, few_rows: int) -> tuple:
        """
        Append a tree; returns the nodes of its leaves and their values. `kind` says whether rows are weighted, derivatives are logistic, and second derivatives are 1. Of nodes of more than `few_rows`, rows are counted only where a split depends on it.
        """
