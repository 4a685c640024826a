import { AgentState, defineHook, defineTool } from '@vitrine/core';
import { diff, eventsOf } from '@vitrine/inspect';
import { recordAt } from '@vitrine/inspect/internal/journal-record';
import { fakeTool } from '@vitrine/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { recordedRun } from '../recorded-run.fixture.ts';
import { stepDocument } from './step-document.ts';
import { stepRecordOf } from './step-record.ts';
import { writersOf } from './step-state-view.tsx';
import { texts } from '../../texts.ts';

const look = fakeTool('look', 'nothing');
const script = [{ toolCalls: [{ name: 'look', input: {} }] }, { text: 'Done' }];

describe('a finished step', () => {
  it('a finished step is compared with the final state of another step, even after an earlier look', async () => {
    const record = await recordedRun({ tools: [look] }, script);
    const events = eventsOf(record);
    const second = events.findLastIndex(({ event }) => event.type === 'step-start');
    expect(stepRecordOf(recordAt(record, second + 1), 0)?.stateAfter(2)).not.toEqual(record.state);
    expect(stepRecordOf(record, 0)?.stateAfter(2)).toBe(record.state);
  });

  it('changed messages name their writer, except those of the model and the loop', async () => {
    const hooks = [
      defineHook({
        name: 'helpful',
        on: 'after-step',
        run: (state) =>
          AgentState.stepCount(state) === 1 ? AgentState.withUserMessage(state, 'And be brief') : undefined,
      }),
    ];
    const record = await recordedRun({ tools: [look], hooks }, script);
    const step = stepRecordOf(record, 0)!;
    const writerOf = writersOf(step.events, step.after.state, texts.state);
    const came = diff(step.stateBefore!, step.after.state).filter(
      ({ path, kind }) => path.includes('messages') && path[0] === 'context' && kind === 'added',
    );
    const written = came.map(
      (difference) => `${(difference.after as { role: string }).role}: ${writerOf(difference)}`,
    );
    expect(written.sort()).toEqual(['assistant: null', 'tool: null', 'user: helpful']);
  });
});

describe('the copied calls of a step', () => {
  it.each(['JSON', 'Markdown'] as const)(
    'the copied calls contain all but their secrets as %s, for any tool name',
    async (format) => {
      const reset = defineTool({
        name: 'reset_password',
        description: '',
        input: z.looseObject({}),
        execute: () => 'It was reset',
      });
      const input = { user: 'Ada', password: 'swordfish' };
      const record = await recordedRun({ tools: [reset] }, [
        { toolCalls: [{ name: 'reset_password', input }] },
        { text: 'Done' },
      ]);
      const text = stepDocument(stepRecordOf(record, 0)!, 'tools', { format, isRedacted: true, texts });
      expect(text).toContain('Ada');
      expect(text).toContain('It was reset');
      expect(text).not.toContain('swordfish');
    },
  );
});
