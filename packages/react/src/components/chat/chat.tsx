'use client';

import type { AgentDefinition } from '@vitrine/core';
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { SessionStoreContext } from '../../agent-context.ts';
import { AgentProvider } from '../../agent-provider.tsx';
import { AgentSessionProvider } from '../../agent-session-provider.tsx';
import { useAgentStatus, usePendingApprovals } from '../../field-hooks.ts';
import type { useModels } from '../../hooks/use-models.ts';
import type { UseAgentOptions } from '../../use-shared-session.ts';
import { Activity } from '../activity.tsx';
import { Composer } from '../composer/composer.tsx';
import { ConversationView } from '../conversation-view.tsx';
import { IconButton } from '../kit/icon-button.tsx';
import { VisibleText } from '../kit/visible-text.tsx';
import { useTexts } from '../texts-provider.tsx';
import { later } from '../kit/later.tsx';
import { LazyMarkdown, loadMarkdown } from './lazy-markdown.tsx';
import { useOpenSession } from './use-open-session.ts';

const LazySessionList = later(
  () => import('../sessions/session-list.tsx'),
  'SessionList',
  (content) => <div className="vitrine-sessions">{content}</div>,
);
// Like the sentences of errors, before the first error: the page may go offline.
const LazyNotices = later(() => import('../notices.tsx'), 'Notices');
const LazyPlaceMark = later(() => import('../place-mark.tsx'), 'PlaceMark');
const LazyUsage = later(() => import('../usage.tsx'), 'Usage');
const LazyModelChoice = later(() => import('../model-choice.tsx'), 'ModelChoice');
const LazyDownload = later(() => import('./download.tsx'), 'Download');
const LazySuggestions = later(() => import('../suggestions.tsx'), 'Suggestions');
const LazyApprovals = later(() => import('../approvals/approvals.tsx'), 'Approvals');
const LazyQuestions = later(() => import('../plugins/questions.tsx'), 'Questions');
const LazyPluginViews = later(() => import('../plugins/plugin-views.tsx'), 'PluginViews');
const LazyDecisions = later(() => import('../approvals/approvals.tsx'), 'RememberedDecisions');

/**
 * Props of `Chat`; only `agent` is needed. The options of `useAgent` are those of the open session.
 *
 * A part is replaced by its prop: an element takes its place, and `null` leaves it out. The elements of all
 * parts but `list` are below the `<AgentSessionProvider>` of the open session.
 */
export type ChatProps = UseAgentOptions &
  Pick<ComponentProps<typeof ConversationView>, 'Text' | 'tools' | 'empty' | 'feedback' | 'readAloud'> &
  Pick<ComponentProps<typeof Composer>, 'dictation' | 'menus'> & {
    /** The agent that answers. Define it once, outside of components. */
    readonly agent: AgentDefinition;
    /**
     * Called when the person opens a session. `isNew` is true for one of which nothing is stored. Keep the
     * id, e.g. in the address of the page, and pass it as `sessionId`. Default: the chat keeps the id
     * itself, in `sessionStorage`, so that a reload shows the same session.
     */
    readonly onOpen?: (sessionId: string, isNew: boolean) => void;
    /**
     * `page` fills the window and leaves room for the devtools panel. `box` fills its container, which needs
     * a height. Default: `page`.
     */
    readonly layout?: 'page' | 'box';
    /** The content of the bar above the messages. Default: the title of the session. */
    readonly header?: ReactNode;
    /** The list of sessions. Default: `<SessionList>` when the sessions are stored. */
    readonly list?: ReactNode;
    /**
     * Messages for an empty chat that a click sends. Behind an answer, those of its data part `suggestions`, a list of
     * texts, are shown. `false` shows none. Default: only those of answers.
     */
    readonly suggestions?: readonly string[] | false;
    /** Shown after the last message. Default: `<Activity>`. */
    readonly activity?: ReactNode;
    /** The questions about calls. Default: `<Approvals>`. */
    readonly approvals?: ReactNode;
    /** Shown above the message box. Default: `<Notices>`. */
    readonly notices?: ReactNode;
    /** The message box. Default: `<Composer>`. */
    readonly composer?: ReactNode;
    /** `true` for `<ModelChoice>` in the message box; an object has the options of `useModels`. Default: nothing. */
    readonly models?: boolean | Parameters<typeof useModels>[0];
    /** Shown below the message box: `true` for `<Usage>`, the tokens and the money of the session. Default: nothing. */
    readonly usage?: ReactNode;
    /** True for a menu in the bar that saves the open conversation as Markdown or JSON. Default: false. */
    readonly download?: boolean;
    /**
     * True for a person who may only follow the session: no message box, no list, nothing that changes it. A part that a
     * prop names is shown all the same. What a server allows, its `access` says. Default: false.
     */
    readonly readOnly?: boolean;
    /** Shown above the message box and the notices. */
    readonly children?: ReactNode;
  };

