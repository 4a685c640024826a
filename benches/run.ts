import { availableParallelism, loadavg } from 'node:os';
import { publish, type PublishedRatios } from '../scripts/docs/measured.ts';
import { answers } from './answers/answers.ts';
import { bill } from './bill/bill.ts';
import { debuggerCosts } from './debugger/debugger.ts';
import { deltas } from './deltas/deltas.ts';
import { diffs } from './diffs/diffs.ts';
import { documents } from './documents/documents.ts';
import type { Figure } from './goals.ts';
import { heap } from './heap/heap.ts';
import { devices } from './hosts/devices.ts';
import { hosts } from './hosts/hosts.ts';
import { markdown } from './markdown/markdown.ts';
import { formatTable, judge } from './report.ts';
import { observers } from './observers/observers.ts';
import { panelDiagnosis } from './panel/panel-diagnosis.ts';
import { panelHeap } from './panel/panel-heap.ts';
import { panelLarge } from './panel/panel-large.ts';
import { panelMinute } from './panel/panel-minute.ts';
import { panel } from './panel/panel.ts';
import { proxy } from './proxy/proxy.ts';
import { recording } from './recording/recording.ts';
import { requests } from './requests/requests.ts';
import type { Scenario } from './scenario.ts';
import { sessions } from './sessions/sessions.ts';
import { sizes } from './sizes/sizes.ts';
import { soak } from './soak/soak.ts';
import { start } from './start/start.ts';
import { longSession } from './steps/long-session.ts';
import { steps } from './steps/steps.ts';
import { stores } from './stores/stores.ts';
import { streaming } from './streaming/streaming.ts';
import { writes } from './writes/writes.ts';

// npm run bench -- [--only streaming,answers,markdown,sessions,panel,panel-large,panel-diagnosis,panel-minute,panel-heap,steps,long-session,debugger,deltas,observers,heap,documents,diffs,stores,writes,requests,recording,proxy,bill,hosts,devices,sizes,start,soak] [--rounds 5] [--with-peers] [--publish] [--minutes 20]
// `--publish` writes the ratios that docs/guide/compared.md shows; `npx vitest run --project node reference -u` puts them there.

const scenarios: Readonly<Record<string, Scenario>> = {
  streaming,
  answers,
  markdown,
  sessions,
  panel,
  'panel-large': panelLarge,
  'panel-diagnosis': panelDiagnosis,
  'panel-minute': panelMinute,
  'panel-heap': panelHeap,
  steps,
  'long-session': longSession,
  debugger: debuggerCosts,
  deltas,
  observers,
  heap,
  documents,
  diffs,
  stores,
  writes,
  requests,
  recording,
  proxy,
  bill,
  hosts,
  devices,
  sizes,
  start,
  // It takes long and runs only when it is named.
  soak,
};

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const only = option('only')?.split(',') ?? Object.keys(scenarios).filter((name) => name !== 'soak');
const rounds = Number(option('rounds') ?? 5);
const unknown = only.filter((name) => !(name in scenarios));
if (unknown.length > 0 || !(rounds >= 1)) {
  console.error(`Give --only some of ${Object.keys(scenarios).join(', ')}, and --rounds of 1 or more.`);
  process.exit(2);
}

const [load = 0] = loadavg();
if (load > availableParallelism() / 2)
  console.error(
    `Others keep this machine busy (load ${load.toFixed(1)}): wall times say little, CPU times more.`,
  );

const figures: Figure[] = [];
const published: PublishedRatios[] = [];
for (const name of only) {
  const measured = await scenarios[name]?.(rounds);
  for (const table of measured?.tables ?? []) console.log(formatTable(table));
  figures.push(...(measured?.figures ?? []));
  published.push(...(measured?.published ?? []));
}
if (process.argv.includes('--publish')) {
  const command = [
    'npm run bench -- --only',
    only.join(),
    ...(process.argv.includes('--with-peers') ? ['--with-peers'] : []),
  ];
  publish(published, command.join(' '), new Date().toISOString().slice(0, 10));
}
const { text, exitCode } = judge(figures);
console.log(text);
process.exitCode = exitCode;
