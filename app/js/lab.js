// Components of the pages: a default export keyed by the name of the Python class, which Panel looks up in a bundle. Each
// module below exports its components under these names.
import * as canvas from "./canvas/chain_canvas.js"
import * as banner from "./chrome/connection_banner.js"
import * as header from "./chrome/header.js"
import * as classPanel from "./classroom/class_panel.js"
import * as followBar from "./classroom/follow_bar.js"
import * as lesson from "./lessons/lesson_card.js"
import * as chains from "./live/chains_card.js"
import * as charts from "./live/charts_card.js"
import * as theory from "./live/theory_rows.js"
import * as transport from "./live/transport.js"
import * as data from "./pages/data_dialog.js"
import * as ladder from "./pages/ladder.js"
import * as price from "./pages/price_card.js"
import * as sweep from "./pages/sweep_range.js"
import {drawParts} from "./common/parts.js"
import {styled} from "./common/styles.js"
import * as choices from "./widgets/choices.js"
import * as figure from "./widgets/figure_card.js"
import * as file from "./widgets/file_picker.js"
import * as knob from "./widgets/knob_slider.js"
import * as shell from "./widgets/page_shell.js"
import * as table from "./widgets/table_card.js"
import * as text from "./widgets/text_card.js"
import * as verdict from "./widgets/verdict_card.js"

const MODULES = [canvas, banner, header, classPanel, followBar, lesson, chains, charts, theory, transport, data, ladder, price,
  sweep, choices, figure, file, knob, shell, table, text, verdict]

const components = Object.fromEntries(MODULES.flatMap(Object.entries).filter(([, one]) => one.render))
drawParts(components)

export default Object.fromEntries(Object.entries(components).map(([name, component]) => [name, styled(component)]))