/**
 * A whole chat with an agent: list of sessions, messages with Markdown, approvals, notices and message box.
 * It needs `@vitrine/react/theme.css` and nothing else.
 *
 * Sessions are kept across reloads, and listed, when there is a store: the prop `sessions`, e.g.
 * `browserSessions()`, or that of the nearest `<AgentProvider>`. Without a store there is one conversation
 * at a time, and a reload ends it. All that a person does not need to write the first message loads after the message box.
 * @example
 * const sessions = browserSessions();
 * const App = () => <Chat agent={assistant} sessions={sessions} />;
 */
export function Chat(props: ChatProps): ReactNode {
  const { agent, sessions, sessionId, onOpen, list, layout = 'page', ...others } = props;
  const provided = useContext(SessionStoreContext);
  const store = sessions ?? provided;
  const { openId, open } = useOpenSession({ sessionId, onOpen, isStored: store !== null, name: agent.name });
  const frame = useRef<HTMLDivElement>(null);
  const drawer = useDrawer(frame);
  const footId = useId();
  const { close } = drawer;
  const openAndClose = (id: string, isNew: boolean): void => {
    open(id, isNew);
    close();
  };
  // A list of the application's own opens sessions, too.
  useEffect(close, [close, openId]);
  const shownList =
    list === undefined && store !== null && !others.readOnly ? (
      <LazySessionList currentId={openId} onOpen={openAndClose} />
    ) : (
      list
    );
  const hasList = shownList !== undefined && shownList !== null && shownList !== false;
  return (
    <AgentProvider sessions={store ?? undefined}>
      <div
        ref={frame}
        className="vitrine-chat"
        data-layout={layout}
        data-list={!hasList ? 'none' : drawer.isOpen ? 'open' : 'closed'}
        onKeyDown={drawer.onKeyDown}
      >
        <div className="vitrine-frame">
          {layout === 'page' && !others.readOnly && <SkipLink id={footId} />}
          {hasList && (
            <>
              <div className="vitrine-side" id={drawer.id}>
                {shownList}
              </div>
              <Scrim onClose={drawer.close} />
            </>
          )}
          <AgentSessionProvider
            key={openId}
            {...others}
            agent={agent}
            // Without a store the name would be shared by the whole page.
            sessionId={sessionId ?? (store === null ? undefined : openId)}
          >
            <Main
              {...others}
              agent={agent}
              layout={layout}
              footId={footId}
              onOpen={open}
              menu={hasList ? <MenuButton {...drawer} /> : null}
            />
          </AgentSessionProvider>
        </div>
      </div>
    </AgentProvider>
  );
}

type MainProps = Omit<ChatProps, 'layout' | 'onOpen'> & {
  readonly layout: 'page' | 'box';
  readonly footId: string;
  readonly onOpen: (sessionId?: string, isNew?: boolean) => void;
  readonly menu: ReactNode;
};

function Main(props: MainProps): ReactNode {
  const { agent, layout, footId, onOpen, menu, Text = LazyMarkdown, tools, usage, children } = props;
  const { header = <Title {...props} onNew={() => onOpen(undefined, true)} /> } = props;
  const { empty = <Greeting />, activity = <Activity />, models, suggestions, download } = props;
  const { feedback = false, readAloud = false, dictation = false, readOnly = false } = props;
  const { menus, approvals = !readOnly && <PendingApprovals /> } = props;
  const { notices = <LazyNotices readOnly={readOnly} onFork={onOpen} /> } = props;
  const choice = models ? <LazyModelChoice {...(models === true ? {} : models)} /> : undefined;
  const { composer = !readOnly && <Composer {...{ dictation, menus }}>{choice}</Composer> } = props;
  useEffect(() => {
    // Early, so that it is there for the first answer.
    if (Text === LazyMarkdown) void loadMarkdown();
  }, [Text]);
  const shown = { Text, empty, feedback, readAloud, readOnly, ...(tools !== undefined && { tools }) };
  const Element = layout === 'page' ? 'main' : 'div';
  return (
    <Element className="vitrine-main">
      <div className="vitrine-bar">
        {menu}
        {header}
        {download && <LazyDownload />}
      </div>
      <ConversationView {...shown} onFork={onOpen}>
        {activity}
        {approvals}
        {!readOnly && suggestions !== false && <LazySuggestions start={suggestions} />}
      </ConversationView>
      <div className="vitrine-foot" id={footId}>
        <div className="vitrine-column">
          {children}
          {!readOnly && <LazyDecisions />}
          {!readOnly && agent.plugins.length > 0 && <LazyPluginViews />}
          {notices}
          {composer}
          {usage === true ? (
            <div className="vitrine-usage-line">
              <LazyUsage />
            </div>
          ) : (
            usage
          )}
        </div>
      </div>
    </Element>
  );
}

