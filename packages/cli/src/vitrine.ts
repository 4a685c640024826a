#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { add } from './add.ts';
import { blame } from './blame.ts';
import { check } from './check.ts';
import { casesAt, checkCases } from './check-cases.ts';
import { compare } from './compare.ts';
import { doctor } from './doctor.ts';
import { record } from './record/record.ts';
import { rerun } from './record/rerun.ts';
import { serveQuestions } from './serve-questions.ts';
import { show } from './show.ts';
import { exitCodes, UsageError } from './usage-error.ts';
import { view } from './view.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

const usage = `Works with recorded runs of agents (traces).

  vitrine check <trace> --agent <file#export>   run today's agent on the recording; no model, no tool
  vitrine check <trace> --expect <json>         whether the recorded runs meet an expectation (JSON, or its file)
  vitrine check <cases> [--agent <file#export>] [--calls <number>]
                                                a folder of cases (name.case.json), or one: whether today's agent does
                                                what they expect; a model is asked only with --calls, for runs that go
                                                another way now
  vitrine blame <trace> --agent <file#export> --expect <json> [--run <number>] [--calls <number>] [--cost <amount>]
                [--models <a,b>]                which part of the run breaks the expectation, by experiment: its model
                                                is asked, at most 30 times; no tool has an effect
  vitrine diff <trace> <trace> [--run <number>] what two runs did differently
  vitrine show <trace> [--run <number>]         what a run did, and why it stopped
  vitrine view <trace> [--out <page>] [--no-open]
                                                the trace in the panel, as one page
  vitrine mcp [trace...] [--page] [--port <number>] [--token <text>] [--agent <file#export>]
                                                questions about traces, and with --page about a running page, for
                                                coding agents (MCP on stdio); with --agent also experiments (blame)
  vitrine record [--to <provider>=<address>] [--save <tape>] [--port <number>] [--no-open]
                 [--quiet] [-- <program>]
                                                runs any program and shows what it asks models, on a page; without a
                                                program it prints the addresses to set
  vitrine rerun <tape> [--ignore <path>] -- <program>
                                                the same program on the recording; no model, no key
  vitrine doctor [--json] [--url <address>]     what is wrong or has aged in the application of this folder
  vitrine add <what>                            adds to it: ai-sdk (its chats in the panel), chat, panel, server, skill

A trace is also a recording (run.tape); run.tape#2 is its second session, and show lists them.
Exit codes: 0 equal, 1 different, 125 nothing could be checked, 129 the command is wrong.
With these, git bisect run vitrine check <trace> --agent <file#export> finds the commit that changed a run.`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args);
  const [command, ...files] = positionals;
  if (values.help === true || command === undefined) {
    print(usage);
    return values.help === true ? exitCodes.fine : exitCodes.wrongUse;
  }
  const [first, second] = files;
  switch (command) {
    case 'check': {
      const file = one(files, command);
      const cases = await casesAt(file);
      if (cases !== null)
        return checkCases(cases, { agent: values.agent, calls: capOf(values).calls ?? 0 }, print);
      if (values.agent === undefined && values.expect === undefined)
        throw new UsageError(
          'Name the agent, an expectation, or both: --agent file#export --expect \'{"says":"…"}\'.',
        );
      return check(file, values, print);
    }
    case 'blame': {
      const { agent, expect } = values;
      if (agent === undefined || expect === undefined)
        throw new UsageError(
          'Name the agent and an expectation: --agent file#export --expect \'{"says":"…"}\'.',
        );
      const asked = { run: numberOf(values.run), cap: capOf(values), models: values.models?.split(',') };
      return blame(one(files, command), { agent, expect, ...asked }, print);
    }
    case 'diff':
      if (first === undefined || second === undefined || files.length > 2)
        throw new UsageError('Name two traces: vitrine diff <trace> <trace>.');
      return compare([first, second], numberOf(values.run), print);
    case 'show':
      await show(one(files, command), numberOf(values.run), print);
      return exitCodes.fine;
    case 'view':
      print(await view(one(files, command), values.out, values['no-open'] !== true));
      return exitCodes.fine;
    case 'mcp':
      if (files.length === 0 && values.page !== true)
        throw new UsageError('Name at least one trace, or --page: vitrine mcp <trace...>.');
      await serveQuestions(
        { files, page: values.page === true ? await page(values) : null, agent: values.agent ?? null },
        version(),
      );
      return exitCodes.fine;
    case 'record': {
      const { program } = programIn(args, files, command);
      return record(program, {
        port: values.port === undefined ? 0 : portOf(values.port),
        to: values.to ?? [],
        tape: values.save ?? null,
        // Without a terminal there is nobody to see it.
        isOpened: process.stderr.isTTY && values['no-open'] !== true && values.quiet !== true,
        isQuiet: values.quiet === true,
      });
    }
    case 'rerun': {
      const { program, file } = programIn(args, files, command);
      const say = (line: string): void => void process.stderr.write(`vitrine: ${line}\n`);
      return rerun(file, program, { ignored: values.ignore ?? [], print: say });
    }
    case 'doctor':
      if (files.length > 0)
        throw new UsageError('vitrine doctor takes no files: run it in the folder of the application.');
      return doctor(process.cwd(), { now: Date.now(), print, json: values.json, url: values.url });
    case 'add':
      add(files.length > 1 ? undefined : first, process.cwd(), print);
      return exitCodes.fine;
    default:
      throw new UsageError(`There is no command ${JSON.stringify(command)}.\n\n${usage}`);
  }
}

