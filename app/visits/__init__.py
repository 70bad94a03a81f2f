"""How many visits the server has at once: its places, the line before them, and the page shown to those who wait."""
