"""The plot area of a panel: from values to pixels."""

from dataclasses import dataclass

from treewright.figures.scales import Scale


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle of the paper and the scales along its sides; y values go upwards.

    What is beyond a scale stands at its end.
    """

    left: float
    top: float
    width: float
    height: float
    x_scale: Scale
    y_scale: Scale

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def x(self, value: float) -> float:
        return self.left + self.width * within(self.x_scale.at(value))

    def y(self, value: float) -> float:
        return self.bottom - self.height * within(self.y_scale.at(value))


def within(share: float) -> float:
    return min(max(share, 0.0), 1.0)
