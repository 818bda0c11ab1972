import type { MessageEntry } from "./transcript.ts";

/** Something in a model's final text that the turn does not bear out. */
export interface FalseClaim {
  readonly reason: Extract<MessageEntry["reason"], "unmade_changes" | "written_call">;
  /** A message to the model, which is asked once more. */
  readonly text: string;
  /** A sentence for people, if the model says the same again. */
  readonly sentence: string;
}

interface FinalText {
  readonly text: string;
  /** The names of the model's tools. */
  readonly tools: readonly string[];
  readonly hasChanges: boolean;
}

/** The length of the beginning of a text that is searched. */
const maxSearched = 50_000;

const actions =
  "add(?:ed)?|adjusted|applied|changed|cleaned up|converted|corrected|created|deleted|edited|expanded|fixed|improved|inserted|made|merged|moved|put|reformatted|removed|renamed|reordered|reorganized|repaired|replaced|restructured|rewrote|rewritten|set|shortened|simplified|split|translated|updated|wrote|written";
/** Reports of the model's own acts: `I have updated`, `All links were fixed`, `Updated the page`. */
const claims: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:I|we)(?:['’]ve| have)?(?: (?:now|also|just|successfully)){0,2} (?:${actions})\b`,
    "i",
  ),
  new RegExp(
    String.raw`\b(?:has|have|was|were) (?:now |also |all |successfully )?(?:been )?(?:${actions})\b`,
    "i",
  ),
  new RegExp(String.raw`(?:^|[.!:]\s+|[-*]\s+)(?:${actions})\s+(?!to\b)\S`, "im"),
];
/** Words that turn a sentence into its opposite, or into one about something else than this turn's changes. */
const denials =
  /\b(?:no|not|none|nothing|never|without|already|would|could|should|can|if|cannot|unchanged|undid|undone|reverted|restored|earlier|previous(?:ly)?|last)\b|n['’]t\b/i;

/**
 * Finds a tool call that the model wrote as text instead of making it, or a claim of changes in a turn that has none.
 * Undefined if there is neither.
 */
export function findFalseClaim({ text, tools, hasChanges }: FinalText): FalseClaim | undefined {
  const searched = text.slice(0, maxSearched);
  const tool = findWrittenCall(searched, tools);
  if (tool !== undefined) {
    return {
      reason: "written_call",
      text: `Your answer contains a call of the tool ${tool} as text, which does nothing. Call the tool itself; if the call is not needed, give your whole answer again without it.`,
      sentence: `The model wrote a call of its tool ${tool} as text instead of making it, also after it was asked again, so a part of its work may be missing.`,
    };
  }
  if (hasChanges || !isClaim(searched)) return undefined;
  return {
    reason: "unmade_changes",
    text: "Your answer says that you changed something, but no file differs from its state at the start of this turn. If a change is needed, make it now with the tools. If not, say in your answer that nothing was changed, and why.",
    sentence: "The model claims changes that it did not make, also after it was asked again.",
  };
}

function isClaim(text: string): boolean {
  // Code and quotations are not what the model says itself.
  const prose = text.replaceAll(/```[^]*?(?:```|$)|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|^>.*$/gm, "x");
  return prose
    .split(/(?<=[.!?])\s+|\n+/)
    .some((sentence) => !denials.test(sentence) && claims.some((claim) => claim.test(sentence)));
}

/** Markers of calls in the formats of models whose server did not recognize them. */
const callMarker =
  /<\/?(?:antml:)?(?:tool_call|function_calls?|invoke|tool_use)\b|<function=|\[TOOL_CALLS\]|<\|(?:tool_call|python_tag|channel)\|>|<｜tool▁calls?▁begin｜>/i;

/** Returns the name of a tool whose call is written in the text. */
function findWrittenCall(text: string, tools: readonly string[]): string | undefined {
  return tools.find((tool) => {
    const name = tool.replaceAll(/[^\w-]/g, "");
    const asJson = new RegExp(
      String.raw`\{\s*"(?:name|tool|tool_name|function|action)"\s*:\s*"${name}"\s*,\s*"(?:arguments|args|parameters|params|input|action_input)"\s*:`,
    );
    const asCode = new RegExp(String.raw`^\s*(?:functions\.|tools?\.)?${name}\s*\(\s*\{`, "m");
    const marked = new RegExp(String.raw`["=>:\s]${name}["<>\s({]`);
    return asJson.test(text) || asCode.test(text) || (callMarker.test(text) && marked.test(text));
  });
}
