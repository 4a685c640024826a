import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { uuidV7 } from '@vitrine/core/internal/kit/ids';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import { type RemoteAgentOptions, remoteAgent } from './remote/remote-agent.ts';
import type { RemoteAnswer, RemoteAsk, RemoteState } from './remote/remote-protocol.ts';
import { openRun, streamEvents, type RemoteEvent } from './remote/remote-run.ts';
import { backendIdOf, reasonIn } from './remote/remote-step.ts';
import { nativeOf } from '@vitrine/messages/internal/ag-ui/messages';
import type { AgUiResume, AgUiRunInput } from '@vitrine/messages/internal/ag-ui/protocol';
import { idsIn, SnapshotMessages } from './snapshot-messages.ts';
import { RunLanes } from './remote/subagent-lanes.ts';

/** Options of `aguiAgent`: the backend, and those of `defineAgent` except its model client. */
export type AguiAgentOptions = RemoteAgentOptions & {
  /** Values that the backend gets as they are. */
  readonly forwardedProps?: JsonObject;
};

/** The state of the plugin `ag-ui`: the state that the backend shares, its open questions, and unused events by name. */
export type AgUiState = Pick<RemoteState, 'state' | 'interrupts' | 'skipped'>;

/**
 * An agent whose model is an AG-UI backend of 1.0 or 0.0.59, for sessions, branches and the panel. Its steps are steps
 * of the run, and its tools appear as calls that ran elsewhere. `tools` run here. Its interrupts wait for `approve` and
 * `reject`. Its subagents run below the calls that began them. The state that it shares is `AgentState.plugins['ag-ui']`.
 * @throws AgentError `agent-invalid` as `defineAgent` does
 * @example
 * const agent = aguiAgent({ url: 'https://example.com/agent' });
 */
export function aguiAgent(options: AguiAgentOptions): AgentDefinition {
  const { forwardedProps = {}, ...others } = options;
  return remoteAgent(
    {
      id: 'ag-ui',
      name: 'AG-UI',
      canJoin: false,
      open(ask) {
        const { url } = options;
        const { onSkipped, earlier } = ask;
        const body = inputOf(ask, forwardedProps);
        const lanes = new RunLanes(ask.waiting, onSkipped);
        if (earlier !== null) lanes.inherit(earlier);
        const whole = new SnapshotMessages(idsIn(body.messages));
        const run = openRun(lanes, async (take, signal) => {
          // TanStack AI tells the end of a model call like that of the run, which may go on behind its tools.
          let end: RemoteEvent | null = null;
          const pass = (event: RemoteEvent): void => whole.take(event).forEach(take);
          const onEvent = (given: { readonly type?: unknown }): void => {
            if (typeof given.type !== 'string') return onSkipped('no event');
            const event = given as RemoteEvent;
            if (end !== null) pass({ ...end, type: 'MESSAGE_FINISHED' });
            end = event.type === 'RUN_FINISHED' && reasonIn(event) === 'tool-calls' ? event : null;
            if (end === null) pass(event);
          };
          await streamEvents(options, { url, body, signal, onEvent, onSkipped });
          if (end !== null) pass(end);
        });
        return { ...run, lanes };
      },
    },
    others,
  );
}

function inputOf(
  { agentId: threadId, messages, tools, state, answers }: RemoteAsk,
  forwardedProps: JsonObject,
): AgUiRunInput {
  const input = {
    threadId,
    runId: uuidV7(),
    state,
    // Messages as the backend knows them; calls have its ids already.
    messages: messages.flatMap((message) => nativeOf({ ...message, id: backendIdOf(message) })),
    tools: tools.map(({ inputSchema, ...tool }) => ({ ...tool, parameters: inputSchema })),
    context: [],
    forwardedProps,
  };
  return answers.length === 0 ? input : { ...input, resume: answers.map(resumeOf) };
}

function resumeOf({ question, decision, comment, call, isEdited }: RemoteAnswer): AgUiResume {
  const { id: interruptId, of } = question;
  if (decision === null) return { interruptId, status: 'cancelled' };
  const { input } = call;
  if (decision === 'rejected')
    return {
      interruptId,
      status: 'resolved',
      payload: { approved: false, ...(comment === null ? {} : { reason: comment }) },
    };
  if (isEdited && of === 'none') return { interruptId, status: 'resolved', payload: input };
  const edit = isEdited && of === 'call' ? { editedArgs: input } : {};
  return { interruptId, status: 'resolved', payload: { approved: true, ...edit } };
}
