/** A page that a browser has drawn. */
export interface DrawnPage {
  readonly jpeg: Uint8Array;
  /** The height of the whole page, in pixels. `drawnHeight` is less if the page is too long to be drawn completely. */
  readonly height: number;
  readonly drawnHeight: number;
}

/**
 * Draws an HTML document that needs no other file. Runs no script and sends no request. Throws `unavailable` with a
 * message for the model if the browser does not start or finish in time. Throws the signal's reason if it is aborted.
 */
export type DrawPage = (document: string, signal: AbortSignal) => Promise<DrawnPage>;
