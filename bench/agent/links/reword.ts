import type { Random } from "./random.ts";

/** Words that authors take for each other. */
const synonyms: readonly (readonly string[])[] = [
  ["create", "add", "make", "build"],
  ["delete", "remove", "drop"],
  ["configure", "set up", "customize"],
  ["configuration", "settings", "setup", "options"],
  ["use", "work with", "apply"],
  ["using", "working with"],
  ["guide", "tutorial", "walkthrough"],
  ["overview", "introduction", "about"],
  ["install", "set up", "get"],
  ["installation", "setup"],
  ["example", "sample"],
  ["examples", "samples", "recipes"],
  ["error", "failure"],
  ["errors", "failures", "troubleshooting"],
  ["run", "start", "launch"],
  ["update", "change", "edit"],
  ["requirements", "prerequisites", "before you begin"],
  ["authentication", "signing in", "auth"],
  ["parameters", "arguments", "options"],
  ["basic", "simple"],
  ["advanced", "further"],
  ["best practices", "recommendations"],
  ["faq", "questions"],
];
const openings = ["About", "Understanding", "Using", "More on", "How to handle"];
const endings = ["in detail", "overview", "basics", "explained", "reference"];
const strange = ["What you need to know", "Behind the scenes", "How this works", "The short story"];

/** A heading or title as its author would write it the next time; never the same. */
export function reword(text: string, random: Random): string {
  const words = text.split(" ");
  const ways: (() => string)[] = [
    () => exchanged(text, random),
    () => exchanged(text, random),
    () => withOtherForm(text),
    () => `${random.pick(openings)} ${lowerFirst(text)}`,
    () => `${text} ${random.pick(endings)}`,
    () => (words.length > 2 ? upperFirst(words.slice(1).join(" ")) : text),
    () => (words.length > 2 ? words.slice(0, -1).join(" ") : text),
    () => text.replace(/s$/, "") + (text.endsWith("s") ? "" : "s"),
    () => random.pick(strange),
  ];
  for (let attempt = 0; attempt < 20; attempt++) {
    const next = random.pick(ways)();
    if (next !== text && next.trim() !== "") return next;
  }
  return `${text} ${endings[0]}`;
}

/** A page's name in its address after somebody thought of a better one. */
export function renameSlug(slug: string, random: Random): string {
  const next = reword(slug.replaceAll(/[-_]+/g, " "), random);
  const joined = next.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return joined.replaceAll(/^-+|-+$/g, "") || `${slug}-page`;
}

function exchanged(text: string, random: Random): string {
  const lower = text.toLowerCase();
  const families = synonyms.filter((family) => family.some((word) => holds(lower, word)));
  if (families.length === 0) return text;
  const family = random.pick(families);
  const old = family.find((word) => holds(lower, word)) ?? "";
  const next = random.pick(family.filter((word) => word !== old));
  const at = ` ${lower} `.indexOf(` ${old} `);
  const replaced = text.slice(0, at) + next + text.slice(at + old.length);
  return at === 0 ? upperFirst(replaced) : replaced;
}

function holds(text: string, word: string): boolean {
  return ` ${text} `.includes(` ${word} `);
}

/** `Configure tools` and `Configuring tools`. */
function withOtherForm(text: string): string {
  const [first = "", ...rest] = text.split(" ");
  if (/^[A-Za-z]{3,}ing$/.test(first)) return [first.replace(/ing$/, ""), ...rest].join(" ");
  if (/^[A-Za-z]{3,}e$/.test(first) && rest.length > 0) {
    return [first.replace(/e$/, "ing"), ...rest].join(" ");
  }
  if (/^[A-Za-z]{3,}$/.test(first) && rest.length > 0) return [`${first}ing`, ...rest].join(" ");
  return text;
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text;
}
