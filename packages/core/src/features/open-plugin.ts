import { isAgentStopError } from '../graph/agent-stop-error.ts';
import { of as errorInfo } from '../graph/error-info.ts';
import { AgentError, isAgentError } from '../kit/agent-error.ts';
import { callSafely } from '../kit/listeners.ts';
import { shownShape } from '../kit/text.ts';
import type { PluginInit } from '../agent/plugin/plugin.ts';
import type { Schema } from '../agent/schema.ts';
import { userCode } from '../run/run.ts';
import type { Life, Run } from '../run/slots.ts';

type Open = NonNullable<PluginInit<Schema>['open']>;

/**
 * Opens a plugin with the first run of a session, once for its life. What was opened is closed once, when the life ends,
 * also when it opened late. A failed attempt is made again by the next run.
 */
export function openerOf(id: string, open: Open): (run: Run) => Promise<void> {
  const opened = new WeakMap<AbortSignal, Promise<void>>();
  return async (run) => {
    const { signal } = run.life;
    const opening = opened.get(signal) ?? openFor(id, open, run.life);
    opened.set(signal, opening);
    opening.catch(() => opened.delete(signal));
    try {
      await userCode(run, `plugin ${id}`, () => opening);
    } catch (thrown) {
      throw isAgentError(thrown, 'user-code-timeout')
        ? fault(id, 'open', 'did not end in time', thrown)
        : thrown;
    }
  };
}

async function openFor(id: string, open: Open, life: Life): Promise<void> {
  let close: unknown;
  try {
    close = (await open(life)) ?? null;
  } catch (thrown) {
    throw isAgentStopError(thrown)
      ? thrown
      : fault(id, 'open', `threw: ${errorInfo(thrown).message}`, thrown);
  }
  if (close === null) return;
  if (typeof close !== 'function')
    throw fault(id, 'open', `returned ${shownShape(close)} in place of a function that closes`);
  const end = (): void => void endSafely(id, close as () => unknown);
  if (life.signal.aborted) end();
  else life.signal.addEventListener('abort', end, { once: true });
}

/** Nobody waits for the end of a close, so its error is told to the page or the process. */
async function endSafely(id: string, close: () => unknown): Promise<void> {
  try {
    await close();
  } catch (thrown) {
    callSafely(() => {
      throw fault(id, 'close', `threw: ${errorInfo(thrown).message}`, thrown);
    });
  }
}

/** The error of a plugin in a slot of its own. */
export function fault(id: string, slot: string, what: string, cause?: unknown): AgentError {
  const data = { pluginId: id, slot };
  return new AgentError('plugin-failed', `Plugin ${JSON.stringify(id)}: its ${slot} ${what}.`, {
    data,
    ...(cause === undefined ? {} : { cause }),
  });
}
