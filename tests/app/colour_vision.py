"""Simulation of colour vision deficiencies, contrast and colour differences, for tests of palettes."""

import numpy as np

MACHADO = {  # severity 1.0: Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of color
    # vision deficiency", table 1; on linear RGB
    "full colour": np.eye(3),
    "protanopia": np.array([
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
"""Name of a type of vision -> its transformation of linear RGB, (3, 3)."""
RGB_TO_XYZ = np.array([
    [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
"""IEC 61966-2-1, white point D65."""


def linear(colour: str) -> np.ndarray:
    """Return linear RGB in [0, 1] of a colour #rrggbb."""
    channels = np.array([int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2, in [1, 21]."""
    low, high = sorted(float(RGB_TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def seen(colour: str, vision: str) -> np.ndarray:
    """Return CIELAB of a colour as perceived with a type of vision of `MACHADO`."""
    return lab(np.clip(MACHADO[vision] @ linear(colour), 0, 1))


def lab(rgb: np.ndarray) -> np.ndarray:
    """Return CIELAB of linear RGB."""
    ratio = RGB_TO_XYZ @ rgb / RGB_TO_XYZ.sum(axis=1)
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(one: np.ndarray, other: np.ndarray) -> float:
    """Return the CIEDE2000 difference of two colours in CIELAB, after Sharma, Wu and Dalal (2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    stretch = 1.5 - 0.5 * np.sqrt(mean / (mean + 25.0**7))
    c1, c2 = np.hypot(stretch * a1, b1), np.hypot(stretch * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    if turn == -180 and h2 > h1:
        turn = 180.0
    hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    weight = (1 - 0.17 * np.cos(np.radians(hue - 30)) + 0.24 * np.cos(np.radians(2 * hue))
              + 0.32 * np.cos(np.radians(3 * hue + 6)) - 0.20 * np.cos(np.radians(4 * hue - 63)))
    far = (lightness - 50) ** 2
    dl = (l2 - l1) / (1 + 0.015 * far / np.sqrt(20 + far))
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * weight)
    rotation = -np.sin(np.radians(60 * np.exp(-((hue - 275) / 25) ** 2))) * 2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    return float(np.sqrt(dl**2 + dc**2 + dh**2 + rotation * dc * dh))
