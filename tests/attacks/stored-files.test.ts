import { createHash } from 'node:crypto';
import { createSessionRoutes, type SessionRoutes } from '@vitrine/proxy';
import { sqliteSessions } from '@vitrine/proxy/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const allowed = 'https://chat.example';
const fileBytes = 1000;
const secret = 'canary: the passport of Ann';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

let store: ReturnType<typeof sqliteSessions>;
let routes: SessionRoutes;
beforeEach(async () => {
  store = sqliteSessions({ path: ':memory:' });
  routes = createSessionRoutes({
    store,
    authorize(request) {
      const id = request.headers.get('authorization');
      return id === null ? null : { id };
    },
    limits: { fileBytes },
    allowedOrigins: [allowed],
    log: () => undefined,
  });
  expect((await put('ann', secret)).status).toBe(204);
});
afterEach(() => store.close());

const send = (who: string | null, path: string, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers);
  if (who !== null) headers.set('authorization', who);
  return routes.fetch(new Request(`https://api.example/v1/sessions${path}`, { ...init, headers }));
};
const put = (
  who: string | null,
  text: string,
  { hash = hashOf(text), session = 's', headers = {} }: Partial<PutOptions> = {},
): Promise<Response> =>
  send(who, `/${session}/files/${hash}`, {
    method: 'PUT',
    body: text,
    headers: { 'content-type': 'application/octet-stream', 'x-file-type': 'image%2Fpng', ...headers },
  });
type PutOptions = {
  readonly hash: string;
  readonly session: string;
  readonly headers: Readonly<Record<string, string>>;
};
const get = (who: string | null, text: string, headers: Record<string, string> = {}): Promise<Response> =>
  send(who, `/files/${hashOf(text)}`, { headers });
const told = async (response: Response): Promise<object> => ({
  status: response.status,
  text: (await response.text()).replace(/"requestId":"[^"]*"/, ''),
});
const dots = ['..', '%2e%2e'];
const codeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { code: unknown }).code;

describe('a file of another', () => {
  it('a file of another owner is answered like an unknown one, even to an owner whose session claims to hold it', async () => {
    const missing = await told(await get('bob', 'never put'));
    expect(await told(await get('bob', secret))).toEqual(missing);
    expect(missing).toMatchObject({ status: 404 });
    // A claim is no copy, and keeps nothing for whoever has it.
    const rows = store.rows('bob');
    await rows.write('s', {
      expected: null,
      head: '{}',
      put: new Map(),
      drop: 'rest',
      blobs: [hashOf(secret)],
    });
    expect(await told(await get('bob', secret))).toEqual(missing);
    await store.rows('ann').remove('s');
    expect((await get('ann', secret)).status).toBe(404);
  });

  it('a file of another owner is neither replaced nor freed by putting and removing it under the same session', async () => {
    expect((await put('bob', secret, { headers: { 'x-file-type': 'text%2Fhtml' } })).status).toBe(204);
    expect((await send('bob', '/s', { method: 'DELETE' })).status).toBe(404);
    await store.rows('bob').remove('s');
    const found = await get('ann', secret);
    expect([await found.text(), found.headers.get('x-file-type')]).toEqual([secret, 'image%2Fpng']);
  });

  it('a file is refused without a sign-in', async () => {
    for (const response of [await get(null, secret), await put(null, 'mine')])
      expect([response.status, await codeOf(response)]).toEqual([401, 'unauthorized']);
  });
});

