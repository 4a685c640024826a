import { formatTexts } from './format-texts.ts';

const { count, number } = formatTexts;

/** The English texts of the inspector of a step. */
export const stepTexts = {
  stepPages: { sent: 'Sent', received: 'Received', tools: 'Tools', state: 'State', why: 'Why', fork: 'Fork' },
  step: {
    title: (number: number): string => `Step ${number}`,
    /** `agent` is null when its name is not known. */
    titleOfSubagent: (number: number, agent: string | null): string =>
      `Step ${number} of ${agent ?? 'a subagent'}`,
    back: '‹ Back',
    views: (number: number): string => `Views of step ${number}`,
    tokens: (input: number, output: number): string => `${number(input)} in, ${number(output)} out`,
    beforeFirst: 'Before the first step',
    noSteps: 'No steps yet. They appear here while the agent runs.',
    viewsOfMoment: 'Views of the moment',
    copy: 'Copy',
    copyAs: (format: string): string => `Copy ${format}`,
    copiedAs: (format: string, isRedacted: boolean): string =>
      `Copied as ${format}${isRedacted ? ', without secrets' : ''}.`,
    withoutSecrets: 'without secrets',
    showInPage: 'Show in page',
    notInPage: 'The page shows no part of this step.',
  },
  stepStates: {
    error: 'failed',
    'tool-execution': 'tools',
    'final-response': 'answer',
    running: 'running',
    interrupted: 'interrupted',
    waiting: 'waiting',
  },
  messages: {
    pages: 'Messages',
    callOf: (tool: string): string => `Call of ${tool}`,
    resultOf: (tool: string, outcome: string): string => `Result of ${tool}, ${outcome}`,
    isNew: 'new',
  },
  sent: {
    notCalled: 'The model was not called in this step.',
    notRecorded:
      'The events of this step were not recorded. This view is derived from the stored state and the current messages.',
    notKnown:
      'The source of this run does not tell what the model was sent: its system prompt, tools, model, settings and messages are not known. This is the conversation at that time.',
    conversation: (count: number): string => `Conversation (${count})`,
    leftOut: (count: number): string => `Left out or changed by the compiler (${count})`,
    oldTraces: (messages: number): string =>
      `${count(messages, 'message')} of earlier runs not sent again, as usual`,
    leftOutPages: 'Left out',
    allSent: 'Every message of the conversation was sent.',
    /** The sentence for a conversation that a hook or tool changed, so that it is no longer what people said. */
    restSent: 'Messages were rewritten, removed or summarised before this call; all that is left was sent.',
    doubledSent: 'Every message of the conversation was sent, and one of a person came twice.',
    /** The reason for which a message was left out or changed, in the words of the library. */
    leftOutBecause: (reason: string): string => reason,
    notSent: 'not sent',
    changed: 'changed',
    sentInstead: 'sent instead',
    systemPrompt: (characters: number): string => `System prompt (${number(characters)} characters)`,
    messages: (count: number): string => `Messages (${count})`,
    noTools: 'No tools were offered.',
    tools: (count: number): string => `Tools offered (${count})`,
    /** The name of a tool without a name. */
    unnamedTool: (number: number): string => `tool ${number}`,
    plugins: (count: number): string => `Plugin context (${count})`,
    plugin: (id: string, version: number, revision: number): string =>
      `${id}, version ${version}, revision ${revision}`,
    settings: 'Settings',
    responseFormat: 'Response format',
  },
  /** The differences of a request to the one of an earlier step. */
  changes: {
    against: (step: number, changes: readonly string[]): string =>
      `Against step ${step}: ${changes.length === 0 ? 'nothing new' : changes.join(', ')}.`,
    added: (messages: number): string => `${count(messages, 'message')} new`,
    gone: (messages: number): string => `${count(messages, 'message')} no longer sent`,
    edited: (messages: number): string => `${count(messages, 'message')} changed`,
    systemPrompt: 'system prompt changed',
    tools: 'tools changed',
    model: 'model changed',
    settings: 'settings changed',
    toolChoice: 'tool choice changed',
    responseFormat: 'response format changed',
    promptOf: (step: number): string => `System prompt of step ${step}, before it changed`,
    promptBefore: 'System prompt before',
    editedMessages: (count: number): string => `Messages that changed (${count})`,
    editedPages: 'Changed',
    step: (number: number): string => `step ${number}`,
    now: 'now',
    goneMessages: (count: number): string => `Messages no longer sent (${count})`,
    gonePages: 'No longer sent',
    noLongerSent: 'no longer sent',
  },
  received: {
    noMessage: 'No message was received.',
    notFinished: 'The model has not finished its answer.',
    storedResponse: 'Stored response',
    rawEvents: (count: number): string => `Raw events (${count})`,
    notRecorded: 'The events of this step were not recorded, because they happened before the panel opened.',
    finishReason: 'Finish reason',
    finishedBecause: (reason: string, explanation: string): string => `${reason}: ${explanation}`,
    model: 'Model',
    tokens: 'Tokens',
    tokensIn: 'Tokens in',
    tokensOut: 'Tokens out',
    cacheRead: 'Cache read',
    cacheWritten: 'Cache written',
    countedBy: 'Counted by',
    estimate: 'an estimate from bytes',
    cost: 'Cost',
    firstDelta: 'First delta after',
    noDelta: 'no delta',
    took: 'Took',
    providerId: 'Id of the provider',
  },
  calls: {
    none: 'No tool was called in this step.',
    input: 'Input',
    lastProgress: 'Last progress',
    /** `decision` is null while the call waits. Null for a reason or a comment that was not given. */
    approval: (
      decision: string | null,
      isEdited: boolean,
      reason: string | null,
      comment: string | null,
      /** The id of the person who answered; null where a session names nobody. */
      by: string | null,
    ): string =>
      `Approval: ${decision ?? 'waiting'}${by === null ? '' : ` by ${by}`}${isEdited ? ', with other arguments than the model gave' : ''}${
        reason === null ? '' : ` · asked because ${reason}`
      }${comment === null ? '' : ` · ${comment}`}`,
    wrote: (writes: readonly string[]): string => `Wrote ${writes.join(', ')}`,
    write: (pluginId: string, from: number, to: number): string => `${pluginId} (revision ${from} → ${to})`,
    notStarted: 'It has not started',
    elsewhere: 'It ran elsewhere',
    started: (time: string): string => `Started ${time}`,
    ended: (time: string): string => `ended ${time}`,
    settled: (time: string): string => `settled ${time}`,
    /** The status of a subagent without a run. */
    notStartedYet: 'not started',
    /** `reason` is the stop reason, or null. */
    subagent: (status: string, steps: number, reason: string | null, name: string): string =>
      `Subagent ${name}: ${status}, ${count(steps, 'step')}${reason === null ? '' : `, ${reason}`}`,
    history: (events: number): string => `History of the call (${events})`,
    /** A remembered decision answered a call. */
    approvedEarlier: (tool: string): string =>
      `Nobody was asked, because a person approved all calls of ${tool} earlier.`,
    rejectedEarlier: (tool: string): string =>
      `Nobody was asked, because a person rejected all calls of ${tool} earlier.`,
  },
  state: {
    search: 'Search the state',
    searchPlaceholder: 'Search paths and values',
    firstHits: (count: number): string => `The first ${count}; there may be more.`,
    during: (step: number): string => `The state during step ${step}; changes are marked.`,
    after: (step: number): string => `The state after step ${step}; changes are marked.`,
    notRecorded: 'The stored state. States between the steps were not recorded.',
    compareWith: 'Compare with',
    beforeStep: 'the state before the step',
    step: (number: number): string => `step ${number}`,
    changedByStep: (count: number): string => `Changed by this step (${count})`,
    changedOutside: (count: number): string => `Changed outside of steps (${count})`,
    changedByLoop: (count: number): string => `Kept by the loop itself (${count})`,
    nothingElse: 'Nothing but what the loop keeps of itself.',
    different: (count: number): string => `Different (${count})`,
    moreChanges: (count: number): string => `and ${count} more`,
    writtenBy: (writer: string): string => `written by ${writer}`,
    thenBy: (first: string, next: string): string => `${first}, then ${next}`,
    aTool: 'a tool',
    theTool: (name: string): string => `the tool ${name}`,
    moved: (before: string, after: string): string => `moved: ${before} → ${after}`,
    added: (value: string): string => `added: ${value}`,
    removed: (value: string): string => `removed: ${value}`,
  },
  /** The names of places in a state. */
  places: {
    section: (name: string): string => `section ${name}`,
    /** `role` is null for a message that is gone. */
    message: (number: number, role: string | null): string =>
      `message ${number}${role === null ? '' : ` (${role})`}`,
    metadata: 'metadata',
    systemPrompt: 'system prompt',
    plugin: (id: string): string => `plugin ${id}`,
    settings: 'model settings',
    step: (number: number): string => `step ${number}`,
    run: 'run',
  },
  /** The sentence on why a run went on or stopped after a step. */
  why: {
    notRecorded: (step: number): string => `Why it went on or stopped after step ${step} was not recorded.`,
    reasonUnknown: (step: number): string =>
      `It went on after step ${step}; the source of this run does not tell why.`,
    checksNotRecorded: 'The checks of this step were not recorded. The last step shows why the run stopped.',
    notDone: 'The step is not done yet.',
    waits: (awaited: string): string => `It waits in this step for ${awaited}.`,
    open: (step: number): string => `The decision after step ${step} is still open.`,
    toolsRequested: (step: number): string =>
      `It went on after step ${step}: the model requested tools and has not seen their results.`,
    askedToGoOn: (step: number): string =>
      `It went on after step ${step}: a hook or a plugin asked to go on.`,
    nothingStopped: (step: number): string => `It went on after step ${step}: nothing stopped it.`,
  },
};
