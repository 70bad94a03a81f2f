// The price of theory as a table: each constant as the theorem asks for it and as a person sets it.

export function priceTable(about) {
  const orders = (ratio) => (Math.abs(ratio) < 0.05 ? "the same" : Math.abs(ratio) < 2
    ? `${+(10 ** Math.abs(ratio)).toPrecision(2)} times ${ratio < 0 ? "less" : "more"}`
    : `${Math.round(Math.abs(ratio))} orders ${ratio < 0 ? "less" : "more"}`);
  const rows = about.rows.map(([symbol, words, theory, tuned, ratio]) =>
    `<tr><th scope="row">${symbol} <span>${escapeHtml(words)}</span></th><td class="theory">${escapeHtml(theory)}</td><td class="ratio">${orders(ratio)}</td><td class="hand">${escapeHtml(tuned)}</td></tr>`);
  const box = element(`<div class="panel price" data-panel="price"><h3><b>${escapeHtml(about.title)}</b><span>${escapeHtml(about.subtitle)}</span></h3>
    <div class="price-rows" tabindex="0" role="group" aria-label="${escapeHtml(about.title)}"><table><thead><tr><th></th><th scope="col">theory</th><th></th><th scope="col">by hand</th></tr></thead><tbody>${rows.join("")}</tbody></table>
    <p>${escapeHtml(about.said)}</p><p class="put-in">${escapeHtml(about.source)}</p></div></div>`);
  const room = box.querySelector(".price-rows");
  return { about, box, resize: (width, height) => (room.style.height = `${height}px`), draw: () => {} };
}
