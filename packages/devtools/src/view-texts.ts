import type { StopReason } from '@vitrine/core';
import type { AgentEventOf } from '@vitrine/core/types';
import { formatTexts } from './format-texts.ts';

const { count, duration, number } = formatTexts;

/** The reasons for which an answer is not whole, as they follow "but". */
const cuts = {
  length: 'the answer was cut at the length limit of the model',
  'content-filter': 'the provider held back the rest of the answer',
  error: 'the model broke off its answer with an error',
  other: 'the model does not say that its answer is whole',
};

/** The English texts of the views: runs, their steps in time, the graph, events and traces. */
export const viewTexts = {
  /** The steps of a run in time. */
  run: {
    filter: 'Which steps',
    filterButton: 'Filter',
    all: (count: number): string => `All ${count}`,
    errors: (count: number): string => `Errors ${count}`,
    slowOnly: (count: number): string => `Slow ${count}`,
    tool: 'Tool',
    everyTool: 'every tool',
    noMatch: 'No step matches the filter.',
    steps: 'Steps',
    tokens: (tokens: number): string => `${number(tokens)} tok`,
    /** `isMeasured` is false for a time that this page only saw from outside. */
    took: (duration: string, isMeasured: boolean): string => (isMeasured ? duration : `≈ ${duration}`),
    slow: 'slow',
    /** `percent` is the share of the cost of the run. */
    costOf: (cost: string, percent: number): string => (percent >= 100 ? cost : `${cost} · ${percent} %`),
    breakpoint: 'A breakpoint stops here',
    /** A call that runs a subagent. */
    delegated: (tool: string, agent: string): string => `${tool} → ${agent}`,
    /** A time that the axis leaves out. */
    cutOut: (duration: string): string => `${duration} were cut out`,
    /** Changes outside of steps. */
    writes: { before: 'Before the first step', after: 'After the last step' },
    messages: 'Messages of the run',
    messagesOnly:
      'The store keeps a session as a snapshot, so only the messages of this run are left. Its steps, requests and events were not stored.',
    trace: 'trace',
  },
  /** The state of a step in the list of steps. */
  stepMarks: {
    error: '✕ failed',
    'tool-execution': '⚙ tools',
    'final-response': '● answer',
    running: '◌ running',
    interrupted: '‖ interrupted',
    waiting: '◌ waiting',
  },
  /** The activity in a segment of a bar. */
  segments: {
    before: 'hooks and checks',
    'first-token': 'waiting for the first token',
    streaming: 'streaming',
    retry: 'failed, and tried again',
    tool: 'tool',
    person: 'waiting for a person',
    closed: 'nobody ran it, e.g. because the page was closed',
  },
  /** The status of a tool call. */
  callStates: {
    requested: 'requested',
    'awaiting-approval': 'waiting for approval',
    'awaiting-output': 'waiting for an answer',
    running: 'running',
    waiting: 'waiting',
    completed: 'completed',
    failed: 'failed',
    blocked: 'blocked',
    rejected: 'rejected',
    interrupted: 'interrupted',
    stopped: 'stopped',
  },
  /** The sentence on why a run stopped, or that it has not. */
  verdict: {
    notRun: 'It has not run yet.',
    hadNotRun: 'It had not run yet.',
    waits: (awaited: string): string => `It waits for ${awaited}.`,
    waited: (awaited: string): string => `It waited for ${awaited}.`,
    wasRunning: 'It was running.',
    approvals: (calls: number): string =>
      `your approval of ${calls === 1 ? 'a tool call' : `${calls} tool calls`}`,
    answers: (calls: number): string =>
      `your answer to ${calls === 1 ? 'a tool call' : `${calls} tool calls`}`,
    both: (approvals: string, answers: string): string => `${approvals}, and ${answers}`,
    release: 'your release at a breakpoint',
    interrupted: (steps: number): string =>
      `It was interrupted ${after(steps)}, before its end. It continues when it is resumed.`,
    running: 'It has not stopped: the run is in progress.',
    runningOrInterrupted: 'It has not stopped: the run is in progress, or was interrupted before its end.',
    pending: 'It has not started: a transition has prepared an execution.',
    withoutSignal: (steps: number): string => `It ended ${after(steps)} without a signal.`,
    /** `details` follow the sentence: the message of the signal and its source. */
    done: (steps: number, details: string): string => `It finished ${after(steps)}${details}.`,
    /** An end with an answer, of a run with findings that are no notes. */
    doneWithFault: (steps: number): string => `It finished ${after(steps)}, but something went wrong.`,
    /** An end with an answer that is not whole. */
    cutShort: (steps: number, reason: keyof typeof cuts): string =>
      `It ended ${after(steps)}, but ${cuts[reason] ?? cuts.other}.`,
    finished: (steps: number, why: string, details: string): string =>
      `It finished ${after(steps)} because ${why}${details}.`,
    failed: (steps: number, why: string, details: string): string =>
      `It failed ${after(steps)} because ${why}${details}.`,
    stopped: (steps: number, why: string, details: string): string =>
      `It was stopped ${after(steps)} because ${why}${details}.`,
    /** The details of a sentence. Null for a message or a source that is not known. */
    details: (message: string | null, source: string | null): string =>
      `${message === null ? '' : `: ${message}`}${source === null ? '' : ` (raised by ${source})`}`,
    refused: 'the next model call needs more than is left',
    sessionBudget: 'its session reached its budget',
    allAgents: 'it and its subagents reached their limit of steps',
    otherReason: (reason: string): string => `of ${reason}`,
  },
  /** The stop reasons, as they follow "because". */
  reasons: {
    'error-forbade': 'of an error',
    'stop-requested': 'a hook or a tool asked for it',
    'steps-limit-reached': 'it reached its limit of steps',
    'token-limit-reached': 'it reached its token limit',
    'time-limit-reached': 'it reached its time limit',
    'cost-limit-reached': 'it reached its cost limit',
    'retry-limit-reached': 'it reached its limit of retries',
    'finish-reason-received': 'of the finish reason of the model',
    'user-requested': 'a person asked for it',
    completed: 'it was done',
    unknown: 'of an unspecified reason',
  } satisfies Record<StopReason, string>,
  /** The decision to stop or go on. */
  stop: {
    questions: 'Questions of shouldStop, in order',
    isNoExecution: 'Is there no execution?',
    areSignals: 'Are there stop signals, and nobody asks to go on?',
    isAskedToGoOn: 'Does someone ask to go on?',
    areTools: 'Did the step ask for tools?',
    isNothingLeft: 'Is nothing left to do?',
    stop: 'stop',
    goOn: 'go on',
    yes: (answer: string): string => `Yes: ${answer}`,
    no: 'No',
    notAsked: 'not asked',
    signals: (count: number): string => `Signals by priority (${count})`,
    won: 'won',
    overridden: (count: number): string => `Overridden by a request to go on (${count})`,
    overriddenIn: (step: number): string => `overridden, step ${step}`,
    source: (source: string): string => `Source: ${source}`,
    budget: 'Budget',
    spent: (amount: string): string => `${amount} spent`,
    noLimit: 'no limit',
    ofLimit: (limit: string): string => `of ${limit}`,
    left: (amount: string): string => `${amount} left`,
    checks: (count: number): string => `Checks (${count})`,
    /** `answer` is one of `stop` and `goOn`; `reason` is that of the winning signal, or null. */
    check: (place: string, step: number, answer: string, branch: string, reason: string | null): string =>
      `${place}, step ${step}: ${answer} (${branch}${reason === null ? '' : `, ${reason}`})`,
  },
  graph: {
    label: 'Object graph',
    noChanges: 'Changes are unknown, because the previous state was not recorded.',
    changes: (step: number, added: number, changed: number): string =>
      `Since before step ${step}: ${added} new, ${changed} changed.`,
    collapse: 'Collapse all',
    asTree: 'As a tree',
    edge: (from: string, to: string): string => `Edge from ${from} to ${to}`,
    controls: 'Control Panel',
    zoomIn: 'Zoom In',
    zoomOut: 'Zoom Out',
    fitView: 'Fit View',
    added: 'new',
    changed: 'changed',
    agent: 'the agent',
    tokens: (tokens: number): string => `${number(tokens)} tok`,
    revision: (revision: number): string => `revision ${revision}`,
    messages: 'messages',
    inSections: (messages: number, sections: number): string =>
      `${messages} in ${count(sections, 'section')}`,
    empty: 'empty',
    none: 'none',
    run: (number: number): string => `run ${number}`,
    steps: 'steps',
    step: (number: number): string => `step ${number}`,
    running: 'running',
    errors: (errors: number): string => count(errors, 'error'),
    stepCount: (steps: number): string => count(steps, 'step'),
    askedToGoOn: 'asked to go on',
    continuation: 'continuation',
    signals: (signals: number): string => count(signals, 'signal'),
    won: 'won',
    lost: 'lost',
    overridden: 'overridden',
    by: (source: string): string => `by ${source}`,
    earlier: (count: number): string => `${count} earlier`,
    show: 'show',
  },
  events: {
    label: 'Events',
    filter: 'Filter events',
    filterPlaceholder: 'Filter',
    pause: 'Pause',
    goOn: 'Go on',
    clear: 'Clear',
    sinceStart: 'Since start',
    sinceStartTitle: 'Times from the start of the run',
    missed: (events: number): string => `${events} events came before the panel began to record.`,
    dropped: (events: number, steps: number): string =>
      `${events} older events of ${steps} steps were dropped to make room.`,
    none: 'No events yet.',
    noMatch: 'No events match.',
    partialInput: (characters: number): string => `(${characters} characters of the input)`,
  },
  /** The summaries of events. */
  summaries: {
    hookAt: (hook: string, point: string): string => `${hook} at ${point}`,
    by: (source: string): string => `by ${source}`,
    changedBy: (source: string): string => `changed by ${source}`,
    attempt: (attempt: number, messages: number, model: string | null): string =>
      `attempt ${attempt}, ${count(messages, 'message')}${model === null ? '' : `, ${model}`}`,
    finished: (reason: string, tokens: number): string => `${reason}, ${count(tokens, 'token')}`,
    retry: (delayMs: number, message: string): string => `in ${duration(delayMs)}: ${message}`,
    /** `filename` is null for a file without a name. */
    attachmentMissing: (filename: string | null): string => `${filename ?? 'a file'} is not in the store`,
    chargeOfHook: (tokens: number, isEstimated: boolean, hook: string): string =>
      `${chargeText(tokens, isEstimated)} by ${hook}`,
    chargeOfCall: (tokens: number, isEstimated: boolean, reason: ChargeReason): string =>
      // A newer version may know more causes.
      `${chargeText(tokens, isEstimated)} of a call that ${Object.hasOwn(causes, reason) ? causes[reason] : 'ended'}`,
    held: (tokens: number): string => `${count(tokens, 'token')} held by others`,
    price: (model: string | null, input: number, output: number): string =>
      `${model ?? 'the default model'}: ${input} in, ${output} out, for a million tokens`,
    unknownPrice: (model: string | null): string =>
      `${model ?? 'the default model'}: the client knows no price`,
    remembered: (tool: string, decision: string, scope: string): string =>
      `${tool}: ${decision} for the ${scope}`,
    evaluation: (isStop: boolean, branch: string, place: string): string =>
      `${isStop ? 'stop' : 'go on'}: ${branch} (${place})`,
    /** `condition` is null for a breakpoint that is taken away. */
    breakSet: (condition: string | null, isOnce: boolean): string =>
      `${condition ?? 'removed'}${isOnce ? ', once' : ''}`,
    breakHit: (point: string, step: number): string => `${point} of step ${step}`,
    breakRelease: (edited: readonly string[]): string =>
      edited.length === 0 ? '' : `edited: ${edited.join(', ')}`,
    messageIn: (role: string, section: string): string => `${role} in ${section}`,
    /** An event that a newer version wrote; `tool` is empty when it is of no tool. */
    ofNewer: (tool: string): string => (tool === '' ? 'of a newer version' : `${tool}, of a newer version`),
  },
  /** The runs of all stored sessions. */
  runs: {
    label: 'Runs of all sessions',
    filter: 'Filter of the runs',
    words: 'Words',
    result: 'Every end',
    model: 'Every model',
    code: 'Every finding',
    leastCost: 'From $',
    leastSteps: 'From steps',
    since: 'Since, as 2026-11-24',
    results: {
      finished: 'finished',
      faulty: 'with faults',
      stopped: 'stopped',
      failed: 'failed',
      open: 'not ended',
    },
    reading: (sessions: number): string => `Reading… ${count(sessions, 'session')}`,
    shown: (shown: number, all: number, sessions: number, cost: string): string =>
      `${shown} of ${count(all, 'run')} in ${count(sessions, 'session')}, ${cost}.`,
    unread: (sessions: number): string => `${count(sessions, 'session')} could not be read.`,
    steps: (steps: number): string => count(steps, 'step'),
    trend: (code: string, runs: number, all: number, since: string): string =>
      `${code}: ${runs} of ${all}, since ${since}`,
    more: 'Read older sessions',
    opened: (name: string, run: number): string => `${name}, run ${run}`,
    gone: 'This run is no longer stored.',
  },
  trace: {
    label: 'Trace',
    noReplay: 'This run can be neither replayed nor made into a test: not all of its events were recorded.',
    replay: 'Replay',
    replayRun: (number: number): string => `Replay run ${number}`,
    replayNote:
      'Runs the current agent again. Model and tools answer from the recording; hooks, plugins and rules run for real.',
    noAgent: 'The agent is not on this page, so you can only inspect the run.',
    replaying: 'Replaying…',
    replayed: (modelCalls: number, toolCalls: number): string =>
      `The replay ended in the same state. ${count(modelCalls, 'model call')} and ${count(toolCalls, 'tool call')} were answered from the recording, without network requests.`,
    test: 'Test',
    runAsTest: (number: number): string => `Run ${number} as a test`,
    testNote:
      'A vitest file that replays the run with your agent and fails when a prompt or a hook differs. Correct its import of the agent.',
    makeTest: 'Make a test',
    saveTest: 'Save test',
    copyTest: 'Copy test',
    file: 'Trace file',
    fileNote: 'Everything recorded of this session up to the selected moment, in one file without secrets.',
    preview: 'Preview trace',
    /** `missing` is the number of events that were not recorded. */
    contents: (events: number, journals: number, redactions: number, missing: number): string =>
      `${count(events, 'event')} of ${count(journals, 'journal')}. ${count(redactions, 'value')} replaced by •••.${
        missing > 0 ? ` ${count(missing, 'earlier event')} not recorded.` : ''
      }`,
    redacted: 'Redacted values',
    redactedByName: (path: string): string => `${path} has the name of a secret`,
    redactedByPattern: (path: string): string => `${path} looks like a secret`,
    redactedByApplication: (path: string): string => `${path} is removed by the application`,
    moreRedacted: (count: number): string => `… and ${count} more.`,
    save: 'Save trace',
  },
};

type ChargeReason = AgentEventOf<'usage-charge'>['reason'];

const causes: Readonly<Record<ChargeReason, string>> = {
  failed: 'failed',
  aborted: 'was aborted',
  interrupted: 'was interrupted',
  hook: 'a hook made',
};

function chargeText(tokens: number, isEstimated: boolean): string {
  return `${count(tokens, 'token')}${isEstimated ? ', estimated' : ''}`;
}

function after(steps: number): string {
  return `after ${steps} ${steps === 1 ? 'step' : 'steps'}`;
}
