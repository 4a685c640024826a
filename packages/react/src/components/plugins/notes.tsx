'use client';

import type { Plugin } from '@vitrine/core';
import { type ReactNode, useId, useRef, useState } from 'react';
import { usePluginState } from '../../hooks/use-plugin-state.ts';
import { IconButton } from '../kit/icon-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { NewEntry, usePluginOf } from './new-entry.tsx';
import { noteTexts } from '../later-texts.ts';

type Note = { readonly key: string; readonly value: string; readonly by: 'model' | 'person' };
type NotesState = { readonly notes: readonly Note[]; readonly deleted: readonly string[] };

const none: NotesState = { notes: [], deleted: [] };
const most = { notes: 200, deleted: 200, key: 100, value: 65_536 };

/**
 * The notes of the nearest session, which its model keeps by `notesPlugin` of `@vitrine/plugins/notes`. A person may change
 * and delete them, also during a run; a deleted note is not written again. It shows nothing before the first note.
 */
export function Notes(): ReactNode {
  const plugin = usePluginOf<NotesState>('notes', 'write_note');
  return plugin && <NoteList plugin={plugin} />;
}

function NoteList({ plugin }: { readonly plugin: Plugin<NotesState> }): ReactNode {
  const [{ notes, deleted } = none, update] = usePluginState(plugin);
  const texts = { ...noteTexts, ...useTexts().notes };
  const id = useId();
  const place = useRef<HTMLElement>(null);
  if (notes.length + deleted.length === 0) return null;
  const change = (changed: (now: NotesState) => NotesState): void =>
    void update((now = none) => changed(now));
  const write = (key: string, value: string): void =>
    change((now) => {
      const note: Note = { key, value, by: 'person' };
      const isKnown = now.notes.some((one) => one.key === key);
      return {
        notes: isKnown ? now.notes.map((one) => (one.key === key ? note : one)) : [...now.notes, note],
        deleted: now.deleted.filter((one) => one !== key),
      };
    });
  const remove = (key: string): void => {
    change((now) => ({
      notes: now.notes.filter((one) => one.key !== key),
      deleted: [...now.deleted.filter((one) => one !== key), key].slice(-most.deleted),
    }));
    // The pressed button disappears.
    place.current?.focus();
  };
  return (
    <section ref={place} className="vitrine-todos" tabIndex={-1} aria-labelledby={id}>
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
            onAdd={(key) => notes.every((one) => one.key !== key) && write(key, '')}
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
  readonly onWrite: (value: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const leave = (): void => {
    if (typed !== null && typed !== props.value) props.onWrite(typed);
    setTyped(null);
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
        onBlur={leave}
      />
    </label>
  );
}
