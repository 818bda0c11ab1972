import { OctavoError } from "@octavo/site/core";
import type { Task } from "../instruction/task.ts";
import type { Plan } from "../plan.ts";
import { addPage } from "./add-page.ts";
import { addRedirect } from "./add-redirect.ts";
import { deletePage } from "./delete-page.ts";
import { fillDescriptions } from "./fill-descriptions.ts";
import { fixSpelling } from "./fix-spelling.ts";
import { fixLinks } from "./links/repair-links.ts";
import { movePage } from "./move-page.ts";
import { renameDivision } from "./navigation.ts";
import { raiseVersion } from "./raise-version.ts";
import type { Recipe } from "./recipe.ts";
import { renameTerm } from "./rename-term.ts";
import { setField } from "./set-field.ts";

const recipes: readonly Recipe[] = [
  addPage,
  addRedirect,
  deletePage,
  fillDescriptions,
  fixLinks,
  fixSpelling,
  movePage,
  raiseVersion,
  renameDivision,
  renameTerm,
  setField,
];

export function planTask(task: Task): Plan<string> {
  const recipe = recipes.find(({ kind }) => kind === task.kind);
  if (recipe === undefined)
    throw new OctavoError("internal", `There is no recipe for ${task.kind}.`);
  return recipe.run(task);
}
