import { agentLaws } from './agent-laws.ts';
import { commandLaws } from './command-laws.ts';
import { followerLaws } from './follower-laws.ts';
import type { HostLaw, MakeHost } from './host-law.ts';
import { leaseLaws } from './lease-laws.ts';
import { type DeathSignal, processLaws } from './process-laws.ts';
import { wakeLaws } from './wake-laws.ts';

/** One law of session hosts as a check. */
export type HostCheck = {
  /** The law as a whole sentence. */
  readonly name: string;
  /** Rejects with the reason when the host breaks the law. */
  readonly run: () => Promise<void>;
};

/**
 * Returns the laws of session hosts, for any test runner. Each check makes a host of its own and stops it. `replaces` names
 * the ends of a process after which another one takes over; their laws start processes with the host's `spawn`. Default: none.
 *
 * ```ts
 * for (const { name, run } of testSessionHost(() => hostsOf(newFolder())))
 *   it(name, run);
 * ```
 */
export function testSessionHost(
  make: MakeHost,
  { replaces = [] }: { readonly replaces?: readonly DeathSignal[] } = {},
): readonly HostCheck[] {
  const laws = [...commandLaws, ...leaseLaws, ...wakeLaws, ...agentLaws, ...followerLaws];
  return [...laws, ...processLaws(replaces)].map((law) => ({
    name: law.name,
    run: () => keep(law, make),
  }));
}

async function keep(law: HostLaw, make: MakeHost): Promise<void> {
  const { host, reopen, spawn } = await make();
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
      after: (clean) => void cleaning.push(clean),
    });
  } finally {
    for (const clean of cleaning.toReversed()) clean();
    for (const opened of hosts) await opened.stop({ graceMs: 0 });
  }
}
