"""What every test can ask for; the fixtures themselves live beside their subject."""

pytest_plugins = ["tests.fixtures_github"]
