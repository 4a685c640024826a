/** Who may import whom: the direction of DESIGN, as configuration for the linter. */

type Pattern = { readonly group: readonly string[]; readonly message: string };
type Override = { readonly files: readonly string[]; readonly rules: Readonly<Record<string, unknown>> };

const publicOnly: Pattern = {
  group: [
    '@vitrine/*/src',
    '@vitrine/*/src/**',
    '@vitrine/*/dist/**',
    '**/packages/*/src/**',
    '../../../*/src/**',
  ],
  message: 'Import packages through their public entry points.',
};

/** Packages, with those that each may import. */
const packages: Readonly<Record<string, readonly string[]>> = {
  core: [],
  react: ['core'],
  devtools: ['core', 'react'],
  proxy: ['core'],
};

/** Folders of core from the bottom up; a folder may import its own layer and those below. */
const layers: readonly (readonly string[])[] = [
  ['env', 'errors'],
  ['messages', 'continuation', 'budget', 'inference'],
  ['state'],
  ['events', 'hooks', 'tools', 'plugins', 'codec', 'agent'],
  ['subagents'],
  ['loop'],
  ['session'],
  ['namespaces'],
];

/** Folders of core that may use zod: where unknown data enters. */
const zodFolders = ['codec', 'tools', 'plugins'];

export function lintOverrides(): Override[] {
  return [...packageOverrides(), ...layerOverrides(), ...exceptions];
}

function packageOverrides(): Override[] {
  return Object.entries(packages).map(([name, allowed]) => {
    const others = Object.keys(packages).filter((other) => other !== name && !allowed.includes(other));
    const group = [
      ...others.flatMap((other) => [`@vitrine/${other}`, `@vitrine/${other}/**`]),
      '@vitrine/demo',
      '**/apps/**',
    ];
    return restrict(
      [`packages/${name}/src/**`],
      [{ group, message: `packages/${name} may import: ${allowed.join(', ') || 'no other package'}.` }],
    );
  });
}

function layerOverrides(): Override[] {
  return layers.flatMap((folders, index) => {
    const above = layers.slice(index + 1).flat();
    return folders.map((folder) => {
      const patterns: Pattern[] = [{ group: ['@vitrine/*'], message: 'core imports no other package.' }];
      if (above.length > 0) {
        const group = above.flatMap((higher) => [`../${higher}/**`, `../../${higher}/**`]);
        patterns.push({
          group,
          message: `core/${folder} is a lower layer: it must not import ${above.join(', ')}.`,
        });
      }
      if (!zodFolders.includes(folder))
        patterns.push({ group: ['zod', 'zod/**'], message: 'zod is for codec, tools and plugins only.' });
      return restrict([`packages/core/src/${folder}/**`], patterns);
    });
  });
}

function restrict(files: readonly string[], patterns: readonly Pattern[]): Override {
  return {
    files,
    rules: { 'no-restricted-imports': ['error', { patterns: [publicOnly, ...patterns] }] },
  };
}

const exceptions: readonly Override[] = [
  {
    files: ['**/*.test.ts', '**/*.test.tsx', '**/*.test-d.ts', 'tests/**', 'benches/**'],
    rules: { 'no-restricted-imports': 'off', 'react/globals': 'off', 'react/immutability': 'off' },
  },
  { files: ['vite.config.ts'], rules: { 'import/no-default-export': 'off' } },
  // Warnings of the library to the developer, and the proxy's log.
  {
    files: [
      'packages/core/src/loop/run-hooks.ts',
      'packages/proxy/src/log-entry.ts',
      'scripts/**',
      'benches/**',
    ],
    rules: { 'no-console': 'off' },
  },
];
