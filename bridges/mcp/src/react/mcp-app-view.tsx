'use client';

import type { Client } from '@modelcontextprotocol/client';
import type { ChatToolCall } from '@vitrine/core';
import type { McpView } from '../views.ts';
import { type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { VisibleText } from '@vitrine/react/internal/components/kit/visible-text';
import {
  type ConversationSettings,
  ConversationSettingsContext,
} from '@vitrine/react/internal/components/messages/conversation-settings';
import { JsonView } from '@vitrine/react/internal/components/messages/disclosure';
import { ToolCallView } from '@vitrine/react/internal/components/messages/tool-call-view';
import { useAgentSession } from '@vitrine/react/internal/hooks/use-agent-state';
import { readView, type ViewSource } from './read-view.ts';
import { type RunningView, startView, type ViewRequest } from './start-view.ts';
import type { McpAppTexts } from './texts.ts';

type Props = {
  readonly call: ChatToolCall;
  readonly client: Client;
  readonly view: McpView;
  readonly texts: McpAppTexts;
};

/** A call with the view of its server below its line. The view begins when nobody has to approve the call any more. */
export function McpAppView(props: Props): ReactNode {
  const { call } = props;
  const settings = useContext(ConversationSettingsContext);
  // The line that any other call has.
  const plain = useMemo(() => ({ ...settings, views: noViews }), [settings]);
  const isWaiting = call.status === 'requested' || call.status === 'awaiting-approval';
  return (
    <>
      <ConversationSettingsContext.Provider value={plain}>
        <ToolCallView call={call} />
      </ConversationSettingsContext.Provider>
      {!isWaiting && <LoadedView {...props} />}
    </>
  );
}

const noViews = Object.create(null) as ConversationSettings['views'];

function LoadedView(props: Props): ReactNode {
  const { client, view, texts } = props;
  const [source, setSource] = useState<ViewSource | null>(null);
  const [ending, setEnding] = useState<string | null>(null);
  useEffect(() => {
    const reading = new AbortController();
    const fail = (thrown: unknown): void => {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      if (!reading.signal.aborted) setEnding(texts.failed(why.slice(0, 1_000)));
    };
    readView(client, view.uri, reading.signal).then(setSource, fail);
    return () => reading.abort();
  }, [client, view, texts]);
  if (ending !== null || source === null)
    return (
      <p className="vitrine-hint" role="status">
        <VisibleText text={ending ?? texts.loading} />
      </p>
    );
  return <Frame {...props} source={source} onEnd={setEnding} />;
}

type FrameProps = Props & {
  readonly source: ViewSource;
  /** Called with a sentence when the view has to go. */
  readonly onEnd: (sentence: string) => void;
};

type Question = { readonly request: ViewRequest; readonly answer: (isAllowed: boolean) => void };

function Frame({ call, client, view, source, texts, onEnd }: FrameProps): ReactNode {
  const frame = useRef<HTMLIFrameElement>(null);
  const running = useRef<RunningView | null>(null);
  const [height, setHeight] = useState(200);
  const [question, setQuestion] = useState<Question | null>(null);
  const session = useAgentSession();
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const started = startView(element, {
      client,
      view,
      source,
      theme: themeOf(element),
      ask: (request) =>
        new Promise((resolve) => {
          const answer = (isAllowed: boolean): void => {
            setQuestion(null);
            resolve(isAllowed);
          };
          setQuestion({ request, answer });
        }),
      send: (text) => void session.sendMessage(text),
      onHeight: setHeight,
      onFlood: () => onEnd(texts.flooded),
      onFail: (thrown) => onEnd(texts.failed(thrown instanceof Error ? thrown.message : String(thrown))),
    });
    running.current = started;
    return () => {
      setQuestion(null);
      started.close();
    };
  }, [client, view, source, texts, session, onEnd]);
  useEffect(() => running.current?.show(call), [call]);
  return (
    <>
      <iframe
        ref={frame}
        title={texts.frame(call.toolName)}
        sandbox="allow-scripts allow-forms"
        referrerPolicy="no-referrer"
        style={{ display: 'block', width: '100%', height, marginBottom: 10, border: 0 }}
      />
      {question !== null && <AskedByView {...question} texts={texts} />}
    </>
  );
}

function themeOf(element: Element): 'light' | 'dark' {
  const { colorScheme } = getComputedStyle(element.parentElement ?? element);
  if (colorScheme === 'dark' || colorScheme === 'light') return colorScheme;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

function AskedByView({ request, answer, texts }: Question & { readonly texts: McpAppTexts }): ReactNode {
  const title = request.type === 'call' ? texts.asks.call(request.toolName) : texts.asks[request.type];
  return (
    <section className="vitrine-approval" aria-label={title}>
      <p className="vitrine-approval-title" role="alert">
        <VisibleText text={title} />
      </p>
      {request.type === 'call' && <JsonView name="input" value={request.input} />}
      {request.type !== 'call' && (
        <p dir="auto">
          <VisibleText text={request.type === 'link' ? request.url : request.text} />
        </p>
      )}
      <div className="vitrine-buttons">
        <button type="button" className="vitrine-button" onClick={() => answer(true)}>
          {texts.allow}
        </button>
        <button type="button" className="vitrine-button" onClick={() => answer(false)}>
          {texts.refuse}
        </button>
      </div>
    </section>
  );
}
