import { type ErrorTexts, withUsual, wireErrors } from './wire-errors.ts';

const code = 'An error in the application’s code; no server setting helps.';

/** Errors in the definition of agents, tools, plugins, hooks and messages. They are thrown where those are created. */
const definitionErrors = /* @__PURE__ */ withUsual(
  { person: 'This assistant is not set up correctly.', operator: code },
  {
    'agent-invalid': { fix: 'Change the definition of the agent, tool or plugin as the message says.' },
    'budget-invalid': { fix: 'Give limits that are numbers of 0 or more, or null for none.' },
    'env-invalid': { fix: 'Give an Env whose ids are fresh UUIDs, or leave it out.' },
    'hook-contract': {
      fix: 'Return the given state from the hook, changed only where its point allows it, or nothing.',
    },
    'id-invalid': { fix: 'Give an id of the allowed form, or omit it to have one created.' },
    'llm-settings-secret': {
      fix: 'Take the key out of llmConfig.settings; keep it on the server, or give it to the inference client.',
      operator: 'Set provider keys in the environment of the proxy, e.g. OPENAI_API_KEY, never in an agent.',
    },
    'message-invalid': {
      person: 'This message cannot be added to the conversation.',
      fix: 'Build messages with Message.user(text) and its siblings, or in the same shape.',
    },
    'plugin-unknown': { fix: 'Add the plugin to the agent that uses its state.' },
    'signal-invalid': { fix: 'Use one of the reasons in StopReason.' },
    'tools-duplicate': { fix: 'Give each tool of an agent, its plugins and subagents a name of its own.' },
  },
);

const tool = 'Look at the tool’s own logs; the call’s input is in the session.';
const model = 'Look at the provider’s status page and at the proxy’s log for the request id.';

/** Errors of a running agent. They become part of the state. */
const runErrors = /* @__PURE__ */ withUsual(
  { operator: code },
  {
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
    'edit-invalid': {
      person: 'This change is not possible at the place where the run waits.',
      fix: 'Edit what the place has: the call that waits, a message of the agent, or its system prompt.',
      operator: 'Nothing to do: the run waits as before.',
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
    'plugin-failed': {
      person: 'Something in this assistant failed.',
      fix: 'Mend the layer of the plugin that the message names: it calls `next` at most once, and yields or returns its outcome; `open` returns in time what closes it.',
    },
    'plugin-state-conflict': {
      person: 'Two changes were made at the same time, and one was lost. Try again.',
      fix: 'Write with `update` instead of `set`, so that both changes are kept.',
    },
    'plugin-state-invalid': {
      person: 'A saved part of this conversation cannot be read by this version.',
      fix: 'Update the plugin, or add the migration that the message names; the data is kept aside.',
      operator:
        'An older version of the application is still being served; deploy the newest one everywhere.',
    },
    'replay-diverged': {
      person: 'The replay differs from the recording.',
      fix: 'Look at the named step and path: the prompt, a hook, a plugin or a rule has changed.',
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
    'tools-unavailable': {
      person: 'Some tools of the assistant cannot be used now.',
      fix: 'Read the message: it names the server or page and the tool. The run goes on without it.',
      operator: 'Look whether the named server answers, and at its own logs.',
    },
    'user-code-timeout': {
      person: 'A part of this application took too long to answer.',
      fix: 'Make the named code stop when its signal aborts, or raise its time limit.',
    },
  },
);

const sessionErrors = /* @__PURE__ */ withUsual(
  { operator: 'Nothing to do.' },
  {
    'attachment-too-large': {
      person: 'This file is too large to be kept with the conversation.',
      fix: 'Keep sessions in a store with room for files: indexedDBSessions() or browserSessions(); or send a smaller one.',
    },
    'message-empty': {
      person: 'Write something first.',
      fix: 'Send text, a file or data; give buttons inside a form type="button".',
    },
    'message-not-found': {
      person: 'This message is not in the conversation any more.',
      fix: 'Take the id from `messages`; a message of another branch is reached with switchBranch() first.',
    },
    'remote-invalid': {
      person: 'The other page cannot be shown here.',
      fix: 'Read the message: an exact origin and the same version of the library on both pages are required.',
      operator: 'Serve the page and its devtools from the same version of the library.',
    },
    'session-busy': {
      person: 'The assistant is still working. Wait for it, or stop it first.',
      fix: 'Stop the run or wait for it; or choose another onBusy.',
    },
    'session-conflict': {
      person: 'This conversation was changed in another window.',
      fix: 'Load the stored session and repeat the change.',
      operator: 'Nothing to do, unless one person’s windows use different stores.',
    },
    'session-crashed': {
      person: 'This conversation stopped its server several times, so its last run was ended.',
      fix: 'Look which tool or hook ends the process: one that exits, blocks it, or takes all its memory. Then send again.',
      operator: 'Look into the logs of the processes that ended, at the times before this error.',
    },
    'session-moved': {
      person: 'This conversation goes on in another place. Open it there.',
      fix: 'Open the session where `movedTo` says, or call moveTo() again to finish a move that broke off.',
    },
    'session-deleted': {
      person: 'This conversation was deleted.',
      fix: 'Start a new session; sending does not restore a deleted one.',
    },
    'session-disposed': {
      person: 'This conversation was closed. Open it again.',
      fix: 'Create a session with the same id; a disposed one takes no commands.',
    },
    'session-exists': {
      person: 'A conversation with this id exists already.',
      fix: 'Give the new session another id.',
    },
    'session-idle': {
      person: 'There is nothing to continue. Write a message.',
      fix: 'Call resume() for an interrupted run and retry() after a message, or look at session.status first.',
    },
    'session-not-found': {
      person: 'This conversation does not exist any more.',
      fix: 'Look the id up in the list of sessions, or wrap the component in the provider that the message names.',
      operator: 'Check that all servers read the same store.',
    },
    'session-storage': {
      person: 'This conversation could not be saved.',
      fix: 'Make room in the store, or choose another one; the session goes on and tries again.',
      operator: 'Look at the space and the permissions of the store.',
    },
    'state-invalid': {
      person: 'This conversation was saved in a form that cannot be read.',
      fix: 'Look at the path in the message; the stored text was not changed.',
      operator: 'Another program has written to the store, or a write was cut short.',
    },
    'state-version-unsupported': {
      person: 'This conversation was saved by a newer version. Reload the page.',
      fix: 'Update the library; the stored text was not changed.',
      operator:
        'An older version of the application is still being served; deploy the newest one everywhere.',
    },
    'question-invalid': {
      person: 'This question about a run cannot be answered.',
      fix: 'Read the message: it names what does not fit and what is there.',
    },
    'trace-invalid': {
      person: 'This file is not a readable trace.',
      fix: 'Read the message for the reason; export the file again from its source.',
      operator: 'Nothing to do: the file was rejected before any part of it was used.',
    },
    'view-failed': {
      person: 'A part of this conversation cannot be shown.',
      fix: 'Look at the cause: a hook, setMessages or update returned a state that no selector can read.',
      operator: 'Nothing to do: the rest of the page goes on.',
    },
  },
);

/** Every error code of this library with its three texts. Using an unlisted code does not compile. */
export const errorTable = {
  ...definitionErrors,
  ...runErrors,
  ...sessionErrors,
  ...wireErrors,
} satisfies Record<string, ErrorTexts>;

/** The code of an error of the library. */
export type ErrorTableCode = keyof typeof errorTable;
