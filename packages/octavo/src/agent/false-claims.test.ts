import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findFalseClaim } from "./citations/verify-answer.ts";

const tools = ["read", "edit", "write", "source_read"];
const reasonOf = (text: string, hasChanges: boolean) =>
  findFalseClaim({ text, tools, hasChanges })?.reason;

describe("a final text that claims changes where there are none", () => {
  for (const text of [
    "I rewrote every page and fixed all links.",
    "I've updated `guides/start` as you asked.",
    "All links have been repaired.",
    "Updated the introduction.\n\nLet me know if you need more.",
    "Done:\n- Renamed the group\n- Fixed two typos",
    "The description was changed to a shorter one.",
    "I have now successfully added the page.",
  ]) {
    it(`is recognized: ${JSON.stringify(text)}`, () => {
      assert.equal(reasonOf(text, false), "unmade_changes");
      assert.equal(reasonOf(text, true), undefined);
    });
  }
  for (const text of [
    "Nothing to do.",
    "Done.",
    "No changes were made: the page already says so.",
    "I did not change anything, because I could not find the page.",
    "The page was already updated.",
    "It was counted.",
    "I would have added a page, but there is no group for it.",
    "I undid what I had written.",
    "The flag was renamed in v2, which no page says.\nNothing was changed.".replace(
      "was renamed",
      "is called depth",
    ),
    'The page says "I have updated the settings".',
    "Which of the two pages should be changed?",
    "There are 12 broken links in guides/start.",
    "Updates to the page need a decision: A or B?",
  ]) {
    it(`is not seen in ${JSON.stringify(text)}`, () =>
      assert.equal(reasonOf(text, false), undefined));
  }
});

describe("a tool call that is written as text", () => {
  for (const text of [
    '{"name": "edit", "arguments": {"path": "a.mdx"}}',
    'I edit it now.\n```json\n{"tool": "write", "input": {}}\n```',
    '<tool_call>\n{"name": "edit", "arguments": {}}\n</tool_call>',
    "<function=read>{}</function>",
    '<function_calls><invoke name="edit"><parameter name="path">a.mdx',
    '[TOOL_CALLS] [{"name": "source_read", "arguments": {}}]',
    'edit({ path: "a.mdx" })',
    "<|tool_call|>read{path:a}",
    'functions.write({"path": "a.mdx"})',
  ]) {
    it(`is recognized: ${JSON.stringify(text)}`, () => {
      assert.equal(reasonOf(text, true), "written_call");
      assert.equal(reasonOf(text, false), "written_call");
    });
  }
  for (const text of [
    "I used read and edit, then write.",
    "The page shows how to call `edit(path)`.",
    'It explains {"name": "weather", "arguments": {}}.',
    'The element <Tool name="read"> is closed now.',
  ]) {
    it(`is not seen in ${JSON.stringify(text)}`, () =>
      assert.equal(reasonOf(text, true), undefined));
  }
});
