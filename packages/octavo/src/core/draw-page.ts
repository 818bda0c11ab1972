/** A page as a browser draws it. */
export interface DrawnPage {
  readonly jpeg: Uint8Array;
  /** The height of the whole page and of its drawn part, in pixels. */
  readonly height: number;
  readonly drawn: number;
}

/**
 * Draws an HTML document that needs no other file. Runs no script and sends no request. Throws `unavailable` with a
 * sentence for the model if the browser does not start or does not finish in time, and the signal's reason.
 */
export type DrawPage = (document: string, signal: AbortSignal) => Promise<DrawnPage>;
