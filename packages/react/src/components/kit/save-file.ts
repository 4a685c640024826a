/** Offers a text to be saved as a file that is named after a title. */
export function saveFile(title: string, ending: 'json' | 'md', text: string): void {
  const name = title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'session';
  const type = ending === 'json' ? 'application/json' : 'text/markdown';
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: `${name}.${ending}` }).click();
  URL.revokeObjectURL(url);
}
