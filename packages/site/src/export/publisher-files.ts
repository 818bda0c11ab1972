/**
 * Whether a path of a bundle's folder is of whoever publishes it: `.git`, `.nojekyll` and the like, which may hold
 * what is nowhere else. Exports write no such names but `.well-known`.
 */
export function isOfPublisher(path: string): boolean {
  return /^\.(?!well-known(?:\/|$))/.test(path);
}
