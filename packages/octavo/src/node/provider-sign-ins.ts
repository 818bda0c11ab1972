import { getBaseUrl } from "../config/index.ts";
import type { Config } from "../config/index.ts";
import { createSignIns } from "../people/index.ts";
import type { SignIns } from "../people/index.ts";
import { createVault } from "../projects/index.ts";
import type { Records } from "./records.ts";

/**
 * Creates sign-ins with the provider from the settings; undefined without a provider. Reads the port at each sign-in.
 */
export function createProviderSignIns(
  config: Config,
  { database, secret }: Records,
  address: { readonly port: number },
): SignIns | undefined {
  const { openId, allow } = config;
  if (!openId) return undefined;
  const { groups, domains, name, ...provider } = openId;
  return createSignIns({
    ...provider,
    allow,
    db: database.kysely,
    vault: createVault(secret, "sign-ins"),
    admission: { groups, domains },
    providerName: name,
    callbackUrl: () => `${getBaseUrl(config, address.port)}/signin/callback`,
  });
}
