'use client';

import type { SessionSnapshot } from '@vitrine/core';
import { useCallback } from 'react';
import { useNearestSession } from './agent-context.ts';
import { type AgentFields, type Field, fields } from './fields.ts';
import { useSelection } from './use-selection.ts';

/** Returns one field of the nearest session, for the hook that is named after it. */
export function useField<Name extends keyof AgentFields>(hook: string, name: Name): AgentFields[Name] {
  const session = useNearestSession(hook);
  const { select, equal }: Field<AgentFields[Name]> = fields[name];
  const selectWithAgent = useCallback(
    (snapshot: SessionSnapshot) => select(snapshot, session.settings().agent),
    [select, session],
  );
  return useSelection(session.store, selectWithAgent, equal ?? Object.is);
}
