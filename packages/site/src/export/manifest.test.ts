import assert from "node:assert/strict";
import { test } from "node:test";
import { joinManifestFiles } from "./manifest.ts";
import type { ManifestFiles } from "./manifest.ts";

type Row = readonly [path: string, fingerprint: string, size: number, part?: string];

function toFiles(rows: readonly Row[]): ManifestFiles {
  return {
    paths: rows.map(([path]) => path),
    fingerprints: rows.map(([, fingerprint]) => fingerprint),
    stats: Float64Array.from(rows.flatMap(([, , size]) => [size, 1, 2, 3])),
    parts: new Map(rows.flatMap(([, , , part], number) => (part ? [[number, [[part, 1]]]] : []))),
  };
}

function toRows({ paths, fingerprints, stats, parts }: ManifestFiles): Row[] {
  assert.equal(stats.length, 4 * paths.length);
  return paths.map((path, number) => {
    const row = [path, fingerprints[number] ?? "", stats[4 * number] ?? 0] as const;
    const part = parts.get(number)?.[0]?.[0];
    return part === undefined ? row : [...row, part];
  });
}

const earlier: readonly Row[] = [
  ["b", "of b", 1],
  ["d", "", 2, "part of d"],
  ["f", "of f", 3],
  ["h", "", 4, "part of h"],
];
/** A file of each kind before, between and after the existing ones; `c` has neither a fingerprint nor parts. */
const written: readonly Row[] = [
  ["i", "of i", 15],
  ["a", "", 11, "part of a"],
  ["g", "", 14, "part of g"],
  ["e", "of e", 13],
  ["c", "", 12],
];

/** Rows that replace those that are not kept. */
const replacements: readonly Row[] = [
  ["b", "other b", 21],
  ["h", "", 24, "other part of h"],
];

for (let choice = 0; choice < 2 ** earlier.length; choice += 1) {
  const isKept = earlier.map((_, number) => (choice >> number) & 1);
  const name = earlier.flatMap(([path], number) => (isKept[number] === 1 ? [path] : []));
  test(`a manifest has the kept files ${name.join(", ") || "(none)"} and those that were written`, () => {
    const kept = earlier.filter((_, number) => isKept[number] === 1);
    const isFree = ([path]: Row) => kept.every(([other]) => other !== path);
    const all = [...written, ...replacements.filter(isFree)];
    const files = new Map(
      all.map(([path, fingerprint, size, part]) => [
        path,
        {
          ...(fingerprint === "" ? {} : { fingerprint }),
          ...(part === undefined ? {} : { parts: [[part, 1] as const] }),
          stat: [size, 1, 2, 3] as const,
        },
      ]),
    );
    const joined = joinManifestFiles(toFiles(earlier), Uint8Array.from(isKept), files);
    const expected = [...kept, ...all.filter(([path]) => path !== "c")];
    assert.deepEqual(
      toRows(joined),
      expected.toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
