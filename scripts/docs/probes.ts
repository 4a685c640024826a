import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// The negatives of docs/guide/compared.md are tested like its positives: each feature has a sign, a name that the types of
// a library would have if it had the feature. `npm run probe` looks for the signs in the published packages of peers and
// writes scripts/docs/probed.json; tests/public-api/compared.test.ts compares the marks with it.

/** The packages whose types are read, by library. Of hosted products only what npm has. */
export const probedPackages: Readonly<Record<string, readonly string[]>> = {
  'AI SDK': ['@ai-sdk/react', 'ai'],
  'TanStack AI': ['@tanstack/ai-react', '@tanstack/ai-client', '@tanstack/ai'],
  'assistant-ui': ['@assistant-ui/react', '@assistant-ui/core'],
  CopilotKit: ['@copilotkit/react-core'],
  LangGraph: ['@langchain/react', '@langchain/langgraph-sdk'],
  'Cloudflare Agents': ['agents', '@cloudflare/ai-chat'],
  'Trigger.dev': ['@trigger.dev/react-hooks', '@trigger.dev/sdk'],
};

/** The names that a library with a feature has in its types; of a feature that none of them lacks there is no sign. */
export const signs: Readonly<Record<string, RegExp>> = {
  'Leave while the agent goes on': /\b(?:joinStream|detachedSince|detachable|detached)\b/g,
  'Abort a running tool of the page':
    /\bhandler: .{0,80}signal\b|\babortSignal: AbortSignal;\s+human\b|\bfrontendToolSignal\b/g,
  'Answer again': /\b(?:regenerate|reload|forkFrom|useRegenerate\w*|onRegenerate\w*)\b/gi,
  'Edit an earlier message':
    /\b(?:messageId\?: string|EditComposerState|onEditMessage\w*|forkFrom|EditButton)/g,
  'Branches that are kept': /\b(?:getBranches|switchToBranch|setBranch|branchIndex|branchOptions)\b/g,
  'Continue a stream after a reload':
    /\b(?:resumeStream|resumeState|resumeRun|joinStream|reconnectToStream|CopilotKitCoreConnectAgentParams)\b/g,
  'Stores in the browser':
    /\b(?:localStoragePersistence|indexedDBPersistence|createLocalStorageAdapter|browserSessions)\b/g,
  'Several tabs on one conversation':
    /\b(?:BroadcastChannel|useMultiTabChat|multiTab|crossTab|BroadcastStreamState)\b/g,
  'Queue while the agent works':
    /\b(?:QueueStrategy|QueueItemState|SubmissionQueueSnapshot|QueuedMessage|experimental_createSteering|messageConcurrency|pendingMessages)\b/g,
  'Approval of tool calls': /\b(?:needsApproval|toolApproval|approved|useInterrupt|interrupts?)\b/g,
  'Approval with edited arguments':
    /\b(?:editedArgs|editedAction|edited_action|updatedInput|editedInput|modifiedArgs)\b/g,
  'Remembered decisions':
    /\b(?:alwaysAllow\w*|allowAlways|allow-always|approvalMemory|rememberApproval\w*)\b/g,
  'Approvals that survive a reload':
    /\b(?:resumeState|approval-responded|resumeToolCall|interrupts|needsApproval)\b/g,
  'Structured output in the same hook':
    /\b(?:outputSchema|partialOutput|useObject|UseObjectHelpers|structuredOutput|StructuredResponse)\b/gi,
  'Usage as state':
    /\b(?:useUsage|runUsage|useThreadUsage|useTokenUsage|ThreadTokenUsage|useThreadTokenUsage)\b/g,
  'Cost as state': /\b(?:costUsd|costInCents|UsageCostBreakdown|ModelCost)\b/g,
  'Budgets in the page': /\b(?:maxCost|costBudget|BudgetExceeded\w*|tokenBudget)\b/gi,
  'The reason of the end as state': /\b(?:finishReason|stopReason|MessageStatus)\b/g,
  'Steps as data':
    /\b(?:step-start|StepStartUIPart|ThreadStep|StepStartedEvent|stepStreamingTiming|StepResult)\b/g,
  'Subagents in the hook':
    /\bsub_?agents?\w*|\bsubgraphs?\b|\bpreliminary\b|\bmessages\?: readonly ThreadMessage/gi,
  'State beside the messages':
    /\b(?:setState|useCoAgent|values|onData|sharedState|makeAssistantVisible|data-part)\b/g,
  'Selectors that limit renders':
    /\b(?:useAuiState|createThreadSelectors|useMessagesProjection|SelectorTarget|useAssistantState|useMessageSelector)\b/g,
  'Throttled renders': /\b(?:throttle|throttleMs|defaultThrottleMs|throttleInMs)\b/g,
  'React Native': /react-native|\bReactNative\w*/g,
  Suspense: /\b(?:useSuspenseStream|suspense|getInitialMessages)\b/gi,
  'Reconnects and typed errors':
    /\b(?:reconnect\w*|ReconnectOptions|isRetryable|ErrorCode|CopilotKitErrorCode|errorCode|\w+Error)\b/g,
  Offline: /\b(?:isOffline|offlineQueue|navigator\.onLine|offline)\b/gi,
  'Devtools in the page': /\b(?:AIDevtools\w*|DevToolsHook\w*|CopilotKitInspector\w*)\b/gi,
  'Time travel in the devtools': /\btime_?-?travel\w*/gi,
  'Fork from a step, or replay':
    /\b(?:fork|forkFrom|Checkpoint|replayRunStream|createReplayStream|replayRun)\b/g,
  'Test kit for the hook':
    /\b(?:MockChat\w*|createMockChat|renderChat|fakeRuntime|createTestRuntime|mockChatClient|TestTransport\w*)\b/g,
  'A loop that runs in the page':
    /\b(?:DirectChatTransport|useLocalRuntime|LocalRuntimeCore|streamFactory|inBrowserAgent)\b/g,
  'No provider component needed': /\b(?:AssistantRuntimeProvider|CopilotKitProvider|CopilotKitProps)\b/g,
  'Typed tools from end to end':
    /\b(?:InferUITools|ToolUIPart|InferToolOutput|TypedToolCall|ToolCallFromTool\w*|makeAssistantTool|useFrontendTool)\b/g,
  'Tools of MCP servers': /\bmcp\w*/gi,
  WebMCP: /\bweb_?mcp\w*/gi,
  'Breakpoints before calls': /\bbreakpoints?\b|\binterrupt_?before\b|\binterruptBefore\b/gi,
  'Findings: what went wrong in a run': /\b(?:findings?|RunDiagnos\w+|runDiagnos\w+|diagnose)\b/g,
  'Experiments on a recorded run': /\bexperiments?\b|\bcounterfactual\w*|\bablat\w+/g,
};

