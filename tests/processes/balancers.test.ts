import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { httpSessions } from '@vitrine/persist';
import { loadedSession } from '@vitrine/core';
import { blankSession } from '@vitrine/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.ts';
import { startPostgres } from '../servers/start-postgres.ts';
import type { TestServer } from '../servers/test-server.ts';
import { ask } from './ask.ts';
import { readAnswer, textOf } from './read-answer.ts';
import { type Member, startMember } from './start-fleet.ts';
import { realBalancers, startRealBalancer } from './start-real-balancer.ts';
import { wordsOf } from './words.ts';

const mebibyte = 1024 * 1024;

let storage: TestServer | null = null;
beforeAll(async () => {
  storage = await startPostgres();
}, 240_000);
afterAll(() => storage?.stop());

/** Two processes, which are killed with the test. */
async function startTwo(url: string): Promise<readonly [Member, Member]> {
  const children = new Set<ChildProcess>();
  onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')));
  return [await startMember('p1', url, children), await startMember('p2', url, children)];
}

/** The first parts that an answer comes in. */
async function partsOf(response: Response, most: number): Promise<readonly string[]> {
  const parts: string[] = [];
  const decoder = new TextDecoder();
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    parts.push(decoder.decode(part, { stream: true }));
    if (parts.length === most) break;
  }
  return parts;
}

describe.each(realBalancers.map((balancer) => [balancer.program, balancer] as const))(
  '%s',
  (_name, balancer) => {
    it(
      'a balancer in front of two processes passes events on, and hides that one is killed',
      { timeout: 240_000 },
      async ({ skip }) => {
        if (storage === null) return skip('there is no PostgreSQL on this machine');
        const [first, second] = await startTwo(storage.url);
        const server = await startRealBalancer(balancer, [first.url, second.url]);
        if (server === null) return skip(`there is no ${balancer.program} on this machine`);
        onTestFinished(server.stop);
        const { url } = server;
        const user = `anna-${balancer.program}`;
        const sessions = httpSessions({ url, headers: { 'x-user': user } });

        // Nothing is held back: 200 ms lie between two words.
        const parts = await partsOf(await ask(url, user, 'p:slow'), 5);
        expect(parts).toHaveLength(5);
        expect(parts.join('')).not.toContain('"type":"finish"');

        // Bodies up to the limits pass, larger ones are refused, by the balancer or the process.
        const version = await sessions.save(blankSession('s', { title: 'x'.repeat(1000) }), {
          expectedVersion: 0,
        });
        const huge = await fetch(`${url}/v1/sessions/s`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', 'x-user': user },
          body: new Uint8Array(40 * mebibyte),
        }).catch(() => null);
        // One who refuses while a body comes may close the connection.
        expect([413, undefined]).toContain(huge?.status);

        // Streams of the second process, read through the balancer while the first is killed.
        const begun = await ask(second.url, user, 'p:slow');
        const id = begun.headers.get('x-inference-id') ?? '';
        void begun.text();
        let started = 0;
        const { promise, resolve } = (() => {
          let done = (): void => undefined;
          return { promise: new Promise<void>((settle) => (done = settle)), resolve: () => done() };
        })();
        const reading = Array.from({ length: 6 }, () =>
          readAnswer({ url, user, id, onBegun: () => ++started === 6 && resolve() }),
        );
        await promise;
        first.child.kill('SIGKILL');
        const answers = await Promise.all(reading);
        for (const answer of answers) {
          expect(textOf(answer)).toBe(wordsOf('p2').join(''));
          expect(answer.events.at(-1)?.type).toBe('finish');
        }
        expect(answers.some(({ resumed }) => resumed > 0)).toBe(true);

        // The other process does all the work.
        const headers = { 'x-user': user };
        for (let count = 0; count < 20; count++)
          expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
        expect(await sessions.save(blankSession('s', { title: 'Later' }), { expectedVersion: version })).toBe(
          2,
        );
        await expect(
          sessions.save(blankSession('s', { title: 'Stale' }), { expectedVersion: version }),
        ).rejects.toMatchObject({ code: 'session-conflict' });
        expect(loadedSession(await sessions.load('s'))?.title).toBe('Later');
      },
    );

    it('the configuration on the page about deployment is the tested one', () => {
      const page = readFileSync(`${root}/docs/deploy.md`, 'utf8');
      expect(page).toContain(readFileSync(`${root}/docs/deploy/${balancer.file}`, 'utf8').trim());
    });
  },
);
