#!/usr/bin/env node
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The templates. Their folders are copied one after the other, so that a later one replaces files of an earlier one. */
const templates = {
  vite: { what: 'Vite and React; the dev server keeps the key', folders: ['page', 'vite'] },
  next: { what: 'Next, with a route that keeps the key', folders: ['next'] },
  express: { what: 'Vite and React, with an Express server of your own', folders: ['page', 'express'] },
  ollama: { what: 'Vite and React, with a model on this machine', folders: ['page', 'ollama'] },
  'no-backend': { what: 'Vite and React; the page asks the model itself', folders: ['page', 'no-backend'] },
} as const;
type Template = keyof typeof templates;

const usage = `Creates a chat with an agent, a tool and the panel.

  npm create vitrine [folder] -- --template <template>

Templates:
${Object.entries(templates)
  .map(([name, { what }]) => `  ${name.padEnd(12)}${what}`)
  .join('\n')}`;

class UsageError extends Error {}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parse(args);
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  if (positionals.length > 1)
    throw new UsageError(`Give one folder; there are ${positionals.length}: ${positionals.join(', ')}.`);
  const template = values.template === undefined ? null : templateNamed(values.template);
  const folder = resolve(positionals[0] ?? (await ask('Folder', 'vitrine-chat')));
  const existing = existsSync(folder) ? readdirSync(folder).filter((name) => name !== '.git') : [];
  if (existing.length > 0)
    throw new UsageError(
      `${folder} is not empty (${existing.slice(0, 3).join(', ')}). Nothing was written: choose another folder.`,
    );
  write(folder, template ?? (await askTemplate()));
  process.stdout.write(`${nextSteps(folder)}\n`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { template: { type: 'string', short: 't' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

function templateNamed(name: string): Template {
  if (Object.hasOwn(templates, name)) return name as Template;
  throw new UsageError(
    `There is no template "${name}". Choose one of these: ${Object.keys(templates).join(', ')}.`,
  );
}

/** Asks a person at a terminal; elsewhere the default is taken. */
async function ask(question: string, byDefault: string): Promise<string> {
  if (!process.stdin.isTTY) return byDefault;
  const terminal = createInterface(process.stdin, process.stdout);
  const answer = await terminal.question(`${question} (${byDefault}): `);
  terminal.close();
  return answer.trim() || byDefault;
}

async function askTemplate(): Promise<Template> {
  if (process.stdin.isTTY) process.stdout.write(`${usage.slice(usage.indexOf('Templates'))}\n`);
  return templateNamed(await ask('Template', 'vite'));
}

function write(folder: string, template: Template): void {
  mkdirSync(folder, { recursive: true });
  for (const name of templates[template].folders)
    cpSync(fileURLToPath(new URL(`../templates/${name}`, import.meta.url)), folder, { recursive: true });
  // npm leaves .gitignore and .env out of a package.
  for (const name of readdirSync(folder).filter((file) => file.startsWith('_')))
    renameSync(join(folder, name), join(folder, name.replace('_', '.')));
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, `${JSON.stringify({ ...manifest, name: packageName(folder) }, null, 2)}\n`);
}

function packageName(folder: string): string {
  const words = basename(folder)
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.filter((word) => word !== '').join('-') || 'vitrine-chat';
}

function nextSteps(folder: string): string {
  const manager = /^(pnpm|yarn|bun)\//.exec(process.env['npm_config_user_agent'] ?? '')?.[1] ?? 'npm';
  const fromHere = relative(process.cwd(), folder);
  const path = fromHere.startsWith('..') ? folder : fromHere;
  const steps = [...(path === '' ? [] : [`cd ${path}`]), `${manager} install`, `${manager} run dev`];
  return `Created ${folder}. Next:\n\n${steps.map((step) => `  ${step}`).join('\n')}\n`;
}
