import { OctavoError } from "@octavo/site/core";
import type { MemberRole } from "../core/index.ts";
import type { Settings } from "./settings.ts";

/** A provider of OpenID Connect, and whom it makes a member. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What people know it by. */
  readonly name: string;
  /** Requested besides `openid`. */
  readonly scope: string;
  /** Roles by the names of groups. */
  readonly groups: ReadonlyMap<string, MemberRole>;
  /** Roles by the domains of verified e-mail addresses. */
  readonly domains: ReadonlyMap<string, MemberRole>;
}

/** Undefined without a provider. Throws `invalid_input` if a part is missing. */
export function openIdOf(values: Settings): OpenIdSettings | undefined {
  const { OCTAVO_OIDC_ISSUER: issuer } = values;
  const { OCTAVO_OIDC_CLIENT_ID: clientId, OCTAVO_OIDC_CLIENT_SECRET: clientSecret } = values;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) {
    return undefined;
  }
  const given = {
    OCTAVO_OIDC_ISSUER: issuer,
    OCTAVO_OIDC_CLIENT_ID: clientId,
    OCTAVO_OIDC_CLIENT_SECRET: clientSecret,
  };
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : name));
    throw new OctavoError(
      "invalid_input",
      `Sign-in with a provider needs ${missing.join(" and ")} too: set all three, or none.`,
    );
  }
  return {
    issuer,
    clientId,
    clientSecret,
    name: values.OCTAVO_OIDC_NAME ?? new URL(issuer).host,
    scope: values.OCTAVO_OIDC_SCOPE,
    groups: values.OCTAVO_OIDC_GROUPS,
    domains: lowerCased(values.OCTAVO_OIDC_DOMAINS),
  };
}

function lowerCased(map: ReadonlyMap<string, MemberRole>): ReadonlyMap<string, MemberRole> {
  return new Map([...map].map(([name, role]) => [name.toLowerCase(), role]));
}
