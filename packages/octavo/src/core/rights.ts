import { OctavoError } from "@octavo/site/core";

/** The permissions of a key, which the API calls `scopes`. */
export const accessScopes = ["read", "export", "agent", "admin"] as const;
export type AccessScope = (typeof accessScopes)[number];

/** The roles of an organization's members, from the most rights to the fewest. */
export const memberRoles = ["owner", "editor", "viewer"] as const;
export type MemberRole = (typeof memberRoles)[number];

/** The scopes of each role. A role has the rights of a key with the same scopes. */
export const scopesOfRole: Readonly<Record<MemberRole, readonly AccessScope[]>> = {
  owner: accessScopes,
  editor: ["read", "export", "agent"],
  viewer: ["read"],
};

interface RightRow {
  /** The scopes, any of which is sufficient. */
  readonly scopes: readonly AccessScope[];
  /** The actions that the right allows, worded to follow "to" in a message. */
  readonly act: string;
  /** The right is about the whole organization, so holders that are limited to a project never have it. */
  readonly isOrganizationWide?: true;
}

/**
 * The scopes that each right requires. Routes of the API and of the dashboard declare the right that they require.
 * Callers without any of its scopes are refused.
 */
const rights = {
  "dashboard.use": { scopes: ["read"], act: "sign in to the dashboard" },
  "projects.read": { scopes: accessScopes, act: "see projects" },
  "projects.write": { scopes: ["admin"], act: "add, change and delete projects" },
  "exports.read": { scopes: ["read", "export"], act: "see exports" },
  "exports.run": { scopes: ["export"], act: "start and cancel exports" },
  "deployments.read": { scopes: ["read", "export"], act: "see deployments" },
  "deployments.run": { scopes: ["export"], act: "start, publish and remove deployments" },
  "agent.read": { scopes: ["read", "agent"], act: "see agent jobs" },
  "agent.run": { scopes: ["agent"], act: "start, continue and end agent jobs" },
  "pulls.read": { scopes: ["read", "agent"], act: "see pull requests" },
  "pulls.write": { scopes: ["agent"], act: "merge and close pull requests" },
  "repository.read": { scopes: ["read", "agent"], act: "clone hosted repositories" },
  "repository.write": { scopes: ["agent"], act: "push to hosted repositories" },
  "keys.own": { scopes: accessScopes, act: "see and revoke your own keys" },
  "keys.manage": { scopes: ["admin"], act: "see, create and revoke API keys" },
  "members.read": { scopes: ["read"], act: "see members", isOrganizationWide: true },
  "members.manage": {
    scopes: ["admin"],
    act: "invite, change and remove members",
    isOrganizationWide: true,
  },
  "audit.read": { scopes: ["admin"], act: "see the audit log" },
  "service.read": {
    scopes: ["admin"],
    act: "see the health of the service",
    isOrganizationWide: true,
  },
  "webhooks.manage": { scopes: ["admin"], act: "see, create, change, test and delete webhooks" },
} as const satisfies Readonly<Record<string, RightRow>>;

export type Right = keyof typeof rights;

/** The key or the signed-in person that performed an action. */
export interface Actor {
  readonly type: "key" | "person";
  readonly id: string;
  /** The name at the time of the action. */
  readonly name: string;
  /** A person's address, if the provider verified it. */
  readonly email?: string | undefined;
}

/** The part of an actor that others may see. */
export type PublicActor = Pick<Actor, "type" | "id" | "name">;

/** Reports whether the holder's scopes grant a right. */
export function hasRight(holder: ScopeHolder, right: Right): boolean {
  return !isTooLimited(holder, right) && getRightRow(right).scopes.some((scope) => holder.scopes.includes(scope)); // prettier-ignore
}

function isTooLimited({ projectId }: ScopeHolder, right: Right): boolean {
  return typeof projectId === "string" && getRightRow(right).isOrganizationWide === true;
}

/** A caller or a signed-in person. */
export interface ScopeHolder {
  readonly scopes: readonly AccessScope[];
  /** The only project that the holder may see; null or absent for every project of the organization. */
  readonly projectId?: string | null | undefined;
  /** A signed-in person's role. */
  readonly role?: MemberRole | null | undefined;
}

/** Throws `forbidden` with the reason unless the holder has the right. */
export function requireRight(holder: ScopeHolder, right: Right): void {
  if (hasRight(holder, right)) return;
  const { scopes, act } = getRightRow(right);
  if (isTooLimited(holder, right)) throw createLimitedKeyError(holder.projectId, act);
  if (holder.role) throw createLowRoleError(holder.role, right, act);
  throw new OctavoError(
    "forbidden",
    `This API key has the ${nameScopes(holder.scopes)}; to ${act}, it needs the ${nameScopes(scopes, "or")}.`,
  );
}

/** Creates the error for a key that is limited to one project. `act` follows "to". */
export function createLimitedKeyError(
  projectId: string | null | undefined,
  act: string,
): OctavoError {
  return new OctavoError(
    "forbidden",
    `This API key is limited to the project ${projectId}. To ${act}, use a key for the whole organization.`,
  );
}

function createLowRoleError(role: MemberRole, right: Right, act: string): OctavoError {
  const enough = memberRoles.filter((one) => hasRight({ scopes: scopesOfRole[one] }, right));
  return new OctavoError(
    "forbidden",
    `You are ${role} in this organization; to ${act}, you need to be ${enough.join(" or ")}.`,
  );
}

/**
 * Throws `forbidden` if `given` contains scopes that the giver does not have, because creating a key must not add
 * rights.
 */
export function requireGrantable(giver: ScopeHolder, given: readonly AccessScope[]): void {
  const missing = given.filter((scope) => !giver.scopes.includes(scope));
  if (missing.length === 0) return;
  throw new OctavoError(
    "forbidden",
    `You can give a key only scopes that you have yourself (${giver.scopes.join(", ")}), not ${missing.join(", ")}.`,
  );
}

function nameScopes(scopes: readonly AccessScope[], joint = "and"): string {
  const list = scopes.length > 1 ? `${scopes.slice(0, -1).join(", ")} ${joint} ` : "";
  const isPlural = scopes.length > 1 && joint === "and";
  return `${isPlural ? "scopes" : "scope"} ${list}${scopes.at(-1)}`;
}

function getRightRow(right: Right): RightRow {
  return rights[right];
}

/**
 * Returns the public part of an actor. Null means the operator at the command line or the service itself, and is
 * returned unchanged.
 */
export function toPublicActor(actor: Actor | null): PublicActor | null {
  return actor && { type: actor.type, id: actor.id, name: actor.name };
}
