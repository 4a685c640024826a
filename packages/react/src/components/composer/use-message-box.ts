'use client';

import { Conversation, Message, type SessionSnapshot, type Turn } from '@vitrine/core';
import { useEffect, useRef, useState } from 'react';
import { useAgentStatus } from '../../field-hooks.ts';
import { useAgentSession, useAgentState } from '../../hooks/use-agent-state.ts';
import { nameOf } from '../kit/attachment.tsx';
import { notifySent, useChatStatus } from '../kit/use-chat-status.ts';
import { usePersonSentence } from '../kit/use-person-sentence.ts';
import { useTexts } from '../texts-provider.tsx';
import type { UsedTexts } from '../texts.ts';
import { takeUnlessLeft } from '../kit/take-unless-left.ts';

/** The text and files of the next message, and the commands on them. They leave the box only after the session accepts them. */
export function useMessageBox(takesFiles: boolean) {
  const session = useAgentSession();
  const { status, draft, setDraft, sendMessage, stop } = useChatStatus();
  const { problem, show, forget } = useRefusal();
  const { files, accept, add, remove, refusedOf, clear, giveBack } = useChosenFiles(takesFiles, show);
  // The draft is stored with the session and returns with it. Text that was typed here takes precedence over it.
  const [typed, setTyped] = useState<string | null>(null);
  const lastTyped = useRef('');
  const text = typed ?? draft;
  const write = (next: string): void => {
    lastTyped.current = next;
    setTyped(next);
    setDraft(next);
  };
  const isAnything = text.trim() !== '' || files.length > 0;

  async function send(): Promise<void> {
    if (!isSendable) return;
    forget();
    write('');
    clear();
    const refused = await refusedOf(files);
    if (refused.length > 0) {
      giveBack(files.filter((file) => !refused.includes(file)));
      write(behind(text, session.store.getState().draft || lastTyped.current));
      return show({ refused });
    }
    notifySent(session);
    const turn = await sendMessage({ text: text.trim(), files });
    const { status: outcome } = turn;
    const place = outcome === 'overtaken' ? placeOf(turn, session.store.getState()) : null;
    if (place !== null && (place !== 'lost' || isExplained(turn)))
      return isExplained(turn) ? undefined : show(place);
    if ((outcome !== 'refused' && place === null) || isKept(turn)) return;
    giveBack(files);
    write(behind(text, session.store.getState().draft || lastTyped.current));
    show(place ?? turn.error);
  }

  /**
   * True if `<Notices />` explains the outcome of the turn: the answer was forked, or a person has to
   * resolve a conflict.
   */
  function isExplained({ forkedTo }: Turn): boolean {
    return forkedTo !== null || session.store.getState().status === 'conflict';
  }

  /** True if the message is in the conversation anyway; a person retries it there. */
  function isKept({ id }: Turn): boolean {
    return Conversation.messageIds(session.store.getState().state).includes(id);
  }

  // The text and files stay in the box, because a deleted session may be restored.
  const isSendable = isAnything && status !== 'deleted';
  return {
    text,
    setText(next: string): void {
      forget();
      write(next);
    },
    files,
    accept,
    add(more: Iterable<File>): void {
      forget();
      add(more);
    },
    remove(place: number): void {
      forget();
      remove(place);
    },
    send,
    stop,
    isSendable,
    isRunning: status === 'submitted' || status === 'streaming',
    /** The reason why the last message was refused; its text is in the box again. */
    problem,
  };
}

/** The place of a message whose answer was stopped because the session went on elsewhere. */
function placeOf({ id }: Turn, { state, queue }: Pick<SessionSnapshot, 'state' | 'queue'>): Overtaken {
  const ids = Conversation.messageIds(state);
  if (queue.some((entry) => entry.id === id)) return 'unanswered';
  const at = ids.indexOf(id);
  if (at < 0) return 'lost';
  return Conversation.message(state, ids[at + 1] ?? '')?.role === 'assistant' ? 'answered' : 'unanswered';
}

/** A returned text with what was typed in the meantime. A session that could not be loaded has lost its draft. */
function behind(returned: string, meanwhile: string): string {
  return [returned, meanwhile].filter((part) => part.trim() !== '').join('\n');
}

