import { OctavoError } from "@octavo/site/core";
import type { KeyScope } from "../projects/index.ts";
import type { Records } from "./records.ts";

/** Flag of commands that act for one organisation. */
export const organizationFlag = [
  "--org <id>",
  "organisation; required where there are several",
] as const;

/** The organisation that was named, or the only one. Throws `invalid_input` where that is not clear. */
export async function chooseOrganization(
  { organizations }: Records,
  named: string | undefined,
): Promise<KeyScope> {
  const all = await organizations.list();
  const found = named === undefined ? all : all.filter(({ id }) => id === named);
  const [organization, ...others] = found;
  if (organization && others.length === 0) {
    return { organizationId: organization.id, projectId: null };
  }
  throw new OctavoError(
    "invalid_input",
    explain(
      named,
      all.map(({ id, name }) => `${id} (${name})`),
    ),
  );
}

function explain(named: string | undefined, all: readonly string[]): string {
  if (all.length === 0) {
    return "There is no organisation yet; the service makes one at its first start, and the command orgs create does.";
  }
  const listed = all.slice(0, 10).join(", ");
  if (named === undefined) return `There are several organisations; name one by --org: ${listed}.`;
  return `There is no organisation ${JSON.stringify(named)}. There are ${listed}.`;
}
