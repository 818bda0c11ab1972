/** Pages for people over what the other rooms do: HTML from the server that works without scripts. */
export { createDashboard } from "./dashboard.ts";
export type { DashboardOptions } from "./services.ts";
export { previewAddress } from "./addresses.ts";
export type { DashboardTools } from "./page-tools.ts";
