import type { Config } from "../config/index.ts";
import type { OperatorView } from "../dashboard/index.ts";
import type { Database } from "../db/index.ts";
import { deliveryDays } from "../jobs/index.ts";
import { createOperatorLookup } from "../projects/index.ts";
import type { NodeBase } from "./node-parts.ts";
import { getRetention } from "./retention.ts";

/** Returns what the dashboard shows operators about a node besides its health. */
export function createOperatorView(
  { config, version }: Pick<NodeBase, "config" | "version">,
  { kysely }: Database,
): Omit<OperatorView, "readGauges" | "checkReady"> {
  const { bundleDays, jobDays, auditDays } = getRetention(config);
  return {
    findOperator: createOperatorLookup(kysely),
    version,
    settings: config.settings,
    models: modelFacts(config),
    retention: [
      { what: "Bundles", days: bundleDays },
      { what: "Jobs", days: jobDays },
      { what: "Webhook messages", days: deliveryDays },
      { what: "Audit log", days: auditDays },
    ],
  };
}

function modelFacts({ model, models, settings }: Config): OperatorView["models"] {
  const providers = [models.keys, models.baseUrls].flatMap((values) =>
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name])),
  );
  return {
    usual: model,
    allowed: settings.find(({ name }) => name === "OCTAVO_MODELS")?.value ?? null,
    providers: [...new Set(providers)].toSorted(),
  };
}