function useChosenFiles(takesFiles: boolean, show: (reason: Reason) => void) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const filter = useFileFilter(takesFiles);
  const refusedOf = async (given: readonly File[]): Promise<readonly File[]> =>
    given.length === 0 || filter.findRefused === null ? [] : filter.findRefused(given);

  async function addTaken(more: readonly File[]): Promise<void> {
    setFiles((now) => [...now, ...more]);
    const refused = await refusedOf(more);
    if (refused.length === 0) return;
    setFiles((now) => now.filter((file) => !refused.includes(file)));
    show({ refused });
  }

  return {
    files,
    /** The attribute `accept` of the file field. */
    accept: filter.accept,
    /** Appends files. Those that the model does not take are removed again and told. */
    add: (more: Iterable<File>): void => void addTaken([...more]),
    remove: (place: number): void => setFiles((now) => now.filter((_, at) => at !== place)),
    refusedOf,
    clear: (): void => setFiles([]),
    /** Puts files that were not sent before those that were chosen in the meantime. */
    giveBack: (refused: readonly File[]): void => setFiles((now) => [...refused, ...now]),
  };
}

type Overtaken = 'answered' | 'unanswered' | 'lost';
type Reason = Turn['error'] | Overtaken | { readonly refused: readonly File[] };

const overtaken = {
  answered: 'overtakenWithAnswer',
  unanswered: 'overtakenWithoutAnswer',
  lost: 'overtakenWithoutMessage',
} as const satisfies Readonly<Record<Overtaken, keyof UsedTexts['composer']>>;

/** Keeps the reason why the last message was refused, or not answered here, until the next one. */
function useRefusal() {
  const [refusal, setRefusal] = useState<{ readonly reason: Reason } | null>(null);
  const { error: ofSession } = useAgentStatus();
  const say = usePersonSentence();
  const texts = useTexts();
  // `<Notices />` already shows errors of the whole session.
  const reason = refusal?.reason ?? null;
  const isSaid =
    ofSession !== null &&
    typeof reason === 'object' &&
    reason !== null &&
    'message' in reason &&
    reason.message === ofSession.message;
  return {
    problem: refusal === null || isSaid ? null : sentenceOf(reason, say, texts),
    show: (next: Reason): void => setRefusal({ reason: next }),
    /** Clears the reason, e.g. when the person changes the message. */
    forget: (): void => setRefusal(null),
  };
}

function sentenceOf(
  error: Reason,
  say: ReturnType<typeof usePersonSentence>,
  { common, composer, failures }: UsedTexts,
): string | null {
  if (typeof error === 'string') return composer[overtaken[error]];
  if (error === null) return failures.notSent;
  if ('refused' in error) return composer.filesNotTaken(error.refused.map((file) => nameOf(file, common)));
  if (say === null) return null;
  const { size, limit } = error.data as { size?: unknown; limit?: unknown };
  const sentence = say(error);
  if (typeof size !== 'number' || typeof limit !== 'number') return sentence;
  return failures.withSize(sentence, size, limit);
}

type Filter = Awaited<ReturnType<typeof Message.fileFilter>>;

/** The longest wait for the list of models, in milliseconds; files are taken without it. */
const mostMs = 3_000;

/** Asks the client of the agent which files the model takes. An unknown answer takes all files. */
function useFileFilter(isOn: boolean) {
  const { inference, llmConfig } = useAgentSession().settings().agent;
  const ofState = useAgentState((state) => state.llmConfig?.model ?? null);
  const model = ofState ?? llmConfig?.model ?? null;
  const [filter, setFilter] = useState<Filter | null>(null);
  const asked = useRef<Promise<Filter | null> | null>(null);
  const hasList = isOn && inference?.accepts !== undefined;
  useEffect(() => {
    if (!hasList) return undefined;
    asked.current = filterOf(inference.accepts(model));
    return takeUnlessLeft(asked.current, setFilter);
  }, [hasList, inference, model]);
  if (!hasList) return { accept: undefined, findRefused: null };
  return {
    /** The attribute `accept` of a file field; undefined while the files are unknown, and for a model that takes all. */
    accept: filter?.accept,
    /** Resolves with the files that the model does not take. Null where it takes all. */
    async findRefused(files: readonly File[]): Promise<readonly File[]> {
      const late = new Promise<null>((resolve) => setTimeout(resolve, mostMs, null));
      const found = await Promise.race([asked.current, late]);
      if (found === null) return [];
      // A file that cannot be read is told when it is stored.
      const answers = await Promise.all(files.map((file) => found.takes(file).catch(() => true)));
      return files.filter((_, at) => !answers[at]);
    },
  };
}

/** Never rejects: a proxy that has no list may still take the files. */
async function filterOf(accepts: Promise<readonly string[] | null>): Promise<Filter | null> {
  try {
    const types = await accepts;
    return types === null ? null : await Message.fileFilter(types);
  } catch {
    return null;
  }
}
