import { takeQuotes } from "./quotes.ts";

/** One thing that is asked for. */
export interface Clause {
  /** Without polite words; quoted words stand as `"0"`. Begins with a verb, if it can be understood at all. */
  readonly text: string;
  readonly quotes: readonly string[];
}

/** Verbs with which another thing that is asked for can begin. */
const verbs =
  "fix|repair|mend|correct|resolve|rename|replace|change|swap|substitute|move|relocate|add|create|make|write|generate|fill|give|remove|delete|drop|retire|set|update|redirect|retitle|check|spell-?check|clean|find|translate|rewrite|improve|shorten|summari[sz]e|review|document|explain|convert|merge|split|publish|upgrade|insert|include|ensure|use|call|don't|do not|never";
const fillers =
  "(?:please|also|then|next|finally|lastly|afterwards|in addition|additionally|besides)";
const connector = new RegExp(
  `(?:\\s*,)?\\s+(?:(?:and|then|also|plus|as well as|after that|afterwards)\\s+)+(?:${fillers},?\\s+)*(?=(?:${verbs})\\b)|\\s*,\\s*(?:${fillers},?\\s+)*(?=(?:${verbs})\\b)`,
  "gi",
);
const sentenceEnd = /[.!?;](?=\s|$)|\n+/g;
const bullet = /^[ \t]*(?:[-*•+]|\(?\d{1,2}[.)]|[a-z]\))[ \t]+(?:\[[ xX]?\][ \t]+)?/gim;
const inlineNumber = new RegExp(
  `(?:^|[\\s,;:])(?:\\(?\\d{1,2}\\)[ \\t]+|\\d{1,2}\\.[ \\t]+(?=(?:${verbs})\\b))`,
  "gi",
);
/** A remark in parentheses says what the same words without them say. */
const remark = /\(([^()\n]{1,60})\)/g;

/** A clause that goes on with the thing before it: `... and redirect it to`, `... and title it`. */
const goesOn =
  /^(?:(?:redirect|send|point|forward)(?:\s+(?:it|them|readers?|visitors?|people|users|traffic|its\s+\S+|the\s+old\s+\S+))?\s+to\b|(?:title|retitle|call|name|rename)\s+it\b|(?:set|change|update)\s+(?:its|the)\s+(?:title|description)\s+to\b|(?:give|with)\s+it\b|add\s+it\s+to\b|put\s+it\b)/i;

const opening = new RegExp(
  `^(?:(?:hi|hello|hey|dear|ok(?:ay)?|so|well|great|now|first(?:ly)?|second(?:ly)?|third(?:ly)?|todo|task|octavo|there|team|everyone|all|${fillers})(?:[\\s,:!]+|$)|(?:can|could|would|will)\\s+you(?:\\s+(?:please|kindly|also|maybe|possibly))*\\s+|would\\s+you\\s+mind\\s+|i(?:'d|’d| would)\\s+(?:like|love|want)(?:\\s+you)?\\s+to\\s+|i\\s+(?:want|need)(?:\\s+you)?\\s+to\\s+|we\\s+(?:want|need|have)(?:\\s+you)?\\s+to\\s+|we(?:'d|’d| would)\\s+like(?:\\s+you)?\\s+to\\s+|you\\s+(?:should|must|can|need\\s+to)\\s+|let(?:'s|’s| us)\\s+|go\\s+ahead\\s+and\\s+|kindly\\s+|just\\s+|try\\s+to\\s+|help\\s+(?:me|us)(?:\\s+to)?\\s+|(?:it\\s+would\\s+be\\s+(?:nice|great)\\s+(?:if\\s+you\\s+could|to)\\s+))`,
  "i",
);
const closing =
  /(?:[\s,]+(?:please|thanks(?:\s+a\s+lot)?|thank\s+you(?:\s+(?:very|so)\s+much)?|thx|cheers|for\s+(?:me|us)|if\s+you\s+(?:can|could)|if\s+possible|now|as\s+well|too|again|asap|right\s+away|when\s+you\s+(?:can|have\s+(?:a\s+)?time)))+$/i;
/** Whole sentences that ask for nothing. */
const courtesy =
  /^(?:please|thanks?(?:\s+a\s+lot)?|thank\s+you(?:\s+(?:very|so)\s+much)?(?:\s+in\s+advance)?|thanks\s+in\s+advance|hi|hello|hey|good\s+(?:morning|day|evening)|cheers|kind\s+regards|best)$/i;
const heading =
  /^(?:.{0,60}\b(?:following|these|things|tasks?|todos?|changes|list|steps)\b.{0,40}|to\s?-?do|please)$/i;
/** `find and fix`: the looking is part of the mending. */
const lookAndDo =
  /\b(?:find|look\s+for|check\s+for|search\s+for|identify|detect|locate|check)\s+(?:and|then)\s+(?=(?:fix|repair|mend|correct|replace)\b)/gi;

const looking = "(?:find|look for|check for|search for|search|identify|detect|locate)";
/** `find the typos and fix them`, `search for "x" and replace it with "y"` */
const lookForAndDo = new RegExp(
  `\\b${looking} ([^.,;:\\n]{1,80}?),? (?:and|then|and then) (fix|repair|mend|correct|replace) (?:them|it|those|these|every occurrence|all of them)\\b(?: all)?`,
  "gi",
);

/** Cuts an instruction into the things that it asks for, in order. Linear but for clauses, which are short. */
export function cutIntoClauses(instruction: string): Clause[] {
  const { text, quotes } = takeQuotes(instruction);
  const sentences = text
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(" & ", " and ")
    .replaceAll(bullet, "\n")
    .replaceAll(inlineNumber, "\n")
    .replaceAll(remark, "$1")
    .replaceAll(lookAndDo, "")
    .replaceAll(lookForAndDo, "$2 $1")
    .split(sentenceEnd)
    .flatMap(withoutHeading);
  const clauses: string[] = [];
  for (const part of sentences.flatMap((sentence) => sentence.split(connector))) {
    const clause = withoutPoliteness(part);
    if (clause === "" || courtesy.test(clause)) continue;
    if (goesOn.test(clause) && clauses.length > 0) clauses.push(`${clauses.pop()} and ${clause}`);
    else clauses.push(clause);
  }
  return clauses.map((clause) => ({ text: clause, quotes }));
}

/** `Please do the following: fix ...` asks for what comes behind the colon. */
function withoutHeading(sentence: string): string[] {
  const colon = /:(?=\s|$)/.exec(sentence);
  if (colon === null) return [sentence];
  const before = withoutPoliteness(sentence.slice(0, colon.index));
  const isHeading = before === "" || heading.test(before);
  return isHeading ? [sentence.slice(colon.index + 1)] : [sentence];
}

function withoutPoliteness(part: string): string {
  let text = part.trim().replaceAll(/\s+/g, " ");
  for (let length = -1; length !== text.length;) {
    length = text.length;
    text = text.replace(opening, "").trimStart();
    text = text.replace(/[\s,.;:!?]+$/, "").replace(closing, "");
  }
  return text;
}

/** The words as they were written, for a message. */
export function quoteBack({ text, quotes }: Clause): string {
  return text.replaceAll(/"(\d+)"/g, (_, index) => `'${quotes[Number(index)] ?? ""}'`);
}
