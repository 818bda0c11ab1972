import { OctavoError } from "@octavo/site/core";
import { abilities, tasksOf } from "../tasks/recipes.ts";
import { cutIntoClauses, quoteBack } from "./clauses.ts";
import type { Clause } from "./clauses.ts";
import type { Task } from "./task.ts";
import { takeScope } from "./words.ts";

/** The API takes no longer ones. */
const maxLetters = 20_000;
/** How the service gives a change back that made the site worse; a recipe would make the same one again. */
const returned = /^Your changes brought \d+ errors? that (?:were|was) not there before\.[^\n]*/;
/** Outside of quotation marks; the patterns are asked of every clause. */
const clauseLetters = 500;
const maxTasks = 50;

/**
 * What an instruction asks for, in order. Throws `invalid_input` with a sentence for the person who wrote it
 * where any part of it is not understood: then nothing is done.
 */
export function parseInstruction(instruction: string): readonly Task[] {
  if (instruction.length > maxLetters) {
    throw refusal(`the instruction is longer than ${maxLetters} characters`);
  }
  if (returned.test(instruction)) {
    throw new OctavoError(
      "invalid_input",
      `I cannot do this: it brings errors to the site that I cannot mend.${instruction.replace(returned, "").slice(0, 2_000)}`,
    );
  }
  const clauses = cutIntoClauses(instruction);
  if (clauses.length === 0) throw refusal("the instruction asks for nothing");
  const tasks = clauses.flatMap((clause) => {
    const found = clause.text.length > clauseLetters ? undefined : understand(clause);
    if (found === undefined) throw refusal(`I do not understand “${shown(clause)}”`);
    return found;
  });
  if (tasks.length > maxTasks) throw refusal(`it asks for more than ${maxTasks} things at once`);
  return tasks;
}

function understand(clause: Clause): readonly Task[] | undefined {
  return tasksOf(clause) ?? understandList(clause);
}

/** `fix broken links and typos in guides` is two things, both in guides. */
function understandList(clause: Clause): readonly Task[] | undefined {
  const { clause: whole, scope } = takeScope(clause);
  const [verb = "", ...rest] = whole.text.split(" ");
  const parts = rest.join(" ").split(/,? (?:and then|and|then) (?:the )?|, (?:the )?/);
  if (parts.length < 2 || parts.length > 10) return undefined;
  const tasks: Task[] = [];
  for (const part of parts) {
    const found = tasksOf({ ...whole, text: `${verb} ${part}` });
    // Only what is done to a whole site is listed like this; names are not.
    if (found === undefined || !found.every(isUpkeep)) return undefined;
    tasks.push(...found.map((task) => (scope === undefined ? task : { ...task, scope })));
  }
  return tasks;
}

function isUpkeep({ kind }: Task): boolean {
  return kind === "fix_links" || kind === "fix_spelling" || kind === "fill_descriptions";
}

function shown(clause: Clause): string {
  const text = quoteBack(clause);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function refusal(reason: string): OctavoError {
  return new OctavoError(
    "invalid_input",
    [
      `I cannot do this: ${reason}. Without a language model I can`,
      ...abilities.map((ability) => `- ${ability}`),
      "For anything else set a model in OCTAVO_MODEL or as the project's model, e.g. anthropic/<model>.",
    ].join("\n"),
  );
}
