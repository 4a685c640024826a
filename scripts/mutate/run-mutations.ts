import { type Mutation, mutationsIn } from './mutation.ts';

/** Faults in the run of an agent: its journal, decisions, steps, tools, and the features of the loop. */
export const runMutations: readonly Mutation[] = mutationsIn('packages/core/src', {
  'features/approvals.ts': [
    [
      `return { kind: 'ask', reason: \`Its approval rule failed: \${message}\` };`,
      `return { kind: 'allow', reason: \`Its approval rule failed: \${message}\` } as never;`,
      'an approval rule that throws lets the call run',
    ],
    [
      `if (remembered === 'rejected') return reject(`,
      `if (false) return reject(`,
      'a remembered refusal lets the call run',
    ],
    [
      `rootOf(run.path, call) ?? run.lease.state()`,
      `rootOf(run.path, call) ?? stateOf(run)`,
      'subagents ask again for what is remembered',
    ],
    [
      `const isGiven = call.status === 'completed' && call.startedAt === null;`,
      `const isGiven = false;`,
      'the output that a person gives is not checked',
    ],
  ],
  'features/budgets.ts': [
    [
      `      ...ledger.stopSignals(now),
`,
      ``,
      'limits of the agents above do not stop a child',
    ],
  ],
  'features/effects.ts': [
    [
      `call.status === 'running' && !isRepeatable(batch, call) ? recall(batch, call) : null`,
      `null`,
      'a tool runs twice after a reload',
    ],
  ],
  'features/files.ts': [
    [
      `withResultFiles(await withFiles(call.wire, read))`,
      `await withFiles(call.wire, read)`,
      'pictures of tools go as answers, which providers drop',
    ],
  ],
  'features/hooks.ts': [
    [`if (blocked.stopBatch === true) stopped.add(batch);`, ``, 'a blocked batch goes on'],
    [
      `(call.approval?.decision === 'approved' && !call.approval.isEdited) ||`,
      `call.approval?.decision === 'approved' ||`,
      'edited arguments go past the hooks',
    ],
    [
      `  if (next === execution) return;
`,
      `  if (next !== execution) return;
`,
      'a hook cannot replace a result',
    ],
    [
      `if (!run.signal.aborted || !latePoints.includes(point)) return`,
      `return`,
      'hooks at the end do not run after an abort',
    ],
    [`author = hook.name;`, ``, 'what a hook replaced has no author'],
  ],
  'features/retries.ts': [
    [`2 ** (attempt - 1)`, `2 ** attempt`, 'the first wait is twice as long'],
    [`ceiling / 2 + (random() * ceiling) / 2`, `random() * ceiling`, 'a retry may come at once'],
    [
      `if (!failed.retryable || !isRepeated) throw failed.error;`,
      `if (!failed.retryable) throw failed.error;`,
      'an answer that has begun is asked for again',
    ],
    [
      `Math.min(failed.retryAfterMs ?? 0, maxRetryAfterMs)`,
      `failed.retryAfterMs ?? 0`,
      'an upstream makes a run wait for hours',
    ],
  ],
  'features/steering.ts': [
    [
      `if (messages.length > 0) commit(run, { type: 'continuation-request', source: 'user' });`,
      ``,
      'what was said during the last step is not answered',
    ],
  ],
  'features/structured-output.ts': [
    [
      `metadata[mark] === true && metadata['execution_id'] === executionId`,
      `metadata[mark] === true`,
      'attempts of an earlier run count against this one',
    ],
  ],
  'features/subagents.ts': [
    [`!execution.isLost && `, ``, 'a lost call asks its tool who does the work'],
    [
      `const messages = [user(task, {}, env)];`,
      `const messages = [...stateOf(run).context.store.sections.flatMap((entry) => entry.messages), user(task, {}, env)];`,
      "a child starts with its parent's messages",
    ],
    [`if (run.depth >= run.maxDepth) return`, `if (run.depth < 0) return`, 'delegation has no depth limit'],
    [`hasEnded(call.childState) ? 'ended' :`, `false ? 'ended' :`, 'a child that had ended works again'],
    [`parentLedger: run.ledger,`, `parentLedger: null,`, 'a child spends beside the budget of its parent'],
    [
      `inheritTools === null ? [] : filter(`,
      `inheritTools === null ? ownTools(tools) : filter(`,
      'a child gets tools that nobody lent',
    ],
    [
      `if (end === 'paused' || !child) return;`,
      `if (!child) return;`,
      'a child that waits for a person is over',
    ],
    [
      `run.env.monotonic() - workedBefore(call);`,
      `run.env.monotonic();`,
      'the time of a child before a pause is lost',
    ],
    [
      `end === 'paused' || !child) return;
  commit(run, {`,
      `end === 'paused' || !child) return;
  if (!run.signal.aborted) commit(run, {`,
      'the end of a child that was aborted is not told',
    ],
  ],
  'features/wire-messages.ts': [
    [`if (name !== undefined) return name;`, ``, 'results have another id than their calls'],
    [`if (known?.key === key) return known.message;`, ``, 'a result is a new object in every request'],
    [
      `if (known?.key === key) return known.message;`,
      `if (known !== undefined) return known.message;`,
      'a result keeps the id of another conversation',
    ],
    [`next({ ...call, wire: withWireIds(call.wire) })`, `next(call)`, 'providers see our ids'],
  ],
  'run/answer-call.ts': [
    [
      `if (found === null || found.call.status !== status) throw unknown(toolCallId);`,
      `if (found === null) throw unknown(toolCallId);`,
      'a call is answered twice',
    ],
    [`if (isWaiting(call) ||`, `if (`, 'a call that waits is run'],
  ],
  'run/apply.ts': [
    [`if (event.seq <= state.seq) return state;`, ``, 'an event that came already counts again'],
    [`if (childState === call.childState) return state;`, ``, 'a known event of a child makes a new state'],
  ],
  'run/apply/changes.ts': [
    [
      `const fresh = list.filter(({ id }) => !present.has(id) || gone.has(id));`,
      `const fresh = list;`,
      'a message that somebody put in meanwhile stands there twice',
    ],
    [
      `const anchor: string | null = known.has(after) ? after : last;`,
      `const anchor: string | null = after;`,
      'a message whose neighbour went is lost',
    ],
    [`if (!gone.has(message.id)) next.push(`, `next.push(`, 'a removed message stays'],
    [`filter(([key]) => !removed.includes(key))`, `filter(() => true)`, 'a removed key of metadata stays'],
  ],
  'run/apply/execution.ts': [
    [
      `executionCount: state.executionCount + (pending === null ? 1 : 0),`,
      `executionCount: state.executionCount + 1,`,
      'a pending execution counts twice',
    ],
    [
      `current.status === 'pending' ? 0 : waitedUntil(current, current.completedAt ?? state.updatedAt, at),`,
      `current.waitedMs,`,
      'an approval uses up the time limit',
    ],
    [
      `continuation: withContinuationRequested(current.continuation, false),`,
      ``,
      'a request that came too late stays for the next run',
    ],
    [
      `const kept = Object.entries(state.plugins).filter(([id]) => !forgottenPlugins.includes(id));`,
      `const kept = Object.entries(state.plugins);`,
      'plugins of one execution remember the last',
    ],
  ],
  'run/apply/handler.ts': [
    [
      `if (at < 0) continue;`,
      `if (at < 0) return append(store, [message], target);`,
      'a message that somebody removed comes back',
    ],
  ],
  'run/apply/inference.ts': [
    [
      `toolExecutions: [],
`,
      ``,
      'a repeated attempt keeps the calls of the one before',
    ],
    [`const isCut = response.finishReason === 'length';`, `const isCut = false;`, 'a cut answer looks whole'],
    [
      `outputMessages: [message],`,
      `outputMessages: [...current.outputMessages, message],`,
      'a repeated attempt keeps the answer of the one before',
    ],
    [
      `message === undefined || message.parts.length === 0`,
      `message === undefined`,
      'an empty answer becomes a message',
    ],
  ],
  'run/apply/steps.ts': [
    [
      `errors: [...current.errors, ...(current.currentStep?.errors ?? [])],`,
      ``,
      'errors of a step that never ran are lost',
    ],
    [
      `const continuation = withRequestConsumed(current.continuation);`,
      `const { continuation } = current;`,
      'a step does not spend the request that led to it',
    ],
    [
      `outcome: status as ToolOutcome,`,
      `outcome: 'completed' as ToolOutcome,`,
      'error results are not told as errors to the model',
    ],
    [
      `(part) => part.type !== 'tool-call' || calls.some(({ id }) => id === part.toolCallId),`,
      `() => true,`,
      'calls of an answer that broke off stay without a result',
    ],
    [
      `output: isCompleted ? result : `,
      `output: true ? result : `,
      'the model is not told why a call failed',
    ],
    [`.filter((message) => message.parts.length > 0 || isErased(message))`, ``, 'an empty answer stays'],
  ],
  'run/apply/tools.ts': [
    [`completedAt: entry.completedAt ?? at,`, `completedAt: at,`, 'a call ends when it is settled'],
    [
      `const errors = error === null ? current.errors : [...current.errors, error];`,
      `const { errors } = current;`,
      'the error of a call is not an error of its step',
    ],
    [
      `revision: (plugins[pluginId]?.revision ?? 0) + 1`,
      `revision: plugins[pluginId]?.revision ?? 1`,
      'a write does not raise the revision',
    ],
    [
      `if (event.input === undefined && event.toolName === undefined) return changed;`,
      `return changed;`,
      'the model is not shown what really ran',
    ],
    [
      `status: 'requested',
      approval: {`,
      `status: 'awaiting-approval',
      approval: {`,
      'an answered call still waits',
    ],
  ],
  'features/contributions.ts': [
    [`instructions: instructions ?? ''`, `instructions: ''`, 'instructions of a plugin with tools are lost'],
  ],
  'run/boundary.ts': [
    [
      `if (!isToolOutcome(status))`,
      `if (!status)`,
      'a hook ends a call with what is no end, and it is begun again',
    ],
    [
      `checkSettings(settings, 'request')`,
      `toJsonObject(settings)`,
      'a hook puts a key into the settings of a request',
    ],
  ],
  'run/decide.ts': [
    [`if (run.signal.aborted) return 'stop-signals';`, ``, 'a request to go on beats an abort'],
    [
      `if (continuationOf(run).stopSignals.every(({ reason }) => reason !== signal.reason)) addSignal(run, signal);`,
      `addSignal(run, signal);`,
      'one limit raises many signals',
    ],
    [
      `stepNumber: at === 'before-step' ? stepNumber(run) : stepNumber(run) - 1,`,
      `stepNumber: stepNumber(run),`,
      'a check names the wrong step',
    ],
    [
      `if (at !== 'resume' && !isNaturalEnd(run, at))`,
      `if (at !== 'resume')`,
      'a final answer in the last step is stopped by its limit',
    ],
  ],
  'run/drive.ts': [
    [`parent: setup.parentLedger,`, `parent: null,`, 'children spend beside the budget of their parents'],
    [
      `  } finally {
    abort.release();
  }`,
      `  } finally {
    void abort;
  }`,
      'a run that is over keeps its timer',
    ],
    [
      `const isResumed = execution !== null && execution.status === 'in-progress';`,
      `const isResumed = false;`,
      'a run in progress begins anew',
    ],
    [
      `for (const error of errors) commit(run, { type: 'error-record', error });`,
      ``,
      'an error of plugin state is not recorded',
    ],
    [
      `const used = isRunning ? spentOf(state, state.updatedAt).seconds : 0;`,
      `const used = 0;`,
      'a run that is taken up has its time again',
    ],
    [
      `if (!isResumed) await showPoint(run, 'before-execution');`,
      `await showPoint(run, 'before-execution');`,
      'hooks before the execution run again after a reload',
    ],
    [`await showPoint(run, 'on-stop');`, ``, 'no hook hears of the end'],
  ],
  'run/estimate-call.ts': [
    [
      `call.maxOutputTokens ?? call.largestOutput`,
      `call.largestOutput ?? call.maxOutputTokens`,
      'the output limit is not what a call may spend',
    ],
    [`Math.max(...inputPrices(price, 0, most))`, `price.input`, 'writing the cache is estimated too cheap'],
  ],
  'run/journal.ts': [
    [
      `if (isNotifying) return void waiting.push({ event, state });`,
      ``,
      'listeners hear events out of order',
    ],
    [
      `commit: (path, body) => (isMine() ? commit(path, body) : null),`,
      `commit: (path, body) => commit(path, body),`,
      'a run whose lease was revoked still writes',
    ],
    [
      `const at = Math.max(Math.round(env.now()), agent.updatedAt);`,
      `const at = Math.round(env.now());`,
      'events go back in time',
    ],
  ],
  'run/ledger.ts': [
    [`...(parent?.tree.accounts ?? [])],`, `],`, 'a budget of its own frees a child from those above'],
    [
      `      if (isSettled) return;
`,
      ``,
      'room is given back twice',
    ],
    [
      `queue: parent?.tree.queue ?? createCallQueue(() => env.now()),`,
      `queue: createCallQueue(() => env.now()),`,
      'siblings do not queue with each other',
    ],
    [
      `tree.queue.leave(call);
`,
      ``,
      'a call that was aborted keeps its place',
    ],
    [`if (calls === 0) return true;`, ``, 'a call that is larger than what is left never starts'],
    [
      `tokens: maxTokens === null ? 0 : (estimate.tokens ?? Math.max(0, room.tokens)),`,
      `tokens: maxTokens === null ? 0 : (estimate.tokens ?? 0),`,
      'a call of unknown size takes no room',
    ],
    [`- now.tokens - tokens,`, `- now.tokens,`, 'what others hold counts as free'],
    [
      `for (const account of short) round.closed.add(account);`,
      ``,
      'small calls overtake a large one for ever',
    ],
    [
      `leave(call);
      serve();`,
      `leave(call);`,
      'those behind a call that left are not served',
    ],
  ],
  'run/merge-deltas.ts': [
    [`&& before.partId === event.partId`, ``, 'deltas of two parts are merged'],
    [
      `if (event.seq !== null) last.set(agent, merged.length);`,
      `last.set(agent, merged.length);`,
      'a signal parts deltas',
    ],
    [`const agent = event.path.join('/');`, `const agent = '';`, 'agents are merged into each other'],
    [
      `{ ...a.providerMetadata, ...b.providerMetadata }`,
      `{ ...b.providerMetadata }`,
      'merged deltas lose their signature',
    ],
  ],
  'run/record-failure.ts': [
    [`  await showError(run, error);`, `  void showError;`, 'error hooks hear nothing'],
  ],
  'run/run.ts': [
    [
      `stateOf(run).llmConfig ?? run.agent.llmConfig`,
      `run.agent.llmConfig`,
      'the model of the state is not called',
    ],
  ],
  'run/state-changes.ts': [
    [
      `filter((key) => !Object.hasOwn(after, key));
  if (changed`,
      `filter(() => false);
  if (changed`,
      'a hook cannot remove metadata',
    ],
    [
      `const isRequested =
    next.continuation.isContinuationRequested && !(`,
      `const isRequested =
    next.continuation.isContinuationRequested || !(`,
      'every hook asks to go on',
    ],
    [
      `.filter((error) => !oldErrors.some((other) => equalJson(other, error)))`,
      ``,
      'errors are recorded again by every hook that changes something',
    ],
    [`return [...written, ...forgotten];`, `return written;`, 'a hook cannot forget a plugin'],
    [`Array.isArray(state.context?.store?.sections) &&`, ``, 'what is no state is taken for one'],
    [
      `if (old !== undefined && old > place && !stayed.has(message.id)) {`,
      `if (old !== undefined && !stayed.has(message.id)) {`,
      'a hook cannot move messages',
    ],
    [
      `known.has(message) ? message : normalizeMessage(message, env)`,
      `message`,
      'what a hook puts in is not checked',
    ],
  ],
  'run/step/ask-model.ts': [
    [
      `(failed !== null || receiver.finish() !== null)`,
      `failed !== null`,
      'what comes after the end is taken',
    ],
  ],
  'run/step/prepare-request.ts': [
    [
      `const lent = lentTools.filter((tool) => own.every((other) => other.name !== tool.name));`,
      `const lent = lentTools;`,
      'a lent tool stands beside the own one of its name',
    ],
    [
      `state.context.systemPrompt || agent.systemPrompt`,
      `agent.systemPrompt`,
      'instructions of the state are not sent',
    ],
  ],
  'run/step/receive.ts': [
    [`ids.end(wireId);`, ``, 'two calls with one id of the provider are one'],
    [
      `if (wireId === '' || run.providerCallIds.has(wireId) || isTaken(stateOf(run), wireId)) return null;`,
      `if (wireId === '') return null;`,
      'an id that a provider repeats is taken twice',
    ],
    [
      `if (last !== null && last.type === type && last.partId === partId) return last.place;`,
      ``,
      'text without a name becomes a part for every delta',
    ],
    [
      `add(): void {
      count++;`,
      `add(): void {`,
      'text after a call goes into a part before it',
    ],
  ],
  'run/step/run-step.ts': [
    [
      `if (currentStep(stateOf(run)) === null) {`,
      `{`,
      'a step that was begun before a reload gets another id',
    ],
    [`if (wasRefusedRoom(run, thrown)) {`, `if (false) {`, 'a call without room leaves an empty step'],
    [`await endOpenCalls(run);`, ``, 'calls of a step that broke off have no end'],
    [`if (finishReason === 'length') {`, `if (false) {`, 'an empty cut answer is a silent end'],
    [`rooms.forEach((room) => room.settle(spent));`, ``, 'a call keeps its room when it has ended'],
  ],
  'run/tools/call-changes.ts': [
    [
      `if (isOpen)
`,
      ``,
      'a tool that timed out still reports progress',
    ],
  ],
  'run/tools/call-tool.ts': [
    [
      `tool.output === null ? result : await validOutput(run, tool.name, tool.output, result)`,
      `result`,
      'an output is kept unchecked',
    ],
    [
      `    cancel();
    release();`,
      `    release();`,
      'a call that is over keeps its timer',
    ],
  ],
  'run/tools/end-call.ts': [
    [
      `if (run.signal.aborted && thrown === run.signal.reason)`,
      `if (false)`,
      'a call that was aborted is told as failed',
    ],
    [
      `durationMs: durationMs(),
    pluginWrites: [],`,
      `durationMs: null,
    pluginWrites: [],`,
      'a failed call does not say how long it took',
    ],
    [
      `  if (isAgentStopError(thrown)) stopStep(run, toolCallId, thrown);
`,
      ``,
      'a tool cannot stop the run',
    ],
  ],
  'run/tools/run-tools.ts': [
    [
      `inFlight.size - idle.size - ended.size >= run.agent.toolConcurrency;`,
      `false;`,
      'more tools run side by side than are allowed',
    ],
    [
      `if (at >= 0) batch.again.add(at);
    batch.wake();`,
      ``,
      'an approval waits until the others are done',
    ],
    [
      `await endOpen(batch);
  throw`,
      `throw`,
      'calls beside one that ended the step have no end',
    ],
  ],
});
