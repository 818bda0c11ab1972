import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import { addClientFlags, openServiceClient } from "./target-flags.ts";
import type { ClientFlags } from "./target-flags.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";

interface ApiFlags extends ClientFlags {
  readonly data?: string;
}

export function defineApi(command: Command, context: CommandContext): void {
  addClientFlags(command)
    .description("Calls any operation of a service's API and prints the response.")
    .argument("<method>", "GET, POST, PATCH or DELETE")
    .argument("<path>", "path of the operation, as listed at /docs on the service")
    .option("--data <json>", "body of the request, or - to read it from standard input")
    .addHelpText(
      "after",
      formatExamples(
        "api GET /v2/keys",
        `api POST /v2/webhooks --data '{"url": "https://example.com/hooks", "events": ["agent.failed"]}'`,
      ),
    )
    .action(async (method: string, path: string, flags: ApiFlags) => {
      const body = await readBody(flags.data);
      const client = await openServiceClient(context, flags);
      const rootedPath = path.startsWith("/") ? path : `/${path}`;
      const response = await client.call(method.toUpperCase(), rootedPath, body);
      if (response === undefined) return;
      context.terminal.print(
        typeof response === "string" ? response.trimEnd() : JSON.stringify(response, undefined, 2),
      );
    });
}

async function readBody(data: string | undefined): Promise<unknown> {
  if (data === undefined) return undefined;
  const content = data === "-" ? await text(process.stdin) : data;
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new OctavoError("invalid_input", `--data is not JSON: ${String(cause)}.`, { cause });
  }
}
