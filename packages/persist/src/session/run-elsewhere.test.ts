import { describe, expect, it, vi } from 'vitest';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import type { ScriptedEntry } from '@vitrine/testing/internal/scripted-inference';
import { heldTool, shownTexts } from '@vitrine/testing/internal/session.fixture';
import { type SimulatedTime, simulatedTime } from '@vitrine/testing/internal/simulated-time.fixture';
import type { AgentSession, SessionSnapshot, Turn } from '@vitrine/core/internal/session/agent-session';
import { createAgentSession } from '@vitrine/core/internal/session/create-agent-session';
import { loadParts } from './loaded-parts.fixture.ts';
import { memorySessions } from '../drivers/memory/memory-sessions.ts';

type Devices = {
  readonly time: SimulatedTime;
  readonly laptop: AgentSession;
  readonly phone: AgentSession;
  /** The turn of the phone, whose tool runs until `look` ends. */
  readonly asked: Promise<Turn>;
  readonly look: ReturnType<typeof heldTool>;
  /** The calls of the model after the tool, on each device. */
  readonly calls: Readonly<Record<'laptop' | 'phone', ReturnType<typeof vi.fn>>>;
};

const shown = (session: AgentSession): SessionSnapshot => session.store.getState();

/** A phone whose run waits for its tool, and a laptop that does not know of it yet. */
async function runningPhone(resume: boolean): Promise<Devices> {
  await loadParts();
  const time = simulatedTime();
  const sessions = memorySessions();
  const look = heldTool('look', { effects: 'once' });
  const calls = {
    laptop: vi.fn(() => ({ text: 'of the laptop' })),
    phone: vi.fn(() => ({ text: 'of the phone' })),
  };
  const open = (page: number, script: readonly unknown[]): AgentSession => {
    const agent = scriptedAgent(script as ScriptedEntry[], { tools: [look.tool] });
    const env = time.env(page);
    return createAgentSession({ agent, sessions, sessionId: 'a', publish: 'immediate', resume, env });
  };
  const laptop = open(1, [calls.laptop]);
  await laptop.ready;
  const phone = open(2, [{ toolCalls: [{ name: 'look', input: 0 }] }, calls.phone]);
  const asked = phone.sendMessage('Look');
  await time.until(
    () => look.runs.length === 1,
    () => 'the tool runs',
  );
  await phone.flush();
  return { time, laptop, phone, asked, look, calls };
}

/** The same, after the laptop has found this out by a write of its own. */
async function overtakenLaptop(resume: boolean): Promise<Devices> {
  const devices = await runningPhone(resume);
  const { time, laptop } = devices;
  void laptop.rename('Ours');
  await time.until(
    () => shown(laptop).activity.type === 'elsewhere',
    () => JSON.stringify([shown(laptop).status, shown(laptop).persistence]),
  );
  return devices;
}

describe('a session whose turn another device runs', () => {
  it('a session refuses to resume, keeps what is sent, and shows the answer of the other device', async () => {
    const { time, laptop, asked, look, calls } = await overtakenLaptop(true);
    expect(shown(laptop).status).toBe('streaming');
    const refused = await laptop.resume();
    expect(refused).toMatchObject({ status: 'refused', error: { code: 'session-busy' } });
    void laptop.sendMessage('And then');
    expect(shown(laptop).queue.map(({ text }) => text)).toEqual(['And then']);
    await time.pass(30_000);
    expect(calls.laptop).not.toHaveBeenCalled();
    look.end('seen');
    expect(await asked).toMatchObject({ status: 'done', outcome: 'completed' });
    await time.pass(60_000);
    expect(shownTexts(laptop).slice(0, 1)).toEqual(['Look']);
    expect(shownTexts(laptop)).toContain('of the phone');
    expect(shownTexts(laptop).at(-2)).toBe('And then');
    expect(shown(laptop).status).toBe('ready');
    expect(calls.phone.mock.calls.length + calls.laptop.mock.calls.length).toBe(2);
  });

  it('a run whose device stored nothing for two minutes is offered to be resumed', async () => {
    const { time, laptop, calls } = await overtakenLaptop(false);
    await time.pass(110_000);
    expect(shown(laptop).activity.type).toBe('elsewhere');
    await time.pass(60_000);
    expect(shown(laptop).status).toBe('interrupted');
    expect(calls.laptop).not.toHaveBeenCalled();
    const resumed = laptop.resume();
    await time.pass(1000);
    expect(await resumed).toMatchObject({ status: 'done', outcome: 'completed', stored: true });
    expect(calls.laptop).toHaveBeenCalledTimes(1);
  });

  it('a session that resumes by itself does so once the other device is gone', async () => {
    const { time, laptop, calls } = await overtakenLaptop(true);
    await time.pass(110_000);
    expect(calls.laptop).not.toHaveBeenCalled();
    await time.pass(60_000);
    expect(calls.laptop).toHaveBeenCalledTimes(1);
    expect(shown(laptop).status).toBe('ready');
  });

  it('a message that was sent before the session knew of the other run is answered at once', async () => {
    const { time, laptop, phone, asked, look, calls } = await runningPhone(false);
    const told = laptop.sendMessage('And then');
    await time.pass(5000);
    expect(await told).toMatchObject({ status: 'done', outcome: 'completed', stored: true });
    expect(shownTexts(laptop).slice(-2)).toEqual(['And then', 'of the laptop']);
    look.end('seen');
    await phone.flush();
    expect(await asked).toMatchObject({ status: 'overtaken' });
    expect(calls.phone).not.toHaveBeenCalled();
    expect(calls.laptop).toHaveBeenCalledTimes(1);
  });
});
