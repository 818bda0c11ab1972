import type { FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { hasRight } from "../core/index.ts";
import type { Holder, FindOperator } from "../projects/index.ts";
import type { GaugeReadings } from "../telemetry/index.ts";
import { holderOf } from "./session/sessions.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whether the signed-in user runs the service. */
    isOperator: boolean;
  }
}

/** A setting as a node uses it. */
export interface ShownSetting {
  readonly name: string;
  /** Null for one that is not set, and for a secret one. */
  readonly value: string | null;
  readonly isSecret: boolean;
  /** The flag or variable; null if nobody gave it. */
  readonly givenBy: string | null;
}

/** The models that agent jobs can use. */
export interface ModelFacts {
  /** Of projects that choose none. */
  readonly usual: string;
  /** Those that projects may choose, as the setting lists them; null for all. */
  readonly allowed: string | null;
  /** Providers for which there is a key or an address. */
  readonly providers: readonly string[];
}

/** What is removed when it is old. */
export interface RetentionFact {
  readonly what: string;
  readonly days: number;
}

/** What a node can tell of itself and of the whole service. */
export interface OperatorView {
  readonly findOperator: FindOperator;
  /** As `/metrics` shows it. */
  readonly readGauges: () => Promise<GaugeReadings>;
  /** As `/readyz` does. */
  readonly checkReady: () => Promise<void>;
  /** Of this node. */
  readonly version: string;
  readonly settings: readonly ShownSetting[];
  readonly models: ModelFacts;
  readonly retention: readonly RetentionFact[];
}

/** An `onRequest` hook after `requireSession`. */
export function findOperators(findOperator: FindOperator) {
  return async (request: FastifyRequest): Promise<void> => {
    request.isOperator = request.holder !== undefined && (await runsService(request.holder));
  };

  async function runsService(holder: Holder): Promise<boolean> {
    if (holder.projectId !== null || !hasRight(holder, "service.read")) return false;
    return (await findOperator()) === holder.organizationId;
  }
}

/** A `preHandler` hook after the check of the right: an owner of another organisation does not run the service. */
export async function requireOperator(request: FastifyRequest): Promise<void> {
  if (request.isOperator) return;
  const { organizationName, projectId } = holderOf(request);
  const whose = projectId === null ? organizationName : "A key that is limited to one project";
  throw new OctavoError(
    "forbidden",
    `${whose} does not run this service: its health is for the organisation that the first start made.`,
  );
}
