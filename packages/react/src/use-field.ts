'use client';

import { useNearestSession } from './agent-context.ts';
import { type AgentFields, type Field, fields } from './fields.ts';
import { useSelection } from './use-selection.ts';

/** One field of the nearest session, for the hook that gives it a name. */
export function useField<Name extends keyof AgentFields>(hook: string, name: Name): AgentFields[Name] {
  const { select, equal }: Field<AgentFields[Name]> = fields[name];
  return useSelection(useNearestSession(hook).store, select, equal ?? Object.is);
}
