import type { AgentDefinition } from '@vitrine/core';
import type { JournalRecord } from '@vitrine/inspect';
import type { Elsewhere } from '@vitrine/inspect/internal/experiments/plan-experiment';

/** A run whose program is elsewhere: its agent as far as it is known, and the way to its samples. */
export type RunElsewhere = { readonly agent: AgentDefinition; readonly elsewhere: Elsewhere };

/** Finds the run of a record elsewhere; null for none. The page of a recorder sets it, so that no other page loads it. */
export const elsewhere: { runOf: (record: JournalRecord) => RunElsewhere | null } = { runOf: () => null };
