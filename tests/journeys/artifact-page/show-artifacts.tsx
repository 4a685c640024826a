import { defineAgent } from '@vitrine/react';
import theme from '@vitrine/react/theme.css?inline';
import { scriptedInference } from '@vitrine/testing';
import { createRoot } from 'react-dom/client';
import { ArtifactChat } from '../../../examples/artifacts/src/artifact-chat.tsx';
import { artifacts } from '../../../examples/artifacts/src/artifacts.ts';
import styles from '../../../examples/artifacts/src/main.css?inline';

/** A page that tries to leave its frame: it says what it reached. */
const page = `<h1>Menu</h1><p id="out"></p><script>
  const tries = {
    parent: () => parent.document.title, storage: () => localStorage.length, cookie: () => document.cookie,
  };
  const reached = Object.keys(tries).filter((name) => { try { tries[name](); return true; } catch { return false; } });
  fetch('/leak').then(() => 'network', () => 'nothing').then((told) => {
    document.getElementById('out').textContent = 'Reached ' + [...reached, told].join(', ');
  });
</script>`;
const plan = { id: 'plan', title: 'Plan', kind: 'text' };
const texts = ['Buy paint\nPaint the hall\n', 'Buy paint and brushes\nPaint the hall\n'];

const agent = defineAgent({
  name: 'assistant',
  plugins: [artifacts],
  inference: scriptedInference([
    ({ messages }) => {
      const last = messages.at(-1);
      const told = messages.map(({ parts }) => JSON.stringify(parts)).join('');
      const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.parts);
      if (asked.includes('What did I')) return { text: /Rest on Sunday/.test(told) ? 'A rest.' : 'Nothing.' };
      if (last?.role === 'tool') return { text: 'It is beside the chat.' };
      const input = asked.includes('page')
        ? { id: 'menu', title: 'Menu', kind: 'html', text: page }
        : { ...plan, text: texts[asked.includes('again') ? 1 : 0]! };
      return { toolCalls: [{ name: 'write_artifact', input }] };
    },
  ]),
});

export function showArtifacts(): void {
  document.documentElement.style.colorScheme = 'light dark';
  document.documentElement.dir = new URLSearchParams(location.search).get('dir') ?? 'ltr';
  for (const text of [theme, styles])
    document.head.append(Object.assign(document.createElement('style'), { textContent: text }));
  createRoot(document.body.appendChild(document.createElement('div'))).render(<ArtifactChat agent={agent} />);
}
