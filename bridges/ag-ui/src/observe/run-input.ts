import type { MessagePart } from '@vitrine/core';
import type { MessageRole } from '@vitrine/core/types';
import {
  type Foreign,
  foreign,
  listOf,
  parsedJson,
  textOf,
} from '@vitrine/inspect/internal/foreign/foreign-values';
import type {
  ForeignAnswer,
  ForeignMessage,
  ObservedSession,
} from '@vitrine/inspect/internal/foreign/observed-session';

/** The calls that wait for the interrupts of a conversation, by the ids of the interrupts. */
export type Interrupts = Map<
  string,
  {
    readonly callId: string;
    /** False for a call that only stands for the interrupt: the answer is its result. */
    readonly isCall: boolean;
  }
>;

const interrupts = new WeakMap<ObservedSession, Interrupts>();

/** The interrupts of a watched conversation. */
export function interruptsOf(session: ObservedSession): Interrupts {
  const own: Interrupts = interrupts.get(session) ?? new Map();
  interrupts.set(session, own);
  return own;
}

/** The conversation that a client sends, and the answers in it to calls that wait. */
export function readInput(
  { messages, resume }: { readonly messages: unknown; readonly resume: unknown },
  interrupts: Interrupts,
): { readonly messages: readonly ForeignMessage[]; readonly answers: readonly ForeignAnswer[] } {
  const all = listOf(messages);
  const decisions = listOf(resume).flatMap((entry) => decisionsOf(entry, interrupts));
  return { messages: all.flatMap(messageOf), answers: [...decisions, ...all.flatMap(answersOf)] };
}

export function decisionsOf(
  { interruptId, status, payload }: Foreign,
  interrupts: Interrupts,
): readonly ForeignAnswer[] {
  const waiting = interrupts.get(String(interruptId));
  if (waiting === undefined) return [];
  interrupts.delete(String(interruptId));
  const { callId, isCall } = waiting;
  const { approved, reason } = foreign(payload);
  const isApproved = status !== 'cancelled' && approved !== false;
  const decision = { callId, type: 'approval', isApproved, comment: textOf(reason) } as const;
  return isCall || !isApproved ? [decision] : [decision, { callId, type: 'output', output: payload ?? null }];
}

const roles: { readonly [role: string]: MessageRole } = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
};

/** The role of a message of AG-UI; null for one that is no message of a conversation of ours. */
export function roleOf(role: unknown): MessageRole | null {
  return Object.hasOwn(roles, String(role)) ? (roles[String(role)] ?? null) : null;
}

function messageOf({ id, role, content }: Foreign, index: number): readonly ForeignMessage[] {
  const ours = roleOf(role);
  return ours === null ? [] : [{ id: textOf(id) ?? `${ours} ${index}`, role: ours, parts: partsOf(content) }];
}

function partsOf(content: unknown): readonly MessagePart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return listOf(content).flatMap((part): readonly MessagePart[] => {
    const text = textOf(part['text']);
    return part['type'] === 'text' && text !== null ? [{ type: 'text', text }] : [];
  });
}

/** The result of a tool that the page ran. */
function answersOf({ role, toolCallId, content, error }: Foreign): readonly ForeignAnswer[] {
  const callId = textOf(toolCallId);
  const message = textOf(error);
  if (role !== 'tool' || callId === null) return [];
  if (message !== null) return [{ callId, type: 'error', message }];
  return [{ callId, type: 'output', output: typeof content === 'string' ? parsedJson(content) : content }];
}
