'use client';

import type { AgentError, Plugin } from '@vitrine/core';
import { type ReactNode, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { usePluginState } from '../../hooks/use-plugin-state.ts';
import { IconButton } from '../kit/icon-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { NewEntry, usePluginOf } from './new-entry.tsx';
import { noteTexts } from '../later-texts.ts';

type Note = { readonly key: string; readonly value: string; readonly by: 'model' | 'person' };
type NotesState = { readonly notes: readonly Note[]; readonly deleted: readonly string[] };
/** The notes of a person, which are in no session of the page; null for one without a sign-in. */
type SharedNotes = (principal: null) => {
  readonly get: () => NotesState | undefined;
  readonly subscribe: (listener: () => void) => () => void;
  readonly read: () => Promise<NotesState>;
  readonly change: (change: (now: NotesState) => NotesState) => Promise<NotesState>;
};

const none: NotesState = { notes: [], deleted: [] };
const most = { notes: 200, deleted: 200, key: 100, value: 65_536 };

/**
 * The notes of the nearest session or of its person, which the model keeps by `notesPlugin` of `@vitrine/plugins/notes`. A
 * person may change and delete them, also during a run; a deleted note is not written again. It shows nothing before the
 * first note.
 */
export function Notes(): ReactNode {
  const plugin: (Plugin<NotesState> & { readonly shared?: SharedNotes }) | null = usePluginOf<NotesState>(
    'notes',
    'write_note',
  );
  if (plugin === null) return null;
  return plugin.shared ? <PersonNotes shared={plugin.shared} /> : <SessionNotes plugin={plugin} />;
}

function SessionNotes({ plugin }: { readonly plugin: Plugin<NotesState> }): ReactNode {
  const [state, update] = usePluginState(plugin);
  return <NoteList state={state} update={update} />;
}

function PersonNotes({ shared }: { readonly shared: SharedNotes }): ReactNode {
  const { get, subscribe, read, change } = useMemo(() => shared(null), [shared]);
  const state = useSyncExternalStore(subscribe, get, get);
  return <NoteList state={state} read={read} update={change} />;
}

function NoteList(props: {
  readonly state: NotesState | undefined;
  readonly read?: () => Promise<unknown>;
  readonly update: (change: (now?: NotesState) => NotesState) => Promise<unknown>;
}): ReactNode {
  const { state: { notes, deleted } = none, read, update } = props;
  const texts = { ...noteTexts, ...useTexts().notes };
  const [problem, setProblem] = useState<AgentError | null>(null);
  const id = useId();
  const place = useRef<HTMLElement>(null);
  useEffect(() => void read?.().catch(setProblem), [read]);
  if (notes.length + deleted.length === 0 && problem === null) return null;
  /** Changes the notes. @returns false when that failed, so that what was typed stays */
  const change = async (changed: (now: NotesState) => NotesState): Promise<boolean> => {
    const failed = await update((now = none) => changed(now)).then(
      () => null,
      (thrown: AgentError) => thrown,
    );
    setProblem(failed);
    return failed === null;
  };
  const write = (key: string, value: string): Promise<boolean> =>
    change((now) => {
      const note: Note = { key, value, by: 'person' };
      const isKnown = now.notes.some((one) => one.key === key);
      return {
        notes: isKnown ? now.notes.map((one) => (one.key === key ? note : one)) : [...now.notes, note],
        deleted: now.deleted.filter((one) => one !== key),
      };
    });
  const remove = (key: string): void => {
    void change((now) => ({
      notes: now.notes.filter((one) => one.key !== key),
      deleted: [...now.deleted.filter((one) => one !== key), key].slice(-most.deleted),
    }));
    // The pressed button disappears.
    place.current?.focus();
  };
  return (
    <section ref={place} className="vitrine-todos" tabIndex={-1} aria-labelledby={id}>
      {problem !== null && <p role="alert">{texts.failed(problem.message)}</p>}
      <details>
        <summary id={id}>{texts.title(notes.length)}</summary>
        <ul>
          {notes.map(({ key, value }) => (
            <li key={key}>
              <NoteField label={key} value={value} onWrite={(text) => write(key, text)} />
              <IconButton icon="close" label={texts.remove(key)} onClick={() => remove(key)} />
            </li>
          ))}
        </ul>
        {notes.length < most.notes && (
          <NewEntry
            label={texts.newNote}
            add={texts.add}
            maxLength={most.key}
            onAdd={(key) => notes.some((one) => one.key === key) || write(key, '')}
          />
        )}
      </details>
    </section>
  );
}

/** A note in a field. What a person types stays until they leave it, also when the model writes meanwhile. */
function NoteField(props: {
  readonly label: string;
  readonly value: string;
  readonly onWrite: (value: string) => Promise<boolean>;
}): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const leave = async (): Promise<void> => {
    if (typed === null || typed === props.value || (await props.onWrite(typed)))
      setTyped((now) => (now === typed ? null : now));
  };
  return (
    <label dir="auto">
      <VisibleText text={props.label} />
      <textarea
        aria-label={props.label}
        rows={2}
        maxLength={most.value}
        value={typed ?? props.value}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => void leave()}
      />
    </label>
  );
}
