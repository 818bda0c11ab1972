import type { ScriptWords } from "../../markup/words/words.ts";
import { root } from "./page.ts";

/** The script's texts in the page's language. */
export const words = JSON.parse(root.dataset["words"] ?? "{}") as ScriptWords;
