import type { Adapter } from '../adapter.ts';
import { aiSdk } from './ai-sdk.tsx';
import { floor, floorFrame } from './floor.tsx';
import { vitrineUseAgent, vitrineUseMessage } from './vitrine.tsx';

const adapters: Readonly<Record<string, Adapter>> = {
  floor,
  'floor-frame': floorFrame,
  useAgent: vitrineUseAgent,
  useMessage: vitrineUseMessage,
  'ai-sdk': aiSdk,
};

/** @throws Error for an unknown name. */
export function adapterOf(name: string): Adapter {
  const adapter = adapters[name];
  if (!adapter)
    throw new Error(`There is no adapter ${name}; there are ${Object.keys(adapters).join(', ')}.`);
  return adapter;
}
