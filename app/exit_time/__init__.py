"""Parts of the Exit time page: setup, background job, bounds, figures, texts, cards, and the sidebar."""
