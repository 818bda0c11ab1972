import type { FastifyRequest, RouteOptions } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { requireRight } from "../core/index.ts";
import type { Right } from "../core/index.ts";
import type { Api } from "./api.ts";

/** What a route requires of whoever calls it; `public` is for everyone. */
type RouteRight = Right | "public";

declare module "fastify" {
  interface FastifyContextConfig {
    /** A route without one is refused to everyone. */
    right?: RouteRight;
  }
  interface FastifyInstance {
    /** The routes by method and path, with what they declare. */
    routeRights: () => ReadonlyMap<string, RouteRight | undefined>;
  }
}

/** Route options for everyone. */
export const forEveryone = { config: { right: "public" } } as const;

/** Route options for whoever has the right. */
export function needs<Name extends Right>(right: Name) {
  return { config: { right } };
}

/** Collects what the routes that are added after this call declare, and refuses those that declare nothing. */
export function requireDeclaredRights(api: Api): void {
  const routes: RouteOptions[] = [];
  api.decorate("routeRights", () => new Map(routes.flatMap(declarationsOf)));
  api.addHook("onRoute", (route) => {
    routes.push(route);
  });
  api.addHook("onRequest", async ({ routeOptions: { config } }) => {
    if (config.right !== undefined) return;
    throw new OctavoError("forbidden", "This path declares no right, so nobody may use it.");
  });
}

function declarationsOf({ method, url, config }: RouteOptions) {
  return [method].flat().map((name) => [`${name} ${url}`, config?.right] as const);
}

/** An `onRoute` hook for routes of libraries, which declare nothing themselves. */
export function declareForEveryone(route: RouteOptions): void {
  route.config = { ...route.config, right: "public" };
}

/** A `preHandler` hook, so that 404 and 400 take precedence. */
export async function requireRouteRight({ caller, routeOptions }: FastifyRequest): Promise<void> {
  const { right } = routeOptions.config;
  if (right !== undefined && right !== "public") requireRight(caller, right);
}
