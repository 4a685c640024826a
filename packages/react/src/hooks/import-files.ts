'use client';

import type { UseMutationResult } from '@tanstack/react-query';
import { importMessages, type LeftPart } from '@vitrine/messages';
import { importSession, type PlainSession } from '@vitrine/persist';
import { isAgentError, type Message, type SessionStore } from '@vitrine/core';
import { useNearestStore } from '../agent-context.ts';
import { textOf, useStoredMutation } from './stored-mutations.ts';

/** The sessions that files have become, and the parts that are in none of them. */
export type ImportedFiles = { readonly ids: readonly string[]; readonly left: readonly LeftPart[] };

/**
 * Returns a mutation that imports files: exported sessions, and conversations of other applications and libraries. Files
 * are untrusted. Sessions before one that fails stay imported.
 */
export function useImportFiles(): UseMutationResult<ImportedFiles, Error, readonly Blob[]> {
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
