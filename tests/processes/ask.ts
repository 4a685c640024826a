import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { request } from '../upstream/plain-request.ts';

/** Asks a model, and does not read its answer. */
export function ask(url: string, user: string, model: string): Promise<Response> {
  return fetch(`${url}/v1/inference`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-user': user },
    body: JSON.stringify({ ...request, model }),
  });
}

/** Why a request was refused; null for one that was not. */
export async function codeOf(response: Response): Promise<string | null> {
  return response.ok ? null : ((await response.json()) as { code: string }).code;
}

/** The outcome of one request, which waits while there is no place. `lost` means unknown. */
export async function outcomeOf(url: string, user: string): Promise<'admitted' | 'refused' | 'lost'> {
  for (;;) {
    const response = await ask(url, user, 'p:quick').catch(() => null);
    if (response === null) return 'lost';
    if (response.ok) {
      await response.text().catch(() => 'cut short');
      return 'admitted';
    }
    const code = await codeOf(response);
    if (code === 'quota-exceeded') return 'refused';
    expect(code).toBe('too-many-streams');
    await sleep(30);
  }
}
