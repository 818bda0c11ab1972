/** The domain below which all sites have their hosts. */
export interface SitesDomain {
  readonly protocol: "http:" | "https:";
  /** The host name, in its stored form and without a port. */
  readonly name: string;
  /** The port; undefined if it is the protocol's own. */
  readonly port: number | undefined;
}

/** Returns the origin of a host below the domain. */
export function formatSiteOrigin(domain: SitesDomain, label: string): string {
  return formatOrigin(domain, `${label}.${domain.name}`);
}

/** Returns the origin of a host that is served as the hosts below the domain are. */
export function formatOrigin({ protocol, port }: SitesDomain, host: string): string {
  return `${protocol}//${host}${port === undefined ? "" : `:${port}`}`;
}

/**
 * Returns the label of a host that stands directly below the domain. Undefined for the domain itself, for hosts further
 * below and for all others.
 */
export function findLabel({ name }: Pick<SitesDomain, "name">, host: string): string | undefined {
  if (!host.endsWith(`.${name}`)) return undefined;
  const label = host.slice(0, -name.length - 1);
  return label === "" || label.includes(".") ? undefined : label;
}
