"""Racing: samplers on the same data at the same counted cost, and the papers' figures and tables."""

from sampler.racing.accuracy_race import Curves, RaceCurve, race
from sampler.racing.contestants import CONTESTANTS, Contestant, from_setup
from sampler.racing.cost_growth import EpochCost, Growth, epoch_costs, growth, log_log_slope, over_seeds
from sampler.racing.figure_one import FigureOne, figure_one
from sampler.racing.fixed_data_races import (
    LikelihoodCurve,
    WassersteinCurve,
    generated_split,
    likelihood_race,
    wasserstein_race,
)
from sampler.racing.paper_data import PAPER_DATA, PaperData, paper_split
from sampler.racing.race_setup import RaceSetup, prepare_race

__all__ = [
    "CONTESTANTS", "Contestant", "Curves", "EpochCost", "FigureOne", "Growth", "LikelihoodCurve", "PAPER_DATA", "PaperData",
    "RaceCurve", "RaceSetup", "WassersteinCurve", "epoch_costs", "figure_one", "from_setup", "generated_split", "growth",
    "likelihood_race", "log_log_slope", "over_seeds", "paper_split", "prepare_race", "race", "wasserstein_race",
]
