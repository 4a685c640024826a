import bcd from '@mdn/browser-compat-data' with { type: 'json' };
import type { Identifier, SupportStatement } from '@mdn/browser-compat-data';

/** The oldest browsers that pages run in, also over plain http. Written down in the guide (react.md). */
export const floor = { chrome: '109', edge: '109', firefox: '115', safari: '16.4' } as const;

/** The packages whose code runs in pages. */
export const pageCode = [
  ...['ag-ui', 'ai-sdk', 'assistant-ui', 'langgraph', 'mcp', 'otel', 'tanstack-ai', 'web-mcp'].map(
    (bridge) => `bridges/${bridge}/src`,
  ),
  ...['core', 'persist', 'inspect', 'messages', 'plugins', 'react', 'devtools'].map(
    (name) => `packages/${name}/src`,
  ),
  'apps/demo/src',
];

/**
 * Names that browsers leave out of pages without a secure context, as `http://192.168.…`, and have at the floor otherwise. The
 * journey `oldest-browsers` compares the list with Chromium.
 */
export const secureOnly: Readonly<Record<string, readonly string[]>> = {
  Crypto: ['randomUUID', 'subtle'],
  Navigator: [
    'clipboard',
    'credentials',
    'locks',
    'mediaDevices',
    'requestMediaKeySystemAccess',
    'serviceWorker',
    'storage',
  ],
  HTMLMediaElement: ['mediaKeys', 'setMediaKeys'],
  BaseAudioContext: ['audioWorklet'],
  Window: ['caches'],
};

type Fallback = { readonly names: readonly string[]; readonly fallback: string };

/** Uses of what the floor does not have, by file, each with its fallback. */
export const fallbacks: Readonly<Record<string, Fallback>> = {
  'packages/persist/src/rows/under-lock.ts': {
    names: ['locks'],
    fallback: 'hasLocks() asks first: without locks a change waits for others of its page only.',
  },
  'packages/persist/src/link/browser-tabs.ts': {
    names: ['locks'],
    fallback: 'browserTabs() asks hasLocks() first: without locks each tab is on its own.',
  },
  'packages/react/src/server/stream-group.ts': {
    names: ['locks'],
    fallback: 'canShare() asks first: without locks each tab has a stream of its own.',
  },
  'packages/core/src/session/store/attachments.ts': {
    names: ['subtle'],
    fallback: 'It asks first: without it files stay in their messages.',
  },
  'packages/persist/src/rows/row-engine.ts': {
    names: ['subtle'],
    fallback: 'attachments.ts hands files to a store only where it is there.',
  },
  'packages/devtools/src/shell/mount.tsx': {
    names: ['popover', 'showPopover', 'hidePopover'],
    fallback: 'It asks for `showPopover` first: without it the panel has a high z-index.',
  },
  'packages/devtools/src/kit/copy-text.ts': {
    names: ['clipboard'],
    fallback: 'The button says that nothing was copied.',
  },
  'packages/react/src/components/kit/use-menu.ts': {
    names: ['popover', 'showPopover'],
    fallback: 'It asks for `showPopover` first: without it a menu may be cut off by what is around it.',
  },
  'packages/react/src/components/kit/icon-button.tsx': {
    names: ['clipboard'],
    fallback: 'The button says that nothing was copied.',
  },
};

/** Names in the theme that the floor does not have, each with what a page looks like without it. */
export const styleFallbacks: Readonly<Record<string, string>> = {
  '&': 'Only for the generated content of a page with a reset below: it keeps the reset.',
  ':has': 'Firefox 115 says twice why an answer ended: in the message and below it.',
  'color-mix':
    'Where a file is dropped the theme asks for it first; a field and a session lose a faint shade.',
  'light-dark': 'The theme asks for it first: without it every page is light.',
  'overflow-anchor': 'Safari anchors nothing, so there is nothing to turn off.',
  'scrollbar-gutter': 'The content moves by a scrollbar when it becomes long.',
  'scrollbar-width': 'The scrollbar is wider.',
  'text-wrap': 'A title of two lines is not balanced.',
};

type Support = Readonly<Record<string, SupportStatement | undefined>>;

