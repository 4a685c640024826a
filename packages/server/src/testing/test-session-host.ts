import { agentLaws } from './agent-laws.ts';
import { commandLaws } from './command-laws.ts';
import type { HostLaw, MakeHost } from './host-law.ts';
import { leaseLaws } from './lease-laws.ts';
import { wakeLaws } from './wake-laws.ts';

/** One law of session hosts as a check. */
export type HostCheck = {
  /** The law as a whole sentence. */
  readonly name: string;
  /** Rejects with the reason when the host breaks the law. */
  readonly run: () => Promise<void>;
};

/**
 * Returns the laws of session hosts that one process can check, for any test runner. Each check makes a host of its own
 * and stops it:
 *
 * ```ts
 * for (const { name, run } of testSessionHost(() => hostsOf(newFolder())))
 *   it(name, run);
 * ```
 */
export function testSessionHost(make: MakeHost): readonly HostCheck[] {
  return [...commandLaws, ...leaseLaws, ...wakeLaws, ...agentLaws].map((law) => ({
    name: law.name,
    run: () => keep(law, make),
  }));
}

async function keep(law: HostLaw, make: MakeHost): Promise<void> {
  const { host, reopen } = await make();
  const hosts = [host];
  try {
    await law.keep({
      host,
      async restart(options) {
        await hosts.at(-1)?.stop(options);
        const next = await reopen();
        hosts.push(next);
        return next;
      },
    });
  } finally {
    for (const opened of hosts) await opened.stop({ graceMs: 0 });
  }
}
