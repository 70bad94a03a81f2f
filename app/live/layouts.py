"""Where the cards of the Live page stand, by the width of the window."""

WIDE = ('grid-template: "chains charts" minmax(320px, 1fr) "verdict charts" max(190px, var(--lesson-room, 0px))'
        ' / minmax(0, 566fr) minmax(0, 578fr); height: var(--lab-room)')
NARROW = ('grid-template: "chains" min(520px, var(--lesson-free, 520px)) "verdict" minmax(174px, auto) "charts" 760px'
          ' / minmax(0, 1fr)')
PHONE = 'grid-template: "chains" 292px "verdict" auto "charts" auto / minmax(0, 1fr)'
