import { bridgeTexts } from '@vitrine/inspect/internal/foreign/bridge-texts';
import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import type { ObservedStream } from '@vitrine/inspect/internal/foreign/observed-stream';
import { type Fact, factsFrom } from './call-facts.ts';

/** Most answers without a fact in a run; then its other facts are not asked for. */
const mostMisses = 2;

/** The facts of the runs of one chat, which its server knows. */
export class ChatFacts {
  readonly #address: string;
  readonly #chat: string;
  #past = '';
  #run = '';
  #told: Fact[] = [];
  #taken = 0;
  #misses = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(address: string, chat: string) {
    this.#address = address;
    this.#chat = chat;
  }

  /** Does work behind what was given before. */
  after(work: () => Promise<void>): void {
    this.#last = this.#last.then(work);
  }

  /** Begins a run: the facts of the last one are not its own. */
  begin(): void {
    if (this.#run !== '') this.#past = this.#run;
    this.#run = '';
    this.#told = [];
    this.#taken = 0;
    this.#misses = 0;
  }

  /** The next fact of a type in the run; null when the server does not tell one in time. */
  async next<Type extends Fact['type']>(type: Type): Promise<Extract<Fact, { type: Type }> | null> {
    if (this.#find(type) < 0 && this.#misses < mostMisses) await this.#ask();
    const at = this.#find(type);
    if (at < 0) return null;
    this.#taken = at + 1;
    return this.#told[at] as Extract<Fact, { type: Type }>;
  }

  #find(type: Fact['type']): number {
    return this.#told.findIndex((fact, index) => index >= this.#taken && fact.type === type);
  }

  async #ask(): Promise<void> {
    const query = new URLSearchParams({
      chat: this.#chat,
      past: this.#past,
      run: this.#run,
      after: String(this.#told.length),
    });
    try {
      const response = await fetch(`${this.#address}?${query}`);
      const { run, facts } = factsFrom(await response.json());
      if (facts.length === 0) this.#misses++;
      if (run === null) return;
      if (run !== this.#run) this.#told = [];
      this.#run = run;
      this.#told.push(...facts);
    } catch {
      this.#misses = mostMisses;
    }
  }
}

/** A stream whose steps wait for the facts of their model calls. `begin` is called when the run before was taken. */
export function streamWithFacts(
  session: ObservedSession,
  facts: ChatFacts,
  begin: () => ObservedStream,
): ObservedStream {
  let stream: ObservedStream | null = null;
  const then = (work: () => Promise<void> | void): void =>
    facts.after(async () => {
      try {
        await work();
      } catch {
        session.skip(bridgeTexts.ofBridge);
      }
    });
  then(() => {
    facts.begin();
    stream = begin();
  });
  return {
    take: (chunk) =>
      then(async () => {
        const { type } = foreign(chunk);
        if (type === 'start-step') await addPrompt(session, facts);
        if (type === 'finish-step') await addUsage(session, facts);
        stream?.take(chunk);
      }),
    end: (how) => then(() => stream?.end(how)),
  };
}

async function addPrompt(session: ObservedSession, facts: ChatFacts): Promise<void> {
  const fact = await facts.next('prompt');
  if (fact === null) return;
  const { model, system, tools, questions } = fact;
  // The panel shows the whole conversation as sent; a server that leaves out a part of it is not known.
  const isWhole = questions === session.questions;
  session.root.addFacts({ model, ...(isWhole ? { prompt: { system, tools } } : {}) });
}

async function addUsage(session: ObservedSession, facts: ChatFacts): Promise<void> {
  const fact = await facts.next('usage');
  if (fact !== null) session.root.addFacts({ model: fact.model, usage: fact.usage });
}
