"""Files of the user's: how they arrive, what may be chosen of their columns, and errors about them in a page's words."""
