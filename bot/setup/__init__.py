"""The first start: the bot registers its own GitHub App, by GitHub's manifest flow."""