function isAtMost(version: string, limit: string): boolean {
  const [ours, most] = [version.replace('≤', ''), limit].map((text) => text.split('.').map(Number));
  const [major = Infinity, minor = 0] = ours ?? [];
  const [mostMajor = 0, mostMinor = 0] = most ?? [];
  return major < mostMajor || (major === mostMajor && minor <= mostMinor);
}

/** True when every browser of the floor has it, without a flag or a prefix. */
function isAtFloor(support: Support): boolean {
  return Object.entries(floor).every(([browser, limit]) =>
    [support[browser] ?? []]
      .flat()
      .some(({ version_added, version_removed, flags, prefix, alternative_name }) => {
        if (flags || prefix || alternative_name || typeof version_added !== 'string') return false;
        const isGone = typeof version_removed === 'string' && isAtMost(version_removed, limit);
        return version_added !== 'preview' && isAtMost(version_added, limit) && !isGone;
      }),
  );
}

function isNewer(entry: Identifier | Identifier['__compat']): boolean {
  return (
    entry !== undefined &&
    '__compat' in entry &&
    entry.__compat !== undefined &&
    !isAtFloor(entry.__compat.support as Support)
  );
}

const builtins = bcd.javascript['builtins'] as Identifier;

function entryOf(name: string): Identifier | undefined {
  return bcd.api[name] ?? builtins[name] ?? builtins['Intl']?.[name];
}

/** A global, or a member of one at its constructor, at its prototype, or at either. */
export type NewerName = {
  readonly owner: string | null;
  readonly name: string;
  readonly at: 'static' | 'prototype' | 'either';
};

/** All that is newer than the floor; without `owner` a global. */
export function newerNames(): readonly NewerName[] {
  const found: NewerName[] = [];
  for (const [owner, entry] of [...Object.entries(bcd.api), ...Object.entries(builtins)]) {
    if (owner === '__compat') continue;
    if (isNewer(entry)) found.push({ owner: null, name: owner, at: 'either' });
    for (const [key, member] of Object.entries(entry as Identifier)) {
      if (key === '__compat' || !isNewer(member as Identifier)) continue;
      // The data marks static members of web APIs; those of the language have plain names.
      const at = key.endsWith('_static') ? 'static' : builtins[owner] === entry ? 'either' : 'prototype';
      found.push({ owner, name: key.replace(/_static$/, ''), at });
    }
  }
  return found;
}

/** True for a global of TypeScript's library that the floor does not have. */
export function isMissingGlobal(name: string): boolean {
  return isNewer(entryOf(name)) || isMissing(['Window', 'WorkerGlobalScope'], name, false);
}

/** True for a member that the floor does not have; the first of the owners that has it decides. */
export function isMissing(owners: readonly string[], name: string, isStatic: boolean): boolean {
  for (const owner of owners) {
    if (!isStatic && secureOnly[owner]?.includes(name) === true) return true;
    const entry = entryOf(owner);
    const member = (isStatic ? entry?.[`${name}_static`] : undefined) ?? entry?.[name];
    if (member !== undefined) return isNewer(member as Identifier);
  }
  return false;
}

/** Entries of the data on styles by name; none where the data lacks the list. */
const styles = (list: string): Identifier => (bcd.css[list] ?? {}) as Identifier;

/** Names in styles that the floor does not have: properties, functions, selectors and rules, and nested rules as `&`. */
export function newerStyles(css: string): readonly string[] {
  const code = css.replace(/\/\*[^]*?\*\//g, '');
  const named = (data: Identifier, pattern: RegExp): readonly string[] =>
    [...code.matchAll(pattern)].flatMap(([text, name = '']) => (isNewer(data[name]) ? [text.trim()] : []));
  const types = styles('types');
  const functions = Object.assign({}, ...Object.values(types), types) as Identifier;
  const found = [
    ...(code.includes('&') && isNewer(styles('selectors')['nesting']) ? ['&'] : []),
    ...named(styles('at-rules'), /@([a-z-]+)/g),
    ...named(styles('selectors'), /::?([a-z-]+)/g),
    ...named(styles('properties'), /(?<=[{};]\s*)([a-z-]+)(?=:)/g),
    ...named(functions, /([a-z-]+)(?=\()/g),
  ];
  return [...new Set(found)].sort();
}
