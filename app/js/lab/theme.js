// Runs in the head of the lab file, so that the first paint has the right theme.
import {applyTheme, opensDark} from "../common/dom.js"

applyTheme(opensDark())
