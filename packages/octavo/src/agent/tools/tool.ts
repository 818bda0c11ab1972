import { z } from "zod";
import { OctavoError } from "@octavo/site/core";

/** What a tool answers: JSON, bounded in size. */
export type ToolOutput = Readonly<Record<string, unknown>>;

/**
 * Something that a model can do. `call` takes what the model wrote, whatever it is, and answers every
 * failure that is the caller's with `{ error }`; it throws only for `cancelled` and for faults of the
 * machine.
 */
export interface AgentTool {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly input: z.ZodType;
  /** Whether it can change files. */
  readonly isChanging: boolean;
  call(input: unknown, signal: AbortSignal): Promise<ToolResult>;
}

/** A picture that a model sees. */
export interface Picture {
  readonly path: string;
  readonly mediaType: string;
  readonly base64: string;
}

export interface ToolResult {
  readonly output: ToolOutput;
  /** Shown to the model beside the output. */
  readonly picture?: Picture;
  /** `faulty`: the input had not the form that the tool takes. */
  readonly status: "done" | "refused" | "faulty";
}

interface ToolDefinition<Input> extends Pick<AgentTool, "name" | "description" | "isChanging"> {
  readonly input: z.ZodType<Input>;
  /** Throws OctavoError for what the model can correct. */
  readonly run: (input: Input, signal: AbortSignal) => Promise<ToolOutput>;
  /** The picture that the model is shown beside the output; called after `run`. */
  readonly show?: (input: Input) => Promise<Picture | undefined>;
}

export function defineTool<Input>(definition: ToolDefinition<Input>): AgentTool {
  const { name, description, input, isChanging, run, show } = definition;
  return {
    name,
    description,
    input,
    isChanging,
    async call(value, signal) {
      const parsed = input.safeParse(value);
      if (!parsed.success) {
        const error = `The input of ${name} is not as it must be: ${z.prettifyError(parsed.error).slice(0, 2_000)}`;
        return { output: { error }, status: "faulty" };
      }
      try {
        const output = await run(parsed.data, signal);
        const picture = await show?.(parsed.data);
        return { output, status: "done", ...(picture && { picture }) };
      } catch (error) {
        if (!(error instanceof OctavoError) || error.code === "cancelled") throw error;
        return { output: { error: error.message }, status: "refused" };
      }
    },
  };
}

/** A path as models give it; what it may name is the workspace's to say. */
export const Path = z
  .string()
  .min(1)
  .max(1_000)
  .describe("From the site's folder, e.g. guides/start.mdx");

/** A tool as the formats of providers hold it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

export function describeTool({ name, description, input }: AgentTool): ToolDescription {
  const inputSchema = z.toJSONSchema(input, { target: "draft-7", io: "input" });
  return { name, description, inputSchema };
}
