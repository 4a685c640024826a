import { AgentState } from '@vitrine/core';
import { shownDocument } from './shown-document.ts';
import { withOriginals } from './with-originals.ts';

/** The states that were sent to the extension without secrets, with their originals. */
export type SentStates = {
  /** Records the state of the extension's next action. */
  readonly add: (state: AgentState) => void;
  /** Restarts the history of the extension with this state. */
  readonly begin: (state: AgentState) => void;
  /** Continues after actions that the extension imported, up to this number. */
  readonly skipTo: (actionId: number) => void;
  /**
   * The original state of a document from the extension, with redacted values restored. Null for a document
   * that is no state, or in which a redacted value cannot be restored.
   */
  readonly read: (document: unknown) => AgentState | null;
  /** The state of an action; for an action that is no longer kept, the state of its document. */
  readonly ofAction: (actionId: unknown, document: unknown) => AgentState | null;
};

/** Number of states to keep; the extension keeps as many. */
const kept = 50;

/**
 * Creates the list of sent states. @param current The current state, which is the one that people usually
 * edit.
 */
export function createSentStates(current: () => AgentState): SentStates {
  /** Oldest first, including states from before a restart: an import may bring them back. */
  let states: readonly AgentState[] = [];
  let byAction = new Map<number, AgentState>();
  let begun: AgentState | null = null;
  let next = 0;

  function add(state: AgentState): void {
    states = [...states, state].slice(-kept);
    byAction.set(next, state);
    byAction.delete(next - kept);
    next++;
  }

  function read(given: unknown): AgentState | null {
    const document = ownJson(parsed(given));
    const known = [current(), ...(begun === null ? [] : [begun]), ...states.toReversed()];
    const text = JSON.stringify(document);
    const same = known.find((state) => JSON.stringify(shownDocument(state)) === text);
    if (same) return same;
    for (const state of known) {
      const whole = withOriginals(document, {
        shown: shownDocument(state),
        original: AgentState.toJSON(state),
      });
      if (whole !== null) return stateOf(whole.value);
    }
    return null;
  }

  return {
    add,
    begin(state) {
      byAction = new Map();
      next = 0;
      begun = state;
      add(state);
    },
    skipTo(actionId) {
      byAction = new Map();
      next = actionId;
    },
    read,
    ofAction: (actionId, document) => byAction.get(Number(actionId)) ?? read(document),
  };
}

function parsed(given: unknown): unknown {
  try {
    return typeof given === 'string' ? JSON.parse(given) : given;
  } catch {
    return null;
  }
}

/** Null for a value that cannot be written as JSON, e.g. because it is too deep. */
function ownJson(document: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(document) ?? 'null') as unknown;
  } catch {
    return null;
  }
}

function stateOf(document: unknown): AgentState | null {
  try {
    return AgentState.fromJSON(document);
  } catch {
    return null;
  }
}
