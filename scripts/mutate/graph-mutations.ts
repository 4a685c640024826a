import { type Mutation, mutationsIn } from './mutation.ts';

/** Faults in the state: its transitions, accessors, limits and stored form. */
export const graphMutations: readonly Mutation[] = mutationsIn('packages/core/src/graph', {
  'agent-state/transitions.ts': [
    [`, ...(isTrace ? { is_trace: true } : {})`, ``, 'a trace is not marked'],
    [
      `Math.max(env.now(), state.updatedAt) }`,
      `env.now() }`,
      'a clock that was set back makes a state older',
    ],
    [
      `if (keys.every((key) => Object.is(state[key], fields[key]))) return state;`,
      ``,
      'a change that changes nothing makes a new state',
    ],
    [
      `if (next === messages || sharedLength(next, messages) === messages.length) continue;`,
      `continue;`,
      'what a kept step was sent goes with the messages',
    ],
    [
      `executionCount: state.executionCount + 1 }, env);`,
      `executionCount: state.executionCount }, env);`,
      'a pending execution is not counted',
    ],
    [
      `const store = isIdle ? withSection(state.context.store, 'execution_buffer', []) : state.context.store;`,
      `const { store } = state.context;`,
      'a new message leaves the trace of the run before in the buffer',
    ],
    [
      `const isIdle = state.execution === null || isFinished(state.execution);`,
      `const isIdle = true;`,
      'a message during a run clears its trace',
    ],
    [
      `metadata: { ...current, ...Object.fromEntries(changed) }`,
      `metadata: Object.fromEntries(changed)`,
      'new metadata drops the old',
    ],
    [
      `{ execution: null, spentBefore, texts: noTexts, retained: noMessages }`,
      `{ execution: null, spentBefore, texts: state.texts, retained: state.retained }`,
      'the next execution keeps the texts of the last',
    ],
    [
      `return { ...execution, status, completedAt: null };`,
      `return { ...execution, status };`,
      'a run that goes on keeps the time of its end',
    ],
    [
      `return signalled.execution?.status === 'in-progress'`,
      `return signalled.execution !== null`,
      'a failure ends an execution that has not begun',
    ],
    [
      `return winner.reason === 'error-forbade' ? 'failed' : 'stopped';`,
      `return 'stopped';`,
      'an error ends a run as stopped',
    ],
    [
      `if (state.execution !== null && isFinished(state.execution)) return state;`,
      ``,
      'an ended execution is ended again',
    ],
    [
      `isTrace ? 'execution_buffer' : 'messages';`,
      `false ? 'execution_buffer' : 'messages';`,
      'a separate trace stands among the messages',
    ],
    [
      `withContinuationRequested(execution.continuation, false)`,
      `execution.continuation`,
      'an archived step does not spend the request to go on',
    ],
    [
      `return upsert(cleared, messages, target);`,
      `return upsert(store, messages, target);`,
      'a step that turned into a trace stands in both sections',
    ],
  ],
  'agent-state/create.ts': [
    [
      `parentAgentId: parent === null ? null : idOf(parent),`,
      `parentAgentId: null,`,
      'a child forgets its parent',
    ],
    [`toJsonObject(init.metadata)`, `init.metadata ?? {}`, 'metadata is shared with who gave it'],
  ],
  'agent-state/remembered.ts': [
    [
      `[state.execution?.executionId, 'session']`,
      `['session']`,
      'what is remembered for the execution is not found',
    ],
    [
      `...(Object.keys(session).length === 0 ? {} : { session }), [key]: decisions`,
      `[key]: decisions`,
      'a decision for the execution forgets those for the session',
    ],
  ],
  'agent-state/accessors.ts': [
    [
      `return step !== null && needsAnswer(step) ? 'tool-calls-requested' : 'nothing-left';`,
      `return 'nothing-left';`,
      'calls of tools do not lead to another step',
    ],
    [
      `if (execution.continuation.isContinuationRequested) return 'continuation-requested';`,
      ``,
      'a request to go on does not beat signals',
    ],
    [
      `execution.stepExecutions.length + (execution.currentStep === null ? 0 : 1)`,
      `execution.stepExecutions.length`,
      'the step in flight is not counted',
    ],
    [`? pendingApprovals(execution.childState)`, `? []`, 'approvals of subagents are not listed'],
    [
      `return [...archived, ...current.filter((signal) => !archived.some((other) => equalJson(other, signal)))];`,
      `return [...archived, ...current];`,
      'a signal that was stored is told twice',
    ],
  ],
  'agent-step.ts': [
    [
      `type(step) === 'final-response' && !isInterrupted(step) && responseText(step).trim() !== ''`,
      `type(step) === 'final-response' && responseText(step).trim() !== ''`,
      'an answer that broke off counts as final',
    ],
    [`if (hasErrors(step)) return 'error';`, ``, 'a step with errors is of another type'],
  ],
  'execution-continuation.ts': [
    [
      `overridden: [...continuation.overridden, ...continuation.stopSignals],`,
      `overridden: continuation.overridden,`,
      'consumed signals leave no trace',
    ],
  ],
  'execution-state.ts': [
    [
      `end - startedAt - waitedMs - waiting`,
      `end - startedAt - waiting`,
      'time that waited for a person counts',
    ],
    [
      `return total([...calls, ...children.map(tallyOfExecution)]);`,
      `return total(calls);`,
      'what subagents spend is not counted',
    ],
    [
      `hasUnknownCost: real.some(`,
      `hasUnknownCost: real.every(`,
      'an unknown price hides behind a known one',
    ],
  ],
  'usage.ts': [
    [
      `for (const field of fields) total[field] += usage[field];`,
      `for (const field of fields)
        total[field] += field === 'totalTokens' ? usage.inputTokens + usage.outputTokens : usage[field];`,
      'a total that the provider told is not summed',
    ],
    [`return isSound ? usage : of(usage);`, `return usage;`, 'usage with invalid figures is summed'],
  ],
  'limits.ts': [
    [`return !(left > 0);`, `return left < 0;`, 'a limit is reached only when it is exceeded'],
    [
      `unit === 'money' ? toMillionths(limit) - toMillionths(amount) : limit - amount`,
      `limit - amount`,
      'money is compared as fractions',
    ],
    [`isUnknown ? \`Cost limit of`, `false ? \`Cost limit of`, 'a cost limit without prices is not kept'],
  ],
  'execution-budget.ts': [
    [
      `return b === null ? a : Math.min(a, b);`,
      `return b === null ? a : b;`,
      'the wider of two budgets wins',
    ],
    [`|| !Number.isFinite(value) || value < 0)`, `|| !Number.isFinite(value))`, 'a negative limit is taken'],
  ],
  'normalize-message.ts': [
    [
      `ids.has(message.id) ? knownMessage({ ...message, id: env.id() }) : message`,
      `message`,
      'two messages have one id',
    ],
    [`textOf(id) || env.id()`, `textOf(id)`, 'a message has no id'],
  ],
  'messages-by-id.ts': [
    [
      `else if (at < 0) added.push(message);`,
      `else if (at < 0 || current[at] !== message) added.push(message);`,
      'a message that changed stands there twice',
    ],
  ],
  'message-store.ts': [
    [
      `return { sections: [...sections].sort((a, b) => rank(a.name) - rank(b.name)) };`,
      `return { sections };`,
      'sections are compiled in the order in which they were made',
    ],
  ],
  'retained.ts': [
    [
      `return isSame ? sent : { ...sent, messages };`,
      `return sent;`,
      'a step was sent what has left its section',
    ],
    [
      `if (known === message || (known && equalJson(known, message))) return key;`,
      ``,
      'a message is retained once for every step',
    ],
    [`placeOf(message) === start + index`, `placeOf(message) >= 0`, 'what is put in between was sent, too'],
  ],
  'sent.ts': [
    [
      `return from < 0 || to < 0 ? [] : messages.slice(from, to + 1);`,
      `return from < 0 || to < 0 ? [] : messages.slice(from, to);`,
      'the last message that was sent is left out',
    ],
  ],
  'document/migrate-chain.ts': [
    [
      `if (step === undefined) {`,
      `if (step === undefined) {\n      if (version > 0) return current;`,
      'other versions are read as the present one',
    ],
    [
      `version === present || typeof version !== 'number'`,
      `(version as number) <= present || typeof version !== 'number'`,
      'older versions are read as new',
    ],
  ],
  'document/document.ts': [
    [`if ($schema !== \`vitrine/\${kind}\`) {`, `if (false) {`, 'a document of another kind is read'],
    [
      `freeze(read(kind, ownJson(document), shape`,
      `freeze(read(kind, document, shape`,
      'the document that was given is kept',
    ],
  ],
  'document/message-table.ts': [
    [
      `const place = key === null ? undefined : revisions.places.get(key);`,
      `const place = revisions.newest;`,
      'a changed message is stored as it was',
    ],
  ],
  'document/message-ranges.ts': [
    [`if (start + length > table.length)`, `if (false)`, 'a reference to no message is read'],
  ],
  'document/shape.ts': [
    [
      `if (isUsual(given)) continue;`,
      `if (isUsual(given) || given === 0) continue;`,
      'a call that costs nothing becomes one of unknown price',
    ],
    [
      `if (usual !== undefined) value[key] = fresh(usual);`,
      `value[key] = fresh(usual);`,
      'an absent field comes back as undefined',
    ],
  ],
  'shapes.ts': [
    [
      `outcome: is.or(outcome, 'completed'),`,
      `outcome: { ...is.or(outcome, 'completed'), encode: () => undefined } as never,`,
      'a stored failure comes back as a success',
    ],
  ],
  'document/step-shape.ts': [
    [
      `const isResultKnown = 'result' in execution && known !== undefined && equalJson(known.output, result);`,
      `const isResultKnown = 'result' in execution && known !== undefined;`,
      'a result is stored as the model was told it',
    ],
    [
      `settledAt: is.or(is.timestamp, null),`,
      `settledAt: { ...is.or(is.timestamp, null), encode: () => undefined } as never,`,
      'a settled call is settled again after storing',
    ],
    [
      `encode: (approval) => ({ ...approval }),`,
      `encode: ({ isEdited: _, ...approval }) => approval,`,
      'a stored approval forgets that it was edited',
    ],
    [`return settings;`, `return stored;`, 'a stored key comes back'],
  ],
  'document/state-shape.ts': [
    [
      `waitingSince: is.or(is.timestamp, null),`,
      `waitingSince: { ...is.or(is.timestamp, null), encode: () => undefined },`,
      'a stored run does not know that it waits',
    ],
    [
      `waitedMs: is.or(is.count, 0),`,
      `waitedMs: { ...is.or(is.count, 0), encode: () => undefined },`,
      'time that was waited is forgotten by storing',
    ],
    [
      `seq: is.or(is.count, 0),`,
      `seq: { ...is.or(is.count, 0), encode: () => undefined },`,
      'a state that was read counts its events anew',
    ],
    [
      `parentAgentId: is.or(uuid, null),`,
      `parentAgentId: { ...is.or(uuid, null), encode: () => undefined },`,
      'a stored child forgets its parent',
    ],
  ],
  'stop-signal.ts': [
    [
      `priority(signal.reason) < priority(winner.reason)`,
      `priority(signal.reason) <= priority(winner.reason)`,
      'the later of two equal signals wins',
    ],
  ],
});
