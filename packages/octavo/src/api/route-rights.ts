import type { FastifyRequest, RouteOptions } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { requireRight } from "../core/index.ts";
import type { Right } from "../core/index.ts";
import type { Api } from "./api.ts";

/** The right that a route requires of its caller. `public` routes require no right. */
type RouteRight = Right | "public";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Requests to a route without a declared right are refused. */
    right?: RouteRight;
  }
  interface FastifyInstance {
    /** Returns the declared rights, keyed by method and path. */
    routeRights: () => ReadonlyMap<string, RouteRight | undefined>;
  }
}

/** Route options that make a route public. */
export const publicRoute = { config: { right: "public" } } as const;

/** Returns route options that require a right. */
export function declareRight<Name extends Right>(right: Name) {
  return { config: { right } };
}

/**
 * Collects the declared rights of the routes that are added after this call, and refuses requests to routes that
 * declare no right.
 */
export function requireDeclaredRights(api: Api): void {
  const routes: RouteOptions[] = [];
  api.decorate("routeRights", () => new Map(routes.flatMap(listDeclarations)));
  api.addHook("onRoute", (route) => {
    routes.push(route);
  });
  api.addHook("onRequest", async ({ routeOptions: { config } }) => {
    if (config.right !== undefined) return;
    throw new OctavoError(
      "forbidden",
      "This path is closed to all callers because it does not declare the right that it requires.",
    );
  });
}

function listDeclarations({ method, url, config }: RouteOptions) {
  return [method].flat().map((name) => [`${name} ${url}`, config?.right] as const);
}

/** Checks the caller's right. Runs as a `preHandler` hook so that 404 and 400 take precedence. */
export async function requireRouteRight({ caller, routeOptions }: FastifyRequest): Promise<void> {
  const { right } = routeOptions.config;
  if (right !== undefined && right !== "public") requireRight(caller, right);
}
