import { createInputError, OctavoError } from "@octavo/site/core";
import { z } from "zod";
import { stripLeadingSlash } from "../content.ts";
import type { Workspace } from "../workspace.ts";

/** A tool's answer: JSON of limited size. */
export type ToolOutput = Readonly<Record<string, unknown>>;

/**
 * An action of the model. `call` accepts any input from the model and returns every failure that the model can correct
 * as `{ error }`. It throws only `cancelled` and failures of the machine.
 */
export interface AgentTool {
  readonly name: string;
  /** A description for the model. */
  readonly description: string;
  readonly input: z.ZodType;
  /** Whether the tool can change files. */
  readonly isChanging: boolean;
  call(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** A picture in the form in which it is sent to the model. */
export interface Picture {
  readonly path: string;
  readonly mediaType: string;
  readonly base64: string;
}

export interface ToolResult {
  readonly output: ToolOutput;
  /** A picture that is sent to the model with the output. */
  readonly picture?: Picture;
  /** `faulty` means that the input did not match the tool's schema. */
  readonly status: "done" | "refused" | "faulty";
}

interface ToolDefinition<Input> extends Pick<AgentTool, "name" | "description" | "isChanging"> {
  readonly input: z.ZodType<Input>;
  /** Runs the tool. Throws OctavoError for failures that the model can correct. */
  readonly run: (input: Input, signal: AbortSignal) => Promise<ToolOutput>;
  /** Returns the picture or note that accompanies the output. Called after `run`. */
  readonly loadPicture?: (input: Input, signal: AbortSignal) => Promise<PictureOrNote>;
}

/**
 * A picture for the model, or a note that explains why the picture is missing or incomplete. Both are undefined if no
 * picture was requested.
 */
export interface PictureOrNote {
  readonly picture?: Picture;
  readonly note?: string;
}

export function defineTool<Input>(definition: ToolDefinition<Input>): AgentTool {
  const { name, description, input, isChanging, run, loadPicture } = definition;
  return {
    name,
    description,
    input,
    isChanging,
    async call(value, signal) {
      const parsed = input.safeParse(value);
      if (!parsed.success) {
        const error = `The input of ${name} is invalid: ${z.prettifyError(parsed.error).slice(0, 2_000)}`;
        return { output: { error }, status: "faulty" };
      }
      try {
        const output = await run(parsed.data, signal);
        const { picture, note } = (await loadPicture?.(parsed.data, signal)) ?? {};
        return {
          output: note === undefined ? output : { ...output, note },
          status: "done",
          ...(picture && { picture }),
        };
      } catch (error) {
        if (!(error instanceof OctavoError) || error.code === "cancelled") throw error;
        return { output: { error: error.message }, status: "refused" };
      }
    },
  };
}

/** A path from the model. The workspace decides whether it may be used. */
export const Path = z
  .string()
  .min(1)
  .max(1_000)
  .describe("Path in the site, e.g. guides/start.mdx");

/**
 * Returns the file of the site that a path from the model means, or the path itself if it means no file. Throws
 * `invalid_input` with the candidates if it could mean several files.
 */
export async function findNamedFile(workspace: Workspace, path: string): Promise<string> {
  // Avoids listing all files, which is repeated after every change.
  if (await workspace.has(path)) return path;
  return chooseFile(path, { files: await workspace.listFiles(), folder: workspace.folder });
}

/**
 * Returns the path of a new file without a leading `./` or `/`. A path into a folder that the site does not have keeps
 * its slash and is rejected later, because it is more likely a path on the machine.
 */
export async function findNewPath(workspace: Workspace, path: string): Promise<string> {
  const stripped = stripLeadingSlash(path);
  const end = stripped.indexOf("/");
  if (end < 0 || !path.startsWith("/")) return stripped;
  const folder = stripped.slice(0, end + 1);
  return (await workspace.listFiles()).some((file) => file.startsWith(folder)) ? stripped : path;
}

/** Chooses a file as `findNamedFile` does, but from the given candidates. */
export function chooseFile(
  path: string,
  candidates: { readonly files: Iterable<string>; readonly folder: string },
): string {
  const [file = path, ...others] = findNamedFiles(path, candidates);
  if (others.length === 0) return file;
  throw createInputError(
    `${JSON.stringify(path)} can mean ${[file, ...others].join(" or ")}. Name one of them.`,
  );
}

/** A tool in the form that providers accept. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.core.JSONSchema.BaseSchema;
}

/**
 * Describes a tool for a model. Omits bounds that a model has no reason to reach; a call that exceeds a bound fails
 * with an error that states it.
 */
export function describeTool({ name, description, input }: AgentTool): ToolDescription {
  const inputSchema = z.toJSONSchema(input, {
    target: "draft-7",
    io: "input",
    override: ({ jsonSchema }) => {
      for (const bound of ["minLength", "maxLength", "minItems", "maxItems"] as const)
        delete jsonSchema[bound];
      if ((jsonSchema.minimum ?? Infinity) <= 1) delete jsonSchema.minimum;
      if ((jsonSchema.maximum ?? 0) >= 1_000_000) delete jsonSchema.maximum;
    },
  });
  delete inputSchema.$schema;
  return { name, description, inputSchema };
}

const pageSuffixes = [".mdx", ".md", "/index.mdx", "/index.md"] as const;

/**
 * Returns the files that a model may mean by a path: the file itself, the file at that path from the repository's root
 * (`folder` is the site's folder in it), or the page to which links refer without an extension or by its folder.
 * Ignores a leading `/` or `./` and a trailing `/`. Returns an empty list if no file matches.
 */
function findNamedFiles(
  path: string,
  { files, folder }: { readonly files: Iterable<string>; readonly folder: string },
): readonly string[] {
  const knownFiles = new Set(files);
  if (knownFiles.has(path)) return [path];
  const name = stripLeadingSlash(path).replace(/\/+$/, "");
  const sitePath =
    folder !== "" && name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : "";
  for (const base of [name, sitePath].filter((one) => one !== "")) {
    if (knownFiles.has(base)) return [base];
    const found = pageSuffixes.map((ending) => base + ending).filter((one) => knownFiles.has(one));
    if (found.length > 0) return found;
  }
  return [];
}
