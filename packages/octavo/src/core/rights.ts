import { OctavoError } from "@octavo/site/core";

/** What a key may be used for; the API calls them its `scopes`. */
export const accessScopes = ["read", "export", "agent", "admin"] as const;
export type AccessScope = (typeof accessScopes)[number];

/** What people of an organisation are, the one with the most rights first. */
export const memberRoles = ["owner", "editor", "viewer"] as const;
export type MemberRole = (typeof memberRoles)[number];

/** A role is what a key with these scopes may do. */
export const scopesOfRole: Readonly<Record<MemberRole, readonly AccessScope[]>> = {
  owner: accessScopes,
  editor: ["read", "export", "agent"],
  viewer: ["read"],
};

interface RightRow {
  /** Any of these is enough. */
  readonly scopes: readonly AccessScope[];
  /** What the right is for, after "to". */
  readonly act: string;
}

/**
 * Who may do what. The routes of the API and of the dashboard declare which right they need; whoever has none of its
 * scopes is refused.
 */
const rights = {
  "dashboard.use": { scopes: ["read"], act: "sign in to the dashboard" },
  "projects.read": { scopes: accessScopes, act: "see projects" },
  "projects.write": { scopes: ["admin"], act: "add, change and delete projects" },
  "exports.read": { scopes: ["read", "export"], act: "see exports" },
  "exports.run": { scopes: ["export"], act: "start and cancel exports" },
  "agent.read": { scopes: ["read", "agent"], act: "see agent jobs" },
  "agent.run": { scopes: ["agent"], act: "start, continue and end agent jobs" },
  "pulls.read": { scopes: ["read", "agent"], act: "see pull requests" },
  "pulls.write": { scopes: ["agent"], act: "merge and close pull requests" },
  "repository.read": { scopes: ["read", "agent"], act: "clone hosted repositories" },
  "repository.write": { scopes: ["agent"], act: "push to hosted repositories" },
  "keys.own": { scopes: accessScopes, act: "see and revoke the own keys" },
  "keys.manage": { scopes: ["admin"], act: "see, create and revoke API keys" },
  "members.read": { scopes: ["read"], act: "see members" },
  "members.manage": { scopes: ["admin"], act: "invite, change and remove members" },
  "audit.read": { scopes: ["admin"], act: "see the audit log" },
  "service.read": { scopes: ["admin"], act: "see the health of the service" },
  "webhooks.manage": { scopes: ["admin"], act: "see, create, change, test and delete webhooks" },
} as const satisfies Readonly<Record<string, RightRow>>;

export type Right = keyof typeof rights;

/** Who did something: the holder of a key, or a person who was signed in. */
export interface Actor {
  readonly type: "key" | "person";
  readonly id: string;
  /** As it was at that time. */
  readonly name: string;
  /** Of a person, if the provider verified it. */
  readonly email?: string | undefined;
}

/** An actor as others see it. */
export type PublicActor = Pick<Actor, "type" | "id" | "name">;

/** Whether somebody with these scopes has the right. */
export function hasRight({ scopes }: ScopeHolder, right: Right): boolean {
  return rightRow(right).scopes.some((scope) => scopes.includes(scope));
}

/** Whoever calls or is signed in. */
export interface ScopeHolder {
  readonly scopes: readonly AccessScope[];
  /** Of a person who is signed in. */
  readonly role?: MemberRole | null | undefined;
}

/** Throws `forbidden`, with the scope that is missing, unless the holder of a key has the right. */
export function requireRight(holder: ScopeHolder, right: Right): void {
  if (hasRight(holder, right)) return;
  const { scopes, act } = rightRow(right);
  if (holder.role) throw roleTooLow(holder.role, right, act);
  throw new OctavoError(
    "forbidden",
    `This API key has the ${nameScopes(holder.scopes)}; to ${act} it needs the ${nameScopes(scopes, "or")}.`,
  );
}

function roleTooLow(role: MemberRole, right: Right, act: string): OctavoError {
  const enough = memberRoles.filter((one) => hasRight({ scopes: scopesOfRole[one] }, right));
  return new OctavoError(
    "forbidden",
    `You are ${role} in this organisation; to ${act} you need to be ${enough.join(" or ")}.`,
  );
}

/** Throws `forbidden` if `given` has more than the giver: nobody gets more rights by making a key. */
export function requireGivable(giver: ScopeHolder, given: readonly AccessScope[]): void {
  const missing = given.filter((scope) => !giver.scopes.includes(scope));
  if (missing.length === 0) return;
  throw new OctavoError(
    "forbidden",
    `You can give a key only scopes that you have yourself: ${giver.scopes.join(", ")}; not ${missing.join(", ")}.`,
  );
}

function nameScopes(scopes: readonly AccessScope[], joint = "and"): string {
  const list = scopes.length > 1 ? `${scopes.slice(0, -1).join(", ")} ${joint} ` : "";
  const isPlural = scopes.length > 1 && joint === "and";
  return `${isPlural ? "scopes" : "scope"} ${list}${scopes.at(-1)}`;
}

function rightRow(right: Right): RightRow {
  return rights[right];
}

/** Null stays null: the operator at the command line, or the service itself. */
export function toPublicActor(actor: Actor | null): PublicActor | null {
  return actor && { type: actor.type, id: actor.id, name: actor.name };
}
