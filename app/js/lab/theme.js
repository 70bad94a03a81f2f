// Runs at the head of the lab file: dark is dark from the first paint.
import {opensDark, wear} from "../common/dom.js"

wear(opensDark())
