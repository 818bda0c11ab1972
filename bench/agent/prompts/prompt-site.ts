import { cp, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import {
  createSiteView,
  createTools,
  openWorkspace,
} from "../../../packages/octavo/src/agent/index.ts";
import type { Workspace } from "../../../packages/octavo/src/agent/index.ts";
import { createRecipesModel } from "../../../packages/octavo/src/recipes/index.ts";
import { openRenderChildren } from "../../../packages/site/src/index.ts";
import { isOctavoError } from "../../../packages/site/src/core/index.ts";

/** A file that a prompt changed; null where there is none. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The outcome of a prompt. */
export interface Outcome {
  /** `form`: it is not one that is understood. `site`: the site does not allow it. */
  readonly refused: "form" | "site" | undefined;
  /** The summary, or the refusal. */
  readonly text: string;
  /** The forms that the refusal shows as ready to send, and whether they are alternatives. */
  readonly shown: readonly string[];
  readonly changes: readonly FileChange[];
}

export interface PromptSite extends AsyncDisposable {
  /** Carries a prompt out with the real tools, and gives the site back as it was. */
  ask(prompt: string): Promise<Outcome>;
}

const maxSteps = 100;

/** A copy of a site below `scratch`, on which prompts are carried out one after the other. */
export async function openPromptSite(
  original: string,
  scratch: string,
  { folder = "", changedFiles = 500 } = {},
): Promise<PromptSite> {
  const checkout = join(scratch, "site");
  await cp(original, checkout, { recursive: true });
  const children = openRenderChildren();
  const cacheDir = join(scratch, "cache");
  const open = () => openWorkspace({ checkout, siteDir: ".", changedFiles, folder });
  let workspace = await open();
  return {
    async ask(prompt) {
      const view = createSiteView(workspace, { cacheDir, workers: 1, children });
      const ended = await carryOut(prompt, createTools(workspace, view));
      const changes = await readChanges(workspace, original, checkout);
      if (changes.length > 0) {
        await restore(changes, original, checkout);
        workspace = await open();
      }
      return { ...ended, changes };
    },
    [Symbol.asyncDispose]: () => children[Symbol.asyncDispose](),
  };
}

async function carryOut(
  prompt: string,
  tools: ReturnType<typeof createTools>,
): Promise<Omit<Outcome, "changes">> {
  const model = createRecipesModel();
  const { signal } = new AbortController();
  const messages: LanguageModelV4Message[] = [
    { role: "user", content: [{ type: "text", text: prompt }] },
  ];
  try {
    for (let step = 0; step < maxSteps; step++) {
      const { content } = await model.doGenerate({ prompt: messages });
      const calls = content.filter((part) => part.type === "tool-call");
      const [text] = content;
      if (calls.length === 0) {
        const summary = text?.type === "text" ? text.text : "";
        return { refused: undefined, text: summary, shown: [] };
      }
      const asked = calls.map((part) => ({ ...part, input: JSON.parse(part.input) as unknown }));
      const results = [];
      for (const { toolName, toolCallId, input } of asked) {
        const { output } = (await tools
          .find(({ name }) => name === toolName)
          ?.call(input, signal)) ?? { output: { error: "There is no such tool." } };
        const value = JSON.parse(JSON.stringify(output)) as never;
        results.push({
          type: "tool-result" as const,
          toolName,
          toolCallId,
          output: { type: "json" as const, value },
        });
      }
      messages.push({ role: "assistant", content: asked }, { role: "tool", content: results });
    }
  } catch (error) {
    if (!isOctavoError(error, "invalid_input")) throw error;
    const { send } = error.details;
    const isForm = error.message.includes("I understand these forms");
    const shown = Array.isArray(send) ? send.map(String) : [];
    const refused = isForm ? "form" : "site";
    return { refused, text: error.message, shown };
  }
  throw new Error(`It does not come to an end: ${prompt}`);
}

async function readChanges(
  workspace: Workspace,
  original: string,
  checkout: string,
): Promise<FileChange[]> {
  const changed = await workspace.listChanges();
  const paths = new Set(changed.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))); // prettier-ignore
  return await Promise.all(
    [...paths].toSorted().map(async (path) => ({
      path,
      before: await textOf(join(original, path)),
      after: await textOf(join(checkout, path)),
    })),
  );
}

async function textOf(file: string): Promise<string | null> {
  return await readFile(file, "utf8").catch(() => null);
}

async function restore(
  changes: readonly FileChange[],
  original: string,
  checkout: string,
): Promise<void> {
  for (const { path, before } of changes) {
    await rm(join(checkout, path), { force: true });
    if (before === null) await removeNewFolders(dirname(path), original, checkout);
    else await cp(join(original, path), join(checkout, path));
  }
}

/** An empty folder would be taken for a submodule. */
async function removeNewFolders(folder: string, original: string, checkout: string): Promise<void> {
  if (folder === "." || (await stat(join(original, folder)).catch(() => null)) !== null) return;
  await rm(join(checkout, folder), { recursive: true, force: true });
  await removeNewFolders(dirname(folder), original, checkout);
}
