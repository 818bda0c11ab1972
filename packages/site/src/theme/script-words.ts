import type { ScriptWords, Words } from "../markup/index.ts";

/** What the reader's script says, also what the frame says by itself. */
export function scriptWordsOf({ frame, reader }: Words): ScriptWords {
  const { search, close, more, language } = frame;
  return { ...reader, search, close, more, language };
}
