import { describe, expect, it } from 'vitest';
import { defaultLimits, limitVariables, withLimits } from './limits.ts';
import { optionsFromEnv } from './options-from-env.ts';
import { checkOrigins, isForeignOrigin } from './origin.ts';
import { streamLimitVariables } from '../stream/stream-limits.ts';

describe('the environment', () => {
  it('an empty environment leaves every option at its default', () => {
    for (const env of [
      {},
      { ALLOWED_HOSTS: '', ALLOWED_ORIGINS: ' ', ALLOWED_FILE_HOSTS: ',', VITRINE_DEPTH: '' },
      { VITRINE_BODY_BYTES: ' ', VITRINE_LEASE_MS: ' ' },
    ])
      expect(optionsFromEnv(env)).toEqual({ allowedOrigins: [], limits: {} });
  });

  it('the environment names hosts, origins, hosts of files and every limit', () => {
    const variables = { ...limitVariables, ...streamLimitVariables };
    const limits = Object.entries(variables).map(([name, variable], at) => ({
      name,
      variable,
      value: at + 7,
    }));
    const env = Object.fromEntries(limits.map(({ variable, value }) => [variable, String(value)]));
    expect(
      optionsFromEnv({
        ...env,
        ALLOWED_HOSTS: 'chat.example, other.example:8443',
        ALLOWED_ORIGINS: 'https://a.example,https://b.example',
        ALLOWED_FILE_HOSTS: 'files.example',
      }),
    ).toEqual({
      allowedHosts: ['chat.example', 'other.example:8443'],
      allowedOrigins: ['https://a.example', 'https://b.example'],
      allowedFileHosts: ['files.example'],
      limits: Object.fromEntries(limits.map(({ name, value }) => [name, value])),
    });
  });
});

describe('limits', () => {
  it('limits that are not given have their defaults', () => {
    expect(withLimits()).toEqual(defaultLimits);
    expect(withLimits({ depth: 5 })).toEqual({ ...defaultLimits, depth: 5 });
    expect(
      withLimits({ maxOutputTokens: null }, { ...defaultLimits, maxOutputTokens: 9 }).maxOutputTokens,
    ).toBeNull();
  });

  it.each([0, -1, Number.NaN, null, '5'])('limits of %j are refused, with name and variable', (depth) => {
    expect(() => withLimits({ depth: depth as number })).toThrow(
      /depth \(VITRINE_DEPTH\) is .*; give a number above 0/,
    );
  });

  it.each([0.5, 1.5, 0, Number.NaN])(
    'limits of %j tokens are refused, because no provider takes them',
    (most) => {
      expect(() => withLimits({ maxOutputTokens: most })).toThrow(
        /VITRINE_MAX_OUTPUT_TOKENS\) is .*; give a whole number above 0/,
      );
    },
  );

  it('limits of endless tokens are left to page and model', () => {
    expect(withLimits({ maxOutputTokens: Infinity }).maxOutputTokens).toBeNull();
  });
});

it.each([
  '*',
  'null',
  'chat.example',
  'https://chat.example/',
  'https://chat.example/path',
  'https://*.example',
  'HTTPS://chat.example',
  'https://chat.example:443',
  'tauri://localhost/',
  'TAURI://localhost',
  'tauri://user@localhost',
  'tauri:localhost',
  'file://',
  'data:text/html,a',
  '',
])('the allowed origin %j is refused, because no browser sends it', (origin) => {
  expect(() => checkOrigins([origin])).toThrow(/allowedOrigins contains .* which is no origin/);
});

it.each([
  'tauri://localhost',
  'http://tauri.localhost',
  'capacitor://localhost',
  'ionic://localhost',
  'app://-',
  'app://obsidian.md',
  'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  'moz-extension://1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
  'safari-web-extension://1B9D6BCD-BBFD-4B2D-9B5D-AB8DFBBD4BED',
  'vscode-webview://1ab2c3d4e5',
])('the allowed origin %j is taken, as a shell or an extension sends it', (origin) => {
  expect(checkOrigins([origin])).toEqual([origin]);
});

it.each([
  ['http://localhost', false],
  ['tauri://localhost', true],
  ['app://localhost', true],
  ['chrome-extension://localhost', true],
])(
  'a request from %s to the host of the same name is foreign unless it is allowed: %s',
  (origin, isForeign) => {
    const request = new Request('http://localhost/v1/inference', { method: 'POST', headers: { origin } });
    expect(isForeignOrigin(request, [])).toBe(isForeign);
    expect(isForeignOrigin(request, [origin])).toBe(false);
  },
);
