"""The animated chain view: a canvas in the browser that receives one binary message per frame.

`ChainCanvas` is the component, `encode` packs a frame, ``app/js/canvas`` reads and draws it.
"""
