import { AgentState } from '@vitrine/core';
import { redact, redacted } from '@vitrine/inspect';

/** The states that were sent to the extension without secrets, with their originals. */
type SentStates = {
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

/** Creates the list of sent states. @param current The current state, which is the one that people usually edit. */
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
    const document = ownJson(parseSent(given));
    const known = [current(), ...(begun === null ? [] : [begun]), ...[...states].reverse()];
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

function parseSent(given: unknown): unknown {
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

/** A document with secrets redacted, and the original. */
type Pair = { readonly shown: unknown; readonly original: unknown };

/**
 * Restores the redacted values of an edited document where they are unchanged. Returns null when a redacted
 * value remains, because the mark must not become a value.
 */
function withOriginals(edited: unknown, pair: Pair): { readonly value: unknown } | null {
  try {
    return { value: visit(edited, pair, 0) };
  } catch (thrown) {
    if (thrown === leftOver) return null;
    throw thrown;
  }
}

const leftOver = Symbol('left over');

/** Maximum depth; no document of this library is deeper. */
const deepest = 1_000;

function visit(edited: unknown, { shown, original }: Pair, depth: number): unknown {
  if (depth > deepest) throw leftOver;
  if (typeof edited !== 'object' || edited === null) {
    if (edited === shown) return original;
    if (typeof edited === 'string' && edited.includes(redacted)) throw leftOver;
    return edited;
  }
  if (Array.isArray(edited))
    return edited.map((item, index) => visit(item, at({ shown, original }, index), depth + 1));
  return Object.fromEntries(
    Object.entries(edited).map(([name, child]) => {
      if (name.includes(redacted)) throw leftOver;
      return [name, visit(child, at({ shown, original }, name), depth + 1)];
    }),
  );
}

function at({ shown, original }: Pair, name: string | number): Pair {
  return { shown: own(shown, name), original: own(original, name) };
}

function own(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string | number, unknown>>)[name]
    : undefined;
}

/** The document of a state with secrets redacted. */
export function shownDocument(state: AgentState): unknown {
  return shownValue(AgentState.toJSON(state));
}

/** A value as JSON with secrets redacted. */
export function shownValue(value: unknown): unknown {
  return JSON.parse(JSON.stringify(redact(value)));
}
