// Media queries of the user's window.
export const NARROW = matchMedia("(max-width: 74.99875em)") // one column
export const PHONE = matchMedia("(max-width: 44.99875em)")
export const STILL = matchMedia("(prefers-reduced-motion: reduce)")
