import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { describe, it } from "node:test";
import { parse, type Node, type Program } from "acorn";
import { clientScript } from "./client-script.ts";

interface Declaring extends Node {
  readonly id?: { readonly name: string } | null;
  readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
}

/** Names that the modules declare at their top, which one scope holds in the end. */
function namesOf(program: Program): string[] {
  const [statement] = program.body;
  assert(statement?.type === "ExpressionStatement");
  const call = statement.expression;
  assert(call.type === "CallExpression" && call.callee.type === "ArrowFunctionExpression");
  assert(call.callee.body.type === "BlockStatement");
  return (call.callee.body.body as Declaring[]).flatMap((node) => [
    ...(node.id ? [node.id.name] : []),
    ...(node.declarations ?? []).flatMap(({ id }) => (id.name === undefined ? [] : [id.name])),
  ]);
}

describe("clientScript", () => {
  it("is one classic script in which no module hides another's names", async () => {
    const script = await clientScript();
    const names = namesOf(parse(script, { ecmaVersion: 2023, sourceType: "script" }));
    assert(names.includes("startSearch"));
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    );
  });

  it("holds every module of the folder", async () => {
    const script = await clientScript();
    const files = await readdir(new URL("client/", import.meta.url));
    const modules = files.filter((file) => file.endsWith(".ts"));
    assert(modules.length > 5);
    for (const file of modules) {
      const mark = marks[file.replace(/\.ts$/, "")];
      assert(mark !== undefined && script.includes(mark), `${file} is not in the script`);
    }
  });
});

/** Something that only this module declares. */
const marks: Readonly<Record<string, string>> = {
  page: "function loadScript",
  memory: "function recall",
  words: "const words",
  scheme: "function startScheme",
  menu: "function startMenus",
  say: "function say",
  copy: "function startCopying",
  code: "function startExpanding",
  "picture-actions": "function startPictureActions",
  tables: "function startTables",
  tree: "function turnFold",
  tabs: "function startTabs",
  views: "function startViews",
  target: "function startTargets",
  outline: "function startOutline",
  sidebar: "function startSidebar",
  consent: "function startFrames",
  changelog: "function startFilters",
  diagram: "function startDiagrams",
  zoom: "function startZoom",
  "search-results": "function makeResults",
  search: "function startSearch",
  main: "startScheme();",
};
