import type { AgentDefinition, AgentInit } from '@vitrine/core/internal/agent/agent-definition';
import { allSections } from '@vitrine/core/internal/agent/compilers';
import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import type { DelegatingTool } from '@vitrine/core/internal/agent/delegation-tool';
import { anything } from '@vitrine/core/internal/features/foreign-tools';
import { defineHook } from '@vitrine/core/internal/agent/hook';
import { type Plugin } from '@vitrine/core/internal/agent/plugin/plugin';
import * as PluginState from '@vitrine/core/internal/agent/plugin/plugin-state';
import type { Schema } from '@vitrine/core/internal/agent/schema';
import { anyName, defineTool } from '@vitrine/core/internal/agent/tool';
import { currentStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { type Above, Backend } from './remote-backend.ts';
import { noState, type RemoteProtocol, type RemoteState } from './remote-protocol.ts';
import { questionAbout, questionText } from './remote-questions.ts';
import type { RemoteOptions } from './remote-run.ts';
import { definePlugin } from '@vitrine/core/internal/features/define-plugin';

/** Options of an agent over a backend: those of `defineAgent` except its model client. */
export type RemoteAgentOptions = RemoteOptions & Omit<AgentInit, 'inference' | 'compileMessages'>;

/** An agent whose model is a backend. @throws AgentError `agent-invalid` as `defineAgent` does */
export function remoteAgent(protocol: RemoteProtocol, options: RemoteAgentOptions): AgentDefinition {
  return agentOver(protocol, options, null);
}

/** An agent over a backend, or over one subagent of it. */
function agentOver(
  protocol: RemoteProtocol,
  options: RemoteAgentOptions,
  above: Above | null,
): AgentDefinition {
  const { url, headers: _headers, fetch: _fetch, idleMs: _idleMs, ...init } = options;
  const { id } = protocol;
  const { budget = {}, maxResultBytes, toolConcurrency } = init;
  const backend = new Backend(protocol, url, above, (below) =>
    agentOver(
      { ...protocol, canJoin: false, open: below.open },
      {
        url,
        name: below.subagent.name,
        budget,
        ...(maxResultBytes === undefined ? {} : { maxResultBytes }),
        ...(toolConcurrency === undefined ? {} : { toolConcurrency }),
      },
      below,
    ),
  );
  const withRemoteState = (state: AgentState): AgentState =>
    PluginState.set(state, plugin, backend.remoteStateOf(state));
  const plugin: Plugin<RemoteState> = definePlugin({
    id,
    // Only this plugin writes it.
    state: anything as Schema<RemoteState>,
    initial: noState,
    tools: [elsewhereTool(protocol, backend, withRemoteState)],
    hooks: [
      defineHook({
        name: id,
        on: ['before-inference', 'after-inference', 'after-execution'],
        run(state, { point }) {
          if (point === 'after-inference') return withRemoteState(state);
          if (point === 'before-inference') backend.prepare(state, currentStep(state)?.sent ?? null);
          else backend.release(state);
          return state;
        },
      }),
    ],
  });
  return defineAgent({
    name: id,
    ...init,
    inference: {
      stream: (request, call) => backend.stream(request, call),
      continuesAnswers: protocol.canJoin,
      effects: 'once',
    },
    compileMessages: allSections,
    plugins: [...(init.plugins ?? []), plugin],
  });
}

/** The tool of all calls of the backend that wait for a person. */
function elsewhereTool(
  protocol: RemoteProtocol,
  backend: Backend,
  withRemoteState: (state: AgentState) => AgentState,
): DelegatingTool {
  const tool = defineTool({
    name: 'elsewhere',
    description: '',
    input: { type: 'object' },
    effects: protocol.canJoin ? 'idempotent' : 'once',
    needsApproval(_input, ctx) {
      const question = questionAbout(ctx.state, ctx.toolCallId, protocol.id);
      return question === undefined ? false : { ask: questionText(question), together: true };
    },
    async execute(_input, ctx) {
      const question = questionAbout(ctx.state, ctx.toolCallId, protocol.id);
      return question?.of === 'none' ? { approved: true } : backend.proceed(ctx, question !== undefined);
    },
  });
  return {
    ...tool,
    name: anyName,
    input: null,
    async delegate(ctx, live) {
      const handed = await backend.delegate(ctx, live);
      if (handed !== null && !ctx.signal.aborted) ctx.update(withRemoteState);
      return handed;
    },
  };
}
