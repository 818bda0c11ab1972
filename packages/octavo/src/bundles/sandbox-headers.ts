/** The origins from which the files of a bundle are shown. */
export interface BundleOrigins {
  /** The origin of the files. */
  readonly files: string;
  /** The origin of the page that shows them in a frame. */
  readonly frame: string;
}

/**
 * Returns headers for files of a bundle, which is untrusted. A page gets an opaque origin of its own: it cannot reach
 * the cookies, storage or pages of the origin that it is served from. It may run scripts, but neither the scripts nor
 * the content that they write into the page can send anything: they cannot connect or submit, and load only from this
 * origin. The surrounding page must restrict where they can navigate its frame.
 */
export function createSandboxHeaders({
  files,
  frame,
}: BundleOrigins): Readonly<Record<string, string>> {
  const policy = [
    "sandbox allow-scripts",
    `default-src ${files} 'unsafe-inline' data: blob:`,
    ...["connect-src", "form-action", "frame-src", "object-src", "base-uri"].map(
      (name) => `${name} 'none'`,
    ),
    `frame-ancestors ${frame}`,
  ];
  return {
    "content-security-policy": policy.join("; "),
    // The page has an opaque origin, so its own files are cross-origin.
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
    // Browsers refuse a sandboxed page with another opener policy.
    "cross-origin-opener-policy": "unsafe-none",
  };
}
