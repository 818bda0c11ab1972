/** The queue and the jobs that run on it. */
export { linkStorage } from "./link-storage.ts";
export type { NodeDescription } from "./work-state.ts";
export { readWorkState, registerNode } from "./work-state.ts";
export { requeueUnfinished } from "./requeue.ts";
export { openQueue } from "./queue/queue.ts";
export type { JobQueue, QueueOptions } from "./queue/queue.ts";
export type { RunJob, WorkSignals } from "./queue/dispatcher.ts";
export { deliveryRetentionDays, removeExpired } from "./retention.ts";
export { openProcessFolder } from "./lifecycle/work-folder.ts";
export type { RemovedCounts, RetentionOptions } from "./retention.ts";
export { openStaticExportChanges } from "./static-export/kind.ts";
export type { StaticExportChanges } from "./static-export/kind.ts";
export { createStaticExports } from "./static-export/exports.ts";
export type {
  ExportCaller,
  StaticExportFilter,
  StaticExportInput,
  StaticExportPage,
  StaticExports,
  StaticExportsOptions,
  StoredBundle,
} from "./static-export/exports.ts";
export { createKeptCheckouts } from "./static-export/kept-checkouts.ts";
export { exportStages } from "./static-export/progress.ts";
export type { ExportProgress, ExportStage } from "./static-export/progress.ts";
export { staticExportStatuses } from "./static-export/job.ts";
export type {
  StaticExportJob,
  StaticExportSnapshot,
  StaticExportStatus,
} from "./static-export/job.ts";
export { createStaticExportWorker } from "./static-export/worker.ts";
export type { StaticExportWorkerOptions } from "./static-export/worker.ts";
export { createDeployments } from "./deployment/deployments.ts";
export type {
  DeploymentDetails,
  DeploymentPage,
  Deployments,
  DeploymentsOptions,
  DeploymentFilter,
  DeploymentInput,
  UploadedDeployment,
} from "./deployment/deployments.ts";
export { createUploads, maxUploadBytes } from "./deployment/uploads.ts";
export type { Upload, Uploads } from "./deployment/uploads.ts";
export type { MovedRefs, ReadRefs } from "./deployment/follow-refs.ts";
export {
  addAddress,
  deploymentKinds,
  deploymentStatuses,
  deploymentTriggers,
} from "./deployment/job.ts";
export type {
  AddressedDeployment,
  Deployment,
  DeploymentSnapshot,
  DeploymentStatus,
} from "./deployment/job.ts";
export { deploymentChannel, openDeploymentChanges } from "./deployment/kind.ts";
export type { DeploymentChanges } from "./deployment/kind.ts";
export { createDeploymentWorker } from "./deployment/worker.ts";
export type { DeploymentWorkerOptions } from "./deployment/worker.ts";
export { reviewsChannel } from "./review/ask-for-reviews.ts";
export type { ReviewProblem } from "./review/ask-for-reviews.ts";
export { syncReviews } from "./review/sync-reviews.ts";
export { reportReviews } from "./review/tell-reviews.ts";
export { createAgentJobs } from "./agent/agent-jobs.ts";
export type {
  AgentJobPage,
  AgentJobs,
  AgentJobsOptions,
  AgentPreview,
  AgentScope,
  AgentJobFilter,
} from "./agent/agent-jobs.ts";
export { openAgentChanges } from "./agent/kind.ts";
export type { AgentChanges } from "./agent/kind.ts";
export { syncPullRequests } from "./agent/follow-pull-requests.ts";
export type { PullRequestSyncOptions } from "./agent/follow-pull-requests.ts";
export {
  agentJobStatuses,
  isBlankPrompt,
  isWithinPromptLimit,
  maxPromptLength,
} from "./agent/job.ts";
export type { AgentJob, AgentJobSnapshot, AgentJobStatus } from "./agent/job.ts";
export type { AgentEvent, AgentMessage, AgentStep } from "./agent/history.ts";
export { rateLimit } from "./agent/rate-limit.ts";
export type { RateKind, RateState } from "./agent/rate-limit.ts";
export { describeToolCall, getActivity } from "../agent/index.ts";
export type { Activity } from "../agent/index.ts";
export { createAgentWorker } from "./agent/worker.ts";
export type { AgentWorkerOptions } from "./agent/worker.ts";
export { createJobAnnouncer } from "./webhooks/announce.ts";
export type { AnnouncerOptions, JobAnnouncer } from "./webhooks/announce.ts";
export { createWebhookDeliveries, deliveryStates } from "./webhooks/deliveries.ts";
export type { WebhookDeliveries, WebhookDelivery } from "./webhooks/deliveries.ts";
export { createWebhookSender, testEvent } from "./webhooks/send.ts";
export type { SenderOptions, WebhookSender } from "./webhooks/send.ts";
export { createWebhookWorker } from "./webhooks/worker.ts";
export type { WebhookWorkerOptions } from "./webhooks/worker.ts";
export type {
  BundleComparison,
  BundleReference,
  ChangedPage,
  CheckoutResult,
  CheckOut,
  CompareBundles,
  CheckoutProject,
  CheckoutRequest,
  JobExportSettings,
  JobLog,
  RenderedSite,
  RenderRequest,
  RenderSite,
} from "./ports.ts";
export { createJobLookup } from "./job-lookup.ts";
export type { FindJobs, FoundJobs } from "./job-lookup.ts";
export { createRepositoryInspector } from "./inspect-repository.ts";
export type {
  FoundSite,
  InspectionRequest,
  InspectRepository,
  RepositoryInspection,
} from "./inspect-repository.ts";
