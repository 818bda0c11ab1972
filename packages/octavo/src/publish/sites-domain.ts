/** The domain below which all sites have their hosts. */
export interface SitesDomain {
  readonly protocol: "http:" | "https:";
  /** The host name, in its stored form and without a port. */
  readonly name: string;
  /** The port; undefined if it is the protocol's own. */
  readonly port: number | undefined;
}

/** Returns the origin of a host below the domain. */
export function formatSiteOrigin({ protocol, name, port }: SitesDomain, label: string): string {
  return `${protocol}//${label}.${name}${port === undefined ? "" : `:${port}`}`;
}

/** Reports whether a Host header, in any spelling of the same host, names a host below the domain. */
export function isBelowDomain({ name }: Pick<SitesDomain, "name">, header: string): boolean {
  const host = header.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, ""); // prettier-ignore
  return host.endsWith(`.${name}`);
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
