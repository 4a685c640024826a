import { describe, expect, it } from 'vitest';
import { describeNode } from './describe-node.ts';
import { searchTree } from '../tabs/state/state-tree.tsx';
import { treeKeyAction } from './tree.tsx';
import { treeRows } from './tree-rows.ts';
import { texts } from '../texts.ts';

describe('the object graph as a tree', () => {
  it('the tree shows expanded values, splits lists into pages and marks changes', () => {
    const before = { list: Array.from({ length: 250 }, (_, index) => index), same: { a: 1 }, other: null };
    const after = { ...before, other: 'x' };
    const rows = treeRows(after, 'S', {
      expanded: new Set(['S', 'S.list']),
      limits: new Map(),
      previous: before,
    });
    expect(rows).toHaveLength(1 + 1 + 100 + 1 + 2);
    expect(rows.find((row) => row.looks.more)?.textIn(texts)).toBe('Show 100 of 150 more');
    expect(rows.filter((row) => row.looks.isChanged).map((row) => row.path)).toEqual(['S', 'S.other']);
  });

  it('the tree marks values that did not exist before', () => {
    const rows = treeRows({ list: [1, 2], b: null }, 'S', {
      expanded: new Set(['S', 'S.list']),
      limits: new Map(),
      previous: { list: [1] },
    });
    expect(rows.filter((row) => row.looks.isChanged).map((row) => row.path)).toEqual([
      'S',
      'S.list',
      'S.list.1',
      'S.b',
    ]);
  });

  it('a search visits a shared object once', () => {
    const shared = { text: 'needle' };
    expect(searchTree({ a: shared, b: [shared, shared] }, 'S', 'needle', { texts })).toHaveLength(1);
  });

  it('a search finds paths and values, but no secrets', () => {
    const state = { llm: { apiKey: 'sk-1', model: 'gpt' }, list: ['needle'] };
    expect(searchTree(state, 'S', 'needle', { texts }).map((hit) => hit.path)).toEqual(['S.list.0']);
    expect(searchTree(state, 'S', 'sk-1', { texts })).toEqual([]);
    const rows = treeRows(state, 'S', {
      expanded: new Set(['S', 'S.llm']),
      limits: new Map(),
      previous: undefined,
    });
    expect(JSON.stringify(rows.map((row) => row.textIn(texts)))).not.toContain('sk-1');
  });

  it('a range of the request is named by its section', () => {
    const ranges = [{ section: 'messages', first: 'a', last: 'b', count: 2 }];
    expect(describeNode(['messages'], ranges, texts)).toBe('SentRange (1)');
    expect(describeNode(['0'], ranges[0], texts)).toBe('SentRange messages 2');
    expect(describeNode(['messages'], [{ id: 'a', role: 'user', parts: [] }], texts)).toBe('Message (1)');
  });

  it('the arrow keys move through the tree', () => {
    const rows = treeRows({ a: { b: 1 }, c: 2 }, 'S', {
      expanded: new Set(['S']),
      limits: new Map(),
      previous: undefined,
    });
    expect(rows.map((row) => row.path)).toEqual(['S', 'S.a', 'S.c']);
    expect(treeKeyAction('ArrowDown', rows, 'S')).toEqual({ moveTo: 1 });
    expect(treeKeyAction('ArrowRight', rows, 'S.a')).toBe('toggle');
    expect(treeKeyAction('ArrowLeft', rows, 'S.a')).toEqual({ moveTo: 0 });
    expect(treeKeyAction('End', rows, 'S.a')).toEqual({ moveTo: 2 });
    expect(treeKeyAction('x', rows, 'S.a')).toBeNull();
  });
});
