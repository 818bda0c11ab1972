/**
 * The content security policy of pages. It allows only the dashboard's own styles and scripts, and neither inline
 * scripts nor framing.
 */
const pageRules = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
const pagePolicy = pageRules.join("; ");

/** Returns the policy of a page with a frame. The policy limits the frame to the given source. */
export function createFramePolicy(source: string): string {
  return [...pageRules, `frame-src ${source}`].join("; ");
}

/** The headers of every dashboard page. */
export const pageHeaders = {
  "content-security-policy": pagePolicy,
  // With the policy `no-referrer`, browsers would send `Origin: null` with a form, and the origin could not be checked.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "cache-control": "no-store",
} as const;
