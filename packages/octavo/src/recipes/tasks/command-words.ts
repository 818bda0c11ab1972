export interface Command {
  /** Its name without a path and version; undefined where the code begins with an option. */
  readonly program?: string;
  /** What stands behind the program. */
  readonly words: readonly string[];
}

/** Programs that run another one, with the words that belong to them. */
const runners: readonly RegExp[] = [
  /^(?:sudo|env|exec|time|npx|bunx|uvx|pnpx|pipx)$/,
  /^(?:npm (?:run|exec)|pnpm (?:dlx|exec|run)|yarn (?:dlx|run)|bun (?:run|x)|python3? -m|uv run|go run|cargo run)$/,
];

/** The commands of a line of a shell. */
export function wordsOfCommand(line: string): readonly Command[] {
  return line
    .replace(/^\s*[$>%#]\s+/, "")
    .split(/\|\|?|&&|;/)
    .map((part) => commandOf(part.trim().split(/\s+/)));
}

function commandOf(words: readonly string[]): Command {
  let rest = words;
  for (;;) {
    const [first = "", second = ""] = rest;
    const isAssignment = /^[A-Z_][A-Z\d_]*=/i.test(first);
    if (isAssignment || runners[0]?.test(first)) rest = rest.slice(1);
    else if (runners[1]?.test(`${first} ${second}`)) rest = rest.slice(2);
    // Options of the runner.
    else if (rest !== words && first.startsWith("-")) rest = rest.slice(1);
    else break;
  }
  const [first = "", ...others] = rest;
  if (first.startsWith("-")) return { words: rest };
  const name = first.replace(/^.*\/(?=[^/])|@[^@/]*$/g, "");
  return { program: name === "" ? first : name, words: others };
}
