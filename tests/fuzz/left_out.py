"""Public names that are not called with nonsense, each with the reason; and results that may say NaN."""

RECORDS = {"GradientCheck", "Stream", "Divergence", "Epoch", "OfflineResult", "StepTrace", "Ceiling", "Diagnostics",
           "GradientVariance", "Independence", "JointDistance", "EpochCertificate", "ExitProcess", "LogisticTheorem",
           "PrescriptionCheck", "SvrgPrescription", "Advice", "CellForecast", "CellKey", "CellResult", "SweepOutcome",
           "SweepProgress", "Verdict", "Contestant", "Curves", "EpochCost", "FigureOne", "Growth", "LikelihoodCurve",
           "PaperData", "RaceCurve", "RaceSetup", "WassersteinCurve", "GateFailure", "ReplayResult", "Peek", "Split",
           "StreamReport", "CoresetRun", "Truth", "WeightConvergence", "Counterexample", "Erratum", "Table", "Coreset",
           "Leg", "Measurements", "PredictiveDistribution", "RowReading"}
"""Records of what was found or measured: functions that take them are called, and check them."""
CONSTANT = {"gradient_signature", "prior_signature", "ONLINE_ALGORITHMS", "PLAIN", "TABLE_1", "LIMITS", "CONTESTANTS",
            "PAPER_DATA", "LARGEST_UPLOAD", "MOST_LEVELS", "UNEQUAL", "PAPER_MEMORY", "ERRATA", "PAPERS", "Reference"}
"""Tables, numbers, and what a reference is."""
ERRORS = {"DivergenceError", "OfflineDivergenceError", "WorkersLost", "ClusterLost", "NotFiniteError", "SourceError"}
ELSEWHERE = {"peek": "files", "levels": "files", "check_upload": "files", "load_predictive": "a path alone",
             "likely_response": "names of a file's columns", "read_table": "files", "JsonLines": "a path alone",
             "ParquetParts": "a path alone", "gates_from": "a result alone", "stream_evidence": "a result alone",
             "over_seeds": "results alone", "GibbsSampler": "no arguments", "Untrained": "no arguments"}
"""Names that take files, which `test_files` searches, or nothing but a result."""
MAY_BE_NAN = {"chain_diagnostics": "a coordinate that stands still", "nested_rhat": "a coordinate that stands still",
              "successive_correlation": "a coordinate that stands still",
              "wasserstein_race": "the floor where no chains are run",
              "best_cell": "a cell without its widths",
              "check_gradient": "a gradient that gives no answer"}
"""Results that say NaN where there is nothing to say."""
