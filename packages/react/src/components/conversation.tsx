'use client';

import {
  type ComponentType,
  Fragment,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
} from 'react';
import { useAgentSession, useAgentState } from '../hooks/use-agent-state.ts';
import { useMessageIds } from '../hooks/use-message.ts';
import { Announcer } from './announcer.tsx';
import { endsOfAnswers } from './ends-of-answers.ts';
import { IconButton } from './kit/icon-button.tsx';
import { onSent } from './kit/sent-channel.ts';
import { sessionKey } from './kit/session-key.ts';
import { useKeptFocus } from './kit/use-kept-focus.ts';
import { type ConversationSettings, ConversationSettingsContext } from './messages/conversation-settings.ts';
import { Message } from './messages/message.tsx';
import type { ToolView } from './messages/tool-view.ts';
import { useTexts } from './texts-provider.tsx';
import { useAnchoredScroll } from './use-anchored-scroll.ts';
import { useRowWindow } from './use-row-window.ts';

/** Props of `Conversation`; all are optional. */
export type ConversationProps = {
  /** The accessible name of the region. Default: Conversation, or `conversation.label` of the texts. */
  readonly label?: string;
  /** Renders the text of answers, e.g. as Markdown. Default: plain text. */
  readonly Text?: ComponentType<{ readonly text: string }>;
  /** Custom interfaces of tools, made with `toolView` outside of components. */
  readonly tools?: readonly ToolView[];
  /** Shown while there are no messages. */
  readonly empty?: ReactNode;
  /**
   * Opens a session that was forked at an answer, by its id. Without it forking is not offered. Pass a
   * stable function.
   */
  readonly onFork?: (sessionId: string) => void;
  /** Shown after the last message, e.g. `<Activity />` and `<Approvals />`. */
  readonly children?: ReactNode;
};

const noTools: readonly ToolView[] = [];

/**
 * The messages of the nearest session. It follows a streaming answer while the reader is at the end.
 *
 * With more than 200 messages, only those near the visible part are in the page. Each message subscribes to
 * itself, so streaming one message does not render the others. Complete answers are announced once to
 * screen readers. The focus moves to the region when its element disappears.
 */
export function Conversation(props: ConversationProps): ReactNode {
  const texts = useTexts().conversation;
  const { label = texts.label, empty, children } = props;
  const session = useAgentSession();
  const ids = useMessageIds();
  const { scroller, content, isAtEnd, isFollowing, scrollToEnd, hold } = useAnchoredScroll(
    session,
    ids.length === 0,
  );
  // Called here and not in the list, because effects inside the scroller run before its element is known.
  const rowWindow = useRowWindow(ids.length, scroller, isFollowing);
  useEffect(() => onSent(session, scrollToEnd), [session, scrollToEnd]);
  useKeptFocus(
    scroller,
    useCallback((area: HTMLElement) => area, []),
  );
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
          tabIndex={0}
          role="region"
          aria-label={label}
          onClickCapture={onClick}
        >
          <div className="vitrine-column" ref={content}>
            {ids.length === 0 && empty}
            <Rows ids={ids} rowWindow={rowWindow} />
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

function useSettings({ Text, tools = noTools, onFork }: ConversationProps): ConversationSettings {
  const defaults = useContext(ConversationSettingsContext);
  return useMemo(
    () => ({
      Text: Text ?? defaults.Text,
      views: viewsByName(tools),
      onFork: onFork ?? null,
    }),
    [Text, tools, onFork, defaults],
  );
}

function viewsByName(tools: readonly ToolView[]): ConversationSettings['views'] {
  const views: Record<string, unknown> = Object.create(null);
  for (const { toolName, Component } of tools) views[toolName] = Component;
  return views as ConversationSettings['views'];
}

type RowsProps = {
  readonly ids: readonly string[];
  readonly rowWindow: ReturnType<typeof useRowWindow>;
};

function Rows({ ids, rowWindow }: RowsProps): ReactNode {
  const ends = useAgentState(endsOfAnswers);
  const { rows, spaceAfter, isVirtual, measure, onFocusRow } = rowWindow;
  return (
    <div className="vitrine-rows" data-virtual={isVirtual}>
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
              <Message id={id} isEnd={ends.has(id)} isLast={index === ids.length - 1} />
            </div>
          </Fragment>
        );
      })}
      {spaceAfter > 0 && <div style={{ height: spaceAfter }} />}
    </div>
  );
}
