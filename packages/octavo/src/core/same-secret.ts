import { timingSafeEqual } from "node:crypto";

/** Whether what was given is the secret, in a time that tells nothing but its length. */
export function isSameSecret(given: string, secret: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}
