import type { ErrorTexts } from './error-texts.ts';

const person = 'This assistant is not set up correctly.';
const operator = 'An error in the application’s code; no server setting helps.';

/** Errors in the definition of agents, tools, plugins, hooks and messages. They are thrown where those are created. */
export const definitionErrors = {
  'agent-invalid': {
    person,
    fix: 'Change the definition of the agent, tool or plugin as the message says.',
    operator,
  },
  'budget-invalid': {
    person,
    fix: 'Give limits that are numbers of 0 or more, or null for none.',
    operator,
  },
  'env-invalid': {
    person,
    fix: 'Give an Env whose ids are fresh UUIDs, or leave it out.',
    operator,
  },
  'hook-contract': {
    person,
    fix: 'Return the given state from the hook, changed only where its point allows it, or nothing.',
    operator,
  },
  'id-invalid': {
    person,
    fix: 'Give an id of the allowed form, or omit it to have one created.',
    operator,
  },
  'llm-settings-secret': {
    person,
    fix: 'Take the key out of llmConfig.settings; keep it on the server, or give it to the inference client.',
    operator: 'Set provider keys in the environment of the proxy, e.g. OPENAI_API_KEY, never in an agent.',
  },
  'message-invalid': {
    person: 'This message cannot be added to the conversation.',
    fix: 'Build messages with Message.user(text) and its siblings, or in the same shape.',
    operator,
  },
  'plugin-unknown': {
    person,
    fix: 'Add the plugin to the agent that uses its state.',
    operator,
  },
  'signal-invalid': {
    person,
    fix: 'Use one of the reasons in StopReason.',
    operator,
  },
  'tools-duplicate': {
    person,
    fix: 'Give each tool of an agent, its plugins and subagents a name of its own.',
    operator,
  },
} as const satisfies Record<string, ErrorTexts>;
