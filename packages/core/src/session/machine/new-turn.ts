import type { Turn } from '../agent-session.ts';

/** Creates a turn without an outcome. */
export function newTurn(id: string, kind: Turn['kind'], status: Turn['status'] = 'queued'): Turn {
  return { id, kind, status, outcome: null, stopReason: null, error: null, stored: false, forkedTo: null };
}
