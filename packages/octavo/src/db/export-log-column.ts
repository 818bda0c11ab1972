/** A line of an export's log, and the stage that began with it. */
export interface ExportLogColumn {
  at: string;
  stage?: "checkout" | "rendering" | "packing" | "storing";
  text: string;
}
