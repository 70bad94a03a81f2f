// A menu of Bokeh's (3.9) that is changed before it is drawn has no element to change, and the error would end all else that
// came with the change: until it is drawn it has one that nobody sees.
{
  const menu = globalThis.Bokeh?.Models?.get?.("Select")?.prototype?.default_view?.prototype
  if (menu && !menu.input_el) menu.input_el = document.createElement("select")
}
