import { createHash } from "node:crypto";
import { html, trustedHtml, type Html } from "../../markup/index.ts";

/**
 * Mends the page's own address where a host shows it at another depth than it was written for: `start.html` at
 * `start/`, or a folder's `index.html` at the folder without its slash. The address in the window becomes one that the
 * bundle's links are relative to, and nothing is loaded again. Only a page that is shown under its own name is mended.
 */
const addressScript =
  "try{" +
  'const{root:o,currentPath:t}=r.dataset,p=location.pathname,a=t.split("/"),d=o.split("../").length-1,' +
  'n=a.at(-1),f=d?d>a.length-2||n=="index":t=="/",s=p.split("/").map(decodeURIComponent),l=s.pop(),' +
  'm=f?l&&!/\\.html?$|^index$/.test(l)&&(!d||l==a[d])&&p+"/":n&&!l&&s.pop()==n&&p.slice(0,-1)+".html";' +
  'if(m)history.replaceState(history.state,"",m+location.search+location.hash)' +
  "}catch{}";

/** Marks that scripts run, and sets the colour scheme that the reader chose, else the site's, else the system's. */
const colorScript =
  'const c=r.classList,a=r.dataset.appearance;c.add("js");' +
  'let s=a;if(!("fixed"in r.dataset))try{s=localStorage.getItem("octavo:"+r.dataset.site+":scheme")||a}catch{}' +
  'c.toggle("dark",s==="dark"||s==="system"&&matchMedia("(prefers-color-scheme: dark)").matches)';

/**
 * Runs before the page is painted and before anything else of it is loaded. It is the only inline script of a bundle
 * and the same on every page of every site, so that a policy can allow it by its hash.
 */
export const firstScript = `(()=>{const r=document.documentElement;${addressScript}${colorScript}})()`;

/** Browsers read no markup within a script, and it holds no `</script>`. */
export function renderFirstScript(): Html {
  return html`<script>${trustedHtml(firstScript)}</script>`;
}

/** The source for `script-src` with which a host's policy allows the script; documented in the manual. */
export const firstScriptHash = `sha256-${createHash("sha256").update(firstScript).digest("base64")}`;
