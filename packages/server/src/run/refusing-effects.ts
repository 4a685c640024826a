import { AgentError, type EffectLog } from '@vitrine/core';

/** The reason of a session that is ended because its runs ended their process. */
export function crashedError(): AgentError {
  return new AgentError(
    'session-crashed',
    'The runs of this session ended their process several times, one after the other, so it was ended as failed. Look for a tool or a hook that exits, blocks or takes all memory of the process, and send again.',
  );
}

/** An effect log that gives recorded outcomes and calls no model and no tool: a run over it fails with its next call. */
export function refusingEffects(log: EffectLog | undefined): EffectLog {
  const refuse = async (): Promise<never> => {
    throw crashedError();
  };
  // oxlint-disable-next-line require-yield -- it never answers
  async function* refuseStream(): AsyncGenerator<never> {
    throw crashedError();
  }
  return {
    perform: (effect, _work, signal) => log?.perform(effect, refuse, signal) ?? refuse(),
    stream: (effect, _work, signal) => log?.stream(effect, refuseStream, signal) ?? refuseStream(),
    forget: async (executionId) => log?.forget(executionId),
  };
}
