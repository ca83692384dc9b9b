"""Decision trees that people can read.

Public names load on first use, so that `import treewright` and `treewright --help` stay light.
"""

from importlib import import_module

from treewright.registry import ESTIMATORS

TYPE_CHECKING = False  # as type checkers know it; importing `typing` takes longer than the rest

if TYPE_CHECKING:
    from treewright import distributed as distributed
    from treewright import figures as figures
    from treewright import measures as measures
    from treewright import mlflow as mlflow
    from treewright.clustering.elbow import Elbow as Elbow
    from treewright.clustering.elbow import elbow as elbow
    from treewright.clustering.kmeans import KMeans as KMeans
    from treewright.clustering.kprototypes import KPrototypes as KPrototypes
    from treewright.concepts.candidate_elimination import (
        CandidateElimination as CandidateElimination,
    )
    from treewright.concepts.find_s import FindS as FindS
    from treewright.data.leaks import Leaks as Leaks
    from treewright.data.leaks import TableWarning as TableWarning
    from treewright.data.leaks import find_leaks as find_leaks
    from treewright.data.report import column_report as column_report
    from treewright.data.samples import load_sample as load_sample
    from treewright.data.samples import sample_names as sample_names
    from treewright.data.scan import Scan as Scan
    from treewright.data.scan import scan as scan
    from treewright.data.sources import table_from as table_from
    from treewright.data.sources.from_files import read_table as read_table
    from treewright.data.table import Table as Table
    from treewright.ensembles.boosting.boosted_trees import (
        BoostedTreesClassifier as BoostedTreesClassifier,
    )
    from treewright.ensembles.boosting.boosted_trees import (
        BoostedTreesRegressor as BoostedTreesRegressor,
    )
    from treewright.ensembles.forests.extra_trees import (
        ExtraTreesClassifier as ExtraTreesClassifier,
    )
    from treewright.ensembles.forests.extra_trees import ExtraTreesRegressor as ExtraTreesRegressor
    from treewright.ensembles.forests.isolation import IsolationForest as IsolationForest
    from treewright.ensembles.forests.random_forest import (
        RandomForestClassifier as RandomForestClassifier,
    )
    from treewright.ensembles.forests.random_forest import (
        RandomForestRegressor as RandomForestRegressor,
    )
    from treewright.errors import DataError as DataError
    from treewright.errors import ExportError as ExportError
    from treewright.errors import ModelFileError as ModelFileError
    from treewright.errors import ParameterError as ParameterError
    from treewright.errors import TreewrightError as TreewrightError
    from treewright.evaluation.calibration import calibration as calibration
    from treewright.evaluation.compare import compare as compare
    from treewright.evaluation.evaluate import evaluate as evaluate
    from treewright.evaluation.evaluate import evaluate_fitted as evaluate_fitted
    from treewright.evaluation.evaluation import Evaluation as Evaluation
    from treewright.evaluation.frontier import Frontier as Frontier
    from treewright.evaluation.frontier import frontier as frontier
    from treewright.evaluation.learning_curve import learning_curve as learning_curve
    from treewright.evaluation.missing_study import missing_map as missing_map
    from treewright.evaluation.missing_study import missing_study as missing_study
    from treewright.evaluation.scaling_study import scaling_study as scaling_study
    from treewright.evaluation.threshold import ThresholdChoice as ThresholdChoice
    from treewright.evaluation.threshold import choose_threshold as choose_threshold
    from treewright.evaluation.tune import tune as tune
    from treewright.evaluation.verdict import Verdict as Verdict
    from treewright.explanations.explanation import Explanation as Explanation
    from treewright.explanations.shap_values import ShapValues as ShapValues
    from treewright.growth.session import GrowthSession as GrowthSession
    from treewright.imports.estimators import ImportedClassifier as ImportedClassifier
    from treewright.imports.estimators import (
        ImportedModelTreeRegressor as ImportedModelTreeRegressor,
    )
    from treewright.imports.estimators import ImportedRegressor as ImportedRegressor
    from treewright.imports.estimators import ImportedTreeClassifier as ImportedTreeClassifier
    from treewright.imports.estimators import ImportedTreeRegressor as ImportedTreeRegressor
    from treewright.imports.fitted import ImportReport as ImportReport
    from treewright.imports.import_model import import_model as import_model
    from treewright.linear.classifier import GradientDescentClassifier as GradientDescentClassifier
    from treewright.linear.regressor import GradientDescentRegressor as GradientDescentRegressor
    from treewright.model_trees.m5 import M5Regressor as M5Regressor
    from treewright.neighbors.classifier import KNeighborsClassifier as KNeighborsClassifier
    from treewright.neighbors.regressor import KNeighborsRegressor as KNeighborsRegressor
    from treewright.neighbors.silhouette import Silhouette as Silhouette
    from treewright.neighbors.silhouette import silhouette as silhouette
    from treewright.persistence.model_file import SavedModel as SavedModel
    from treewright.pictures.picture import Picture as Picture
    from treewright.preprocessing.discretizer import Discretizer as Discretizer
    from treewright.preprocessing.imputer import Imputer as Imputer
    from treewright.pruning.report import PruningReport as PruningReport
    from treewright.readable_trees.estimators import (
        ReadableTreeClassifier as ReadableTreeClassifier,
    )
    from treewright.readable_trees.estimators import (
        ReadableTreeRegressor as ReadableTreeRegressor,
    )
    from treewright.reports.report import report as report
    from treewright.result import Result as Result
    from treewright.rulesets.rule import Rule as Rule
    from treewright.single_trees.c45 import C45Classifier as C45Classifier
    from treewright.single_trees.c45_rules import C45Rules as C45Rules
    from treewright.single_trees.cart import CARTClassifier as CARTClassifier
    from treewright.single_trees.cart import CARTRegressor as CARTRegressor
    from treewright.single_trees.general import TreeClassifier as TreeClassifier
    from treewright.single_trees.general import TreeRegressor as TreeRegressor
    from treewright.single_trees.id3 import ID3Classifier as ID3Classifier
    from treewright.single_trees.oblique import ObliqueTreeClassifier as ObliqueTreeClassifier
    from treewright.single_trees.optimal import OptimalTreeClassifier as OptimalTreeClassifier
    from treewright.single_trees.rule_set import RuleSet as RuleSet
    from treewright.single_trees.written import tree_from as tree_from
    from treewright.tree.tree import Tree as Tree
    from treewright.verbs.distil import Distilled as Distilled
    from treewright.verbs.distil import distil as distil
    from treewright.verbs.draw import draw as draw
    from treewright.verbs.exercise import exercise as exercise
    from treewright.verbs.export import export as export
    from treewright.verbs.export import to_treelite as to_treelite
    from treewright.verbs.export import verify_export as verify_export
    from treewright.verbs.importance import Importance as Importance
    from treewright.verbs.importance import importance as importance
    from treewright.verbs.load import load as load
    from treewright.verbs.load import load_state as load_state
    from treewright.verbs.optimality_gap import OptimalityGap as OptimalityGap
    from treewright.verbs.optimality_gap import optimality_gap as optimality_gap
    from treewright.verbs.prune import cost_complexity_path as cost_complexity_path
    from treewright.verbs.prune import prune as prune
    from treewright.verbs.rules import rules as rules
    from treewright.verbs.shap import shap_values as shap_values
    from treewright.verbs.size_ladder import SizeLadder as SizeLadder
    from treewright.verbs.size_ladder import size_ladder as size_ladder
    from treewright.verbs.stability import stability as stability
    from treewright.verbs.worksheet import worksheet as worksheet
    from treewright.worksheets.exercise import Exercise as Exercise
    from treewright.worksheets.sheet import Worksheet as Worksheet
    from treewright.worksheets.stability import Stability as Stability

