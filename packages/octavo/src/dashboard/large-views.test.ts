import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createViewRenderer, renderViewInProcess } from "./large-views.ts";
import { safeHtml } from "./safe-html.ts";

type Conversation = Parameters<typeof renderViewInProcess<"conversation">>[2];

const at = "2026-11-22T12:00:00Z";

function view(body: string): Conversation {
  const pullRequest = {
    number: 1,
    title: "<b>Title</b>",
    body,
    state: "closed",
    isDraft: false,
    head: "a",
    base: "main",
    createdAt: at,
  };
  const page = { pullRequest, author: "Ada", commits: [], files: [], mergeability: {} };
  const project = { id: "pr_1", name: "Docs" };
  const reply = { canAsk: false, isEnded: false, message: "", refused: undefined };
  return { project, page, comments: [], preview: undefined, reply } as unknown as Conversation;
}

describe("the main part of a page", () => {
  const asked: string[] = [];
  const render = createViewRenderer(
    {
      run: (work) =>
        work({
          renderView: async (...view) => {
            asked.push("renderView");
            return await renderViewInProcess(...view);
          },
        }),
    },
    "/octavo",
  );

  it("is rendered by another process if it shows much, and is the same", async () => {
    const short = String(await render("conversation", view("word ".repeat(10))));
    assert.deepEqual(asked, []);
    const long = view("word ".repeat(10_000));
    const html = safeHtml`${await render("conversation", long)}`;
    assert.deepEqual(asked, ["renderView"]);
    assert.equal(String(html), await renderViewInProcess("conversation", "/octavo", long));
    const files = Array.from({ length: 500 }, () => ({
      kind: "added",
      path: "a".repeat(100),
      object: "",
    }));
    const many = view("word");
    await render("conversation", {
      ...many,
      page: { ...many.page, files },
    } as unknown as Conversation);
    assert.deepEqual(asked, ["renderView"], "names of files are quickly shown");
    for (const text of [short, String(html)]) {
      assert.match(text, /&lt;b&gt;Title&lt;\/b&gt;/);
      assert.match(text, /href="\/octavo\//);
    }
  });
});
