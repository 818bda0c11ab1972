import assert from "node:assert/strict";
import { test } from "node:test";
import { countsIn, finishJobs } from "../support/finished-jobs.ts";
import { realSites, whyNoRealSites } from "../support/real-sites.ts";

const site = realSites().find(({ name }) => name === "fastmcp");
const skip = site ? false : (whyNoRealSites() ?? "OCTAVO_SITES holds no site fastmcp");

interface ChangedLines {
  readonly removed: string[];
  readonly added: string[];
}

/** Lines that a diff takes out and puts in, file by file. */
function changedLines(diff: string): Map<string, ChangedLines> {
  const files = new Map<string, ChangedLines>();
  let lines: ChangedLines = { removed: [], added: [] };
  for (const line of diff.split("\n")) {
    const file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1];
    if (file !== undefined) files.set(file, (lines = { removed: [], added: [] }));
    else if (/^-(?!-- )/.test(line)) lines.removed.push(line.slice(1));
    else if (/^\+(?!\+\+ )/.test(line)) lines.added.push(line.slice(1));
  }
  return files;
}

/** The address that a problem names, as it is written in the file. */
function targetOf(message: string): string {
  return JSON.parse(/"(?:[^"\\]|\\.)*"/.exec(message)?.[0] ?? '""') as string;
}

/** Splits a line into its text without link addresses, and the addresses. */
function cutLine(line: string): { readonly rest: string; readonly addresses: readonly string[] } {
  const pattern = /(?<=\]\(|href=")[^\s)"]+/g;
  return { rest: line.replaceAll(pattern, "…"), addresses: line.match(pattern) ?? [] };
}

/** The addresses that a diff replaces in a file. Fails where it changes anything else. */
function replacedAddresses(file: string, { removed, added }: ChangedLines): string[] {
  assert.equal(removed.length, added.length, file);
  return removed.flatMap((line, index) => {
    const [old, now] = [cutLine(line), cutLine(added[index] ?? "")];
    assert.equal(old.rest, now.rest, `${file}: nothing but addresses is changed`);
    return old.addresses.filter((address, at) => address !== now.addresses[at]);
  });
}

test("broken links of a real site, from the prompt to the pull request", { skip }, async () => {
  assert.ok(site);
  const { before, jobs } = await finishJobs(site.dir, ["Fix the broken links"]);
  const [finished] = jobs;
  assert.ok(finished);
  const { job, diff, body = "", after } = finished;
  assert.equal(job.status, "completed", job.error);

  const codes = ["link_broken", "anchor_broken", "redirect_broken"];
  const reported = before.problems.filter(({ code }) => codes.includes(code));
  const left = after.problems.filter(({ code }) => codes.includes(code));
  let mended = 0;
  for (const [file, lines] of changedLines(diff)) {
    const open = reported
      .filter((problem) => problem.file === file)
      .map((p) => targetOf(p.message));
    for (const address of replacedAddresses(file, lines)) {
      mended += 1;
      const known = open.indexOf(address);
      assert.notEqual(known, -1, `${file}: the check had not reported ${address}`);
      open.splice(known, 1);
    }
  }
  // Of 22; the others have two answers, or none.
  assert.ok(mended >= 16, `only ${mended} links were mended`);
  assert.equal(left.length, reported.length - mended);
  assert.deepEqual(countsIn(body), {
    errors: [before.errors, after.errors],
    warnings: [before.warnings, after.warnings],
  });
  assert.match(job.summary ?? "", new RegExp(`^Fixed ${mended} broken anchors\\.`));
});
