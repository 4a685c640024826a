'use client';

import type { UseMutationResult } from '@tanstack/react-query';
import { isAgentError, type Message, type SessionStore } from '@vitrine/core';
import { importMessages, type LeftPart } from '@vitrine/messages';
import { importSession, type PlainSession } from '@vitrine/persist';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { useNearestStore } from '../../agent-context.ts';
import { textOf, useStoredMutation } from '../../hooks/stored-mutations.ts';
import { FileField } from '../kit/file-field.tsx';
import { Button, Icon } from '../kit/icon-button.tsx';
import { useTexts } from '../texts-provider.tsx';

const shownReasons = 10;

type SessionImportOptions = {
  readonly onOpen: (id: string) => void;
  readonly onError: (error: Error | null) => void;
};

/** Imports sessions and conversations from files. Files are untrusted, so all of their content is validated. */
export function useSessionImport({ onOpen, onError }: SessionImportOptions) {
  const [isAimed, setAimed] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const importing = useImportFiles();
  const { failures, sessions: texts } = useTexts();
  const take = (files: readonly File[]): void => {
    if (files.length === 0) return;
    onError(null);
    importing.mutate(files, {
      onSuccess: ({ ids: [id, ...others] }) => {
        if (id !== undefined && others.length === 0) onOpen(id);
      },
      onError(thrown) {
        const isOfFile = isAgentError(thrown, 'state-invalid') || isAgentError(thrown, 'message-invalid');
        onError(isOfFile ? new Error(failures.notASessionFile) : thrown);
      },
    });
  };
  const aim = (event: DragEvent): boolean => {
    const isTaken = event.dataTransfer.types.includes('Files');
    // The message box leaves alone what is taken here.
    if (isTaken) event.preventDefault();
    return isTaken;
  };
  return {
    button: (
      <>
        <FileField
          field={field}
          label={texts.fileToImport}
          accept="application/json,.json,.jsonl"
          onFiles={take}
        />
        <Button
          aria-label={texts.import}
          title={texts.importHint}
          disabled={importing.isPending}
          onClick={() => field.current?.click()}
        >
          <Icon name="upload" />
        </Button>
      </>
    ),
    /** The number of imported sessions, with what was left out; null before the first import. */
    report: importing.isSuccess ? <ImportReport {...importing.data} /> : null,
    /** The props of the element that takes dropped files. */
    dropArea: {
      'data-drop': isAimed,
      onDragOver: (event: DragEvent): void => setAimed(aim(event)),
      onDragLeave: ({ currentTarget, relatedTarget }: DragEvent): void => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setAimed(false);
      },
      onDrop: (event: DragEvent): void => {
        setAimed(false);
        if (aim(event)) take([...event.dataTransfer.files]);
      },
    },
  };
}

/** The number of sessions that came in, and the reasons why parts of the files did not. */
function ImportReport({ ids, left }: ImportedFiles): ReactNode {
  const { sessions: texts } = useTexts();
  const counts = new Map<string, number>();
  for (const { kind, why } of left) {
    const reason = `${kind}: ${why}`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [...counts].sort(([, a], [, b]) => b - a).slice(0, shownReasons);
  return (
    <div className="vitrine-hint" role="status">
      {texts.imported(ids.length)}
      {left.length > 0 && (
        <details className="vitrine-left-out">
          <summary>{texts.leftOut(left.length)}</summary>
          <ul>
            {reasons.map(([reason, count]) => (
              <li key={reason} dir="auto">
                {count} × {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** The sessions that files have become, and the parts that are in none of them. */
type ImportedFiles = { readonly ids: readonly string[]; readonly left: readonly LeftPart[] };

/**
 * Returns a mutation that imports files: exported sessions, and conversations of other applications and libraries. Files
 * are untrusted. Sessions before one that fails stay imported.
 */
function useImportFiles(): UseMutationResult<ImportedFiles, Error, readonly Blob[]> {
  const store = useNearestStore('useImportFiles');
  return useStoredMutation({
    store,
    async write(files: readonly Blob[]) {
      const all = [];
      for (const file of files) all.push(await importFile(store, await textOf(file)));
      return { ids: all.flatMap(({ ids }) => ids), left: all.flatMap(({ left }) => left) };
    },
  });
}

async function importFile(store: SessionStore, text: string): Promise<ImportedFiles> {
  // A session of this library has more than messages: its runs, its plugins and its files.
  if (text.includes('"vitrine/session"')) {
    const id = await importSession(store, text).catch(orNull);
    if (id !== null) return { ids: [id], left: [] };
  }
  const { sessions, messages, left } = await importMessages(text);
  const ids: string[] = [];
  for (const session of sessions ?? [sessionOf(messages)]) ids.push(await importSession(store, session));
  return { ids, left };
}

/** Null for a text that only speaks of the format; other errors stay. */
function orNull(thrown: unknown): null {
  if (isAgentError(thrown, 'state-invalid')) return null;
  throw thrown;
}

function sessionOf(messages: readonly Message[]): PlainSession {
  const [first, last] = [messages[0], messages.at(-1)];
  const now = Date.now();
  return {
    $schema: 'vitrine/messages',
    version: 1,
    id: '',
    title: '',
    createdAt: first?.createdAt ?? now,
    updatedAt: last?.createdAt ?? now,
    head: last?.id ?? null,
    messages: messages.map((message, at) => ({ ...message, parentId: messages[at - 1]?.id ?? null })),
  };
}
