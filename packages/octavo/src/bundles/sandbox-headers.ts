/** The origins that are used to show the files of a bundle. */
export interface BundleOrigins {
  /** The origin of the files. */
  readonly files: string;
  /** The origin of the page that shows the files in a frame. */
  readonly frame: string;
  /** Whether scripts run. They must not run unless the surrounding page restricts where they can navigate. */
  readonly hasScripts: boolean;
}

/**
 * Returns headers for files of a bundle, which is untrusted. A page gets its own opaque origin, so it cannot access the
 * cookies, storage or pages of the origin that serves it. The page may run scripts, but neither the scripts nor the
 * content that they write into the page can send anything. They cannot connect or submit forms, and can load only from
 * this origin. The surrounding page must restrict where scripts can navigate the frame.
 */
export function createSandboxHeaders({
  files,
  frame,
  hasScripts,
}: BundleOrigins): Readonly<Record<string, string>> {
  const policy = [
    hasScripts ? "sandbox allow-scripts" : "sandbox",
    `default-src ${files} 'unsafe-inline' data: blob:`,
    ...["connect-src", "form-action", "frame-src", "object-src", "base-uri"].map(
      (name) => `${name} 'none'`,
    ),
    `frame-ancestors ${frame}`,
  ];
  return {
    "content-security-policy": policy.join("; "),
    // The page has an opaque origin, so its own files are cross-origin resources.
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
    // Browsers refuse a sandboxed page with any other opener policy.
    "cross-origin-opener-policy": "unsafe-none",
  };
}
