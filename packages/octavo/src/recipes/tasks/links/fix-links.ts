import type { TaskOf } from "../../instruction/task.ts";
import { mendLinks } from "./mend-links.ts";
import type { Recipe } from "../recipe.ts";

export const fixLinks: Recipe<TaskOf<"fix_links">> = { kind: "fix_links", run: mendLinks };
