import type { FastifyRequest } from "fastify";
import { hasRight } from "../core/index.ts";
import type { SignedInUser, FindOperator } from "../projects/index.ts";
import type { GaugeReadings } from "../telemetry/index.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whether the signed-in user runs the service. */
    isOperator: boolean;
  }
}

/** A setting and its effective value on this node. */
interface ShownSetting {
  readonly name: string;
  /** The effective value; null if the setting has neither a value nor a default, or is secret. */
  readonly value: string | null;
  readonly isSecret: boolean;
  /** The flag or variable that set the value; null for a default. */
  readonly setBy: string | null;
}

/** The models that agent jobs can use. */
interface ModelFacts {
  /** The model for projects that do not choose one. */
  readonly defaultModel: string;
  /** The models that projects may choose, as listed in the setting; null means all models. */
  readonly allowed: string | null;
  /** The providers for which a key or an address is configured. */
  readonly providers: readonly string[];
}

/** A kind of data that is removed after a number of days. */
interface RetentionFact {
  readonly dataKind: string;
  readonly days: number;
}

/** A node's information about itself and the whole service. */
export interface OperatorView {
  readonly findOperator: FindOperator;
  /** Reads the gauges that `/metrics` shows. */
  readonly readGauges: () => Promise<GaugeReadings>;
  /** Runs the check of `/readyz`. Rejects if the node is not ready. */
  readonly checkReady: () => Promise<void>;
  /** This node's version. */
  readonly version: string;
  readonly settings: readonly ShownSetting[];
  readonly models: ModelFacts;
  readonly retention: readonly RetentionFact[];
}

/** Returns an `onRequest` hook that sets `isOperator`. It must run after `requireSession`. */
export function createOperatorHook(findOperator: FindOperator) {
  return async (request: FastifyRequest): Promise<void> => {
    request.isOperator = request.user !== undefined && (await isServiceOperator(request.user));
  };

  async function isServiceOperator(user: SignedInUser): Promise<boolean> {
    if (!hasRight(user, "service.read")) return false;
    return (await findOperator()) === user.organizationId;
  }
}
