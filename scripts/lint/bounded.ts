/** Exceptions from the rules on cost and depth, each with its proof. tests/lint checks that each is still needed. */

type Proof = { readonly names: readonly string[]; readonly proof: string };

const ofSubagents =
  'It walks over states of subagents. A run nests them as deep as subagentPolicy.maxDepth says, and a document of at most 1,000 levels holds fewer than 150.';
const ofAgents = 'It walks over the agents that the application has defined.';
const ofPages = 'It walks over pages of pages: each level has 64 times the rows of the one above.';
const ofMarkdown =
  'It walks over a tree of Markdown. Blocks with more than 40 containers are never parsed (exceeds-limits.ts).';
const ofJson = 'The value is a copy by toJson (at most 100 levels) or of a document (at most 1,000).';

/** Recursive functions without a depth among their arguments, by file. */
export const boundedRecursions: Readonly<Record<string, Proof>> = {
  'apps/demo/src/agents/assistant/calculate.ts': {
    names: ['sum', 'product', 'sign', 'power', 'atom'],
    proof: 'Each level takes a token, and an expression has at most 1,000.',
  },
  'packages/react/src/components/markdown/keep-text.ts': { names: ['collect', 'keep'], proof: ofMarkdown },
  'packages/react/src/components/markdown/cite-sources.tsx': { names: ['cite'], proof: ofMarkdown },
  'packages/react/src/components/markdown/show-hidden.ts': { names: ['show'], proof: ofMarkdown },
  'packages/core/src/agent/check-init.ts': { names: ['oddPath'], proof: ofJson },
  'bridges/ag-ui/src/client-messages.ts': {
    names: ['clientMessages', 'subagentMessages'],
    proof: ofSubagents,
  },
  'bridges/ag-ui/src/remote/remote-agent.ts': {
    names: ['agentOver'],
    proof:
      'Each level is a subagent that runs, and a run nests them as deep as subagentPolicy.maxDepth says.',
  },
  'bridges/ag-ui/src/run-writer.ts': {
    names: ['waitingCalls'],
    proof: ofSubagents,
  },
  'packages/messages/src/ai-sdk/to-ui-parts.ts': { names: ['nestedCalls'], proof: ofSubagents },
  'packages/core/src/graph/document/document.ts': { names: ['write', 'read'], proof: ofSubagents },
  'packages/core/src/graph/follow-changes.ts': {
    names: ['withChangesFollowed', 'followStep', 'followedCall', 'withResult', 'withoutTexts'],
    proof: ofSubagents,
  },
  'packages/core/src/graph/llm-config.ts': {
    names: ['secretPaths', 'withoutSecrets', 'cleanValue'],
    proof: ofJson,
  },
  'packages/inspect/src/redact.ts': {
    names: ['visit'],
    proof: 'below() counts the levels, and visit() ends at 1,000.',
  },
  'packages/inspect/src/with-past.ts': { names: ['hasSeenAllOf'], proof: ofSubagents },
  'packages/core/src/kit/json.ts': {
    names: ['copy', 'copyChild'],
    proof: 'copy() refuses a value when the path is as long as maxDepth.',
  },
  'packages/core/src/kit/to-json.ts': {
    names: ['copy', 'copyObject', 'copyList', 'copyFields', 'read'],
    proof: 'copyObject() gives a placeholder when as many objects as maxDepth stand above.',
  },
  'packages/core/src/run/answer-call.ts': {
    names: ['needsRun', 'isReady', 'waitsJointly', 'findCall'],
    proof: ofSubagents,
  },
  'packages/core/src/session/machine/machine.ts': {
    names: ['advance'],
    proof: 'Each level takes all turns out of the queue that are answered, so there is one more at most.',
  },
  'packages/persist/src/manage/end-interrupted.ts': { names: ['standIn'], proof: ofSubagents },
  'packages/persist/src/manage/moving-session.ts': { names: ['hasOrders'], proof: ofSubagents },
  'packages/persist/src/manage/without-trust.ts': {
    names: ['withoutOrders', 'withoutOrdersIn', 'bare'],
    proof: ofSubagents,
  },
  'packages/persist/src/manage/session-document.ts': {
    names: ['sizeOf'],
    proof: 'The rows were opened by row-reader.ts, which refuses a row with more than 500 above it.',
  },
  'packages/core/src/session/publishing/progress.ts': { names: ['workingActivity'], proof: ofSubagents },
  'packages/persist/src/rows/encode-session.ts': {
    names: ['encodeState', 'encodeStep'],
    proof: ofSubagents,
  },
  'packages/persist/src/rows/pages.ts': { names: ['pages', 'topOf'], proof: ofPages },
  'packages/persist/src/rows/row.ts': {
    names: ['take', 'leave'],
    proof: `${ofPages} ${ofSubagents}`,
  },
  'packages/persist/src/rows/row-reader.ts': {
    names: ['row', 'open', 'openNode'],
    proof: 'readerOf() counts the rows above a row, and open() ends at 500.',
  },
  'packages/persist/src/link/link-parts.ts': { names: ['isAhead'], proof: ofSubagents },
  'packages/persist/src/link/without-prompts.ts': {
    names: ['stateOf', 'stepOf', 'callOf'],
    proof: ofSubagents,
  },
  'packages/devtools/src/tabs/state/state-tree.tsx': {
    names: ['visit'],
    proof: 'It ends when the path has 1,000 names.',
  },
  'packages/devtools/src/kit/tree-rows.ts': {
    names: ['visit'],
    proof: 'Only rows are visited that a person has opened, one level at a time.',
  },
  'packages/devtools/src/shell/source-view.tsx': { names: ['holdsCall'], proof: ofSubagents },
  'packages/devtools/src/shell/search-record.ts': {
    names: ['visit'],
    proof: 'It walks over what redact() gives, which ends at 1,000 levels.',
  },
  'packages/devtools/src/tabs/graph/graph-of.ts': {
    names: ['graphOf', 'executionNode', 'stepNode', 'callNode', 'nodesOf', 'sameGraph'],
    proof: ofSubagents,
  },
  'packages/devtools/src/tabs/run/lanes-of.ts': {
    names: ['lanesOfAgent', 'lanesOfStep', 'lanesOfCall'],
    proof: ofSubagents,
  },
  'packages/devtools/src/tabs/steps/tools-view.tsx': {
    names: ['ToolDetail', 'ChildSteps'],
    proof: ofSubagents,
  },
  'packages/proxy/src/create-inference-proxy.ts': {
    names: ['answeringTo'],
    proof: 'An application calls it once more, for the hosts that it adds.',
  },
  'packages/proxy/src/guarded-routes.ts': {
    names: ['answeringTo'],
    proof: 'An application calls it once more, for the hosts that it adds.',
  },
  'packages/proxy/src/sessions/create-session-routes.ts': {
    names: ['answeringTo'],
    proof: 'An application calls it once more, for the hosts that it adds.',
  },
  'packages/proxy/src/stream/run-inference.ts': { names: ['look'], proof: 'A timer calls it again.' },
  'packages/server/src/run/model-calls.ts': { names: ['guardAgent'], proof: ofAgents },
  'packages/react/src/components/activity.tsx': { names: ['describeActivity'], proof: ofSubagents },
  'packages/react/src/components/approvals/find-tool.ts': { names: ['allTools'], proof: ofAgents },
  'packages/react/src/components/kit/gist.ts': { names: ['shortOf'], proof: 'It ends at the third level.' },
  'packages/react/src/components/messages/message-view.tsx': {
    names: ['Answer', 'Part', 'OfSubagent'],
    proof: ofSubagents,
  },
};

/** Regular expressions that the rule cannot judge, or judges too strictly, by file. `new RegExp` counts as one. */
export const provenPatterns: Readonly<Record<string, Proof>> = {
  'packages/react/src/components/markdown/exceeds-limits.ts': {
    names: ['new RegExp'],
    proof: 'It is one class and a count.',
  },
  'packages/core/src/kit/mask-secrets.ts': {
    names: [
      '/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g',
      '/"(?:\\\\[\\s\\S]|[^"\\\\])*(?:"|\\\\?$)|\'[^\']*(?:\'|$)|\\\\"(?:[^\\\\]|\\\\(?!"))*(?:\\\\"|$)/',
      'new RegExp',
    ],
    proof:
      'Each endless repetition ends at its sign or at the end of the text, so it never fails and the search goes on behind it. The two that are put together have the second of these and \\S+ or [^\\r\\n]+ last, and bounded repetitions before.',
  },
};
