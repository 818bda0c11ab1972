/** The dashboard: server-rendered HTML pages that work without scripts. */
export { createDashboard } from "./dashboard.ts";
export type { OperatorView } from "./operator.ts";
export type { DashboardOptions } from "./services.ts";
export { renderViewInProcess } from "./large-views.ts";
export type { ViewOperations } from "./large-views.ts";
export { createAddresses, getBranchPreviewAddress } from "./addresses.ts";
export type { HttpServerFunctions } from "./page-tools.ts";
