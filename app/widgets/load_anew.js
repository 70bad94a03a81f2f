/** Load this address again without the name of a visit, so that the server makes a new one. */
function loadAnew() {
  const here = new URL(location.href), names = ["bokeh-session-id", "bokeh-token"].filter(name => here.searchParams.has(name))
  for (const name of names) here.searchParams.delete(name)
  if (names.length) location.replace(here); else location.reload()
}
