import type { FileChange, Outcome } from "./prompt-site.ts";

/** The expectation for a prompt: returns the fault of an outcome, if any. */
export type Expectation = (outcome: Outcome) => string | undefined;

export interface PromptCase {
  readonly site: string;
  readonly prompt: string;
  /** In a documented form: then it has to be done. */
  readonly isForm: boolean;
  /** It names one clear task, so that it should be done. */
  readonly isClear: boolean;
  readonly expect: Expectation;
  /**
   * Allowed effects of a form that a refusal shows. Without them, the form has to keep the prompt's words, or do what
   * the prompt asked for.
   */
  readonly offers?: readonly Expectation[];
}

/** No file may change. */
export const nothing: Expectation = ({ changes }) =>
  changes.length === 0 ? undefined : `changes ${changes.map(({ path }) => path).join(", ")}`;

/** The site does not allow it, and the refusal says why. */
export function refusal(reason: RegExp): Expectation {
  return (outcome) => {
    if (outcome.refused !== "site") return "is not refused for the site's sake";
    return nothing(outcome) ?? (reason.test(outcome.text) ? undefined : `says ${outcome.text}`);
  };
}

/** It is done as expected, or refused whole. */
export function orRefused(expect: Expectation): Expectation {
  return (outcome) => (outcome.refused === undefined ? expect(outcome) : nothing(outcome));
}

/** Nothing is to be done, and the summary says so. */
export function idle(said: RegExp): Expectation {
  return (outcome) =>
    nothing(outcome) ??
    (outcome.refused === undefined && said.test(outcome.text) ? undefined : `says ${outcome.text}`);
}

/**
 * Exactly these lines change: a path on a line of its own, under it the lines that go (`-`) and come (`+`). A file
 * that goes or comes as a whole is `gone: path` or `new: path` with its lines.
 */
export function exactly(expected: string): Expectation {
  return (outcome) => {
    if (outcome.refused !== undefined) return `is refused: ${outcome.text}`;
    const found = changedLines(outcome.changes);
    return found === expected.trim() ? undefined : `changes\n${found}\nnot\n${expected.trim()}`;
  };
}

export function changedLines(changes: readonly FileChange[]): string {
  return changes
    .flatMap(({ path, before, after }) => {
      if (after === null) return [`gone: ${path}`];
      if (before === null) return [`new: ${path}`, ...after.trimEnd().split("\n").map((line) => `+${line}`)]; // prettier-ignore
      return [path, ...lineChanges(before.split("\n"), after.split("\n"))];
    })
    .join("\n");
}

/** Lines that go (`-`) and come (`+`), each run of them in pairs where it is one for one. */
export function lineChanges(before: readonly string[], after: readonly string[]): string[] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const changes: string[] = [];
  let [at, to] = [0, 0];
  for (const [line, other] of [...commonLines(old, now), [old.length, now.length] as const]) {
    const [gone, come] = [old.slice(at, line), now.slice(to, other)];
    const isPaired = gone.length === come.length;
    if (isPaired) changes.push(...gone.flatMap((text, index) => [`-${text}`, `+${come[index]}`]));
    else changes.push(...gone.map((text) => `-${text}`), ...come.map((text) => `+${text}`));
    [at, to] = [line + 1, other + 1];
  }
  return changes;
}

/** Places of a longest common subsequence. */
function commonLines(
  old: readonly string[],
  now: readonly string[],
): (readonly [number, number])[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  const lengthAt = (line: number, other: number) => lengths[line]?.[other] ?? 0;
  for (let line = old.length - 1; line >= 0; line--) {
    for (let other = now.length - 1; other >= 0; other--) {
      const longest =
        old[line] === now[other]
          ? lengthAt(line + 1, other + 1) + 1
          : Math.max(lengthAt(line + 1, other), lengthAt(line, other + 1));
      lengths[line]?.fill(longest, other, other + 1);
    }
  }
  const common: (readonly [number, number])[] = [];
  for (let [line, other] = [0, 0]; line < old.length && other < now.length;) {
    if (old[line] === now[other]) common.push([line++, other++]);
    else if (lengthAt(line + 1, other) >= lengthAt(line, other + 1)) line += 1;
    else other += 1;
  }
  return common;
}

/** One line of one page changes: that of the field. */
export function sets(path: string, field: string, value: string): Expectation {
  return (outcome) => {
    if (outcome.refused !== undefined) return `is refused: ${outcome.text}`;
    const [change, ...others] = outcome.changes;
    if (change === undefined || others.length > 0 || change.path !== path) {
      return `changes ${outcome.changes.map((each) => each.path).join(", ") || "nothing"}`;
    }
    const lines = lineChanges((change.before ?? "").split("\n"), (change.after ?? "").split("\n"));
    const isOwn = lines.every((line) => line.slice(1).startsWith(`${field}:`));
    const added = lines
      .find((line) => line.startsWith("+"))
      ?.slice(field.length + 2)
      .trim();
    const isValue = added === value || added === JSON.stringify(value) || added === `'${value}'`;
    return isOwn && isValue ? undefined : `changes ${lines.join(" ")}`;
  };
}

function wordsOf(page: string | null): string {
  return page?.replaceAll(/\([^)]*\)|"[^"]*"/g, "") ?? "";
}

/** The page is at another path with the same words, and a redirect leads there. */
export function moves(from: string, to: string): Expectation {
  return ({ refused, text, changes }) => {
    if (refused !== undefined) return `is refused: ${text}`;
    const old = changes.find(({ path }) => path === from);
    const now = changes.find(({ path }) => path === to);
    if (old?.after !== null || typeof now?.after !== "string") return "does not move the page";
    if (wordsOf(old.before) !== wordsOf(now.after)) return "changes its words";
    const address = from.replace(/\.mdx?$/, "");
    const config = changes.find(({ after }) => after?.includes(`"/${address}"`) === true);
    return config === undefined ? "adds no redirect" : undefined;
  };
}

/** These files come, go or change, and no others but those that mention them. */
export function touches(...paths: readonly string[]): Expectation {
  return ({ refused, text, changes }) => {
    if (refused !== undefined) return `is refused: ${text}`;
    const missing = paths.find((path) => !changes.some((change) => change.path === path));
    return missing === undefined ? undefined : `does not change ${missing}`;
  };
}

/** Exactly these files come, go or change. */
export function only(...paths: readonly string[]): Expectation {
  return ({ refused, text, changes }) => {
    if (refused !== undefined) return `is refused: ${text}`;
    const found = changes.map(({ path }) => path).join(", ");
    return found === paths.join(", ") ? undefined : `changes ${found}, not ${paths.join(", ")}`;
  };
}

/** These pages, and no others, get a description. */
export function adds(...paths: readonly string[]): Expectation {
  return (outcome) => only(...paths)(outcome) ?? addsDescriptions(outcome);
}

/** Lines are only added, and each is a description that is a sentence of its page. */
export const addsDescriptions: Expectation = ({ refused, text, changes }) => {
  if (refused !== undefined) return `is refused: ${text}`;
  for (const { path, before, after } of changes) {
    const lines = lineChanges((before ?? "").split("\n"), (after ?? "").split("\n"));
    const [line = ""] = lines;
    if (lines.length !== 1 || !line.startsWith("+description: "))
      return `${path}: ${lines.join(" ")}`;
    const value = line.slice("+description: ".length).replaceAll(/^["']|["']$/g, "");
    if (!/\.["”)]?$/.test(value) || value.length > 160) return `${path}: ${value}`;
  }
  return undefined;
};