/** The live sessions of pages, and their address on standard error, where a person who starts the program sees it. */
async function page({ port, token }: { port?: string; token?: string }): Promise<WatchedPage> {
  const watched = await watchPage(portOf(port), token ?? process.env['VITRINE_TOKEN']);
  process.stderr.write(`Pages connect by: shareSessions(localChannel('${watched.address}'))\n`);
  return watched;
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? 4985);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 1 to 65535, not ${JSON.stringify(text)}.`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        agent: { type: 'string' },
        expect: { type: 'string' },
        run: { type: 'string' },
        calls: { type: 'string' },
        cost: { type: 'string' },
        models: { type: 'string' },
        out: { type: 'string' },
        'no-open': { type: 'boolean' },
        page: { type: 'boolean' },
        port: { type: 'string' },
        to: { type: 'string', multiple: true },
        quiet: { type: 'boolean' },
        save: { type: 'string' },
        ignore: { type: 'string', multiple: true },
        token: { type: 'string' },
        json: { type: 'boolean' },
        url: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
}

/** The program behind two dashes, and the recording that `rerun` names before them. */
function programIn(args: readonly string[], files: readonly string[], command: string) {
  const place = args.indexOf('--');
  const program = place < 0 ? [] : args.slice(place + 1);
  const [file = '', ...others] = files.slice(0, files.length - program.length);
  const isRight = command === 'rerun' ? file !== '' && program.length > 0 : file === '';
  if (!isRight || others.length > 0)
    throw new UsageError(
      `Put the program behind two dashes: vitrine ${command} ${command === 'rerun' ? 'run.tape ' : ''}-- python agent.py`,
    );
  return { program, file };
}

function one(files: readonly string[], command: string): string {
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw new UsageError(`Name one trace: vitrine ${command} <trace>; ${files.length} were named.`);
  return file;
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new UsageError(`--run takes a number from 1 on, not ${JSON.stringify(text)}.`);
  return number;
}

function capOf({ calls, cost }: { calls?: string; cost?: string }): { calls?: number; cost?: number } {
  const amountOf = (option: string, text: string): number => {
    const amount = Number(text);
    if (text.trim() !== '' && amount >= 0 && Number.isFinite(amount)) return amount;
    throw new UsageError(`--${option} takes a number of 0 or more, not ${JSON.stringify(text)}.`);
  };
  return {
    ...(calls === undefined ? {} : { calls: Math.floor(amountOf('calls', calls)) }),
    ...(cost === undefined ? {} : { cost: amountOf('cost', cost) }),
  };
}

function version(): string {
  const { version: own } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return own;
}
