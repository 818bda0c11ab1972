import type { ScriptWords, Words } from "../markup/index.ts";

/** The texts of the reader's script: its own, and some that the frame has too. */
export function scriptWordsOf({ frame, reader }: Words): ScriptWords {
  const { search, close, more, language } = frame;
  return { ...reader, search, close, more, language };
}