/** The names of at most three signs of a feature in the types of these folders, most frequent first. */
export function namesFound(sign: RegExp, types: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const [name] of types.matchAll(sign)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, 3)
    .map(([name]) => name);
}

/** The declarations of the packages in these folders, without comments. */
export function typesIn(folders: readonly string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.d\.[cm]?ts$/.test(path) && !path.includes('node_modules'))
        .toSorted()
        .map((path) => readFileSync(join(folder, path), 'utf8')),
    )
    .join('\n')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');
}

const ofUseChat = 'That of `useChat`, whose transport it is.';
const nativeByFetch = 'It runs there with a `fetch` that streams, and has nothing of its own for it.';
/** The reading where names alone say too little: a "partly" without a sign, and a "no" with one. */
export const readings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Leave while the agent goes on': { CopilotKit: 'Its runtime, another package, keeps a thread.' },
  'Edit an earlier message': { 'TanStack AI': '`messageId` is of events; `sendMessage` takes none.' },
  'Several tabs on one conversation': {
    'TanStack AI': 'Tabs share its store in the browser, and not the run.',
  },
  'Approval of tool calls': { 'Trigger.dev': ofUseChat },
  'Approval with edited arguments': {
    'assistant-ui': 'The view of a tool may answer with any result.',
    CopilotKit: '`respond` answers with any value.',
    LangGraph: 'The answer of an interrupt is free; the graph reads it.',
  },
  'Approvals that survive a reload': { 'Trigger.dev': ofUseChat },
  'Tools that run in the page': { 'Trigger.dev': ofUseChat },
  'Structured output in the same hook': { 'Cloudflare Agents': '`outputSchema` is of a tool of the server.' },
  Attachments: { 'Trigger.dev': ofUseChat },
  'Usage as state': { 'assistant-ui': '`usage` stands in the metadata of steps.' },
  'Budgets in the page': { 'assistant-ui': '`maxSteps` of the local runtime.' },
  'Steps as data': { LangGraph: 'Checkpoints tell the nodes that ran.' },
  'Rendering on a server': {
    'Cloudflare Agents': 'A server has to give it the messages.',
    'Trigger.dev': ofUseChat,
  },
  'React Native': { 'AI SDK': nativeByFetch, 'TanStack AI': nativeByFetch, LangGraph: nativeByFetch },
  Offline: { 'TanStack AI': 'Its stores keep messages; nothing waits for the network.' },
  'Devtools in the page': { 'AI SDK': 'Another package, for runs of the server.' },
  'Test kit for the hook': { 'Trigger.dev': 'It tests the agent on the server.' },
  'No provider component needed': {
    'assistant-ui': '`AssistantRuntimeProvider` is needed.',
    CopilotKit: '`CopilotKitProvider` is needed.',
  },
};

/** Names that this library would have in its public names or sources if a "no" or "partly" of its own had become wrong. */
export const ownSigns: Readonly<Record<string, RegExp>> = {
  'React Native': /react-native/i,
  Suspense: /useSuspense/,
  Offline: /offlineQueue|sendWhenOnline|waitsForNetwork/,
};
