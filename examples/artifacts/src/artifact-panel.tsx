import { diffLines } from 'diff';
import { useState } from 'react';
import { usePluginState } from '@vitrine/react';
import { type Artifact, artifacts, withVersion } from './artifacts.ts';
import { SandboxedPage } from './sandboxed-page.tsx';

/** The artifacts of the nearest session: one at a time, with its versions. */
export function ArtifactPanel() {
  const [list = [], update] = usePluginState(artifacts);
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = list.find(({ id }) => id === chosen) ?? list.at(-1);
  if (shown === undefined) return null;
  const write = (text: string): void =>
    void update((before = []) => withVersion(before, { ...shown, text, by: 'person' }));
  return (
    <aside className="artifacts" aria-label="Artifacts">
      {list.length > 1 && (
        <select aria-label="Artifact" value={shown.id} onChange={({ target }) => setChosen(target.value)}>
          {list.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      )}
      {/* A new version shows itself. */}
      <Versions key={`${shown.id} ${shown.versions.length}`} artifact={shown} onWrite={write} />
    </aside>
  );
}

type VersionsProps = { readonly artifact: Artifact; readonly onWrite: (text: string) => void };

function Versions({ artifact: { title, kind, versions }, onWrite }: VersionsProps) {
  const last = versions.length - 1;
  const [at, setAt] = useState(last);
  const [view, setView] = useState<'show' | 'source' | 'changes' | 'edit'>('show');
  const { text = '', by } = versions[at] ?? {};
  const views = [
    ['show', kind === 'html' ? 'Page' : 'Text'],
    ...(kind === 'html' ? [['source', 'Source'] as const] : []),
    ...(at > 0 ? [['changes', 'Changes'] as const] : []),
    ...(at === last ? [['edit', 'Edit'] as const] : []),
  ] as const;
  return (
    <>
      <header>
        <h2 dir="auto">{title}</h2>
        <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>
          Older
        </button>
        <output>
          Version {at + 1} of {versions.length}
          {by === 'person' && ', by you'}
        </output>
        <button type="button" disabled={at === last} onClick={() => setAt(at + 1)}>
          Newer
        </button>
        {at < last && (
          <button type="button" onClick={() => onWrite(text)}>
            Use this version
          </button>
        )}
      </header>
      <div role="group" aria-label="View" className="views">
        {views.map(([name, label]) => (
          <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
            {label}
          </button>
        ))}
      </div>
      {view === 'edit' && at === last ? (
        <form action={(form) => onWrite(String(form.get('text')))}>
          <textarea name="text" aria-label={`Text of ${title}`} defaultValue={text} />
          <button type="submit">Save as a new version</button>
        </form>
      ) : view === 'changes' && at > 0 ? (
        <Changes before={versions[at - 1]?.text ?? ''} after={text} />
      ) : view === 'show' && kind === 'html' ? (
        <SandboxedPage title={title} html={text} />
      ) : (
        <pre
          data-kind={kind}
          dir={kind === 'text' ? 'auto' : 'ltr'}
          tabIndex={0}
          role="region"
          aria-label={title}
        >
          {text}
        </pre>
      )}
    </>
  );
}

/** The lines that a version removed and added; screen readers hear them as such. */
function Changes({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <pre tabIndex={0} role="region" aria-label="Changes">
      {diffLines(before, after).map(({ added, removed, value }, index) =>
        added ? <ins key={index}>{value}</ins> : removed ? <del key={index}>{value}</del> : value,
      )}
    </pre>
  );
}
