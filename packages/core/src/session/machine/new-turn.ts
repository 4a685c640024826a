import type { Turn } from '../agent-session.ts';

/** A turn of which nothing has come yet. */
export function newTurn(id: string, kind: Turn['kind'], status: Turn['status'] = 'queued'): Turn {
  return { id, kind, status, outcome: null, stopReason: null, error: null };
}
