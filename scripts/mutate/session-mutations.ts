import { type Mutation, mutationsIn } from './mutation.ts';

/** Faults in the session: its queue, commands, saved data and views. */
export const sessionMutations: readonly Mutation[] = mutationsIn('packages', {
  'core/src/session/machine/machine.ts': [
    [
      `model.run?.id === runId ? runOver(`,
      `model.run !== null ? runOver(`,
      'the end of a run that was left ends the next',
    ],
    [
      `if (run === null || run.id !== runId) return to(model);`,
      `if (run === null) return to(model);`,
      'a dead run takes steered messages',
    ],
    [
      `if (model.phase !== 'open' || model.isDisposed || model.run !== null) return to(model);`,
      `if (model.phase !== 'open' || model.run !== null) return to(model);`,
      'a closed session begins runs',
    ],
    [
      `return isEnding ? settle(model, state, wentOn) : to(model);`,
      `return to(model);`,
      'a message after an interrupted run waits for ever',
    ],
    [
      `head === undefined || model.isHeld ? to(model)`,
      `head === undefined ? to(model)`,
      'the queue goes on over an error',
    ],
    [`    { type: 'drop-incomplete-answer' },\n`, ``, 'a retry keeps half an answer'],
    [`if (move !== undefined) return beginMove(model, state, move);`, ``, 'an edit never begins'],
  ],
  'core/src/session/machine/queue.ts': [
    [
      `if (!model.hasStore || model.phase !== 'open') return cancelTurns(`,
      `if (model.phase !== 'open') return cancelTurns(`,
      'without a store, who has sent is told that it waits',
    ],
    [`order.indexOf(lane) > rank`, `order.indexOf(lane) >= rank`, 'the message that was sent last is first'],
    [
      `.filter(({ id }) => !isAnswered(state, id))`,
      ``,
      'a message that was answered is sent again after a reload',
    ],
    [
      `run !== null && run.begun !== null && run.phase !== 'running'`,
      `false`,
      'a message whose page died before its run began is never answered',
    ],
    [
      `lane: message.isSteered ? 'steered' : 'queued',`,
      `lane: 'queued',`,
      'a steered message is none after a reload',
    ],
  ],
  'core/src/session/machine/transition.ts': [
    [
      `const watchers = model.watchers.filter(({ turnId }) => !byId.has(turnId));`,
      `const { watchers } = model;`,
      'who was told is told again',
    ],
  ],
  'core/src/session/machine/moves.ts': [
    [`return isThere ? tree : withBranch(tree, branch);`, `return tree;`, 'an edit forgets what it replaces'],
    [
      `const others = { ...model.tree, branches: model.tree.branches.filter((entry) => entry !== branch) };`,
      `const others = model.tree;`,
      'a line that is gone to stays a branch',
    ],
    [
      `isHeld: error !== null || model.queue.length > 0,`,
      `isHeld: false,`,
      'what waits is sent to another line',
    ],
    [`paused: pausedIn(branch.state),`, `paused: null,`, 'a call that waits in a branch loses its turn'],
    [`Math.min(endOfStep(said, at), limit)`, `at + 1`, 'a fork parts a call from its result'],
  ],
  'core/src/session/branches/branch-before.ts': [
    [`if (known !== undefined) return known;`, ``, 'an edit begins with the plugin state of later turns'],
  ],
  'core/src/session/machine/run-control.ts': [
    [`if (run.isStopping) return to(model);`, ``, 'a second stop aborts again'],
    [
      `if (needsRun(state) && !run.isStopping)`,
      `if (false)`,
      'an answer in the moment of the pause is not run',
    ],
    [
      `const isHeld = error !== null || isOpen(state);`,
      `const isHeld = false;`,
      'the queue goes on after a failed run',
    ],
    [
      `: to(next, { type: 'store', runId: run.id }),`,
      `: to({ ...next, run: { ...run, phase: 'running' } }, { type: 'run', runId: run.id, options: run.options, stop: null }),`,
      "the model is called before the store's check",
    ],
    [
      `{ type: 'abandon', runId: run.id, message },`,
      `{ type: 'abort', runId: run.id, message },`,
      'a run of before a reset writes after it',
    ],
    [`attempt: attempt + 1`, `attempt`, 'the attempt that failed is shown as the next'],
  ],
  'core/src/session/machine/refusals.ts': [
    [
      `text.trim() === '' && files.length === 0 && Object.keys(data).length === 0`,
      `text === '' && files.length === 0 && Object.keys(data).length === 0`,
      'a blank message is sent',
    ],
    [
      `text.trim() === '' && files.length === 0 && Object.keys(data).length === 0`,
      `text.trim() === ''`,
      'a file without text is refused',
    ],
    [`if (model.isDisposed) return disposedError();`, ``, 'a closed session takes commands'],
  ],
  'core/src/session/machine/actions/turns.ts': [
    [`run?.isStopping ? null : eventsOf()`, `eventsOf()`, 'a run that is being stopped takes answers'],
    [`entries.length === 0 ? () => null : eventsOf`, `eventsOf`, 'an answer to nothing goes on with the run'],
    [
      `addWatcher({ ...model, paused, goesOn: true }, id, paused.turn.id), ...`,
      `addWatcher({ ...model, paused }, id, paused.turn.id), ...`,
      'an approval does not go on with the run',
    ],
    [
      `if (isAutomatic && model.error !== null) return refuse(`,
      `if (false) return refuse(`,
      'a failed run goes on by itself after a reload',
    ],
    [
      `if (model.run !== null) return to(addWatcher(model, id, model.run.turn.id));`,
      ``,
      'who resumes what runs already is never told of its end',
    ],
    [
      `(model.run === null ? noTurn(state) : namedRefusal('busy'))`,
      `noTurn(state)`,
      'a retry while a run goes on begins another',
    ],
    [
      `if (last === undefined) return namedRefusal('idle');`,
      `if (last === undefined) return null;`,
      'a retry without messages calls the model',
    ],
    [`? namedRefusal('answered') : null`, `? null : null`, 'a retry after an answer asks for another'],
    [
      `const lane = isBusy ? laneOf(onBusy) : 'queued';`,
      `const lane = 'queued' as QueuedTurn['lane'];`,
      'interrupting and steering only queue',
    ],
    [
      `(isBusy && onBusy === 'reject' ? namedRefusal('busy') : null)`,
      `null`,
      'a message that was to be refused is queued',
    ],
    [
      `addWatcher({ ...model, queue, isHeld }, id, id)`,
      `addWatcher({ ...model, queue }, id, id)`,
      'a message after an error waits for ever',
    ],
    [`...(model === undefined ? {} : { options: { model } }),`, ``, 'the model of a turn is not called'],
  ],
  'core/src/session/machine/actions/changes.ts': [
    [
      `(next) => cancelTurns(next, () => true)`,
      `(next) => cancelTurns(next, () => false)`,
      'the queue survives a reset',
    ],
    [
      `to({ ...model, error: null, isHeld: false })`,
      `to({ ...model, error: null })`,
      'the queue is held after the error was put aside',
    ],
    [`draft === model.draft ? to(model)`, `false ? to(model)`, 'an equal draft is saved again'],
  ],
  'core/src/session/machine/actions/dispose.ts': [
    [
      `if (run === null || run.phase === 'running' || isOpen(state)) return to(model);`,
      `return to(model);`,
      'a turn that was being stored runs after the end',
    ],
    [`isDisposed: true, isLeaving: true`, `isDisposed: true`, 'a closed session keeps its timers'],
  ],
  'persist/src/session/overtaken.ts': [
    [
      `if (run.conflicts >= maxConflicts) return over('refused');`,
      ``,
      'a session that others write is tried for ever',
    ],
    [
      `unsaved.filter(({ id }) => id !== begun?.message.id);`,
      `unsaved;`,
      'a message stands there twice after a conflict',
    ],
    [
      `if (record === null || isDeleted(record)) return handleDeleted(model);`,
      `if (record === null) return unread(model, conflict, changedElsewhere());`,
      'a session that was deleted is written again',
    ],
    [
      `run?.phase === 'running' ? to(held, {`,
      `run?.phase === 'never' ? to(held, {`,
      'a run that was overtaken goes on spending',
    ],
  ],
  'core/src/session/machine/actions/store-outcomes.ts': [
    [
      `isHeld: failure !== null || (queue.length > 0 && !outcome.resume),`,
      `isHeld: failure !== null,`,
      'a stored queue begins by itself',
    ],
  ],
  'persist/src/writer/writer.ts': [
    [`writeId === session.writeId`, `writeId !== ''`, 'what somebody wrote since is overwritten'],
    [`expectedVersion: stored?.version ?? 0,`, `expectedVersion: 0,`, 'a second write conflicts'],
    [`return this.write(onBegin, depth + 1);`, `return;`, 'what came after a lost answer is not written'],
    [`else if (depth < maxDoubts &&`, `else if (depth < 0 &&`, 'a lost answer is a conflict with oneself'],
    [
      `.takeEpoch(id, { expectedVersion: version })`,
      `.takeEpoch(id)`,
      'a writer with old knowledge stops a run that began meanwhile',
    ],
  ],
  'persist/src/writer/change-log.ts': [
    [`this.#isRetrying = true;`, ``, 'every event tries again what has just failed'],
    [`2 ** this.#failures++`, `1`, 'a store that fails is asked every second'],
    [`taken.line === line ? `, `taken.line !== -1 ? `, 'events of a new journal are taken for stored'],
    [`events.slice(taken.events.length)`, `events`, 'events are written twice'],
    [
      `length >= textLength ? textMs - sinceWriteMs : longestMs - ageMs`,
      `longestMs - ageMs`,
      'long text waits',
    ],
    [`if (isAtOnce(event)) return 0;`, ``, 'the start of a tool waits for two seconds'],
  ],
  'core/src/session/controller/session-controller.ts': [
    [
      `if (checkpoint !== null) this.post({ type: 'checkpoint', checkpoint });`,
      ``,
      'nobody knows where a turn began',
    ],
  ],
  'persist/src/writer/plan-write.ts': [
    [
      `stored !== null && stored.state === state ? stored.head.updatedAt : now`,
      `now`,
      'typing brings a session to the top of the list',
    ],
    [`    createdAt,`, `    createdAt: state.createdAt,`, 'a reset session was made anew'],
    [`messages(state).length > 0 ||`, `true ||`, 'an untouched session is stored'],
    [`stored.draft !== head.draft ||`, ``, 'a draft is not saved'],
    [
      `const isAllowed = events.some(isTurn) ||`,
      `const isAllowed = true ||`,
      'a long answer is written twice',
    ],
    [`!isSame || moment.isWhole ||`, `!isSame ||`, 'what was erased stays in the tail'],
    [`if (newer !== undefined) throw tooNew(newer);`, ``, 'events of a later version are left out'],
    [`if (first !== last + 1)`, `if (false)`, 'a gap goes unseen'],
  ],
  'persist/src/writer/save-queue.ts': [
    [
      `if (isAgentError(thrown, 'session-conflict')) return 'conflict';`,
      ``,
      'a conflict counts as a full disk',
    ],
    [`if (!this.#isClosed) this.clock.retry();`, ``, 'what could not be written is not tried again'],
    [
      `if (this.#isClosed || !this.#isReadable || isUnread()) return 'closed';`,
      `if (this.#isClosed) return 'closed';`,
      'what cannot be read is overwritten',
    ],
    [
      `this.#end.then(() => this.#whenStaying()).then(() => this.#write(isDue))`,
      `this.#whenStaying().then(() => this.#write(isDue))`,
      'two writes run beside each other',
    ],
    [
      `this.#isReadable = isAgentError(thrown, 'session-storage');`,
      `this.#isReadable = false;`,
      'without storage nothing works',
    ],
    [`if (this.#isReadable) throw thrown;`, ``, 'a store that does not answer looks like a deleted session'],
  ],
  'core/src/session/conversation/conversation.ts': [
    [`live === null || live.parts.length === 0 ? null`, `live === null ? null`, 'an empty answer is shown'],
    [
      `step === null || step.inferenceResponse !== null ? null`,
      `step === null ? null`,
      'an answer that has ended is shown twice',
    ],
    [
      `return calls.length === 0 ? both : current(both)(calls);`,
      `return both;`,
      'calls that run are shown as requested',
    ],
  ],
  'core/src/session/conversation/conversation-calls.ts': [
    [
      `status: result?.outcome ?? run?.status ?? 'requested',`,
      `status: run?.status ?? result?.outcome ?? 'requested',`,
      'what comes later changes an outcome',
    ],
    [
      `result.outcome === 'completed' ? result.output : null`,
      `result.output`,
      'the text of an error is shown as output',
    ],
    [
      `text.startsWith(toolErrorPrefix) ? text.slice(toolErrorPrefix.length) : text`,
      `text`,
      'errors are shown with their prefix',
    ],
  ],
  'core/src/session/conversation/conversation-section.ts': [
    [`if (fresh.length === 0) return before;`, ``, 'the list of ids changes when no message came'],
    [`for (const { id } of gone) runs.delete(id);`, ``, 'runs that went are still shown'],
    [
      `return message.role !== 'tool' && !isToldContext(message);`,
      `return true;`,
      'results are listed as messages',
    ],
  ],
  'core/src/session/running/runner.ts': [
    [`        revoke();\n        if`, `        if`, 'a run that is over keeps the journal'],
    [
      `if (run === null || run.id !== runId || run.isStopping) return [];`,
      `if (run === null || run.id !== runId) return [];`,
      'a run that is being stopped takes messages',
    ],
    [`active.get(runId)?.revoke();`, ``, 'an abandoned run still writes'],
  ],
  'core/src/session/running/perform-effect.ts': [
    [
      `      post({ type: 'erased' });
      persistence.perform({ type: 'erase' });`,
      `      post({ type: 'erased' });
      persistence.perform({ type: 'save-soon' });`,
      'a title outlives its messages',
    ],
    [`      post({ type: 'erased' });\n`, ``, 'branches outlive the messages that were replaced'],
    [
      `session.afterwards(() => session.settings().onFinish?.({ turn, state }));`,
      ``,
      'nobody hears of the end',
    ],
  ],
  'core/src/session/publishing/progress.ts': [
    [
      `running.find((entry) => !isOnlyWaiting(entry)) ?? running[0]`,
      `running[0]`,
      'a subagent that only waits hides the tool that runs',
    ],
  ],
  'persist/src/session/reread-stored.ts': [
    [
      `known.get(message.id)?.has(contentOf(message)) !== true`,
      `true`,
      'a message that was stored is put behind again',
    ],
    [`await awaitStore(env, session.fork(own, forkId, end));`, ``, 'answers that were overtaken are lost'],
  ],
  'core/src/session/replies.ts': [
    [
      `take(id)?.reject(toThrown(error));\n        else`,
      `take(id)?.resolve(null);\n        else`,
      'a change that was never made is told as made',
    ],
  ],
  'core/src/session/publishing/snapshot.ts': [
    [`if (!isOpen(state)) return 'ready';`, `return 'ready';`, 'an interrupted run looks ready'],
    [
      `keys.every((key) => next[key] === before[key]) ? before : next`,
      `false ? before : next`,
      'every moment is a new snapshot',
    ],
  ],
});
