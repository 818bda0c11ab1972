import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { fixedLimits } from "../limits.ts";
import type { Workspace } from "../workspace.ts";
import { planDeletion } from "../edits/delete-plan.ts";
import type { SiteView } from "../site-view.ts";
import {
  Path,
  chooseFile,
  defineTool,
  findNamedFile,
  findNewPath,
  type AgentTool,
} from "./tool.ts";
import { toUpkeepOutput } from "./upkeep.ts";

const EditInput = z.strictObject({
  path: Path,
  replacements: z
    .array(
      z.strictObject({
        old: z.string().min(1).max(200_000).describe("Copied exactly from the file."),
        new: z.string().max(200_000).describe("The replacement."),
        all: z.boolean().optional().describe("Replace every occurrence."),
      }),
    )
    .min(1)
    .max(200)
    .describe("Applied in order, either all or none."),
});
type EditReplacement = z.infer<typeof EditInput>["replacements"][number];

export function createEditTool(workspace: Workspace): AgentTool {
  return defineTool({
    name: "edit",
    description:
      "Replaces passages of a text file. Each `old` must occur exactly once, unless `all` is set: include enough surrounding lines. Prefer this to `write` for existing files.",
    input: EditInput,
    isChanging: true,
    async run({ path: named, replacements }) {
      const path = await findNamedFile(workspace, named);
      const before = await workspace.readText(path);
      let text = before;
      let changed = 0;
      for (const replacement of replacements) {
        const made = replace(text, replacement, path);
        text = made.text;
        changed += made.count;
      }
      if (text === before) throw refused(`The replacements do not change ${path}`);
      await workspace.apply([{ type: "write", path, text }]);
      return { path, changed };
    },
  });
}

function replace(
  text: string,
  replacement: EditReplacement,
  path: string,
): { readonly text: string; readonly count: number } {
  const { old, wanted } = withLineEnds(text, replacement);
  const parts = text.split(old);
  const count = parts.length - 1;
  const shown = JSON.stringify(replacement.old.slice(0, 120));
  if (count === 0)
    throw refused(`${path} does not contain ${shown}. Read the file and copy the passage exactly`);
  if (count > 1 && replacement.all !== true) {
    throw refused(
      `${path} contains ${shown} ${count} times. Include more of the surrounding text, or set "all"`,
    );
  }
  if (text.length + count * (wanted.length - old.length) > fixedLimits.maxTextBytes) {
    throw refused(`${path} would become larger than ${fixedLimits.maxTextBytes} bytes`);
  }
  return { text: parts.join(wanted), count };
}

/** Converts line ends, because models write `\n`, and a file with Windows line ends must keep them. */
function withLineEnds(
  text: string,
  { old, new: wanted }: EditReplacement,
): { readonly old: string; readonly wanted: string } {
  if (!text.includes("\r\n") || old.includes("\r")) return { old, wanted };
  return { old: withWideEnds(old), wanted: withWideEnds(wanted) };
}

function withWideEnds(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

function refused(reason: string): OctavoError {
  return new OctavoError("invalid_input", `${reason}. Nothing was changed.`);
}

const WriteInput = z.strictObject({
  path: Path,
  content: z.string().max(2_000_000).describe("The complete text."),
});

export function createWriteTool(workspace: Workspace): AgentTool {
  return defineTool({
    name: "write",
    description:
      "Creates a file, or replaces its complete text. A new page needs frontmatter with `title` and `description`, and an entry in the navigation: edit docs.json, or the file that it names by $ref.",
    input: WriteInput,
    isChanging: true,
    async run({ path: named, content }) {
      const path = await findNewPath(workspace, await findNamedFile(workspace, named));
      const isThere = await workspace.has(path);
      await workspace.apply([{ type: "write", path, text: content }]);
      return { path, created: !isThere };
    },
  });
}

const DeleteInput = z.strictObject({
  path: Path,
  redirectTo: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe("The new target: a page, such as /guides/start, or a URL."),
});

export function createDeleteTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "delete",
    description:
      "Deletes a page or file, its navigation entries and groups that become empty. With `redirectTo`, its address redirects there and links to it are changed. Without it, `linksLeft` lists links that are now broken: change or remove them.",
    input: DeleteInput,
    isChanging: true,
    async run({ path: named, redirectTo }, signal) {
      const path = await findNamedFile(workspace, named);
      const plan = await planDeletion({ workspace, view, path, redirectTo, signal });
      await workspace.apply(plan.changes);
      return { path, ...toUpkeepOutput(plan) };
    },
  });
}

const UndoInput = z.strictObject({
  path: Path.describe("A file you changed, added, moved (old or new path) or deleted."),
});

export function createUndoTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "undo",
    description:
      "Undoes everything you did to one file in this turn: its text, its move or its deletion, with the navigation entries, links and redirects that `move` or `delete` changed for it. Removes a new file with its navigation entries. `left` names files that keep such a change because the changed text has been edited since.",
    input: UndoInput,
    isChanging: true,
    async run({ path: named }, signal) {
      const changes = await workspace.changes();
      const files = changes.flatMap((file) => [file.path, ...(file.from ? [file.from] : [])]);
      const path = chooseFile(named, { files, folder: workspace.folder });
      if (changes.some((file) => file.path === path && file.kind === "added")) {
        const plan = await planDeletion({ workspace, view, path, redirectTo: undefined, signal });
        await workspace.apply(plan.changes);
        return { removed: path, ...toUpkeepOutput(plan) };
      }
      const { path: restored, reverted, left } = await workspace.undo(path);
      return { restored, reverted, ...(left.length > 0 && { left }) };
    },
  });
}
