// Where a phone begins, as on the dashboard.

export const PHONE = matchMedia("(max-width:719.98px)");
