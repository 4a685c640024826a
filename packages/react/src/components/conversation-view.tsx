'use client';

import { AgentState, type ChatMessage, Conversation, Message } from '@vitrine/core';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import {
  type ComponentType,
  Fragment,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { useAgentSession, useAgentState } from '../hooks/use-agent-state.ts';
import { useMessageIds } from '../hooks/use-message.ts';
import { IconButton } from './kit/icon-button.tsx';
import { later } from './kit/later.tsx';
import { useKeptFocus } from './kit/keyboard.ts';
import { takeUnlessLeft } from './kit/take-unless-left.ts';
import { onSent, sessionKey } from './kit/use-chat-status.ts';
import {
  type ConversationSettings,
  ConversationSettingsContext,
  PlainText,
} from './messages/conversation-settings.tsx';
import { MessageView } from './messages/message-view.tsx';
import type { ToolView } from './messages/tool-view.ts';
import { useTexts } from './texts-provider.tsx';
import { useAnchoredScroll, useRowWindow } from './use-row-window.ts';

type ConversationViewProps = {
  /** The accessible name of the region. Default: Conversation, or `conversation.label` of the texts. */
  readonly label?: string;
  /** Renders the text of answers, e.g. as Markdown. Default: plain text. */
  readonly Text?: ComponentType<{ readonly text: string }>;
  /** Custom interfaces of tools, made with `toolView` outside of components. */
  readonly tools?: readonly ToolView[];
  /** Shown while there are no messages. */
  readonly empty?: ReactNode;
  /**
   * Opens a session that was forked at an answer, by its id. Without it forking is not offered. Pass a stable function.
   */
  readonly onFork?: (sessionId: string) => void;
  /** True lets people rate answers: `feedback` and `feedback_text` of the metadata. Default: false. */
  readonly feedback?: boolean;
  /** True leaves out what changes the conversation, as editing and answering again. Default: false. */
  readonly readOnly?: boolean;
  /**
   * True for a button that reads an answer aloud, where the browser has a voice. A function of your own speaks the text,
   * calls `onEnd` behind it, and returns one that stops it. Default: false.
   */
  readonly readAloud?: boolean | ((text: string, onEnd: () => void) => () => void);
  /** Shown after the last message, e.g. `<Activity />` and `<Approvals />`. */
  readonly children?: ReactNode;
};

const noTools: readonly ToolView[] = [];
const loadSpoken = () => import('./markdown/spoken-text.ts');
const LazyStreamingCalls = later(() => import('./messages/streaming-calls.tsx'), 'StreamingCalls');
const LazyShortened = later(() => import('./plugins/shortened.tsx'), 'Shortened');
const itself = (area: HTMLElement): HTMLElement => area;

/**
 * The messages of the nearest session. It follows a streaming answer while the reader is at the end.
 *
 * With more than 200 messages, only those near the visible part are in the page. Each message subscribes to
 * itself, so streaming one message does not render the others. Complete answers are announced once to
 * screen readers, Markdown as text. The focus moves to the region when its element disappears.
 */
export function ConversationView(props: ConversationViewProps): ReactNode {
  const texts = useTexts().conversation;
  const { label = texts.label, empty, children } = props;
  const session = useAgentSession();
  const ids = useMessageIds();
  const scroll = useAnchoredScroll(session, ids.length === 0);
  const { scroller, content, isAtEnd, isFollowing, scrollToEnd, hold } = scroll;
  // Called here and not in the list, because effects inside the scroller run before its element is known.
  const rowWindow = useRowWindow(ids.length, scroller, isFollowing);
  useEffect(() => onSent(session, scrollToEnd), [session, scrollToEnd]);
  useKeptFocus(scroller, itself);
  const onClick = ({ target }: MouseEvent): void => {
    // An opened disclosure keeps its position and grows downwards.
    if (target instanceof Element && target.closest('summary') !== null) hold();
  };
  return (
    <ConversationSettingsContext.Provider value={useSettings(props)}>
      <div className="vitrine-conversation">
        <div
          className="vitrine-scroller"
          ref={scroller}
          data-virtual={rowWindow.isVirtual}
          tabIndex={0}
          role="region"
          aria-label={label}
          onClickCapture={onClick}
        >
          <div className="vitrine-column" ref={content}>
            {ids.length === 0 && empty}
            <Rows ids={ids} rowWindow={rowWindow} />
            {props.tools && <LazyStreamingCalls key={sessionKey(session)} />}
            {children}
          </div>
        </div>
        {!isAtEnd && (
          <div className="vitrine-to-end">
            <IconButton icon="down" label={texts.toEnd} onClick={scrollToEnd} />
          </div>
        )}
        <Announcer key={sessionKey(session)} />
      </div>
    </ConversationSettingsContext.Provider>
  );
}

function useSettings(props: ConversationViewProps): ConversationSettings {
  const defaults = useContext(ConversationSettingsContext);
  const { Text = defaults.Text, tools = noTools, readAloud: voice, readOnly = false } = props;
  const onFork = (!readOnly && props.onFork) || null;
  const feedback = !readOnly && props.feedback === true;
  const readAloud = useMemo(() => (voice ? { voice, loadSpoken } : null), [voice]);
  return useMemo(
    () => ({ Text, views: viewsByName(tools), onFork, feedback, readOnly, readAloud }),
    [Text, tools, onFork, feedback, readOnly, readAloud],
  );
}

function viewsByName(tools: readonly ToolView[]): ConversationSettings['views'] {
  const views: Record<string, unknown> = Object.create(null);
  for (const { toolName, Component } of tools) views[toolName] = Component;
  return views as ConversationSettings['views'];
}

type RowsProps = { readonly ids: readonly string[]; readonly rowWindow: ReturnType<typeof useRowWindow> };

function isAnswered(state: AgentState): boolean {
  return AgentState.status(state) !== 'in-progress';
}

function Rows({ ids, rowWindow }: RowsProps): ReactNode {
  const ends = useAgentState((state) => endsIn(Conversation.settledMessages(state)));
  const isOver = useAgentState(isAnswered);
  const streamingId = useAgentState((state) => Conversation.streamingMessage(state)?.id ?? null);
  const mayBeShortened = useAgentState((state) => 'compaction' in state.plugins);
  const { rows, spaceAfter, measure, onFocusRow } = rowWindow;
  return (
    <div className="vitrine-rows">
      {rows.map(({ index, spaceBefore }) => {
        const id = ids[index] ?? '';
        return (
          // Keyed by index, so that the arrow that switches branches keeps the focus.
          <Fragment key={index}>
            {spaceBefore > 0 && <div style={{ height: spaceBefore }} />}
            <div
              className="vitrine-row"
              ref={measure}
              data-index={index}
              onFocus={() => onFocusRow(index)}
              onBlur={() => onFocusRow(null)}
            >
              <MessageView
                id={id}
                isEnd={ends.has(id) || (isOver && index === ids.length - 1)}
                isLast={index === ids.length - 1}
                isStreaming={id === streamingId}
              />
              {mayBeShortened && <LazyShortened id={id} ids={ids} />}
            </div>
          </Fragment>
        );
      })}
      {spaceAfter > 0 && <div style={{ height: spaceAfter }} />}
    </div>
  );
}

/** Maximum number of characters to announce; the conversation shows the rest. */
const longest = 600;

/** Maximum number of characters of Markdown that are read for an announcement. */
const longestRead = 6_000;

/**
 * Announces an answer to screen readers once it is complete. Neither streaming nor opening a stored session
 * announces anything.
 */
function Announcer(): ReactNode {
  const answer = useAgentState(finishedAnswer);
  const texts = useTexts().conversation;
  const { onEvent } = useAgentSession();
  const [hasRun, setHasRun] = useState(false);
  if (answer === null && !hasRun) setHasRun(true);
  // A run may end before its first render, so an event also counts as a run.
  useEffect(() => (hasRun ? undefined : onEvent(() => setHasRun(true))), [hasRun, onEvent]);
  const spoken = useSpoken(hasRun ? (answer ?? '') : '');
  const isLong = spoken.length > longest || (spoken !== '' && (answer ?? '').length > longestRead);
  return (
    <p className="vitrine-unseen" role="status">
      {spoken === ''
        ? ''
        : isLong
          ? texts.longAnnouncement(spoken.slice(0, longest))
          : texts.announcement(spoken)}
    </p>
  );
}

/**
 * An answer as a voice reads it; empty until the parser is there. A text that is shown with its marks is read with them.
 */
function useSpoken(answer: string): string {
  const { Text } = useContext(ConversationSettingsContext);
  const [read, setRead] = useState({ answer: '', spoken: '' });
  const isPlain = Text === PlainText;
  useEffect(() => {
    if (isPlain || answer === '') return undefined;
    return takeUnlessLeft(
      loadSpoken(),
      ({ spokenText }) => setRead({ answer, spoken: spokenText(answer.slice(0, longestRead)) }),
      () => setRead({ answer, spoken: answer }),
    );
  }, [answer, isPlain]);
  if (isPlain) return answer;
  return read.answer === answer ? read.spoken : '';
}

/** The text of the last answer; null while an answer is in progress. */
function finishedAnswer(state: AgentState): string | null {
  if (!isAnswered(state)) return null;
  const last = Conversation.settledMessages(state).at(-1);
  if (last?.role !== 'assistant') return '';
  return Message.text(last).trim();
}

const isSaid = (message: ChatMessage): boolean => message.role === 'user' && !Message.isTrace(message);

const endsIn = memoize((messages: readonly ChatMessage[]): ReadonlySet<string> => {
  const before = messages.flatMap((message, at) => (isSaid(message) ? (messages[at - 1]?.id ?? []) : []));
  return new Set(before);
});
