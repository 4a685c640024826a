import type { BudgetBar } from '@vitrine/inspect/internal/budget-bars';
import type { FindingSeverity, RecordedRun } from '@vitrine/inspect';
import { formatTexts } from './format-texts.ts';
import { reduxTexts } from './redux-texts.ts';

const { count, number } = formatTexts;

/** The English texts of the panel around its views. */
export const panelTexts = {
  /** Words that several views share. */
  common: {
    loading: 'Loading…',
    loadingGraph: 'Loading the graph…',
    tryAgain: 'Try again',
    notLoaded:
      'This part of the panel could not be loaded. The page may be offline, or a newer version was deployed.',
    viewFailed: (message: string): string => `This view failed: ${message}`,
    nothingMatches: 'Nothing matches.',
    none: 'None.',
    empty: '(empty)',
    unknown: 'unknown',
    copied: 'Copied.',
    copyRefused: 'The browser refused to copy the text.',
    value: 'Value',
    text: 'Text',
    showAll: (characters: number): string => `Show all ${number(characters)} characters`,
    /** A page of a long list. */
    page: (name: string, from: number, to: number): string => `${name} ${from} to ${to}`,
    reasoning: 'Reasoning',
    result: 'Result',
    systemPrompt: 'System prompt',
  },
  /** The values of an object tree. */
  values: {
    tree: 'Object graph',
    /** The row that stands for the rest of a list. */
    showMore: (shown: number, hidden: number): string => `Show ${shown} of ${hidden} more`,
    list: 'list',
    notReadable: '(cannot be read)',
    getter: 'getter, not called',
    /** `message` is that of the error; null when there is none. */
    throws: (message: string | null): string => `cannot be read: ${message ?? 'it throws'}`,
    invalidDate: 'Date (invalid)',
  },
  shell: {
    panel: 'Vitrine devtools',
    open: (faults: number, isPaused: boolean, redCases = 0): string =>
      [
        'Open Vitrine devtools',
        faults > 0 && count(faults, 'fault'),
        redCases > 0 && count(redCases, 'red case'),
        isPaused && 'a run is paused',
      ]
        .filter(Boolean)
        .join(', '),
    close: 'Close devtools',
    title: 'Vitrine',
    session: 'Session',
    views: 'Views',
    popUpBlocked: 'The browser blocked the window. Allow pop-ups for this page and try again.',
    size: 'Size of the panel',
    noSession:
      'No session on this page yet. A session appears here when it is first used, e.g. when you send a message or open a stored session. You can also drop a trace file here.',
    dropTrace:
      'Drop a trace file here, or choose one with “Open trace”. It is read on this page and not sent anywhere.',
    openTrace: 'Open trace',
    closeTrace: 'Close trace',
    traceFile: 'Trace file to open',
    traceTooLarge: (bytes: number, limit: number): string =>
      `The trace cannot be opened. It has ${bytes} bytes; at most ${limit} are read.`,
    traceName: (name: string, time: string): string => `${name} (view only, trace of ${time})`,
    inspect: 'Inspect',
    inspectTitle: 'Choose a message or a call in the page',
    picking: 'Click a message or a call in the page. Escape ends it.',
    messageNotFound: 'No known step of this session contains this message.',
    callNotFound: 'No known step of this session contains this call.',
    menu: 'Menu',
    commands: 'Commands',
    commandsTitle: 'Ctrl+K or ⌘K',
    dockSide: 'Dock side',
    ownWindow: 'Own window',
    backIntoPage: 'Back into the page',
  },
  redux: reduxTexts,
  /** The sides at which the panel is docked. */
  sides: { right: 'right', bottom: 'bottom', left: 'left', top: 'top' },
  /** The menu of commands. */
  commands: {
    field: 'Command',
    placeholder: 'What do you want to do?',
    none: 'No command matches.',
    dock: (side: string): string => `Dock ${side}`,
    timesByClock: 'Times by the clock',
    timesFromStart: 'Times from the start of the run',
    show: (tab: string): string => `Show ${tab}`,
    inspect: 'Inspect something in the page',
    goTo: (run: string): string => `Go to ${run}`,
  },
  tabs: { run: 'Run', graph: 'State', events: 'Events', trace: 'Trace', cause: 'Cause', runs: 'History' },
  /** The summary of a session above its views. */
  header: {
    run: (number: number): string => `run ${number}`,
    /** `isMore` is true when some calls reported no usage. */
    tokens: (tokens: number, isEstimated: boolean, isMore: boolean): string =>
      `${isEstimated ? 'about ' : ''}${number(tokens)} tok${isMore ? ' or more' : ''}`,
    /** `unknown` is the number of calls without usage. */
    tokensTitle: (input: number, output: number, isEstimated: boolean, unknown: number): string =>
      `${input} in, ${output} out${isEstimated ? ', partly estimated' : ''}${
        unknown === 0 ? '' : `; usage of ${count(unknown, 'stopped call')} unknown`
      }`,
    tokensUnknown: 'tokens unknown',
    /** `cached` and `paid` are shares of the input; `paid` is null when a price is not known. */
    cached: (cached: number, paid: number | null): string =>
      `cached ${Math.round(cached * 100)} %${paid === null ? '' : `, input paid as ${Math.round(paid * 100)} %`}`,
    costUnknown: 'cost unknown',
    /** `cached` is empty where it is not known. */
    sessionTitle: (cost: string, tokens: string, cached: string): string =>
      `All runs of this session: ${cost}, ${tokens} tokens${cached === '' ? '' : `, ${cached}`}`,
    notStored: 'The result of this run was not stored.',
    waitingForYou: 'waiting for you',
    /** The button that lets a stopped run go on. */
    continueRun: 'Continue',
    continueTitle: 'The same run goes on, with each limit that it reached once more.',
    spent: (spent: string, limit: string): string => `${spent} spent of ${limit}`,
    heldByCalls: (held: string): string => `${held} held by calls in flight`,
    left: (left: string): string => `${left} left`,
    held: (held: string): string => `+${held} held`,
    limit: (measure: string, amounts: string): string => `${measure}: ${amounts}`,
  },
  /** The place of a session that this page does not run alone. */
  place: {
    tab: 'Another tab runs it; this page follows.',
    server: 'The server runs it; this page follows.',
    /** The versions of the agent that runs it and of the one of this page; null for one without. */
    otherVersion: (there: string | null, here: string | null): string =>
      here === null
        ? `Version ${there} of the agent answers.`
        : `${there === null ? 'An agent without a version' : `Version ${there} of the agent`} answers; this page has version ${here}.`,
    nobody: 'Nobody is known to run it: no connection, or no answer.',
    offline: 'This page is offline.',
    reconnecting: 'The connection to the server is lost and is made again.',
    queued: (messages: number): string => `${count(messages, 'message')} queued.`,
    unsent: (commands: number): string => `${count(commands, 'command')} waiting for connection.`,
    saved: 'Saved.',
    /** `message` is that of the error; null when there is none. */
    notSaved: (message: string | null): string => `Not saved${message === null ? '.' : `: ${message}`}`,
    silent: 'The store does not answer.',
    /** A run of another library. `unknown` names what its source does not tell. */
    watched: (unknown: readonly string[]): string =>
      `Watched from this page.${unknown.length === 0 ? '' : ` Not known: ${unknown.join('; ')}.`}`,
    facts: {
      prompt: 'the request (system prompt, tools, model)',
      usage: 'tokens and cost',
      times: 'exact times of tools',
      results: 'results of the last calls',
    },
  },
  /** The findings of a run. */
  findings: {
    label: 'Findings',
    /** The sentence and the remedy of a finding, in the words of its detector. */
    sentence: (sentence: string, _code: string): string => sentence,
    remedy: (remedy: string, _code: string): string => remedy,
    severities: { fault: 'fault', hint: 'hint' } satisfies Record<FindingSeverity, string>,
    more: (count: number): string => `${count} more`,
    hints: (hints: number): string => count(hints, 'hint'),
    fewer: 'Fewer',
    /** The button by which a person says that a hint is meant, and the hints that are. */
    meant: 'Meant',
    meantTitle: (line: string, who: string): string =>
      `Folds this hint, and copies ${line} for the code of ${who === '' ? 'the agent' : who}`,
    isExpected: 'expected',
    expected: (hints: number): string => `${hints} expected`,
    before: 'Before',
    after: 'After',
    /** The arguments of a call as the model gave them, and as the tool got them. */
    given: 'Given',
    got: 'Got',
    by: (who: string): string => `by ${who}`,
    fact: (name: string, value: string): string => `${name}: ${value}`,
  },
  /** The status of a run. */
  runStates: {
    idle: 'not run yet',
    pending: 'not started',
    'in-progress': 'running',
    completed: 'finished',
    /** Finished with an answer that is not whole. */
    cut: 'cut short',
    stopped: 'stopped',
    failed: 'failed',
  },
  /** The status of a run and of a subagent, as the state has it. */
  statuses: {
    idle: 'idle',
    pending: 'pending',
    'in-progress': 'in-progress',
    completed: 'completed',
    stopped: 'stopped',
    failed: 'failed',
  },
  /** The measures of limits. */
  measures: {
    maxSteps: 'steps',
    maxTokens: 'tokens',
    maxSeconds: 'seconds',
    deadline: 'moment',
    maxCost: 'cost',
    maxTotalSteps: 'steps of all agents',
    sessionTokens: 'tokens of the session',
    sessionCost: 'cost of the session',
  } satisfies Record<BudgetBar['key'], string>,
  /** The choice of a run and a moment. */
  moments: {
    run: 'Run',
    moment: 'Moment',
    /** The button that shows the slider of moments. */
    lookBack: 'Look back',
    help: 'Arrow keys: event by event. [ and ]: step by step. Escape: back to live.',
    live: 'live',
    backToLive: 'Back to live',
    /** The last moment of a trace file. */
    end: 'end of the trace',
    toEnd: 'To the end',
    messagesOnly: 'messages only',
    noEvents: 'no events',
    /** Events since the person left the live view. */
    newEvents: (count: number): string => `+${count} new`,
    /** The name of a run. `request` is the beginning of its question, or empty. */
    runName: (number: number, request: string, known: RecordedRun['known']): string =>
      `Run ${number}${request === '' ? '' : ` · ${request}`}${notes[known]}`,
    beforeFirst: 'before the first event',
    /** The place of an event. `step` is null outside of steps. */
    position: (at: number, events: number, step: number | null, type: string, time: string): string =>
      `${at} of ${events}: ${step === null ? '' : `step ${step}, `}${type}, ${time}`,
  },
  search: {
    label: 'Search everything',
    help: 'Search everything ( / )',
    searching: 'Searching…',
    found: 'Found',
    count: (count: number): string => `${count} found`,
    first: (count: number): string => `The first ${count} found; there may be more.`,
    inStep: (run: number, step: number, part: string): string => `Run ${run}, step ${step}, ${part}`,
    event: (number: number, type: string): string => `Event ${number}, ${type}`,
    systemPrompt: 'system prompt',
    leftOut: 'left out',
    sent: (role: string): string => `sent, ${role}`,
    toolOffered: 'tool offered',
    plugin: (id: string): string => `plugin ${id}`,
    settings: 'settings',
    received: 'received',
    callOf: (tool: string): string => `call of ${tool}`,
  },
};

const notes: Readonly<Record<RecordedRun['known'], string>> = {
  events: '',
  state: ' (from the stored state)',
  stored: ' (from the store)',
  messages: ' (messages only)',
};
