import { OctavoError } from "@octavo/site/core";
import type { KeyScope } from "../../projects/index.ts";
import type { Records } from "../../node/index.ts";

/** Flag of commands that act for one organisation. */
export const organizationFlag = [
  "--org <id>",
  "ID of the organisation; required if there are several",
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
    return "There is no organisation yet. The first start of the service creates one, and so does the command orgs create.";
  }
  const listed = all.slice(0, 10).join(", ");
  if (named === undefined)
    return `There are several organisations; choose one with --org: ${listed}.`;
  return `There is no organisation ${JSON.stringify(named)}. There are ${listed}.`;
}
