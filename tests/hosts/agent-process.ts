import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectLog, SessionStore } from '@vitrine/core';
import { serveInferenceProxy } from '@vitrine/proxy/node';
import { createAgentServer, type SessionHost } from '@vitrine/server';
import { scriptedAgent } from './scripted-agent.ts';
import { type HostPlace, openHost } from './open-host.ts';

/** The settings of a process, as the JSON text of its one argument. */
export type ProcessSettings = {
  readonly place: HostPlace;
  /** The folder of its deeds. */
  readonly folder: string;
  readonly paceMs: number;
};

/**
 * A server of agents in a process of its own. It tells its parent its address once sessions run, and takes
 * `{ session, at }`: it kills itself at that point of the work of that session, unless a process was killed there already.
 * It tells the kinds of all points when it is asked for them.
 */
const { place, folder, paceMs } = JSON.parse(process.argv[2] ?? '{}') as ProcessSettings;
const session = new AsyncLocalStorage<string>();
const points = new Map<string, string[]>();
const armed = new Map<string, number>();

function point(name: string): void {
  const id = session.getStore();
  if (id === undefined) return;
  const passed = points.get(id) ?? [];
  points.set(id, passed);
  passed.push(name);
  if (armed.get(id) !== passed.length) return;
  try {
    // The file is made once, so that one process is killed for a session.
    writeFileSync(join(folder, `killed-${id}`), name, { flag: 'wx' });
  } catch {
    return;
  }
  process.kill(process.pid, 'SIGKILL');
}

/** Passes a point before and after a call. */
function around<Args extends readonly unknown[], Value>(
  name: string,
  call: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  return async (...args) => {
    point(`${name} before`);
    const value = await call(...args);
    point(`${name} after`);
    return value;
  };
}

function withPoints(host: SessionHost): SessionHost {
  const store = ({ append, ...sessions }: SessionStore): SessionStore => ({
    ...sessions,
    save: around('write', sessions.save),
    ...(append && { append: around('write', append) }),
  });
  const effects = (log: EffectLog): EffectLog => ({
    ...log,
    perform: around('effect', log.perform) as EffectLog['perform'],
  });
  return {
    ...host,
    answer: around('answer', host.answer),
    start: (run) =>
      host.start((address, lease) =>
        session.run(address.sessionId, () =>
          run(address, {
            ...lease,
            sessions: store(lease.sessions),
            ...(lease.effects && { effects: effects(lease.effects) }),
          }),
        ),
      ),
  };
}

const deed = (text: string): void => {
  const line = `${session.getStore() ?? ''} ${text} ${process.pid}\n`;
  appendFileSync(join(folder, 'deeds.txt'), line);
};
const clerk = scriptedAgent({ deed, point, paceMs, exit: () => process.kill(process.pid, 'SIGKILL') });
const server = createAgentServer({
  agents: { clerk },
  host: withPoints(await openHost(place)),
  log: () => undefined,
  lingerMs: 200,
  // For tests everybody is Anna, who has thousands of sessions in the end.
  authorize: () => ({ id: 'anna' }),
  // Her pages show the bytes that are stored, prompts included.
  access: () => true,
  limits: { sessions: 1_000_000 },
});
const { url } = await serveInferenceProxy(server, { port: 0 });
await server.ready;
process.send?.({ url });
process.on('message', (asked: { readonly session: string; readonly at?: number }) => {
  if (asked.at === undefined) process.send?.({ points: points.get(asked.session) ?? [] });
  else armed.set(asked.session, asked.at);
});
process.on('SIGTERM', () => void server.stop({ graceMs: 8000 }).then(() => process.exit(0)));
process.on('disconnect', () => process.exit(0));

export type TestServer = typeof server;
