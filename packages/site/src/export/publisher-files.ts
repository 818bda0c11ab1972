/**
 * Whether a path of a bundle's folder belongs to whoever publishes it: `.git`, `.nojekyll` and the like, which may
 * contain what is nowhere else. Exports write no such names except `.well-known`.
 */
export function isOfPublisher(path: string): boolean {
  return /^\.(?!well-known(?:\/|$))/.test(path);
}
