"""Parts of the Coreset page: models, background jobs, results, texts, cards, and the sidebar."""
