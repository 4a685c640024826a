'use client';

import type { ChatToolCall, JsonValue } from '@vitrine/core';
import { type ReactNode, useContext } from 'react';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { gist } from '../kit/gist.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { ConversationSettingsContext } from './conversation-settings.ts';
import { Disclosure } from './disclosure.tsx';
import { JsonView } from './json-view.tsx';
import { MessageBoundary } from './message-boundary.tsx';
import { ToolProgress } from './tool-progress.tsx';
import { ToolStatus } from './tool-status.tsx';

/** Props of `ToolCall`. */
export type ToolCallProps = { readonly call: ChatToolCall };

/**
 * A tool call. Shows the tool's custom interface (`toolView`) if there is one, otherwise a line that opens
 * to the input and the result.
 */
export function ToolCall({ call }: ToolCallProps): ReactNode {
  const { views } = useContext(ConversationSettingsContext);
  const { respond } = useAgentSession();
  const View = views[call.toolName];
  const line = <ToolLine call={call} />;
  if (View === undefined) return line;
  return (
    <MessageBoundary fallback={line}>
      <div className="vitrine-tool-view" data-status={call.status} data-vitrine-call={call.toolCallId}>
        <View {...call} respond={(output) => respond(call.toolCallId, output as JsonValue)} />
      </div>
    </MessageBoundary>
  );
}

function ToolLine({ call }: ToolCallProps): ReactNode {
  const { status, error, output, progress, toolName } = call;
  const result = error?.message ?? (status === 'completed' ? gist(output) : '');
  const summary = (
    <>
      <code className="vitrine-tool-name">
        <VisibleText text={toolName} />
      </code>
      <span className="vitrine-gist" dir="auto">
        <VisibleText text={gist(call.input)} />
      </span>
      {status === 'running' && progress !== null && <ToolProgress value={progress} of={toolName} />}
      {result !== '' && (
        <span className="vitrine-gist vitrine-outcome-gist" dir="auto">
          <span aria-hidden="true">→ </span>
          <VisibleText text={gist(result)} />
        </span>
      )}
      <ToolStatus call={call} />
    </>
  );
  return (
    <Disclosure className="vitrine-tool-call" summary={summary} status={status} toolCallId={call.toolCallId}>
      {() => (
        <>
          <JsonView name="input" value={call.input} />
          {status === 'completed' && <JsonView name="result" value={output} />}
          {error !== null && <JsonView name="error" value={error.message} />}
        </>
      )}
    </Disclosure>
  );
}
