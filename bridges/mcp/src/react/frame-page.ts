/** The origins that a view declares, by the names of the protocol. All are unchecked. */
export type ViewOrigins = { readonly [kind: string]: unknown };

/**
 * The page of a frame: it holds the view in a frame of its own, under a policy that the view inherits and cannot leave,
 * and passes messages on. A view that sends more than 200 messages a second, or one of more than a million characters,
 * is removed, and the host gets null.
 */
export function framePage(html: string, origins: ViewOrigins): string {
  const policy = attribute(policyOf(origins));
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">
<style>html, body, iframe { width: 100%; height: 100%; margin: 0; border: 0; display: block }</style>
<script>${relay}</script>
<iframe sandbox="allow-scripts allow-forms" title="view" srcdoc="${attribute(html)}"></iframe>`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

/** The script of the page. A text, because a bundler may change functions so that they need something outside. */
const relay = `
const waiting = [];
let port = null;
let left = 200;
setInterval(() => { left = 200; }, 1000);
const pass = (data) => { if (port === null) waiting.push(data); else port.postMessage(data); };
const textOf = (data) => { try { return JSON.stringify(data) ?? ''; } catch { return ''; } };
addEventListener('message', ({ source, data, ports }) => {
  if (source === parent && ports.length === 1) {
    port = ports[0];
    port.onmessage = (message) => frames[0]?.postMessage(message.data, '*');
    for (const early of waiting.splice(0)) port.postMessage(early);
  } else if (source !== null && source === frames[0]) {
    const text = textOf(data);
    if (left > 0 && text.length <= 1000000) {
      left--;
      if (text !== '') pass(JSON.parse(text));
    } else {
      document.querySelector('iframe').remove();
      pass(null);
    }
  }
});
parent.postMessage('vitrine-view', '*');
`;

/** The policy of the protocol: nothing from outside but what the view declares. */
function policyOf(origins: ViewOrigins): string {
  const from = (kind: string, ...always: readonly string[]): string => {
    const all = [...always, ...originsIn(origins[kind])];
    return all.length === 0 ? "'none'" : all.join(' ');
  };
  return [
    "default-src 'none'",
    `script-src ${from('resourceDomains', "'unsafe-inline'")}`,
    `style-src ${from('resourceDomains', "'unsafe-inline'")}`,
    `img-src ${from('resourceDomains', 'data:', 'blob:')}`,
    `media-src ${from('resourceDomains', 'data:', 'blob:')}`,
    `font-src ${from('resourceDomains', 'data:')}`,
    `connect-src ${from('connectDomains')}`,
    `frame-src ${from('frameDomains')}`,
    `base-uri ${from('baseUriDomains')}`,
    "form-action 'none'",
  ].join('; ');
}

/** The declared origins that are origins: none can end a directive, nor name a whole scheme. */
function originsIn(declared: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(declared) ? declared.slice(0, 50) : [];
  return all.filter(
    (origin): origin is string =>
      typeof origin === 'string' &&
      /^(?:https?|wss?):\/\/(?:\*\.)?[a-z\d.-]{1,253}(?::\d{1,5})?\/?$/i.test(origin),
  );
}
