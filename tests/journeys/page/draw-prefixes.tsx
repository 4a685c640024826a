import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Markdown } from '@vitrine/react/markdown';
import { findings } from './findings.ts';

/** Draws every prefix of the texts in the page that this is loaded into, and says what should not be there. */
export function drawPrefixes(texts: readonly string[]): { drawn: number; found: string[] } {
  const found: string[] = [];
  let drawn = 0;
  for (const text of texts) {
    const host = document.body.appendChild(document.createElement('div'));
    const root = createRoot(host);
    for (let length = 1; length <= text.length; length++) {
      flushSync(() => root.render(<Markdown text={text.slice(0, length)} isPaced={false} />));
      drawn++;
      for (const what of findings(host)) found.push(`${what} by ${JSON.stringify(text.slice(0, length))}`);
    }
    root.unmount();
    host.remove();
  }
  return { drawn, found };
}
