/** The policy of a generated page: it loads nothing but what it has in itself. */
const policy =
  "default-src 'none'; img-src data: blob:; font-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/** HTML of a model, in a frame without an origin: its scripts reach neither this page nor its storage nor a network. */
export function SandboxedPage({ title, html }: { readonly title: string; readonly html: string }) {
  return (
    <iframe
      title={title}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      srcDoc={`<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">${html}`}
    />
  );
}
