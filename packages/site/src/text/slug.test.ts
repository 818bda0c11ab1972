import assert from "node:assert/strict";
import { test } from "node:test";
import { listAliasSlugs, createSlug } from "./slug.ts";

test("the id of a heading", () => {
  const table: readonly [text: string, slug: string][] = [
    ["Getting started", "getting-started"],
    ["Config.json options", "config-json-options"],
    ["What's new", "what’s-new"],
    ["What’s new", "what’s-new"],
    ["Rate limits (per minute)", "rate-limits-per-minute"],
    ["Read/write access", "read/write-access"],
    ["Fees & billing", "fees-&-billing"],
    ["OAuth", "oauth"],
    ["snake_case and camelCase", "snake_case-and-camelcase"],
    ['Plan: set up, now; really?! "yes"', "plan-set-up-now-really-yes"],
    ["a -- b", "a-b"],
    ["-- edges --", "edges"],
    ["a → b <c> [d] {e} *f*", "a-b-c-d-e-f"],
    ["C++ + $ref @scope", "c++-+-$ref-@scope"],
    ["on-chain — vanity", "on-chain-—-vanity"],
    ["v1.2.0", "v1-2-0"],
    ["方法一：ComfyUI-Manager（推荐）", "方法一comfyui-manager（推荐）"],
    ["Cafe\u0301", "café"],
    ["  spaced\tout \n text ", "spaced-out-text"],
    ["?!", "section"],
    ["", "section"],
    ["🚀 Launch", "🚀-launch"],
  ];
  for (const [text, slug] of table) assert.equal(createSlug(text), slug, text);
  assert.ok(createSlug("x".repeat(100_000)).length <= 300);
});

test("aliases of a heading's id: GitHub's, by the documented rules alone, with colons, ASCII", () => {
  const table: readonly [text: string, ordinal: number, aliases: string[]][] = [
    ["Getting started", 1, []],
    ["Getting started", 2, ["getting-started-1"]],
    ["Plan: set up", 1, ["plan:-set-up"]],
    ["Fees & billing", 1, ["fees--billing", "fees-billing"]],
    ["What's new", 1, ["whats-new"]],
    ["What's new", 3, ["whats-new-2", "whats-new-3"]],
    ["v1.2: a -- b", 1, ["v12-a----b", "v1-2:-a----b", "v1-2:-a-b"]],
    ["use @traceable / @x?", 1, ["use-traceable--x", "use-@traceable-/-@x?", "use-traceable-x"]],
    ["見出し：一", 1, ["見出し：一"]],
    ["🚀", 1, []],
    ["_meta", 1, ["meta"]],
    ["__init__ of x_y", 1, ["init__-of-x_y"]],
  ];
  for (const [text, ordinal, aliases] of table) {
    const suffix = ordinal === 1 ? "" : ` (${ordinal})`;
    assert.deepEqual(new Set(listAliasSlugs(text, ordinal)), new Set(aliases), text + suffix);
  }
});
