import { type ScriptedEntry, scriptedInference } from '@vitrine/testing';
import { createInferenceProxy } from '@vitrine/proxy';

// Loaded before every example of the guide. An example that says `modelAnswers(…)` in its hidden code finds a proxy at
// `/api`, as a page does, whose model plays these steps.

function modelAnswers(...steps: readonly ScriptedEntry[]): void {
  const client = scriptedInference(steps);
  const models = [{ id: 'guide:model', name: 'Model of the guide', provider: 'guide', client }];
  const proxy = createInferenceProxy({ models, log: () => undefined });
  globalThis.fetch = (input, init) =>
    proxy.fetch(
      new Request(input instanceof Request ? input : new URL(String(input), 'http://localhost'), init),
    );
}

Object.assign(globalThis, { modelAnswers });