describe('a file that is put', () => {
  it('a file under the hash of other bytes is not kept for anybody', async () => {
    const forged = await put('ann', 'forged', { hash: hashOf('the true one') });
    expect([forged.status, await codeOf(forged)]).toEqual([400, 'file-hash-mismatch']);
    for (const text of ['forged', 'the true one']) expect((await get('ann', text)).status).toBe(404);
  });

  it('a file is cut at its limit even when its announced length is wrong', async () => {
    expect((await put('ann', 'x'.repeat(fileBytes))).status).toBe(204);
    const large = 'x'.repeat(fileBytes + 1);
    for (const headers of [{}, { 'content-length': '5' }, { 'content-length': '99999999999' }] as const) {
      const refused = await put('ann', large, { headers });
      const { code, detail } = (await refused.json()) as Record<string, unknown>;
      expect([refused.status, code, detail]).toEqual([
        413,
        'file-too-large',
        'The file exceeds the limit of 1000 bytes on this server. Send a smaller one.',
      ]);
    }
    expect((await get('ann', large)).status).toBe(404);
  });

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ['as a form, which any page may send', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['as text', { 'content-type': 'text/plain' }, 415],
    ['packed', { 'content-encoding': 'gzip' }, 415],
    ['with a type that is no text', { 'x-file-type': '%E0%A4%A' }, 400],
    ['with a type of many words', { 'x-file-type': 'a'.repeat(256) }, 400],
    ['with a type that ends a text', { 'x-file-type': 'a%00' }, 400],
    ['by a page of another site', { origin: 'https://evil.example' }, 403],
  ])('%s is refused', async (_how, headers, status) => {
    expect((await put('ann', 'refused', { headers })).status).toBe(status);
    expect((await get('ann', 'refused')).status).toBe(404);
  });

  it.each([
    ...dots,
    '..%2f..%2fs',
    '%2fetc%2fpasswd',
    '__proto__',
    '%00',
    'A'.repeat(64),
    'a'.repeat(63),
    'a'.repeat(65),
    `${'a'.repeat(64)}%0a`,
    `${'a'.repeat(64)}/more`,
    "' or 1=1 --",
    '*',
  ])('a file under the name %j is refused, and nothing is stored', async (hash) => {
    // Dots are the address of the session, to which bytes are no write.
    const codes = [
      'file-hash-invalid',
      'not-found',
      ...(dots.includes(hash) ? ['unsupported-media-type'] : []),
    ];
    expect(codes).toContain(await codeOf(await put('ann', 'named', { hash })));
    const found = await send('ann', `/files/${hash}`);
    if (dots.includes(hash)) expect(await found.json()).toEqual({ sessions: [], next: null });
    else expect(['file-hash-invalid', 'not-found', 'session-not-found']).toContain(await codeOf(found));
    for (const session of ['%2e%2e', '%2e', 'a'.repeat(201), '%00', 'a%0ab'])
      expect((await put('ann', 'named', { session })).status).toBeGreaterThanOrEqual(400);
    expect((await get('ann', 'named')).status).toBe(404);
  });
});

describe('a file that is opened as an address', () => {
  it('a file opened as an address is a download of bytes whatever its type says, and no site can embed or cache it', async () => {
    const page = '<script>alert(document.cookie)</script>';
    const types = ['text%2Fhtml', 'image%2Fsvg%2Bxml', 'text%2Fhtml%0D%0Aset-cookie%3A%20a%3Db'];
    for (const [at, type] of types.entries()) {
      await put('ann', page + at, { headers: { 'x-file-type': type } });
      const { headers } = await get('ann', page + at);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
        'x-file-type': type,
      });
      expect(headers.has('set-cookie')).toBe(false);
    }
    // Whether there is one is not told by what can be embedded, either.
    expect((await get('ann', 'never put')).headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('a file is readable with its type by pages of allowed origins, and by no others', async () => {
    const { headers } = await get('ann', secret, { origin: allowed });
    expect(headers.get('access-control-allow-origin')).toBe(allowed);
    expect(headers.get('access-control-expose-headers')).toContain('x-file-type');
    const foreign = await get('ann', secret, { origin: 'https://evil.example' });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const asked = await send(null, `/s/files/${hashOf(secret)}`, {
      method: 'OPTIONS',
      headers: {
        origin: allowed,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,content-type,x-file-type',
      },
    });
    expect(asked.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(asked.headers.get('access-control-allow-headers')).toContain('x-file-type');
  });
});
