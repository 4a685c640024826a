'use client';

import { Conversation, type Turn } from '@vitrine/core';
import { useRef, useState } from 'react';
import { useAgentSession } from '../../hooks/use-agent-session.ts';
import { tellSent } from '../kit/sent-channel.ts';
import { useChatStatus } from '../kit/use-chat-status.ts';
import { type ChosenFiles, useChosenFiles } from './use-chosen-files.ts';
import { useRefusal } from './use-refusal.ts';

/** What is typed and chosen, and what can be done with it. */
export type MessageBox = Pick<ChosenFiles, 'files' | 'add' | 'remove'> & {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly send: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly isSendable: boolean;
  readonly isRunning: boolean;
  /** Why the last message was not taken; it stands in the box again. */
  readonly problem: string | null;
};

/** The next message of a person. Nothing of it goes before somebody has taken it. */
export function useMessageBox(): MessageBox {
  const session = useAgentSession();
  const { status, draft, setDraft, sendMessage, stop } = useChatStatus();
  const { files, add, remove, clear, giveBack } = useChosenFiles();
  const { problem, tell, forget } = useRefusal();
  // What was typed and not sent is kept with its session, and comes back with it; what is being typed stands above it.
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
    tellSent(session);
    const turn = await sendMessage({ text: text.trim(), files });
    if (turn.status !== 'refused' || isKept(turn)) return;
    giveBack(files);
    // What was typed meanwhile stands behind it. A session that could not be read has forgotten its draft.
    const meanwhile = session.store.getState().draft || lastTyped.current;
    write([text, meanwhile].filter((part) => part.trim() !== '').join('\n'));
    tell(turn.error);
  }

  /** True for what stands in the conversation all the same: it is tried again from there. */
  function isKept({ id }: Turn): boolean {
    return Conversation.messageIds(session.store.getState().state).includes(id);
  }

  // What is typed and chosen stays: a deleted session may be brought back.
  const isSendable = isAnything && status !== 'deleted';
  return {
    text,
    setText(next) {
      forget();
      write(next);
    },
    files,
    add(more) {
      forget();
      add(more);
    },
    remove(place) {
      forget();
      remove(place);
    },
    send,
    stop,
    isSendable,
    isRunning: status === 'submitted' || status === 'streaming',
    problem,
  };
}
