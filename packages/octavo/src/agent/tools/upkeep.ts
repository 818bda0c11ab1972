import type { Reference } from "@octavo/site";
import type { SiteEditPlan } from "../edits/upkeep-plan.ts";
import type { ToolOutput } from "./tool.ts";

const shownFiles = 200;
const shownLinks = 50;

/** Returns the result of a tool that plans edits of the site. */
export function toUpkeepOutput({ changes, linksLeft, note }: SiteEditPlan): ToolOutput {
  const files = changes.map((change) => (change.type === "move" ? change.to : change.path));
  const changedFiles = [...new Set(files)].toSorted();
  return {
    changedFiles: changedFiles.slice(0, shownFiles),
    ...(changedFiles.length > shownFiles ? { changedFilesTotal: changedFiles.length } : {}),
    ...(linksLeft.length > 0
      ? { linksLeft: linksLeft.slice(0, shownLinks).map(toLinkLocation) }
      : {}),
    ...(note === undefined ? {} : { note }),
  };
}

function toLinkLocation({ file, line, column, target }: Reference): ToolOutput {
  return { file, line, column, target };
}
