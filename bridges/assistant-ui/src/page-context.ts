import type { ThreadRuntime } from '@assistant-ui/react';
import type { AgentDefinition, AgentSession, Tool } from '@vitrine/core';
import { fromAiSdkTool } from '@vitrine/ai-sdk';

/** The tools and the instructions that a page of assistant-ui gives to its model. */
type PageContext = ReturnType<ThreadRuntime['getModelContext']>;

type PageTool = NonNullable<PageContext['tools']>[string];

/** The agent of the application, by the copy of it that has the tools of the page. */
const originals = new WeakMap<AgentDefinition, AgentDefinition>();

/** Gives the agent of a session the tools and the instructions of the page, in the place of those before. */
export function offerPage(session: AgentSession, { tools = {}, system = '' }: PageContext): void {
  const settings = session.settings();
  const agent = originals.get(settings.agent) ?? settings.agent;
  const toolsThatRun = new Set(agent.tools.filter(({ execute }) => execute !== null).map(({ name }) => name));
  const given = Object.entries(tools).flatMap(([name, tool]) =>
    tool.disabled === true || toolsThatRun.has(name) ? [] : [toolOf(name, tool)],
  );
  if (given.length === 0 && system === '') {
    if (agent !== settings.agent) session.configure({ ...settings, agent });
    return;
  }
  const names = new Set(given.map(({ name }) => name));
  const offered: AgentDefinition = {
    ...agent,
    tools: [...agent.tools.filter(({ name }) => !names.has(name)), ...given],
    systemPrompt: [agent.systemPrompt, system].filter((text) => text !== '').join('\n\n'),
  };
  originals.set(offered, agent);
  session.configure({ ...settings, agent: offered });
}

function toolOf(name: string, { description, parameters, execute }: PageTool): Tool {
  const isSchema = parameters !== undefined && '~standard' in parameters;
  return fromAiSdkTool(name, {
    description,
    inputSchema: isSchema ? parameters : { jsonSchema: parameters ?? { type: 'object', properties: {} } },
    ...(execute === undefined
      ? {}
      : {
          execute: (input, options: object) =>
            execute(input as never, { ...options, human: noHuman } as never),
        }),
  }) as Tool;
}

function noHuman(): Promise<never> {
  return Promise.reject(
    new Error(
      'A tool of the page cannot ask a person here. Leave out `execute`, and answer the call in its view.',
    ),
  );
}
