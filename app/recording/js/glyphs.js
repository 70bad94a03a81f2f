// Paints the glyphs that Live's charts are made of, from the descriptions of app/recording/figure_parts.py. Every painter
// takes `pen`: {g, x, y, palette, font, left, right, top, bottom}, where x and y turn values into pixels.

/** Value of a property for row i: of a column, a constant, or a colour of the theme. */
function property(part, name, table, i, pen, fallback) {
  const given = part[name];
  if (!given) return fallback;
  if (given.token) return pen.palette[given.token];
  if (given.field === undefined) return given.value;
  const value = table[given.field][i];
  return name.endsWith("color") ? pen.palette[value] ?? value : value;
}

const lengthOf = (table) => Object.values(table)[0]?.length ?? 0;

function setLine(part, table, pen) {
  const { g } = pen;
  g.strokeStyle = property(part, "line_color", table, 0, pen, "black");
  g.lineWidth = property(part, "line_width", table, 0, pen, 1);
  g.globalAlpha = property(part, "line_alpha", table, 0, pen, 1);
  g.setLineDash(property(part, "line_dash", table, 0, pen, []));
  g.lineJoin = "bevel";
}

function setFill(part, table, pen) {
  pen.g.fillStyle = property(part, "fill_color", table, 0, pen, "black");
  pen.g.globalAlpha = property(part, "fill_alpha", table, 0, pen, 1);
}

function straight(pen, x0, y0, x1, y1) {
  pen.g.beginPath();
  pen.g.moveTo(x0, y0);
  pen.g.lineTo(x1, y1);
  pen.g.stroke();
}

const PAINTERS = {
  VArea(part, table, pen) {
    const { g } = pen;
    const points = [];
    for (let i = 0; i < lengthOf(table); i++) {
      const place = ["x", "y1", "y2"].map((name) => property(part, name, table, i, pen));
      if (place.every(Number.isFinite)) points.push(place);
    }
    if (!points.length) return;
    setFill(part, table, pen);
    g.beginPath();
    for (const [x, y] of points) g.lineTo(pen.x(x), pen.y(y));
    for (const [x, , y] of points.reverse()) g.lineTo(pen.x(x), pen.y(y));
    g.closePath();
    g.fill();
  },
  Line(part, table, pen) {
    const { g } = pen;
    setLine(part, table, pen);
    g.beginPath();
    let broken = true;
    for (let i = 0; i < lengthOf(table); i++) {
      const [x, y] = [pen.x(property(part, "x", table, i, pen)), pen.y(property(part, "y", table, i, pen))];
      if (!Number.isFinite(x + y)) broken = true;
      else if (broken) {
        g.moveTo(x, y);
        broken = false;
      } else g.lineTo(x, y);
    }
    g.stroke();
  },
  Scatter(part, table, pen) {
    const { g } = pen;
    const square = property(part, "marker", table, 0, pen, "circle") === "square";
    for (let i = 0; i < lengthOf(table); i++) {
      const [x, y] = [pen.x(property(part, "x", table, i, pen)), pen.y(property(part, "y", table, i, pen))];
      const r = property(part, "size", table, i, pen, 4) / 2;
      g.beginPath();
      if (square) {
        const d = r * Math.SQRT2; // Live's squares stand on their corner
        g.moveTo(x, y - d);
        for (const [a, b] of [[d, 0], [0, d], [-d, 0]]) g.lineTo(x + a, y + b);
        g.closePath();
      } else g.arc(x, y, r, 0, 2 * Math.PI);
      setFill(part, table, pen);
      g.fill();
      setLine(part, table, pen);
      g.stroke();
    }
  },
  Span(part, table, pen) {
    setLine(part, table, pen);
    const y = pen.y(part.y.value);
    straight(pen, pen.left, y, pen.right, y);
  },
  VSpan(part, table, pen) {
    setLine(part, table, pen);
    for (let i = 0; i < lengthOf(table); i++) {
      const x = pen.x(property(part, "x", table, i, pen));
      straight(pen, x, pen.top, x, pen.bottom);
    }
  },
  Segment(part, table, pen) {
    setLine(part, table, pen);
    for (let i = 0; i < lengthOf(table); i++) {
      const [x0, y0, x1, y1] = ["x0", "y0", "x1", "y1"].map((name) => property(part, name, table, i, pen));
      straight(pen, pen.x(x0), pen.y(y0), pen.x(x1), pen.y(y1));
    }
  },
  VStrip(part, table, pen) {
    setFill(part, table, pen);
    for (let i = 0; i < lengthOf(table); i++) {
      const [x0, x1] = ["x0", "x1"].map((name) => pen.x(property(part, name, table, i, pen)));
      pen.g.fillRect(x0, pen.top, x1 - x0, pen.bottom - pen.top);
    }
  },
  Quad(part, table, pen) {
    setFill(part, table, pen);
    for (let i = 0; i < lengthOf(table); i++) {
      const [x0, x1] = ["left", "right"].map((name) => pen.x(property(part, name, table, i, pen)));
      const [y0, y1] = ["top", "bottom"].map((name) => pen.y(property(part, name, table, i, pen)));
      pen.g.fillRect(x0, y0, x1 - x0, y1 - y0);
    }
  },
  Text(part, table, pen) {
    const { g } = pen;
    g.textAlign = property(part, "text_align", table, 0, pen, "left");
    g.textBaseline = property(part, "text_baseline", table, 0, pen, "alphabetic");
    g.globalAlpha = 1;
    for (let i = 0; i < lengthOf(table); i++) {
      const of = (name, fallback) => property(part, name, table, i, pen, fallback);
      g.font = `${of("text_font_style", "normal")} ${of("text_font_size", "11px")} ${pen.font}`;
      g.fillStyle = of("text_color", "black");
      g.fillText(of("text"), pen.x(of("x")) + of("x_offset", 0), pen.y(of("y")) + of("y_offset", 0));
    }
  },
};

/** Paint one part of a chart with the rows of its table. */
export function paintGlyph(part, table, pen) {
  PAINTERS[part.glyph](part, table, pen);
  pen.g.globalAlpha = 1;
  pen.g.setLineDash([]);
}
