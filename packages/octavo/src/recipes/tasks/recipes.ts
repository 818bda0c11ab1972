import type { Task, TaskOf } from "../instruction/task.ts";
import type { Plan } from "../plan.ts";
import { addPage } from "./add-page.ts";
import { fixSpelling } from "./fix-spelling.ts";
import { repairLinks } from "./links/repair-links.ts";
import { renameDivision } from "./navigation.ts";
import { addRedirect, deletePage, movePage } from "./page-addresses.ts";
import { fillDescriptions, setField } from "./page-fields.ts";
import { raiseVersion } from "./raise-version.ts";
import { renameTerm } from "./rename-term.ts";

/**
 * The plan for each kind of task. `instruction/forms.ts` contains the instructions for it. A plan carries out the task
 * and returns its report in Markdown. It throws `invalid_input` for names that the site does not have. Repeating a task
 * must change nothing.
 */
const recipes: { readonly [Kind in Task["kind"]]: (task: TaskOf<Kind>) => Plan<string> } = {
  add_page: addPage,
  add_redirect: addRedirect,
  delete_page: deletePage,
  fill_descriptions: fillDescriptions,
  fix_links: repairLinks,
  fix_spelling: fixSpelling,
  move_page: movePage,
  raise_version: raiseVersion,
  rename_division: renameDivision,
  rename_term: renameTerm,
  set_field: setField,
};

export function planTask(task: Task): Plan<string> {
  const recipe = recipes[task.kind] as (task: Task) => Plan<string>;
  return recipe(task);
}
