/** The domain whose subdomains are the hosts of all sites. */
export interface SitesDomain {
  readonly protocol: "http:" | "https:";
  /** The host name, in its stored form and without a port. */
  readonly name: string;
  /** The port; undefined if it is the protocol's default. */
  readonly port: number | undefined;
}

/** Returns the origin of the subdomain with a label. */
export function formatSiteOrigin(domain: SitesDomain, label: string): string {
  return formatOrigin(domain, `${label}.${domain.name}`);
}

/** Returns the origin of a host that is served with the same protocol and port as the subdomains. */
export function formatOrigin({ protocol, port }: SitesDomain, host: string): string {
  return `${protocol}//${host}${port === undefined ? "" : `:${port}`}`;
}

/**
 * Returns the label of a direct subdomain of the domain. Returns undefined for the domain itself, for deeper subdomains
 * and for all other hosts.
 */
export function findLabel({ name }: Pick<SitesDomain, "name">, host: string): string | undefined {
  if (!host.endsWith(`.${name}`)) return undefined;
  const label = host.slice(0, -name.length - 1);
  return label === "" || label.includes(".") ? undefined : label;
}
