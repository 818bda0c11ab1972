import { OctavoError } from "@octavo/site/core";
import type { Clause } from "../instruction/clauses.ts";
import type { Task } from "../instruction/task.ts";
import type { Plan } from "../plan.ts";
import { addPage } from "./add-page.ts";
import { addRedirect } from "./add-redirect.ts";
import { fillDescriptions } from "./fill-descriptions.ts";
import { fixLinks } from "./fix-links.ts";
import { fixSpelling } from "./fix-spelling.ts";
import { movePage } from "./move-page.ts";
import type { Recipe } from "./recipe.ts";
import { removePage } from "./remove-page.ts";
import { renameTerm } from "./rename-term.ts";
import { setMetadata } from "./set-metadata.ts";

/** What the model can do; where two could take a clause, the earlier one does. */
const recipes: readonly Recipe[] = [
  fixLinks,
  fixSpelling,
  fillDescriptions,
  movePage,
  setMetadata,
  renameTerm,
  addPage,
  addRedirect,
  removePage,
];

/** For a person, one after the other. */
export const abilities: readonly string[] = recipes.map(({ ability }) => ability);

/** What a clause asks for; undefined where no recipe understands all of it. */
export function tasksOf(clause: Clause): readonly Task[] | undefined {
  for (const recipe of recipes) {
    const tasks = recipe.parse(clause);
    if (tasks !== undefined) return tasks;
  }
  return undefined;
}

export function planFor(task: Task): Plan<string> {
  const recipe = recipes.find(({ kind }) => kind === task.kind);
  if (recipe === undefined) throw new OctavoError("internal", `No recipe does ${task.kind}.`);
  return recipe.run(task);
}
