/** Organizations, projects with their credentials, API keys and webhooks. */
export { auditActions, createAuditLog, recordEvent, toColumn } from "./audit.ts";
export type {
  ActorScope,
  AuditAction,
  AuditEvent,
  AuditFilter,
  AuditLog,
  NewAuditEvent,
} from "./audit.ts";
export { getAdminKeyPath, prepareFirstStart } from "./first-start.ts";
export type { FirstStart } from "./first-start.ts";
export {
  createKeys,
  isCreatedBy,
  maxKeyNameLength,
  requireWholeOrganization,
  revokeKeysCreatedBy,
  selectKeysCreatedBy,
} from "./keys.ts";
export type { ApiKey, Caller, SignedInUser, KeyOptions, Keys, KeyScope } from "./keys.ts";
export {
  canExport,
  createOperatorLookup,
  createOrganizations,
  findOldestOrganization,
  lockOrganization,
  requireExports,
} from "./organizations.ts";
export type { FindOperator, Organization, Organizations } from "./organizations.ts";
export type { ListPage, ListRequest } from "./page.ts";
export { createActiveProjects } from "./project-activity.ts";
export type { ActiveProject, ListActiveProjects } from "./project-activity.ts";
export { createProjects } from "./projects.ts";
export type { Project, ProjectChanges, ProjectFields, Projects } from "./projects.ts";
export type { PullRequestSettingsChanges, PullRequestSettings } from "./pull-request-settings.ts";
export { addReviewNote, maxReviewNoteLength, readReviewNotes } from "./review-notes.ts";
export type { ReviewNote } from "./review-notes.ts";
export { checkRef } from "./repository.ts";
export type { RepositoryCredentials } from "./repository.ts";
export { maxSources } from "./sources.ts";
export type { ProjectSource, ReadableSource, SourceFields } from "./sources.ts";
export { createVault, deriveKey } from "./secrets.ts";
export type { Vault } from "./secrets.ts";
export {
  createWebhooks,
  deleteWebhooksCreatedBy,
  selectWebhooksCreatedBy,
  webhookEvents,
} from "./webhooks.ts";
export type { Webhook, WebhookEvent, WebhookChanges, WebhookFields, Webhooks } from "./webhooks.ts";
