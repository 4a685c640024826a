import { AgentState, createAgentLoop, defineAgent, scriptedInference } from '@vitrine/core';
import { print } from '../report.ts';

/** What a finished execution leaves behind besides its messages. */
export async function memory(): Promise<void> {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (!collect) {
    console.log('\nMemory is measured with --expose-gc only.');
    return;
  }
  const loop = createAgentLoop(
    defineAgent({ name: 'bench', systemPrompt: '', inference: scriptedInference([{ text: 'x' }]) }),
  );
  const heap = async (): Promise<number> => {
    for (let pass = 0; pass < 5; pass++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return process.memoryUsage().heapUsed;
  };
  const runs = 1000;
  let state = AgentState.create();
  for (let run = 0; run < 200; run++) state = await loop.execute(AgentState.withMessages(state, []));
  const before = await heap();
  for (let run = 0; run < runs; run++) state = await loop.execute(AgentState.withMessages(state, []));
  const bytes = ((await heap()) - before) / runs;
  print(
    'Heap per finished execution, without its messages',
    ['figure', 'measured', 'goal'],
    [['bytes', bytes.toFixed(0), '2000']],
  );
}
