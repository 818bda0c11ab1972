import type { ShownSetting } from "../../operator.ts";
import { safeHtml } from "../../safe-html.ts";
import type { SafeHtml } from "../../safe-html.ts";

/** Renders the settings that the operator set and, collapsed, those with their default. */
export function renderSettings(settings: readonly ShownSetting[]): SafeHtml {
  const given = settings.filter(({ givenBy }) => givenBy !== null);
  const others = settings.filter(({ givenBy }) => givenBy === null);
  return safeHtml`<section aria-labelledby="settings">
    <h2 id="settings">Settings of this node</h2>
    ${given.length === 0 ? safeHtml`<p class="soft">All settings have their default values.</p>` : list(given)}
    <details>
      <summary>${others.length} settings have their default values</summary>
      ${list(others)}
    </details>
  </section>`;
}

function list(settings: readonly ShownSetting[]): SafeHtml {
  return safeHtml`<dl class="setting-list">
    ${settings.map(
      (setting) =>
        safeHtml`<div><dt><code>${setting.name}</code></dt><dd>${shownValue(setting)}</dd></div>`,
    )}
  </dl>`;
}

function shownValue({ name, value, isSecret, givenBy }: ShownSetting): SafeHtml {
  if (isSecret && givenBy !== null) return safeHtml`<span class="faint">set, not shown</span>`;
  if (value === null) return safeHtml`<span class="faint">not set</span>`;
  const flag = givenBy !== null && givenBy !== name;
  return safeHtml`<code>${value}</code> ${flag && safeHtml`<span class="faint">by ${givenBy}</span>`}`;
}
