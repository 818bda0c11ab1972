/** The people in organizations: members and their roles, their sessions, and sign-in with a provider. */
export type { SignIns } from "./sign-ins.ts";
export { createdKinds, createMembers } from "./members.ts";
export type { CreatedKind, Member, MemberBelongings, Members, Membership } from "./members.ts";
export { createSessions, sessionSeconds } from "./sessions.ts";
export type { Session, Sessions } from "./sessions.ts";
export { signInTimeoutSeconds, createSignIns } from "./sign-ins.ts";
