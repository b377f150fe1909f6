"""The environments that come with skillbench: named in a repository's file, not defined there.

A preset's image is built by the operator from the Dockerfile beside this module; nothing here
downloads or builds anything. A repository that defines the same name gets its own.
"""

from config.environments.definition import EnvironmentDefinition, PackageList

R_HOSTS = ("cloud.r-project.org", "cran.r-project.org", "p3m.dev", "packagemanager.posit.co")
"""CRAN and its mirror network, and Posit's public package manager under both its names."""
PYTHON_HOSTS = ("files.pythonhosted.org", "pypi.org")

PRESETS = {
    "r-pharma": EnvironmentDefinition(
        image="skillbench-r-pharma:1",
        hosts=R_HOSTS,
        packages=PackageList(
            r=(
                "jsonlite",
                "digest",
                "gsDesign",
                "gsDesign2",
                "lrstat",
                "graphicalMCP",
                "eventPred",
                "ggplot2",
            ),
            commands=("Rscript",),
        ),
    ),
}
"""By name."""
