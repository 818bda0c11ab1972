import type { TaskOf } from "../instruction/task.ts";
import { listFilesInScope, isSnippet, toPagePath } from "../pages.ts";
import { callTool, findAnswerError } from "../plan.ts";
import type { Plan, ToolAnswer } from "../plan.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import { listPages, toObjects, readFiles, toStrings } from "../site-tools.ts";
import { findSkipReason } from "./links/page-kinds.ts";
import { findMentions } from "./product-mentions.ts";
import type { Mention, MentionKind } from "./product-mentions.ts";
import type { Recipe } from "./recipe.ts";
import {
  formatCode,
  formatAmount,
  joinWords,
  formatList,
  joinParagraphs,
  formatScope,
  formatUnlisted,
} from "./report-text.ts";

export const checkSourcesRecipe: Recipe<TaskOf<"check_sources">> = { kind: "check_sources", run };

/** The maximum number of names in one call of the tool. */
const maxNames = 2_000;
/** The maximum number of locations to report for one name. */
const maxLocations = 5;

/** Reports only: the sources do not say what is right instead. */
function* run(task: TaskOf<"check_sources">): Plan<string> {
  const listing = yield* listPages();
  const texts = yield* readFiles(listFilesInScope(listing, task.scope));
  const pages = [...texts].filter(([path, text]) => isCurrent(path, text, task));
  const mentions = pages.flatMap(([path, text]) =>
    findMentions(text).map((mention): PageMention => ({ ...mention, path, text })),
  );
  const found = yield* findRemoved(mentions);
  const ownNames = new Set(found.ownNames.flatMap(plainNames));
  const removedMentions = found.removed.flatMap((removed): RemovedMention[] => {
    const places = mentions.filter((mention) => isSame(mention, removed) && isOwn(mention, ownNames)); // prettier-ignore
    return places.length === 0 ? [] : [{ removed, places }];
  });
  return joinParagraphs(
    head(removedMentions, { pages: pages.length, sources: found.sources, task }),
    formatList("No longer in the sources:", removedMentions.map(formatRemoval)),
    found.more > 0 ? `${formatAmount(found.more, "other name")} of the sources could not be checked at once; name a folder.` : "", // prettier-ignore
    formatUnlisted(listing),
  );
}

function isCurrent(path: string, text: string, { scope }: TaskOf<"check_sources">): boolean {
  if (/(?:^|[/-])(?:migrat|upgrad|deprecat|legacy|archive)/i.test(toPagePath(path))) return false;
  return isSnippet(path) || findSkipReason(path, text, scope) === undefined;
}

interface PageMention extends Mention {
  readonly path: string;
  /** The page's text. */
  readonly text: string;
}

interface Removed {
  readonly kind: string;
  readonly name: string;
  readonly source: string;
  readonly commit: string;
  readonly tag: string;
  readonly path: string;
  readonly line: number;
  readonly words: string;
}

interface Found {
  readonly removed: readonly Removed[];
  /** The number of names that were not listed. */
  readonly more: number;
  readonly ownNames: readonly string[];
  /** For example `engine@1a2b3c4d5e6f`. */
  readonly sources: readonly string[];
}

interface RemovedMention {
  readonly removed: Removed;
  readonly places: readonly PageMention[];
}

function* findRemoved(mentions: readonly PageMention[]): Plan<Found> {
  const names = [...new Set(mentions.map(({ kind, name }) => JSON.stringify({ kind, name })))];
  let all: Found = { removed: [], more: 0, ownNames: [], sources: [] };
  let at = 0;
  // Call the tool even without names: if there are no sources, it reports that the pages cannot be checked.
  do {
    const batch = names.slice(at, at + maxNames).map((name) => JSON.parse(name) as unknown);
    const found = readAnswer(yield* callTool("source_removed", { names: batch }));
    all = {
      ...found,
      removed: [...all.removed, ...found.removed],
      more: all.more + found.more,
    };
    at += maxNames;
  } while (at < names.length);
  return all;
}

