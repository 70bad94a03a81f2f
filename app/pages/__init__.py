"""The pages, one file each: what they show, what follows from a knob, and how they begin and end."""
