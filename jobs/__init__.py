"""Do: everything between a request and its report. Imports `config` and nothing else of ours."""