/** Throws `invalid_input` if the sources cannot be searched completely. */
function readAnswer(answer: ToolAnswer): Found {
  const error = findAnswerError(answer);
  if (error?.startsWith("There is no tool")) {
    throw createRefusedError("the project has no sources that can be read");
  }
  if (error !== undefined) throw createRefusedError(error);
  const [unread] = toStrings(answer.unread);
  if (unread !== undefined) {
    throw createRefusedError(
      `a name may be in a source that cannot be searched completely. ${unread}`,
    );
  }
  const removed = toObjects(answer.removed).map((item) => ({
    kind: String(item.kind),
    name: String(item.name),
    source: String(item.source),
    commit: String(item.commit),
    tag: typeof item.tag === "string" ? item.tag : "",
    path: String(item.path),
    line: Number(item.line),
    words: String(item.words),
  }));
  const sources = toObjects(answer.sources).map((one) => `${String(one.source)}@${String(one.commit)}`); // prettier-ignore
  const more = Number(answer.total) - removed.length;
  return { removed, more, ownNames: toStrings(answer.ownNames), sources };
}

function isSame(mention: Mention, { kind, name }: Removed): boolean {
  return mention.kind === kind && mention.name === name;
}

/** Returns the names in use for a package: `@acme/engine` is also called `engine`. */
function plainNames(name: string): string[] {
  const whole = name.toLowerCase();
  return [whole, whole.slice(whole.lastIndexOf("/") + 1)];
}

/** Names of packages and repositories that are common words in any documentation. */
const generic: ReadonlySet<string> = new Set(
  "api app cli client common core docs example examples lib main plugin sdk server shared site test tests tools types utils web website".split(
    " ",
  ),
);

/** Reports whether a name on a page belongs to the product rather than to another program with the same name. */
function isOwn({ kind, name, owner, text }: PageMention, ownNames: ReadonlySet<string>): boolean {
  if (kind === "setting") {
    const prefixes = [...ownNames].map((own) => `${own.replaceAll(/\W+/g, "_").toUpperCase()}_`);
    return prefixes.some((prefix) => name.startsWith(prefix));
  }
  if (owner !== undefined) return isOwnOwner(kind, owner.toLowerCase(), ownNames);
  if (kind === "endpoint") return true;
  const words = new Set(text.toLowerCase().match(/[\w@/.-]*\w/g) ?? []);
  return [...ownNames].some((own) => own.length > 2 && !generic.has(own) && words.has(own));
}

function isOwnOwner(kind: MentionKind, owner: string, ownNames: ReadonlySet<string>): boolean {
  if (kind === "flag") return ownNames.has(owner);
  if (kind === "endpoint") return owner.split(".").some((part) => ownNames.has(part));
  const [first = "", second = ""] = owner.split(/[/.]/);
  const own = (module: string) => ownNames.has(module) || ownNames.has(module.replaceAll("_", "-"));
  return own(owner) || (first.startsWith("@") ? own(`${first}/${second}`) : own(first));
}

const kinds: Readonly<Record<string, string>> = {
  flag: "flag",
  setting: "setting",
  endpoint: "endpoint",
  export: "exported name",
};

interface Checked {
  readonly pages: number;
  readonly sources: readonly string[];
  readonly task: TaskOf<"check_sources">;
}

function head(
  removedMentions: readonly RemovedMention[],
  { pages, sources, task: { scope } }: Checked,
): string {
  const where = formatScope(scope);
  const compared = `Compared ${formatAmount(pages, "page")}${where} with ${joinWords(sources.map(formatCode))}`;
  if (removedMentions.length === 0) {
    return `${compared}: no flag, setting, endpoint or exported name was found that pages mention in code and that was removed from the sources.`;
  }
  const names = joinWords(
    Object.entries(kinds).flatMap(([kind, word]) => {
      const number = removedMentions.filter(({ removed }) => removed.kind === kind).length;
      return number === 0 ? [] : [formatAmount(number, word)];
    }),
  );
  return `${compared}: pages mention ${names} that the sources no longer have. Nothing was changed, because the sources do not say what is right instead.`;
}

function formatRemoval({ removed, places }: RemovedMention): string {
  const { kind, name, source, commit, tag, path, line, words } = removed;
  const all = [...new Set(places.map((place) => `${place.path}:${place.line}`))];
  const rest = all.length - maxLocations;
  const shown = all.slice(0, maxLocations).map(formatCode);
  const at = joinWords(rest > 0 ? [...shown, formatAmount(rest, "other place")] : shown);
  const last = `${source}@${commit}:${path}:${line} ${formatCode(words)}`;
  return `${at}: the ${kinds[kind]} ${formatCode(name)}; it stood${tag === "" ? "" : ` in ${formatCode(tag)}`} at ${last}`;
}
