import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { toolBounds } from "../limits.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Input = z.strictObject({
  path: Path,
  replacements: z
    .array(
      z.strictObject({
        old: z.string().min(1).max(200_000).describe("Copied from the file exactly."),
        new: z.string().max(200_000).describe("What replaces it."),
        all: z.boolean().optional().describe("Replace every occurrence."),
      }),
    )
    .min(1)
    .max(200)
    .describe("Made in order: all of them, or none."),
});
type EditReplacement = z.infer<typeof Input>["replacements"][number];

export function createEditTool(workspace: Workspace): AgentTool {
  return defineTool({
    name: "edit",
    description:
      "Replaces passages of a text file. Each `old` must occur exactly once, unless `all` is set: include enough of the lines around it. Prefer it to `write` for a file that exists.",
    input: Input,
    isChanging: true,
    async run({ path, replacements }) {
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
      `${path} contains ${shown} ${count} times. Include more of the text around it, or set "all"`,
    );
  }
  if (text.length + count * (wanted.length - old.length) > toolBounds.textBytes) {
    throw refused(`${path} would become larger than ${toolBounds.textBytes} bytes`);
  }
  return { text: parts.join(wanted), count };
}

/**
 * Models write `
 * `; a file with Windows line ends keeps them.
 */
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
