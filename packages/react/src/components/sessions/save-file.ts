/** Lets the browser save a document; the file name comes from the title. */
export function saveFile(title: string, document: unknown): void {
  const name = title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'session';
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(document, null, 1)], { type: 'application/json' }),
  );
  const link = Object.assign(window.document.createElement('a'), { href: url, download: `${name}.json` });
  link.click();
  URL.revokeObjectURL(url);
}
