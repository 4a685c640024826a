import { agentLaws } from './agent-laws.ts';
import { commandLaws } from './command-laws.ts';
import { followerLaws } from './follower-laws.ts';
import { effectLaws } from './effect-laws.ts';
import type { HostLaw, MakeHost } from './host-law.ts';
import { leaseLaws } from './lease-laws.ts';
import { ownerLaws } from './owner-laws.ts';
import { type ProcessEnd, processLaws, versionLaws } from './process-laws.ts';
import { wakeLaws } from './wake-laws.ts';

type HostCheck = {
  readonly name: string;
  /** Rejects with the reason when the host breaks the law. */
  readonly run: () => Promise<void>;
};

/** Options of {@link testSessionHost}. */
export type HostSuiteOptions = {
  /** The ends of a process after which another one takes over, started with `spawn`. Default: none. */
  readonly replaces?: readonly ProcessEnd[];
  /** Two versions that `spawn` takes, that of the host under test first. Default: the host has no versions. */
  readonly versions?: readonly [string, string];
  /** The most events of a run at which it is killed, in the laws of recorded outcomes. Default: 8. */
  readonly kills?: number;
};

/**
 * Returns the laws of session hosts, for any test runner. Each check makes a host of its own and stops it.
 *
 * ```ts
 * for (const { name, run } of testSessionHost(() => hostsOf(newFolder())))
 *   it(name, run);
 * ```
 */
export function testSessionHost(
  make: MakeHost,
  { replaces = [], versions, kills = 8 }: HostSuiteOptions = {},
): readonly HostCheck[] {
  const laws = [
    ...commandLaws,
    ...leaseLaws,
    ...ownerLaws,
    ...wakeLaws,
    ...agentLaws,
    ...followerLaws,
    ...effectLaws(kills),
    ...processLaws(replaces),
    ...(versions === undefined ? [] : versionLaws(versions)),
  ];
  return laws.map((law) => ({ name: law.name, run: () => keep(law, make) }));
}

async function keep(law: HostLaw, make: MakeHost): Promise<void> {
  const { host, reopen, spawn, records } = await make();
  const hosts = [host];
  const cleaning: (() => void)[] = [];
  try {
    await law.keep({
      host,
      async restart(options) {
        await hosts.at(-1)?.stop(options);
        const next = await reopen();
        hosts.push(next);
        return next;
      },
      spawn,
      records,
      after: (clean) => void cleaning.push(clean),
    });
  } finally {
    for (const clean of cleaning.toReversed()) clean();
    for (const opened of hosts) await opened.stop({ graceMs: 0 });
  }
}
