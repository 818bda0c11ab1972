import type { FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { hasRight } from "../core/index.ts";
import type { Holder, FindOperator } from "../projects/index.ts";
import type { GaugeReadings } from "../telemetry/index.ts";
import { getHolder } from "./session/sessions.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whether the signed-in user runs the service. */
    isOperator: boolean;
  }
}

/** A setting as a node uses it. */
export interface ShownSetting {
  readonly name: string;
  /** Null if the setting is not set or secret. */
  readonly value: string | null;
  readonly isSecret: boolean;
  /** The flag or variable that set it; null for a default. */
  readonly givenBy: string | null;
}

/** The models that agent jobs can use. */
export interface ModelFacts {
  /** The model of projects that do not choose one. */
  readonly usual: string;
  /** The models that projects may choose, as the setting lists them; null for all. */
  readonly allowed: string | null;
  /** The providers that have a key or an address. */
  readonly providers: readonly string[];
}

/** A kind of data that is removed after some days. */
export interface RetentionFact {
  readonly what: string;
  readonly days: number;
}

/** The information that a node has about itself and the whole service. */
export interface OperatorView {
  readonly findOperator: FindOperator;
  /** Reads the values that `/metrics` shows. */
  readonly readGauges: () => Promise<GaugeReadings>;
  /** Runs the check of `/readyz`; rejects if the node is not ready. */
  readonly checkReady: () => Promise<void>;
  /** This node's version. */
  readonly version: string;
  readonly settings: readonly ShownSetting[];
  readonly models: ModelFacts;
  readonly retention: readonly RetentionFact[];
}

/** Returns an `onRequest` hook that sets `isOperator`; runs after `requireSession`. */
export function createOperatorHook(findOperator: FindOperator) {
  return async (request: FastifyRequest): Promise<void> => {
    request.isOperator = request.holder !== undefined && (await runsService(request.holder));
  };

  async function runsService(holder: Holder): Promise<boolean> {
    if (!hasRight(holder, "service.read")) return false;
    return (await findOperator()) === holder.organizationId;
  }
}

/**
 * A `preHandler` hook that runs after the check of the right: an owner of another organization does not run the
 * service.
 */
export async function requireOperator(request: FastifyRequest): Promise<void> {
  if (request.isOperator) return;
  const { organizationName, projectId } = getHolder(request);
  const whose = projectId === null ? organizationName : "A key that is limited to one project";
  throw new OctavoError(
    "forbidden",
    `${whose} does not run this service. Only the organization that was created at the first start can see its health.`,
  );
}
