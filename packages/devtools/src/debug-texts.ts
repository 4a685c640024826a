const points = {
  model: 'its model call',
  tool: 'a tool call',
  answer: 'what follows its answer',
  end: 'its end',
} as const;

/** The English texts of the debugger: breakpoints, edits and forks. */
export const debugTexts = {
  debug: {
    /** The region of the debugger. */
    label: 'Debugger',
    /** The place where an agent waits. `tool` is null at no call, `agent` is null for the root. */
    waits: (point: keyof typeof points, step: number, tool: string | null, agent: string | null): string =>
      `Paused${agent === null ? '' : ` in ${agent}`} in step ${step}, before ${
        tool === null ? points[point] : `the call of ${tool}`
      }`,
    stepOver: 'Step over',
    release: 'Release',
    edit: 'Edit and release',
    pause: 'Pause',
    /** The reason of a refused release; `message` comes from the session. */
    refused: (message: string): string => `It was not released: ${message}`,
    breakpoints: (count: number): string => `Breakpoints (${count})`,
    remove: (name: string): string => `Remove the breakpoint ${name}`,
    /** The menu that sets breakpoints. */
    set: 'Break',
    setLabel: 'Break: set a breakpoint',
    next: 'before the next call',
    model: 'before each model call',
    tool: (name: string): string => `before ${name}`,
    toolAfter: (name: string): string => `after ${name}`,
    stepTypes: {
      error: 'after a step with an error',
      'tool-execution': 'after an answer with tool calls',
      'final-response': 'after a final answer',
    },
    budget: (limit: string, left: string): string => `with ${left} ${limit} left`,
    finding: (code: string | null): string =>
      `after ${code === null ? 'any finding' : `the finding ${code}`}`,
    /** The reason for the wait of a fork before a model. */
    acts: 'Tools run behind this model, so it is asked only when you let it.',
    /** A call that a fork holds. */
    held: (call: string): string => `The record has no ${call}, so it waits`,
    runIt: 'Run it',
    giveResult: 'Give a result',
    skip: 'Skip',
    cost: (over: string): string => `once it has cost more than ${over}`,
    /** The fields that narrow a breakpoint, and what they add to its name. */
    only: { input: 'Only with arguments (JSON)', agent: 'Only of the agent', cost: 'Above a cost of' },
    narrowed: (name: string, input: string | null, agent: string | null): string =>
      `${name}${input === null ? '' : ` with ${input}`}${agent === null ? '' : ` in ${agent}`}`,
    /** A condition of a newer version. */
    other: (type: string): string => type,
  },
  edits: {
    what: 'Edit',
    value: 'New value',
    arguments: (tool: string): string => `arguments of ${tool}`,
    result: (tool: string): string => `result of ${tool}`,
    /** A result that is given before the tool runs. */
    resultInstead: (tool: string): string => `result in place of ${tool}`,
    systemPrompt: 'system prompt',
    userMessage: 'message of the user',
    answer: 'answer of the model',
    model: 'model',
    description: (tool: string): string => `description of ${tool}`,
    notJson: 'This is no JSON.',
    unfit: (tool: string, issues: readonly string[]): string =>
      `${tool} does not take this: ${issues.join('; ')}`,
    cancel: 'Cancel',
  },
  forks: {
    none: 'The events of this run were not recorded from its beginning, so it cannot be forked.',
    noAgent: 'The agent is not on this page, so it cannot be run on.',
    intro:
      'Runs this run on from here, with a change. The model is asked; tools do not act. A call that the record has is answered from it, any other waits for you.',
    /** The recorded calls by tool, and the hooks that a fork leaves out. */
    before: (calls: string, hooks: string): string =>
      `The record answers ${calls === '' ? 'no call' : calls}.${hooks === '' ? '' : ` Left out, because they act: ${hooks}.`}`,
    /** The calls of a fork by the source of their outcome. */
    sources: ({ record, tool, given, held }: Record<'record' | 'tool' | 'given' | 'held', number>): string =>
      [
        record > 0 && `${record} from the record`,
        tool > 0 && `${tool} run`,
        given > 0 && `${given} by you`,
        held > 0 && `${held} waiting`,
      ]
        .filter(Boolean)
        .join(', ') || 'none',
    calls: 'Tool calls',
    open: 'Open',
    openLabel: (label: string): string => `Open the fork ${label} as a run`,
    add: 'Add a fork',
    remove: 'Remove',
    capTokens: 'Tokens for all forks',
    capCost: 'Cost for all forks',
    run: (count: number): string => `Run ${count < 2 ? 'the fork' : `${count} forks`}`,
    stop: 'Stop all',
    table: 'Forks side by side',
    recorded: 'as recorded',
    change: 'Change',
    status: 'Status',
    steps: 'Steps',
    tokens: 'Tokens',
    cost: 'Cost',
    time: 'Time',
    answer: 'Answer',
    difference: 'First difference',
    same: 'none',
    differs: (step: number, was: string, is: string): string => `step ${step}: ${was} → ${is}`,
    ended: 'nothing',
    spent: (tokens: string, cost: string): string => `All forks together: ${tokens} tokens, ${cost}`,
    failed: (message: string): string => `The forks were not begun: ${message}`,
  },
  /** The tab that finds by experiment what breaks an expectation. */
  cause: {
    label: 'The cause of what the run does',
    none: 'The events of this run were not recorded from its beginning, so it cannot be run again.',
    noAgent: 'The agent is not on this page, so its run cannot be run again.',
    line: 'What should the agent do?',
    example: 'It should know my name',
    means: 'That means',
    json: 'The expectation as JSON',
    runs: 'Recorded runs',
    met: (run: number, met: boolean | null, why: string): string =>
      `Run ${run}: ${met === null ? 'not decided. ' : met ? 'as expected. ' : 'not as expected. '}${why}`,
    find: 'Find out why',
    keep: 'Keep as case',
    cases: 'Cases',
    /** The cases of the project, and the time of day from which on some are red; null for none. */
    caseCount: (cases: number, red: number, since: string | null): string =>
      `${cases} ${cases === 1 ? 'case' : 'cases'}, ${red === 0 ? 'none' : red} red${since === null ? '' : ` since ${since}`}`,
    redCount: (red: number): string => `${red === 0 ? 'none' : red} red`,
    caseOf: (name: string, met: boolean | null, sentence: string): string =>
      `${name}: ${met === null ? 'not decided' : 'not as expected'}. ${sentence}`,
    /** The plan of an experiment; a null cost is not known. */
    estimate: (changes: number, calls: number, cost: string | null): string =>
      `The run is tried again as it was, and with one of ${changes} changes at a time: up to ${calls} model calls${
        cost === null ? '' : `, about ${cost}`
      }. Tools answer from the record, and none acts.`,
    estimateElsewhere: (changes: number, calls: number): string =>
      `The last request of the program is sent again as it was, and with one of ${changes} changes at a time: up to ${calls} model calls with the key of the program. No tool runs.`,
    /** The form for changes of the person, and their number so far. */
    own: (added: number): string => `Change something yourself${added === 0 ? '' : ` (${added})`}`,
    addOwn: 'Try it too',
    calls: 'Most model calls',
    cost: 'Most money',
    run: 'Run the experiment',
    stop: 'Stop',
    running: (calls: number): string => `Running: ${calls} model calls so far`,
    table: 'What was tried',
    change: 'Change',
    counts: 'As expected',
    price: 'Cost',
    difference: 'First difference',
    asItWas: 'as it was',
    count: (met: number, all: number): string => `${met} of ${all}`,
    unknown: 'unknown',
    untried: (names: readonly string[]): string => `Not tried: ${names.join('; ')}`,
    spent: (calls: number, cost: string): string => `${calls} model calls, ${cost}`,
  },
};
