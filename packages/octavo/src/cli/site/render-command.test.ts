import { formatCount } from "../../core/index.ts";
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { formatBytes, formatDuration } from "../format.ts";
import { createProgress } from "./render-command.ts";
import { createTerminal } from "../terminal.ts";

function openTerminal(isTTY: boolean, isColorDisabled = false) {
  const stdout = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 60 });
  const terminal = createTerminal({ stdout, stderr, isColorDisabled });
  return { terminal, written: () => String(stderr.read() ?? "") };
}

describe("progress", () => {
  it("is a line that is redrawn on a terminal, fits it, and is erased at the end", () => {
    const { terminal, written } = openTerminal(true);
    const progress = createProgress(terminal);
    progress.update({ done: 0, total: 2_000 });
    progress.update({ done: 2_000, total: 2_000 });
    progress.end();
    const frames = written().split("\r\u001B[2K");
    assert.deepEqual(frames, [
      "",
      "Rendering ░░░░░░░░░░░░░░░░░░░░░░░░ 0/2,000",
      "Rendering ████████████████████████ 2,000/2,000",
      "",
    ]);
  });

  it("is a line every ten seconds elsewhere, so that quick work leaves none", () => {
    const { terminal, written } = openTerminal(false);
    let nowMs = 0;
    const progress = createProgress(terminal, () => nowMs);
    for (let done = 0; done < 95; done++) {
      nowMs = done * 100;
      progress.update({ done, total: 300 });
    }
    assert.equal(written(), "");
    for (let done = 95; done <= 300; done++) {
      nowMs = done * 100;
      progress.update({ done, total: 300 });
    }
    progress.end();
    const counts = [100, 200, 300].map((done) => `Rendering: ${done} of 300 pages\n`);
    assert.equal(written(), counts.join(""));
  });
});

it("colors are used on terminals unless the person disables them", () => {
  assert.notEqual(openTerminal(true).terminal.paint("red", "x"), "x");
  assert.equal(openTerminal(true, true).terminal.paint("red", "x"), "x");
  assert.equal(openTerminal(false).terminal.paint("red", "x"), "x");
});

it("numbers are formatted for people", () => {
  assert.deepEqual([0, 999, 1_000, 9_949, 999_499, 999_500, 28_400_000, 3e15].map(formatBytes), [
    "0 B",
    "999 B",
    "1.0 kB",
    "9.9 kB",
    "999 kB",
    "1.0 MB",
    "28 MB",
    "3000 TB",
  ]);
  assert.deepEqual([0, 840, 9_949, 59_400, 59_600, 185_000].map(formatDuration), [
    "0.0 s",
    "0.8 s",
    "9.9 s",
    "59 s",
    "1 min 0 s",
    "3 min 5 s",
  ]);
  assert.deepEqual([formatCount(1, "page"), formatCount(1_234, "page")], ["1 page", "1,234 pages"]);
});
