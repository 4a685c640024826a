import type { ErrorTexts } from './error-texts.ts';

const tool = 'Look at the tool’s own logs; the call’s input is in the session.';
const model = 'Look at the provider’s status page and at the proxy’s log for the request id.';
const code = 'An error in the application’s code; no server setting helps.';

/** Errors of a running agent. They become part of the state. */
export const runErrors = {
  'agent-stop': {
    person: 'The assistant was stopped by a rule of this application.',
    fix: 'Nothing: a hook, tool or guard threw AgentStopError; its signal says why.',
    operator: 'Nothing to do: a rule of the application worked.',
  },
  'approval-unknown': {
    person: 'This question has been answered already.',
    fix: 'Answer calls that are in pendingApprovals, each once.',
    operator: 'Nothing to do: two windows answered the same question.',
  },
  'content-filtered': {
    person: 'The model’s provider held back its answer.',
    fix: 'Ask the person to rephrase the message; nothing is retried.',
    operator: 'Look at the content filter settings of the provider’s account.',
  },
  'inference-failed': {
    person: 'The model could not answer. Try again.',
    fix: 'Look at the cause of the error.',
    operator: model,
  },
  'output-invalid': {
    person: 'The answer did not have the expected form. Try again.',
    fix: 'Make the output schema simpler, describe its fields, or raise retry.maxOutputRetries.',
    operator: 'Choose a model that supports structured output.',
  },
  'output-truncated': {
    person: 'The model ran out of room before it said anything.',
    fix: 'Raise maxOutputTokens, or lower the reasoning effort.',
    operator: 'Raise the proxy’s limit of output tokens for the model, if there is one.',
  },
  'plugin-state-conflict': {
    person: 'Two changes were made at the same time, and one was lost. Try again.',
    fix: 'Write with `update` instead of `set`, so that both changes are kept.',
    operator: code,
  },
  'plugin-state-invalid': {
    person: 'A saved part of this conversation cannot be read by this version.',
    fix: 'Update the plugin, or add the migration that the message names; the data is kept aside.',
    operator: 'An older version of the application is still being served; deploy the newest one everywhere.',
  },
  'replay-diverged': {
    person: 'The replay differs from the recording.',
    fix: 'Look at the named step and path: the prompt, a hook, a plugin or a rule has changed.',
    operator: code,
  },
  'stream-cancelled': {
    person: 'The answer was stopped.',
    fix: 'Nothing: somebody ended the stream on purpose.',
    operator: 'Nothing to do: the stream was ended by a request.',
  },
  'stream-incomplete': {
    person: 'The connection broke off before the answer was finished.',
    fix: 'Retry; the client does so by itself before the first words have come.',
    operator: 'Check the time limits and buffering of the servers between the page and the proxy.',
  },
  'stream-malformed': {
    person: 'The answer could not be read. Try again.',
    fix: 'Make the server send the events of the wire protocol, version 1.',
    operator:
      'Check that page and proxy have the same version, and that no server between them changes the stream.',
  },
  'subagent-failed': {
    person: 'A helper of the assistant did not finish its work.',
    fix: 'Look at the childState of the tool execution.',
    operator: model,
  },
  'tool-blocked': {
    person: 'A rule of this application did not allow that.',
    fix: 'See which before-tool-use hook blocked the call.',
    operator: 'Nothing to do: a rule of the application worked.',
  },
  'tool-calls-exceeded': {
    person: 'The assistant made too many tool calls at once; the rest was skipped.',
    fix: 'Raise maxToolCalls of the agent if one answer may make that many calls.',
    operator: 'Nothing to do: the limit of the application worked.',
  },
  'tool-failed': {
    person: 'A tool of the assistant failed.',
    fix: 'Look at the cause; the model has seen the message and may try again.',
    operator: tool,
  },
  'tool-input-invalid': {
    person: 'The assistant used one of its tools wrongly.',
    fix: 'Describe the fields of the input schema; the model has seen the error.',
    operator: 'Choose a model that is better with tools if it happens often.',
  },
  'tool-interrupted': {
    person: 'An action was interrupted; it may or may not have been done.',
    fix: 'Check whether it had its effect before it is called again.',
    operator: tool,
  },
  'tool-not-found': {
    person: 'The assistant tried to use a tool that does not exist.',
    fix: 'Add the tool to the agent, or take its name out of the prompt.',
    operator: code,
  },
  'tool-output-invalid': {
    person: 'A tool of the assistant returned an invalid result.',
    fix: 'Make the tool return a value that fits its output schema.',
    operator: tool,
  },
  'tool-rejected': {
    person: 'You did not allow that.',
    fix: 'Nothing: a person rejected the call, and the model has seen it.',
    operator: 'Nothing to do: a person rejected the call.',
  },
  'tool-timeout': {
    person: 'A tool of the assistant took too long.',
    fix: 'Raise the tool’s timeoutMs, or make it faster.',
    operator: tool,
  },
  'user-code-timeout': {
    person: 'A part of this application took too long to answer.',
    fix: 'Make the named code stop when its signal aborts, or raise its time limit.',
    operator: code,
  },
} as const satisfies Record<string, ErrorTexts>;
