import { inertCode } from "../inert-text.ts";

/**
 * What a code host or a program beside it makes something of, wherever it stands in prose: addresses, mentions and
 * email addresses, issues and merge requests. Escaping does not stop them, code does.
 */
const references =
  /(?:https?:\/\/|www\.)\S+|[\w.+-]{0,64}@[\w/.-]{0,100}|[\w./-]{0,100}[#!]\d+|gh-\d+/gi;
const maxReference = 300;

/** Words of others in a paragraph: no markup, no HTML, no references. */
export function inertProse(text: string): string {
  const clean = text.replaceAll(/[^\P{C}\n]/gu, "");
  const parts: string[] = [];
  let at = 0;
  for (const { 0: found, index } of clean.matchAll(references)) {
    parts.push(escaped(clean.slice(at, index)), inertCode(found, maxReference));
    at = index + found.length;
  }
  return [...parts, escaped(clean.slice(at))].join("");
}

const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  // A backslash before one of several would leave the others.
  "`": "&#96;",
};

function escaped(text: string): string {
  return text
    .replaceAll(/[\\*_[\]~|$]/g, String.raw`\$&`)
    .replaceAll(/[<>&`]/g, (sign) => entities[sign] ?? sign);
}

/** A line of a paragraph that begins no list, heading or code, and is no command (`/approve`). */
export function inertLine(line: string): string {
  return line
    .trim()
    .replace(/^\//, "&#47;")
    .replace(/^[#+=-]/, String.raw`\$&`)
    .replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`);
}