type TitleProps = Pick<MainProps, 'layout' | 'readOnly'> & { readonly onNew: () => void };

function Title({ layout, readOnly, onNew }: TitleProps): ReactNode {
  const { title } = useAgentStatus();
  const { common } = useTexts();
  const Heading = layout === 'page' ? 'h1' : 'h2';
  return (
    <>
      <Heading className="vitrine-title" dir="auto">
        <VisibleText text={title || common.newSession} />
      </Heading>
      <LazyPlaceMark />
      {!readOnly && <IconButton icon="plus" label={common.newSession} onClick={onNew} />}
    </>
  );
}

function Greeting(): ReactNode {
  const { status } = useAgentStatus();
  const { greeting } = useTexts().chat;
  return status === 'loading' ? null : <p className="vitrine-greeting">{greeting}</p>;
}

function PendingApprovals(): ReactNode {
  const pending = usePendingApprovals();
  return (
    <>
      {pending.length > 0 && <LazyApprovals />}
      {pending.some(({ toolCall }) => toolCall.name === 'ask_user') && <LazyQuestions />}
    </>
  );
}

function SkipLink({ id }: { readonly id: string }): ReactNode {
  const { skip } = useTexts().chat;
  return (
    <a
      className="vitrine-skip"
      href={`#${id}`}
      onClick={(event) => {
        // The hash of the address belongs to the application.
        event.preventDefault();
        document.getElementById(id)?.querySelector('textarea')?.focus();
      }}
    >
      {skip}
    </a>
  );
}

/** The list of sessions as a drawer, in narrow chats. The focus moves into it and back. */
function useDrawer(frame: RefObject<HTMLDivElement | null>) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(false);
  const close = useCallback((): void => setOpen(false), []);
  useEffect(() => {
    const [from, to] = isOpen ? ['.vitrine-menu', '.vitrine-side'] : ['.vitrine-side', '.vitrine-menu'];
    const target = wasOpen.current === isOpen ? null : (frame.current?.querySelector(to) ?? null);
    wasOpen.current = isOpen;
    if (target === null || !isAt(from) || focusIn(target)) return undefined;
    // The list may load after the drawer is open.
    const observer = new MutationObserver(() => {
      if (!isAt(from) || focusIn(target)) observer.disconnect();
    });
    observer.observe(target, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [isOpen, frame]);
  return {
    id,
    isOpen,
    toggle: (): void => setOpen((is) => !is),
    close,
    onKeyDown: ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') setOpen(false);
    },
  };
}

/** True when the focus is in an element, or nowhere. */
function isAt(selector: string): boolean {
  const { activeElement } = document;
  return (
    activeElement === null || activeElement === document.body || activeElement.closest(selector) !== null
  );
}

function focusIn(element: Element): boolean {
  const button = element.querySelector('button');
  button?.focus();
  return button !== null;
}

function MenuButton({ id, isOpen, toggle }: ReturnType<typeof useDrawer>): ReactNode {
  const { sessions } = useTexts();
  return (
    <span className="vitrine-menu">
      <IconButton icon="menu" label={sessions.label} onClick={toggle} isExpanded={isOpen} controls={id} />
    </span>
  );
}

/** The area beside the open drawer, which closes it. The keyboard has Escape. */
function Scrim({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { closeList } = useTexts().chat;
  return (
    <button type="button" className="vitrine-scrim" aria-label={closeList} tabIndex={-1} onClick={onClose} />
  );
}
