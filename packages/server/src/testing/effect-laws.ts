import assert from 'node:assert/strict';
import { type EffectLog, isAgentError, effectLog } from '@vitrine/core';
import { type EffectsUnderTest, testEffects } from '@vitrine/testing';
import type { Lease, SessionAddress, SessionHost } from '../host/session-host.ts';
import { anna, type HostLaw, type LawContext, until } from './host-law.ts';

const { signal } = new AbortController();
const call = {
  executionId: 'execution',
  path: [],
  key: '1/0/1',
  kind: 'tool',
  name: 'pay',
  effects: 'once',
  input: {},
  hasBegun: false,
} as const;

/** Laws of the outcomes that a lease records: 3 to 6, and the part of 23 about them. A host without a log keeps them. */
export function effectLaws(kills: number): readonly HostLaw[] {
  const laws = testEffects(() => Promise.reject(new Error('Only the names are asked for.')));
  const ofOneRun = laws.map(({ name }, index): HostLaw => ({
    name,
    async keep(context) {
      const under = await openEffects(context);
      if (under === null) return;
      await testEffects(() => under, { kills })[index]?.run();
    },
  }));
  return [...ofOneRun, ofLaterRuns, ofReplacedRuns, ofRemovedSessions];
}

const ofLaterRuns: HostLaw = {
  name: 'a later run uses recorded outcomes, repeats an idempotent call that began, and refuses a `once` call that did',
  async keep({ host, restart }) {
    const leaseOf = await openLeases(host);
    const { effects: first } = await leaseOf(anna);
    if (first === undefined) return;
    const idempotent = { ...call, key: '3/0/1', effects: 'idempotent' } as const;
    await first.perform(call, async () => 'paid', signal);
    for (const begun of [{ ...call, key: '2/0/1' }, idempotent])
      await new Promise<void>((resolve) => {
        const never = (): Promise<never> => (resolve(), new Promise(() => undefined));
        first.perform(begun, never, signal).catch(() => undefined);
      });
    const checkLater = async (later: EffectLog | undefined): Promise<void> => {
      assert(later !== undefined, 'A later lease has no log.');
      assert.equal(await later.perform({ ...call, hasBegun: true }, fail, signal), 'paid');
      const lost = { ...call, key: '2/0/1', hasBegun: true };
      assert.equal(await codeOf(later.perform(lost, fail, signal)), 'tool-interrupted');
      assert.equal(await later.perform(idempotent, async () => 'again', signal), 'again');
    };
    await checkLater((await leaseOf(anna)).effects);
    const nextLeaseOf = await openLeases(await restart({ graceMs: 0 }));
    await checkLater((await nextLeaseOf(anna)).effects);
  },
};

const ofReplacedRuns: HostLaw = {
  name: 'a run that was replaced begins no `once` call, and its session is free of the attempt',
  async keep({ host }) {
    const leaseOf = await openLeases(host);
    const { effects: old } = await leaseOf(anna);
    if (old === undefined) return;
    const { effects: newer } = await leaseOf(anna);
    assert.equal(await codeOf(old.perform(call, fail, signal)), 'session-conflict');
    assert.equal(await newer?.perform(call, async () => 'paid', signal), 'paid');
  },
};

const ofRemovedSessions: HostLaw = {
  name: 'a removed session takes the outcomes of its calls with it, and no others',
  async keep({ host }) {
    const leaseOf = await openLeases(host);
    const other = { ...anna, sessionId: 's2' };
    for (const address of [anna, other]) {
      const { effects } = await leaseOf(address);
      if (effects === undefined) return;
      await effects.perform(call, async () => 'paid', signal);
    }
    await host.sessions(anna.owner).remove(anna.sessionId);
    const again = async (): Promise<string> => 'paid again';
    assert.equal(await (await leaseOf(anna)).effects?.perform(call, again, signal), 'paid again');
    assert.equal(await (await leaseOf(other)).effects?.perform(call, again, signal), 'paid');
  },
};

const fail = (): Promise<never> => Promise.reject(new Error('A call was made that must not be.'));

async function codeOf(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.catch((thrown: unknown) => (isAgentError(thrown) ? thrown.code : String(thrown)));
}

/** The log of a run that goes on; null for a host without one. */
async function openEffects({ host, records, after }: LawContext): Promise<EffectsUnderTest | null> {
  let lease: Lease | null = null;
  await host.start(async (_address, given) => {
    lease = given;
    await new Promise<void>((resolve) => {
      after(resolve);
      given.signal.addEventListener('abort', () => resolve());
    });
  });
  await host.wakeAt(anna, 0);
  await until(() => lease !== null, 'the session runs');
  const { effects, epoch } = lease as unknown as Lease;
  if (effects === undefined) return null;
  if (records === undefined) return { effects };
  return { effects, records: records(anna, epoch), reopen: () => effectLog(records(anna, epoch)) };
}

/** Starts a host whose runs end at once. @returns the function that gives the lease of the next run of a session */
async function openLeases(host: SessionHost): Promise<(address: SessionAddress) => Promise<Lease>> {
  const leases = new Map<string, Lease>();
  await host.start(async ({ sessionId }, lease) => void leases.set(sessionId, lease));
  return async (address) => {
    leases.delete(address.sessionId);
    await host.wakeAt(address, 0);
    await until(() => leases.has(address.sessionId), 'the session ran');
    await until(async () => !(await host.isAwake(address)), 'its run has ended');
    return leases.get(address.sessionId) as Lease;
  };
}