__version__ = "0.2.0"

# Other public names: the module each lives in. The order is that of the documentation.
_MODULES = {
    "silhouette": "treewright.neighbors.silhouette",
    "Silhouette": "treewright.neighbors.silhouette",
    "elbow": "treewright.clustering.elbow",
    "Elbow": "treewright.clustering.elbow",
    "Discretizer": "treewright.preprocessing.discretizer",
    "Imputer": "treewright.preprocessing.imputer",
    "prune": "treewright.verbs.prune",
    "PruningReport": "treewright.pruning.report",
    "cost_complexity_path": "treewright.verbs.prune",
    "size_ladder": "treewright.verbs.size_ladder",
    "SizeLadder": "treewright.verbs.size_ladder",
    "optimality_gap": "treewright.verbs.optimality_gap",
    "OptimalityGap": "treewright.verbs.optimality_gap",
    "rules": "treewright.verbs.rules",
    "RuleSet": "treewright.single_trees.rule_set",
    "Rule": "treewright.rulesets.rule",
    "tree_from": "treewright.single_trees.written",
    "import_model": "treewright.imports.import_model",
    "ImportedClassifier": "treewright.imports.estimators",
    "ImportedModelTreeRegressor": "treewright.imports.estimators",
    "ImportedRegressor": "treewright.imports.estimators",
    "ImportedTreeClassifier": "treewright.imports.estimators",
    "ImportedTreeRegressor": "treewright.imports.estimators",
    "ImportReport": "treewright.imports.fitted",
    "GrowthSession": "treewright.growth.session",
    "draw": "treewright.verbs.draw",
    "Picture": "treewright.pictures.picture",
    "Explanation": "treewright.explanations.explanation",
    "shap_values": "treewright.verbs.shap",
    "ShapValues": "treewright.explanations.shap_values",
    "importance": "treewright.verbs.importance",
    "Importance": "treewright.verbs.importance",
    "distil": "treewright.verbs.distil",
    "Distilled": "treewright.verbs.distil",
    "export": "treewright.verbs.export",
    "verify_export": "treewright.verbs.export",
    "to_treelite": "treewright.verbs.export",
    "worksheet": "treewright.verbs.worksheet",
    "Worksheet": "treewright.worksheets.sheet",
    "stability": "treewright.verbs.stability",
    "Stability": "treewright.worksheets.stability",
    "exercise": "treewright.verbs.exercise",
    "Exercise": "treewright.worksheets.exercise",
    "evaluate": "treewright.evaluation.evaluate",
    "evaluate_fitted": "treewright.evaluation.evaluate",
    "Evaluation": "treewright.evaluation.evaluation",
    "Verdict": "treewright.evaluation.verdict",
    "compare": "treewright.evaluation.compare",
    "frontier": "treewright.evaluation.frontier",
    "Frontier": "treewright.evaluation.frontier",
    "learning_curve": "treewright.evaluation.learning_curve",
    "tune": "treewright.evaluation.tune",
    "choose_threshold": "treewright.evaluation.threshold",
    "ThresholdChoice": "treewright.evaluation.threshold",
    "scaling_study": "treewright.evaluation.scaling_study",
    "missing_study": "treewright.evaluation.missing_study",
    "missing_map": "treewright.evaluation.missing_study",
    "calibration": "treewright.evaluation.calibration",
    "report": "treewright.reports.report",
    "Result": "treewright.result",
    "Table": "treewright.data.table",
    "Scan": "treewright.data.scan",
    "scan": "treewright.data.scan",
    "read_table": "treewright.data.sources.from_files",
    "table_from": "treewright.data.sources",
    "column_report": "treewright.data.report",
    "find_leaks": "treewright.data.leaks",
    "Leaks": "treewright.data.leaks",
    "TableWarning": "treewright.data.leaks",
    "load_sample": "treewright.data.samples",
    "sample_names": "treewright.data.samples",
    "Tree": "treewright.tree.tree",
    "load": "treewright.verbs.load",
    "load_state": "treewright.verbs.load",
    "SavedModel": "treewright.persistence.model_file",
    "distributed": "treewright",
    "figures": "treewright",
    "measures": "treewright",
    "mlflow": "treewright",
    "TreewrightError": "treewright.errors",
    "DataError": "treewright.errors",
    "ParameterError": "treewright.errors",
    "ModelFileError": "treewright.errors",
    "ExportError": "treewright.errors",
}

__all__ = ["__version__", *ESTIMATORS, *_MODULES]


def __getattr__(name: str) -> object:
    module = ESTIMATORS[name].module if name in ESTIMATORS else _MODULES.get(name)
    if module is None:
        from difflib import get_close_matches  # seldom needed, and slow to load

        by_lower = {known.lower(): known for known in __all__}
        near = get_close_matches(name.lower(), by_lower, n=1)
        hint = f"; did you mean `{by_lower[near[0]]}`?" if near else ""
        raise AttributeError(f"module `treewright` has no attribute `{name}`{hint}")
    if module == "treewright":
        return import_module(f"treewright.{name}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
