import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { runTasks, skipRepeatedCalls, type Task, type ToolCall } from "../../recipes/index.ts";
import type { Workspace } from "../workspace.ts";
import { Path, defineTool, type AgentTool, type ToolOutput } from "./tool.ts";

/** The maximum length of a report, in characters. */
const maxReportLength = 12_000;

const ScopePaths = z
  .array(Path)
  .min(1)
  .max(50)
  .optional()
  .describe('Only in these folders and pages, e.g. ["guides/", "index"]. Without it, everywhere.');

const RenameInput = z.strictObject({
  from: z.string().min(1).max(200).describe("The term, as it is written now."),
  to: z.string().min(1).max(200),
  in: ScopePaths,
  inCode: z.boolean().default(false).describe("Also in code."),
  plurals: z.boolean().default(false).describe("Also its plural."),
});

const RepairInput = z.strictObject({ in: ScopePaths });

const FieldsInput = z.strictObject({
  fields: z
    .array(
      z.strictObject({
        path: Path,
        field: z.string().min(1).max(100).describe("e.g. description, icon, hidden"),
        value: z.string().max(2_000),
      }),
    )
    .min(1)
    .max(200)
    .describe("All of them, or none."),
});

/**
 * Creates the tools that carry out whole tasks, as `builtin/recipes` does. `tools` are the tools that the tasks use;
 * their answers are not limited by the model's context.
 */
export function createRecipeTools(
  workspace: Workspace,
  tools: readonly AgentTool[],
): readonly AgentTool[] {
  const carryOut = (tasks: readonly Task[], signal: AbortSignal) => runPlan(tools, tasks, signal);
  return [
    defineTool({
      name: "rename_term",
      description:
        "Renames a term wherever readers see it, in one step: prose, titles, labels of the navigation, with articles, capitals and links to renamed headings. Code, addresses and IDs stay. The report lists the places that it left for you to decide.",
      input: RenameInput,
      isChanging: true,
      run({ from, to, in: paths, inCode, plurals }, signal) {
        const scope = toScope(paths);
        return carryOut([{ kind: "rename_term", from, to, inCode, withPlural: plurals, ...scope }], signal); // prettier-ignore
      },
    }),
    defineTool({
      name: "repair_links",
      description:
        "Repairs broken links, anchors and redirects whose target the site and its history show. The report gives the evidence for each, and the reason for each that it left.",
      input: RepairInput,
      isChanging: true,
      run({ in: paths }, signal) {
        return carryOut([{ kind: "fix_links", what: "links", ...toScope(paths) }], signal);
      },
    }),
    defineTool({
      name: "set_fields",
      description: "Sets fields in the frontmatter of pages.",
      input: FieldsInput,
      isChanging: true,
      async run({ fields }, signal) {
        for (const { path } of fields) await workspace.getKind(path);
        const tasks = fields.map(({ path, field, value }): Task => ({ kind: "set_field", page: path, field, value })); // prettier-ignore
        return await carryOut(tasks, signal);
      },
    }),
  ];
}

function toScope(
  paths: readonly string[] | undefined,
): Pick<Extract<Task, { kind: "fix_links" }>, "scope"> {
  return paths === undefined
    ? {}
    : { scope: { parts: paths.map((name) => ({ kind: "path", name })) } };
}

async function runPlan(
  tools: readonly AgentTool[],
  tasks: readonly Task[],
  signal: AbortSignal,
): Promise<ToolOutput> {
  const plan = skipRepeatedCalls(runTasks(tasks));
  const changed = new Set<string>();
  let step = plan.next([]);
  while (step.done !== true) {
    const answers: ToolOutput[] = [];
    for (const call of step.value) answers.push(await makeCall(tools, call, { changed, signal }));
    // A plan runs synchronously on data that tools have read. Yielding lets this process answer the service in between.
    await setImmediate();
    step = plan.next(answers);
  }
  const report = step.value;
  const cut = report.length > maxReportLength && { cut: report.length - maxReportLength };
  return { changedFiles: changed.size, report: report.slice(0, maxReportLength).toWellFormed(), ...cut }; // prettier-ignore
}

async function makeCall(
  tools: readonly AgentTool[],
  { tool: name, input }: ToolCall,
  { changed, signal }: { readonly changed: Set<string>; readonly signal: AbortSignal },
): Promise<ToolOutput> {
  signal.throwIfAborted();
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) return { error: `There is no tool ${name}.` };
  const { output, status } = await tool.call(input, signal);
  if (tool.isChanging && status === "done") changed.add(String(input.path ?? input.from));
  return output;
}
