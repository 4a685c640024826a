import type { MessagePart } from '@vitrine/core';
import {
  type Foreign,
  foreign,
  listOf,
  parsedJson,
  textOf,
} from '@vitrine/inspect/internal/foreign/foreign-values';
import type { ForeignAnswer, ForeignMessage } from '@vitrine/inspect/internal/foreign/foreign-history';
import type { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import { roleOf } from '../snapshot-messages.ts';

/** The conversation that a client sends, and the answers in it to calls that wait. */
export function readInput(
  { messages, resume }: { readonly messages: unknown; readonly resume: unknown },
  interrupts: ObservedSession['interrupts'],
): { readonly messages: readonly ForeignMessage[]; readonly answers: readonly ForeignAnswer[] } {
  const all = listOf(messages);
  const decisions = listOf(resume).flatMap((entry) => decisionsOf(entry, interrupts));
  return { messages: all.flatMap(messageOf), answers: [...decisions, ...all.flatMap(answersOf)] };
}

export function decisionsOf(
  { interruptId, status, payload }: Foreign,
  interrupts: ObservedSession['interrupts'],
): readonly ForeignAnswer[] {
  const waiting = interrupts.get(String(interruptId));
  if (waiting === undefined) return [];
  interrupts.delete(String(interruptId));
  const { callIds, isCall } = waiting;
  const { approved, reason } = foreign(payload);
  const isApproved = status !== 'cancelled' && approved !== false;
  return callIds.flatMap((callId): readonly ForeignAnswer[] => {
    const decision = { callId, type: 'approval', isApproved, comment: textOf(reason) } as const;
    const output = { callId, type: 'output', output: payload ?? null } as const;
    return isCall || !isApproved ? [decision] : [decision, output];
  });
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
