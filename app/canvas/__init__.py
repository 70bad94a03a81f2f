"""The animated chain view: a canvas in the browser fed one binary message a frame.

`ChainCanvas` is the component, `encode` packs a frame, `js/` holds the drawing code that reads it.
"""
