import type { ScriptWords } from "../../markup/words/words.ts";

/** The script's strings in the page's language. */
export const words = JSON.parse(document.body.dataset["words"] ?? "{}") as ScriptWords;
