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
  /** Any one of these scopes is sufficient. */
  readonly scopes: readonly AccessScope[];
  /** The actions that the right allows, worded to follow "to" in a message. */
  readonly action: string;
  /**
   * Whether the right concerns the whole organization. Holders that are limited to a project never have such a right.
   */
  readonly isOrganizationWide?: true;
}

/**
 * The scopes that each right requires. Routes of the API and of the dashboard declare the right that they require.
 * Callers without any of its scopes are refused.
 */
const rights = {
  "dashboard.use": { scopes: ["read"], action: "sign in to the dashboard" },
  "projects.read": { scopes: accessScopes, action: "see projects" },
  "projects.write": { scopes: ["admin"], action: "add, change and delete projects" },
  "exports.read": { scopes: ["read", "export"], action: "see exports" },
  "exports.run": { scopes: ["export"], action: "start and cancel exports" },
  "deployments.read": { scopes: ["read", "export"], action: "see deployments" },
  "deployments.run": { scopes: ["export"], action: "start, publish and remove deployments" },
  "agent.read": { scopes: ["read", "agent"], action: "see agent jobs" },
  "agent.run": { scopes: ["agent"], action: "start, continue and end agent jobs" },
  "pulls.read": { scopes: ["read", "agent"], action: "see pull requests" },
  "pulls.write": { scopes: ["agent"], action: "merge and close pull requests" },
  "repository.read": { scopes: ["read", "agent"], action: "clone hosted repositories" },
  "repository.write": { scopes: ["agent"], action: "push to hosted repositories" },
  "keys.own": { scopes: accessScopes, action: "see and revoke your own keys" },
  "keys.manage": { scopes: ["admin"], action: "see, create and revoke API keys" },
  "members.read": { scopes: ["read"], action: "see members", isOrganizationWide: true },
  "members.manage": {
    scopes: ["admin"],
    action: "invite, change and remove members",
    isOrganizationWide: true,
  },
  "audit.read": { scopes: ["admin"], action: "see the audit log" },
  "service.read": {
    scopes: ["admin"],
    action: "see the health of the service",
    isOrganizationWide: true,
  },
  "webhooks.manage": { scopes: ["admin"], action: "see, create, change, test and delete webhooks" },
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

/** An API key or a signed-in person. */
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
  const { scopes, action } = getRightRow(right);
  if (isTooLimited(holder, right)) throw createLimitedKeyError(holder.projectId, action);
  if (holder.role) throw createInsufficientRoleError(holder.role, right, action);
  throw new OctavoError(
    "forbidden",
    `This API key has the ${nameScopes(holder.scopes)}; to ${action}, it needs the ${nameScopes(scopes, "or")}.`,
  );
}

/** Creates the error for a key that is limited to one project. `action` follows "to". */
export function createLimitedKeyError(
  projectId: string | null | undefined,
  action: string,
): OctavoError {
  return new OctavoError(
    "forbidden",
    `This API key is limited to the project ${projectId}. To ${action}, use a key for the whole organization.`,
  );
}

function createInsufficientRoleError(role: MemberRole, right: Right, action: string): OctavoError {
  const sufficientRoles = memberRoles.filter((one) =>
    hasRight({ scopes: scopesOfRole[one] }, right),
  );
  return new OctavoError(
    "forbidden",
    `Your role in this organization is ${role}; to ${action}, you need the role ${sufficientRoles.join(" or ")}.`,
  );
}

/**
 * Throws `forbidden` if `scopes` contains a scope that the giver does not have, because nobody may create a key with
 * more rights than their own.
 */
export function requireGrantable(giver: ScopeHolder, scopes: readonly AccessScope[]): void {
  const missing = scopes.filter((scope) => !giver.scopes.includes(scope));
  if (missing.length === 0) return;
  throw new OctavoError(
    "forbidden",
    `You can give a key only scopes that you have yourself (${giver.scopes.join(", ")}), not ${missing.join(", ")}.`,
  );
}

function nameScopes(scopes: readonly AccessScope[], conjunction = "and"): string {
  const list = scopes.length > 1 ? `${scopes.slice(0, -1).join(", ")} ${conjunction} ` : "";
  const isPlural = scopes.length > 1 && conjunction === "and";
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
